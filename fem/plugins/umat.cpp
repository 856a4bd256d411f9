#include "fem/plugins/umat.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/launch/law_inputs.hpp"
#include "fem/modules/plugin.hpp"
#include "fem/modules/workshop.hpp"
#include "fem/plugins/umat_utilities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <unistd.h>

namespace ritz {
namespace {

namespace fs = std::filesystem;

using Umat = void (*)(double* stress, double* states, double* ddsdde, double* sse, double* spd, double* scd,
                      double* rpl, double* ddsddt, double* drplde, double* drpldt, const double* strain,
                      const double* change, const double* time, const double* dtime, const double* temperature,
                      const double* dtemperature, const double* predefined, const double* dpredefined, const char* name,
                      const int* direct, const int* shear, const int* components, const int* state_count,
                      const double* constants, const int* constant_count, const double* coordinates,
                      const double* rotation, double* shorter, const double* length, const double* before,
                      const double* after, const int* element, const int* point, const int* layer,
                      const int* section_point, const int* step, const int* increment, std::size_t name_length);

// One material of a UMAT; they stay, since forms hold their addresses.
struct UmatMaterial {
  Umat call;
  std::string name;
  std::vector<double> constants;
  int states;
  LawRecord record;
};

// The bytes of its law.
struct UmatNumbers {
  const UmatMaterial* material;
  int direct, shear;  // components: 3 and 3 in space
};

// Numbers kept at a point: STRESS and strain by six, the temperature, the count of increments, then STATEV.
constexpr int stress_at = 0, strain_at = 6, temperature_at = 12, increment_at = 13, states_at = 14;

// Our number of component i: 11 22 33 12 13 23 in space, 11 22 12 in plane stress.
int component(const UmatNumbers& u, int i) {
  const int shear = i - u.direct;
  return shear < 0 ? i : shear == 0 ? 3 : shear == 1 ? 5 : 4;
}

// One point, its numbers in a row.
struct UmatPoint {
  Symmetric<double> strain, stress;
  std::vector<double> before, now;
  double moduli[6][6];
};

void call_umat(const UmatNumbers& u, const LawArguments& a, double temperature, UmatPoint& p) {
  const UmatMaterial& m = *u.material;
  const int components = u.direct + u.shear, constant_count = static_cast<int>(m.constants.size()), one = 1;
  const bool large = a.measure != Strain::small;
  double stress[6], strain[6], change[6], ddsdde[36] = {}, heat[6] = {}, energies[5] = {}, ddsddt[6] = {};
  for (int i = 0; i < components; ++i) {
    const int k = component(u, i);
    const double twice = i < u.direct ? 1 : 2, begin = p.before[static_cast<std::size_t>(strain_at + k)];
    stress[i] = p.before[static_cast<std::size_t>(stress_at + k)];
    strain[i] = twice * begin;
    change[i] = twice * (p.strain[k] - begin);
  }
  const auto stretch = [&](const Symmetric<double>& e, double(&F)[9]) {
    const Symmetric<double> U = large ? exp(e) : Symmetric<double>::identity() + e;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) F[i + 3 * j] = U(i, j);
  };
  Symmetric<double> begin;
  std::copy_n(p.before.begin() + strain_at, 6, begin.v);
  double before[9], after[9];
  stretch(begin, before);
  stretch(p.strain, after);
  const double dtime = a.time.dt > 0 ? a.time.dt : 1, start = a.time.t - a.time.dt, time[2] = {start, start};
  const double warm = p.before[temperature_at], dtemperature = temperature - warm, zero[3] = {}, size = 1;
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int increment = static_cast<int>(p.before[increment_at]) + 1;
  std::string name = m.name;
  name.resize(80, ' ');
  double shorter = 1;
  p.now = p.before;
  m.call(stress, p.now.data() + states_at, ddsdde, &energies[0], &energies[1], &energies[2], &energies[3], ddsddt, heat,
         &energies[4], strain, change, time, &dtime, &warm, &dtemperature, zero, zero, name.data(), &u.direct, &u.shear,
         &components, &m.states, m.constants.data(), &constant_count, zero, identity, &shorter, &size, before, after,
         &one, &one, &one, &one, &one, &increment, name.size());
  // Cauchy's stress to the one that is conjugate to the logarithmic strain, J times it
  const double J = large ? std::exp(trace(p.strain)) : 1;
  const double shortens = shorter < 1 ? std::numeric_limits<double>::quiet_NaN() : 0;
  p.stress = Symmetric<double>::zero();
  std::fill_n(&p.moduli[0][0], 36, 0.0);
  for (int i = 0; i < components; ++i) {
    const int k = component(u, i);
    p.now[static_cast<std::size_t>(stress_at + k)] = stress[i];
    p.stress[k] = J * stress[i] + shortens;
    for (int j = 0; j < components; ++j) p.moduli[k][component(u, j)] = J * ddsdde[i + components * j];
  }
  std::copy_n(p.strain.v, 6, p.now.begin() + strain_at);
  p.now[temperature_at] = temperature;
  p.now[increment_at] = increment;
}

// A kernel of a law, point by point.
void run_umat(const Device&, const LawArguments& a) {
  const UmatNumbers& u = *static_cast<const UmatNumbers*>(a.law);
  const int kept = states_at + u.material->states;
  UmatPoint p;
  p.before.resize(static_cast<std::size_t>(kept));
  for (Index pack = 0; pack < a.packs; ++pack)
    for (int lane = 0; lane < lane_count; ++lane) {
      const auto at = [&](Index width, int number) { return (pack * width + number) * lane_count + lane; };
      for (int k = 0; k < 6; ++k) p.strain[k] = a.strain[at(6, k)];
      if (a.plane_stress) p.strain[2] = 0;
      for (int i = 0; i < kept; ++i) p.before[static_cast<std::size_t>(i)] = a.before[at(kept, i)];
      const LawCall& call = whole_call(a);
      const double temperature = call.temperature == nullptr ? 0 : call.temperature[pack * call.stride + lane];
      try {
        call_umat(u, a, temperature, p);
      } catch (const UmatStops& stops) {
        say_of_umat(fmt::format("umat {}: {}; the increment fails", u.material->name, stops.what()));
        p.now = p.before;
        std::fill_n(p.stress.v, 6, std::numeric_limits<double>::quiet_NaN());
      }
      if (a.plane_stress) a.strain[at(6, 2)] = 0;
      for (int k = 0; k < 6; ++k) a.stress[at(6, k)] = p.stress[k];
      if (a.moduli != nullptr)
        for (int k = 0; k < 36; ++k) a.moduli[at(36, k)] = p.moduli[k / 6][k % 6];
      if (a.now != nullptr)
        for (int i = 0; i < kept; ++i) a.now[at(kept, i)] = p.now[static_cast<std::size_t>(i)];
    }
}

void enter(void* numbers, Space space, bool large, bool plane_stress) {
  auto& u = *static_cast<UmatNumbers*>(numbers);
  if (plane_stress && large)
    throw Error(ErrorKind::law_kinematics,
                fmt::format("the UMAT '{}' in plane stress with large displacements", u.material->name),
                "it does not return the strain across, which the area of the edges needs",
                "take a solid, or small displacements");
  u.direct = plane_stress ? 2 : 3;
  u.shear = space == Space::solid ? 3 : 1;
}

// Abaqus's include file, under both of the names that sources use.
fs::path write_includes(const fs::path& cache) {
  const fs::path folder = cache / "fortran";
  fs::create_directories(folder);
  for (const char* name : {"ABA_PARAM.INC", "aba_param.inc"}) {
    if (fs::exists(folder / name)) continue;
    const fs::path temporary = folder / fmt::format("{}.{}", name, ::getpid());
    std::ofstream(temporary) << "      implicit real*8(a-h,o-z)\n      parameter (nprecd=2)\n";
    fs::rename(temporary, folder / name);
  }
  return folder;
}

Umat load_umat(const std::string& file, const Device& device, const MessageSink& say) {
  const Workshop workshop(file, device, fortran_compiler(write_includes(module_cache())));
  const std::string module = workshop.file_of(workshop.module(say).module).string();
  void* const loaded = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr)
    throw Error(ErrorKind::plugin, fmt::format("the user subroutine '{}' cannot be loaded", file), dlerror(),
                "it calls a routine that is not in it, nor among those of docs/materials.md");
  void* const found = dlsym(loaded, "umat_");
  if (found == nullptr)
    throw Error(ErrorKind::plugin, fmt::format("there is no UMAT in '{}'", file),
                "the name of the subroutine is UMAT, outside of modules", "begin it with SUBROUTINE UMAT(STRESS, ...");
  return reinterpret_cast<Umat>(found);
}

