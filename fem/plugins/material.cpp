#include "fem/plugins/material.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/materials/from_law.hpp"
#include "fem/launch/law_arguments.hpp"
#include "fem/plugins/form_catalogue.hpp"

#include <cstring>
#include <fmt/format.h>

namespace ritz {
namespace {

constexpr const char* module_of_laws = "ritz_fem_kernels";

template <Space space>
FormValue form_in(bool symmetric) {
  if (symmetric) return FormValue(FromLaw<space, true>{});
  return FormValue(FromLaw<space, false>{});
}

void check_kinematics(const LawRecord& law, const Kinematics& kinematics) {
  if (!kinematics.large && !law.small)
    throw Error(Exit::model, fmt::format("the law '{}' is one of large displacements", law.name),
                "it depends on the finite strain, which small displacements do not have",
                "set large_displacement = true");
  if (kinematics.plane_stress && kinematics.space != Space::plane)
    throw Error(Exit::model, fmt::format("plane stress of '{}' in a solid or a body of revolution", law.name),
                "it is a state of plates in their plane", "take a plane mesh, or omit plane stress");
}

}  // namespace

FormValue material(const LawRecord& law, const void* numbers, const Kinematics& kinematics, const std::string& module) {
  check_kinematics(law, kinematics);
  FormValue form = kinematics.space == Space::solid   ? form_in<Space::solid>(law.symmetric)
                   : kinematics.space == Space::plane ? form_in<Space::plane>(law.symmetric)
                                                      : form_in<Space::revolution>(law.symmetric);
  form.name = law.name;
  form.law = {.kernel = law_kernel_name(law.name),
              .module = module,
              .measure = kinematics.large ? law.large : Strain::small,
              .plane_stress = kinematics.plane_stress};
  form.linear = false;
  form.reads_time = law.reads_time;
  std::memcpy(form.bytes.data(), numbers, law.numbers.size);
  for (const StateFacts& each : law.numbers.states())
    form.state_start.insert(form.state_start.end(), static_cast<std::size_t>(each.components), each.start);
  form.derived = results_of_law + static_cast<int>(form.state_start.size());
  return form;
}

FormValue material(const Device& device, const std::string& law, const std::map<std::string, double>& parameters,
                   const Kinematics& kinematics, const HardeningPoints& table) {
  const LawRecord& record = law_record(device, law);
  FormValue numbers = form_with_numbers(record.numbers, module_of_laws, parameters);
  if (record.table >= 0) {
    const Hardening points = hardening(law, table);
    std::memcpy(numbers.bytes.data() + record.table, &points, sizeof points);
  } else if (!table.empty()) {
    throw Error(Exit::input, fmt::format("the law '{}' is given a table of hardening", law), "it has none",
                "omit the table, or take 'j2', 'chaboche' or 'hill'");
  }
  return material(record, numbers.bytes.data(), kinematics);
}

std::vector<std::string> law_names(const Device& device) {
  const std::string beginning = law_record_name("");
  std::vector<std::string> names;
  for (const std::string& name : kernel_names(device.backend(), module_of_laws))
    if (name.starts_with(beginning)) names.push_back(name.substr(beginning.size()));
  return names;
}

const LawRecord& law_record(const Device& device, const std::string& law) {
  const std::vector<std::string> known = law_names(device);
  if (std::ranges::find(known, law) == known.end()) {
    const std::string near = nearest_match(law, known);
    throw Error(Exit::input, fmt::format("there is no law of materials '{}'", law),
                known.empty() ? "this build has no kernels of laws" : fmt::format("there are {}", quoted_list(known)),
                near.empty() ? "name one of them" : fmt::format("did you mean '{}'?", near));
  }
  return kernels<LawRecord>(device, module_of_laws, law_record_name(law.c_str()));
}

Hardening hardening(const std::string& law, const HardeningPoints& points) {
  const auto fail = [&](const std::string& what, const char* why) {
    throw Error(Exit::input, fmt::format("the table of hardening of '{}' {}", law, what), why,
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

}  // namespace ritz
