#include "fem/physics/material_law.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/launch/law_inputs.hpp"
#include "fem/materials/anisotropic.hpp"
#include "fem/materials/from_cell_law.hpp"
#include "fem/materials/linear_elastic.hpp"
#include "fem/materials/orthotropic.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace ritz {
namespace {

template <Space space>
FormValue form_in(bool symmetric) {
  if (symmetric) return FormValue(FromLaw<space, true>{});
  return FormValue(FromLaw<space, false>{});
}

template <Space space, CellGradient gradient, bool large = false>
std::string cell_form(bool symmetric) {
  return symmetric ? name_of_cell_form<space, gradient, true, large>()
                   : name_of_cell_form<space, gradient, false, large>();
}
template <Space space>
std::string cell_kernels_in(const Kinematics& kinematics, bool symmetric) {
  switch (kinematics.gradient) {
    case CellGradient::own: break;
    case CellGradient::mean_dilatation: return cell_form<space, CellGradient::mean_dilatation>(symmetric);
    case CellGradient::incompatible_modes:
      return kinematics.large ? cell_form<space, CellGradient::incompatible_modes, true>(symmetric)
                              : cell_form<space, CellGradient::incompatible_modes>(symmetric);
    case CellGradient::uniform: return cell_form<space, CellGradient::uniform>(true);
  }
  return {};
}

bool is_linear(const LawRecord& law) {
  const std::string_view name = law.name;
  return name == LinearElastic::name || name == Orthotropic::name || name == Anisotropic::name;
}

void check_gradient(const LawRecord& law, const Kinematics& kinematics) {
  const auto fail = [&](const char* what, const char* why, const char* fix) {
    throw Error(ErrorKind::law_kinematics, fmt::format("{} of the law '{}'", what, law.name), why, fix);
  };
  switch (kinematics.gradient) {
    case CellGradient::own: return;
    case CellGradient::mean_dilatation:
      if (kinematics.plane_stress)
        fail("a mean dilatation in plane stress", "there the thickness gives way, and nothing locks",
             "omit integration = \"mean_dilatation\"");
      return;
    case CellGradient::incompatible_modes:
      if (kinematics.space == Space::revolution)
        fail("incompatible modes in a body of revolution", "they are known of solids and of the plane",
             "take a mean dilatation, or cells of order 2");
      return;
    case CellGradient::uniform:
      if (kinematics.space != Space::solid)
        fail("a uniform gradient in the plane", "its stiffness against hourglasses is known of hexahedra",
             "take a mean dilatation, or incompatible modes");
      if (!law.symmetric)
        fail("a uniform gradient", "its moduli are not symmetric", "take a mean dilatation, or cells of order 2");
      return;
  }
}

void check_kinematics(const LawRecord& law, const Kinematics& kinematics) {
  check_gradient(law, kinematics);
  if (!kinematics.large && !law.small)
    throw Error(ErrorKind::law_kinematics, fmt::format("the law '{}' is one of large displacements", law.name),
                "it depends on the finite strain, which small displacements do not have",
                "set large_displacement = true");
  if (kinematics.plane_stress && kinematics.space != Space::plane)
    throw Error(ErrorKind::law_kinematics,
                fmt::format("plane stress of '{}' in a solid or a body of revolution", law.name),
                "it is a state of plates in their plane", "take a plane mesh, or omit plane stress");
}

}  // namespace

bool keeps_inelastic_strain(const LawRecord& law) {
  const std::span<const StateFacts> kept = law.numbers.states();
  return !kept.empty() && kept.front().components == 6 &&
         (kept.front().name == std::string_view("plastic_strain") ||
          kept.front().name == std::string_view("creep_strain"));
}

