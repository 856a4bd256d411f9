#include "fem/plugins/material.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/launch/law_arguments.hpp"
#include "fem/plugins/form_catalogue.hpp"

#include <cstring>
#include <fmt/format.h>

namespace ritz {

FormValue material(const Device& device, const std::string& law, const std::map<std::string, double>& parameters,
                   const Kinematics& kinematics, const HardeningPoints& table) {
  const LawRecord& record = law_record(device, law);
  FormValue numbers = form_with_numbers(record.numbers, module_of_laws, parameters);
  if (record.table >= 0) {
    const auto put = [&](const auto& points) {
      std::memcpy(numbers.bytes.data() + record.table, &points, sizeof points);
    };
    if (record.table_over_temperature) put(hardening(law, HardeningCurves{{0, table}}));
    else put(hardening(law, table));
  } else if (!table.empty()) {
    throw Error(ErrorKind::law, fmt::format("the law '{}' is given a table of hardening", law), "it has none",
                "omit the table, or take a law with one, such as 'j2'");
  }
  return MaterialLaw(record, numbers.bytes.data(), module_of_laws).form(kinematics);
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
    throw Error(ErrorKind::law, fmt::format("there is no law of materials '{}'", law),
                known.empty() ? "this build has no kernels of laws" : fmt::format("there are {}", quoted_list(known)),
                near.empty() ? "name one of them" : fmt::format("did you mean '{}'?", near));
  }
  return kernels<LawRecord>(device, module_of_laws, law_record_name(law.c_str()));
}

}  // namespace ritz