LawRecord record_of(const UmatMaterial& m, const UmatOptions& options) {
  LawRecord r{};
  r.name = m.name.c_str();
  r.large = Strain::logarithmic;
  r.small = true;
  r.symmetric = options.symmetric;
  r.isotropic = false;  // not known
  r.reads_time = options.in_time;
  r.reads_temperature = true;
  r.needs_temperature = [](const void*) { return false; };
  r.enter = enter;
  r.table = -1;
  r.numbers.name = m.name.c_str();
  r.numbers.size = sizeof(UmatNumbers);
  const auto keep = [&](const char* name, const char* about, int components) {
    if (components > 0)
      r.numbers.state[r.numbers.state_count++] = {.name = name, .about = about, .components = components};
  };
  keep("umat_stress", "STRESS, xx yy zz xy yz xz", 6);
  keep("umat_strain", "strain at which it was found, xx yy zz xy yz xz", 6);
  keep("umat_temperature", "", 1);
  keep("umat_increment", "KINC", 1);
  keep("umat_state", "STATEV", options.states);
  return r;
}

}  // namespace

MaterialLaw umat_law(const std::string& file, const UmatOptions& options, const Device& device,
                     const MessageSink& say) {
  require_plugins(file);
  if (device.is_gpu())
    throw Error(ErrorKind::law, fmt::format("the user subroutine '{}' on a GPU", file),
                "gfortran compiles it for processors alone", "run with --device cpu, or write the law in C++");
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown))
    throw Error(ErrorKind::file_missing, fmt::format("there is no user subroutine '{}'", file), {},
                "name a Fortran source with a UMAT");
  static std::deque<UmatMaterial> materials;
  static const LawKernel kernel = run_umat;
  std::string name = "umat_" + fs::path(file).stem().string();
  const auto is_taken = [&] {
    return std::ranges::any_of(materials, [&](const UmatMaterial& each) { return each.name == name; });
  };
  for (int number = 2; is_taken(); ++number) name = fmt::format("umat_{}_{}", fs::path(file).stem().string(), number);
  const Umat call = load_umat(file, device, say);
  UmatMaterial& m = materials.emplace_back(UmatMaterial{call, name, options.constants, options.states, {}});
  m.record = record_of(m, options);
  register_kernels(device.backend().c_str(), law_kernel_name(m.name.c_str()).c_str(), &kernel);
  const UmatNumbers numbers{&m, 3, 3};
  return {m.record, &numbers, "ritz_fem_kernels"};
}

}  // namespace ritz