FormValue MaterialLaw::form(const Kinematics& kinematics, const LawInputs& inputs) const {
  const LawRecord& law = *record;
  check_kinematics(law, kinematics);
  FormValue form = kinematics.space == Space::solid   ? form_in<Space::solid>(law.symmetric)
                   : kinematics.space == Space::plane ? form_in<Space::plane>(law.symmetric)
                                                      : form_in<Space::revolution>(law.symmetric);
  form.cell_kernels = kinematics.space == Space::solid ? cell_kernels_in<Space::solid>(kinematics, law.symmetric)
                      : kinematics.space == Space::plane
                          ? cell_kernels_in<Space::plane>(kinematics, law.symmetric)
                          : cell_kernels_in<Space::revolution>(kinematics, law.symmetric);
  form.name = law.name;
  form.law = {.kernel = law_kernel_name(law.name),
              .module = module,
              .measure = kinematics.large ? law.large : Strain::small,
              .plane_stress = kinematics.plane_stress,
              .free_strains = static_cast<int>(inputs.free_strains.size()),
              .has_axes = !inputs.axes.empty()};
  form.linear =
      kinematics.gradient != CellGradient::own && is_linear(law) && !kinematics.large && inputs.free_strains.empty();
  form.reads_time = needs_time();
  form.given = inputs.free_strains;
  form.given.insert(form.given.end(), inputs.axes.begin(), inputs.axes.end());
  for (const auto& [number, function] : inputs.varying) {
    form.law.varying |= std::uint32_t{1} << number;
    form.given.push_back(function);
  }
  if (law.reads_temperature && inputs.temperature) form.given.push_back(*inputs.temperature);
  form.given_count = static_cast<int>(form.given.size());
  std::memcpy(form.bytes.data(), numbers.data(), law.numbers.size);
  if (law.enter != nullptr) law.enter(form.bytes.data(), kinematics.space, kinematics.large, kinematics.plane_stress);
  for (const StateFacts& each : law.numbers.states())
    form.state_start.insert(form.state_start.end(), static_cast<std::size_t>(each.components), each.start);
  form.derived = results_of_law + static_cast<int>(form.state_start.size());
  return form;
}

int MaterialLaw::parameter(std::string_view name) const {
  const FormRecord& all = record->numbers;
  std::string names;
  for (int i = 0; i < all.parameter_count; ++i) {
    const ParameterRecord& each = all.parameters[i];
    if (each.facts.name == name && each.count == 1) return i;
    if (each.count == 1) names += (names.empty() ? "" : ", ") + fmt::format("'{}'", each.facts.name);
  }
  throw Error(ErrorKind::law, fmt::format("the law '{}' has no number '{}' that could vary", record->name, name),
              names.empty() ? "none of its numbers can" : fmt::format("it has {}", names),
              "take one of these, or another law");
}

bool MaterialLaw::needs_time() const {
  return record->reads_time && (record->needs_time == nullptr || record->needs_time(numbers.data()));
}
bool MaterialLaw::needs_temperature() const {
  return record->reads_temperature &&
         (record->needs_temperature == nullptr || record->needs_temperature(numbers.data()));
}

std::optional<ElasticModuli> MaterialLaw::moduli_at_rest(const Device& device) const {
  if (!record->isotropic) return std::nullopt;
  std::vector<double> state;
  for (const StateFacts& each : record->numbers.states())
    state.insert(state.end(), static_cast<std::size_t>(each.components * lane_count), each.start);
  const Vector before(device, std::span<const double>(state), "laws at points");
  const auto zeros = [&](Index numbers) {
    Vector v(device, numbers * lane_count, "laws at points");
    v.fill_zero();
    return v;
  };
  Vector strain = zeros(6), stress = zeros(6), moduli = zeros(36);
  kernels<LawKernel>(device, module, law_kernel_name(record->name))(device, LawCall{{.law = numbers.data(),
                                                                                     .packs = 1,
                                                                                     .strain = strain.data(),
                                                                                     .before = before.data(),
                                                                                     .now = nullptr,
                                                                                     .stress = stress.data(),
                                                                                     .moduli = moduli.data(),
                                                                                     .plane_stress = false,
                                                                                     .measure = record->large,
                                                                                     .time = {}}});
  const std::vector<double> D = moduli.host();
  const auto entry = [&](std::size_t i, std::size_t j) { return D[(6 * i + j) * lane_count]; };
  const double shear = entry(3, 3), lame = entry(0, 1);
  return ElasticModuli{shear, lame + 2.0 / 3 * shear};
}

std::optional<double> MaterialLaw::poisson_at_rest(const Device& device) const {
  const std::optional<ElasticModuli> m = moduli_at_rest(device);
  if (!m) return std::nullopt;
  return (3 * m->bulk - 2 * m->shear) / (2 * (3 * m->bulk + m->shear));
}

