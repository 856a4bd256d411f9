#include "apps/cases/case_number.hpp"

#include "fem/sensitivity/position_derivative.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <utility>

namespace ritz {
namespace {

// Tables whose numbers are those of integrals alone, and those of which some are forces at nodes.
constexpr std::array of_integrals{"material",   "orientation", "thermal",   "gravity",      "boundary", "section",
                                  "foundation", "body_force",  "traction",  "pressure",     "source",   "flux",
                                  "convection", "radiation",   "line_load", "surface_load", "load"};
constexpr std::array perhaps_at_nodes{"force", "power", "spring"};

bool has_integrals_at_nodes(const Model& model) {
  const auto is_at_nodes = [](const Integral& each) { return !each.nodes.empty(); };
  return std::ranges::any_of(model.equations, is_at_nodes) ||
         std::ranges::any_of(model.load_cases,
                             [&](const ModelLoadCase& each) { return std::ranges::any_of(each.loads, is_at_nodes); });
}

// Do integrals over cells and facets have all that depends on the number?
bool is_of_integrals(std::string_view key, const Model& model) {
  if (constexpr std::string_view load_case = "load_case."; key.starts_with(load_case))
    key.remove_prefix(std::min(key.find('.', load_case.size()), key.size() - 1) + 1);
  const std::string_view table = key.substr(0, key.find('.'));
  return key == "model.thickness" || key == "model.absolute_zero" ||
         std::ranges::find(of_integrals, table) != of_integrals.end() ||
         (std::ranges::find(perhaps_at_nodes, table) != perhaps_at_nodes.end() && !has_integrals_at_nodes(model));
}

// The same run with another value, on the same mesh: nothing is shown, written or kept.
RunOptions options_with(RunOptions options, const std::map<std::string, MeshField>& arrays, const std::string& key,
                        double value) {
  options.overrides.push_back(fmt::format("{}={:.17g}", key, value));
  options.quiet = true;
  options.verbose = options.resume = false;
  options.json = options.profile = "";
  options.notices.clear();
  if (!options.arrays) return options;
  GivenArrays now = *options.arrays;
  for (auto& [name, array] : now)
    if (const auto found = arrays.find(name); found != arrays.end()) array.values = found->second.values();
  options.arrays = std::make_shared<const GivenArrays>(std::move(now));
  return options;
}

}  // namespace

std::optional<ModelNumber> number_of_case(Run& run, const CaseModel& read, const std::string& key) {
  const std::optional<KeptNumber> kept = run.input().number_at(key);
  if (!kept || !is_of_integrals(key, read.model) || read.reader == nullptr) return std::nullopt;
  // Functions of a model may refer to the run that read it.
  const auto last = std::make_shared<std::unique_ptr<Run>>();
  return ModelNumber{key, kept->value, kept->scale,
                     [info = run.info(), options = run.options(), arrays = run.arrays(), shared = run.shared_model(),
                      reader = read.reader, key, last](double value) {
                       auto other = std::make_unique<Run>(info, options_with(options, arrays, key, value), shared);
                       Model model = reader(*other).model;
                       other->input().throw_if_any();
                       std::swap(*last, other);
                       return model;
                     }};
}

std::optional<NotDifferentiable> not_differentiable_by_positions(Run& run, const CaseModel& read,
                                                                 bool begins_as_given) {
  for (const char* table : {"force", "power", "coupling"}) {
    const auto has = [table](const LoadCaseInput& each) { return each.table.has(table); };
    if (run.input().root().has(table) || std::ranges::any_of(read.load_cases.cases, has))
      return NotDifferentiable{fmt::format("a case with [[{}]]", table),
                               "its total is spread over an area, which they change",
                               "give a density, such as a traction"};
  }
  if (read.time && read.time->begins_by_position && !begins_as_given)
    return NotDifferentiable{"a case that begins with a formula of the position", "it depends on positions, too",
                             "begin with numbers, or with a field of a file"};
  return not_differentiable_by_positions(read.model);
}

}  // namespace ritz
