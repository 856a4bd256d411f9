#include "fem/physics/material_law.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/launch/law_arguments.hpp"
#include "fem/materials/from_law.hpp"
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

void check_kinematics(const LawRecord& law, const Kinematics& kinematics) {
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

FormValue MaterialLaw::form(const Kinematics& kinematics, const LawInputs& inputs) const {
  const LawRecord& law = *record;
  check_kinematics(law, kinematics);
  FormValue form = kinematics.space == Space::solid   ? form_in<Space::solid>(law.symmetric)
                   : kinematics.space == Space::plane ? form_in<Space::plane>(law.symmetric)
                                                      : form_in<Space::revolution>(law.symmetric);
  form.name = law.name;
  form.law = {.kernel = law_kernel_name(law.name),
              .module = module,
              .measure = kinematics.large ? law.large : Strain::small,
              .plane_stress = kinematics.plane_stress,
              .free_strains = static_cast<int>(inputs.free_strains.size()),
              .has_axes = !inputs.axes.empty()};
  form.linear = false;
  form.reads_time = law.reads_time;
  form.given = inputs.free_strains;
  form.given.insert(form.given.end(), inputs.axes.begin(), inputs.axes.end());
  form.given_count = static_cast<int>(form.given.size());
  std::memcpy(form.bytes.data(), numbers.data(), law.numbers.size);
  for (const StateFacts& each : law.numbers.states())
    form.state_start.insert(form.state_start.end(), static_cast<std::size_t>(each.components), each.start);
  form.derived = results_of_law + static_cast<int>(form.state_start.size());
  return form;
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
  kernels<LawKernel>(device, module, law_kernel_name(record->name))(device, {.law = numbers.data(),
                                                                             .packs = 1,
                                                                             .strain = strain.data(),
                                                                             .before = before.data(),
                                                                             .now = nullptr,
                                                                             .stress = stress.data(),
                                                                             .moduli = moduli.data(),
                                                                             .plane_stress = false,
                                                                             .measure = record->large,
                                                                             .time = {}});
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

double shorten(HardeningPoints& points) {
  if (std::ssize(points) <= hardening_points) return 0;
  std::set<std::size_t> kept = {0, points.size() - 1};
  while (true) {
    double largest = 0;
    std::size_t worst = 0;
    for (auto from = kept.begin(), to = std::next(from); to != kept.end(); ++from, ++to) {
      const auto [x0, y0] = points[*from];
      const auto [x1, y1] = points[*to];
      for (std::size_t i = *from + 1; i < *to; ++i) {
        const double chord = y0 + (y1 - y0) * (points[i].first - x0) / (x1 - x0);
        if (const double left = std::abs(points[i].second / chord - 1); !(left <= largest)) largest = left, worst = i;
      }
    }
    if (std::ssize(kept) == hardening_points || largest == 0) {
      HardeningPoints few;
      for (const std::size_t i : kept) few.push_back(points[i]);
      points = std::move(few);
      return largest;
    }
    kept.insert(worst);
  }
}

}  // namespace ritz