Hardening hardening(const std::string& law, const HardeningPoints& points) {
  const auto fail = [&](const std::string& what, const char* why) {
    throw Error(ErrorKind::law, fmt::format("the table of hardening of '{}' {}", law, what), why,
                fmt::format("give 1 to {} pairs of plastic strain and yield stress", hardening_points));
  };
  if (points.empty()) fail("is missing", "the yield stress has no other source");
  if (std::ssize(points) > hardening_points)
    fail(fmt::format("has {} points", points.size()), "it is carried into kernels");
  if (points.front().first != 0)
    fail(fmt::format("begins at the plastic strain {:g}", points.front().first), "yielding begins at 0");
  Hardening h{};
  for (std::size_t i = 0; i < hardening_points; ++i) {
    const std::size_t k = std::min(i, points.size() - 1);
    const auto [strain, stress] = points[k];
    if (!(stress > 0)) fail(fmt::format("has the yield stress {:g}", stress), "it must be above 0");
    if (k > 0 && k == i && !(strain > points[k - 1].first))
      fail(fmt::format("has the strain {:g} after {:g}", strain, points[k - 1].first), "strains must grow");
    h.strain[i] = strain;
    h.stress[i] = stress;
  }
  return h;
}

namespace {

// The points of curves over the same strains that a law keeps: those without which one of them would differ most.
// Returns the largest difference that is left, of the stress there.
double choose_points(const std::vector<double>& strains, const std::vector<std::vector<double>>& curves,
                     std::set<std::size_t>& kept) {
  kept = {0, strains.size() - 1};
  while (true) {
    double largest = 0;
    std::size_t worst = 0;
    for (auto from = kept.begin(), to = std::next(from); to != kept.end(); ++from, ++to)
      for (std::size_t i = *from + 1; i < *to; ++i)
        for (const std::vector<double>& curve : curves) {
          const double share = (strains[i] - strains[*from]) / (strains[*to] - strains[*from]);
          const double chord = curve[*from] + (curve[*to] - curve[*from]) * share;
          if (const double left = std::abs(curve[i] / chord - 1); !(left <= largest)) largest = left, worst = i;
        }
    if (std::ssize(kept) == hardening_points || largest == 0) return largest;
    kept.insert(worst);
  }
}

double stress_on(const HardeningPoints& points, double strain) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto [x0, y0] = points[i - 1];
    const auto [x1, y1] = points[i];
    if (strain <= x1) return y0 + (y1 - y0) * (strain - x0) / (x1 - x0);
  }
  return points.back().second;
}

}  // namespace

double shorten(HardeningPoints& points) {
  if (std::ssize(points) <= hardening_points) return 0;
  std::vector<double> strains, stresses;
  for (const auto& [strain, stress] : points) strains.push_back(strain), stresses.push_back(stress);
  std::set<std::size_t> kept;
  const double left = choose_points(strains, {stresses}, kept);
  HardeningPoints few;
  for (const std::size_t i : kept) few.push_back(points[i]);
  points = std::move(few);
  return left;
}

HardeningOverTemperature hardening(const std::string& law, const HardeningCurves& curves, double* left) {
  if (curves.empty()) hardening(law, HardeningPoints{});  // throws
  if (std::ssize(curves) > hardening_temperatures)
    throw Error(ErrorKind::law, fmt::format("the table of hardening of '{}' has {} temperatures", law, curves.size()),
                "it is carried into kernels", fmt::format("give at most {}", hardening_temperatures));
  std::set<double> all;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    HardeningPoints few = curves[i].second;
    shorten(few);
    hardening(law, few);  // throws what is wrong
    for (const auto& [strain, stress] : curves[i].second) all.insert(strain);
    if (i > 0 && !(curves[i].first > curves[i - 1].first))
      throw Error(ErrorKind::law,
                  fmt::format("the table of hardening of '{}' has the temperature {:g} after {:g}", law,
                              curves[i].first, curves[i - 1].first),
                  "temperatures must grow", "sort the curves");
  }
  const std::vector<double> strains(all.begin(), all.end());
  std::vector<std::vector<double>> stresses;
  for (const auto& [temperature, points] : curves) {
    std::vector<double>& curve = stresses.emplace_back();
    for (const double strain : strains) curve.push_back(stress_on(points, strain));
  }
  std::set<std::size_t> kept;
  const double difference = choose_points(strains, stresses, kept);
  if (left != nullptr) *left = difference;
  const std::vector<std::size_t> places(kept.begin(), kept.end());
  HardeningOverTemperature h{};
  for (std::size_t k = 0; k < hardening_points; ++k) h.strain[k] = strains[places[std::min(k, places.size() - 1)]];
  for (std::size_t t = 0; t < hardening_temperatures; ++t) {
    const std::size_t row = std::min(t, curves.size() - 1);
    h.temperature[t] = curves[row].first;
    for (std::size_t k = 0; k < hardening_points; ++k)
      h.stress[t][k] = stresses[row][places[std::min(k, places.size() - 1)]];
  }
  return h;
}

}  // namespace ritz
