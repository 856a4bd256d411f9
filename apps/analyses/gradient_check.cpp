#include "apps/analyses/gradient_parts.hpp"
#include "apps/cases/case_number.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace ritz {
namespace {

bool is_prescribed(std::string_view key) {
  return std::ranges::any_of(std::array{"displacement.", "temperature.", "prescribe."}, [key](std::string_view table) {
    const auto at = key.find(table);
    return at == 0 || (at != std::string_view::npos && key[at - 1] == '.');
  });
}

void check_keys(Run& run, const CaseModel& read) {
  const GradientInput& gradient = *read.gradient;
  for (const std::string& key : gradient.keys) {
    const auto wrong = [&](const std::string& why) {
      gradient.table.error(
          ErrorKind::gradient, "by", fmt::format("no gradient by '{}'", key), why,
          "name a number of a material, an orientation or [thermal], or of a load that may be a formula "
          "of the position, such as material.0.young; components of a list as traction.0.value.2; or \"points\"");
    };
    if (key == positions_key) {
      if (const auto refused = not_differentiable_by_positions(run, read))
        gradient.table.error(ErrorKind::gradient, "by", fmt::format("no gradient by '{}' of {}", key, refused->of),
                             refused->why, refused->fix);
      continue;
    }
    if (is_prescribed(key)) wrong("prescribed values belong to nodes, not to cells");
    else if (!run.arrays().contains(key) && !number_of_case(run, read, key) &&
             (run.input().sound() || !run.input().has_value(key)))  // else its value may be what is wrong
      wrong("the case has no such number, or it is a formula, a table or a total");
  }
}

// With the values at the begin, where the case is sound.
Transient with_begin(Run& run, const CaseModel& read, Transient evolution) {
  if (run.input().sound() && read.time->initial) evolution.begin.u = read.time->initial(read.model);
  return evolution;
}

bool is_symmetric(const Model& model) {
  const auto one = [](const Integral& each) { return each.form.symmetric || !each.form.has_matrix; };
  const auto several = [](const MixedIntegral& each) { return each.form.symmetric || !each.form.numbers.has_matrix; };
  return std::ranges::all_of(model.equations, one) && std::ranges::all_of(model.of_fields.equations, several);
}

}  // namespace

void check_gradient(Run& run, const CaseModel& read, const CaseAnalysis& analysis) {
  const GradientInput& gradient = *read.gradient;
  const auto wrong = [&](const char* key, const std::string& of, const std::string& why, const std::string& fix) {
    gradient.table.error(ErrorKind::gradient, key, fmt::format("no gradient of {}", of), why, fix);
  };
  check_keys(run, read);
  const auto [linear, cases, nonlinear, evolution] = analysis.differentiable();
  if ((linear == nullptr && cases == nullptr && evolution == nullptr) || !read.model.means.empty())
    return wrong("probe", "this analysis", "it is taken of linear statics and of evolutions in time",
                 "leave out prescribed means and what makes the equations nonlinear; Python differentiates nonlinear "
                 "statics (docs/python.md)");
  if (read.model.has_fields() && read.field_names.empty()) return;  // mixed solids, bodies: refused where they are read
  if (evolution != nullptr)
    if (const auto refused = not_differentiable(read.model, with_begin(run, read, *evolution)))
      return wrong("probe", refused->of, refused->why, refused->fix);
  if (evolution == nullptr && !is_symmetric(read.model))
    return wrong("probe", "a model whose tangent is not symmetric", "its adjoint has a matrix of its own",
                 "take forms that are symmetric");
  if (cases != nullptr && !factors_of(read, *cases))
    return wrong(
        gradient.load_case.empty() ? "probe" : "load_case",
        gradient.load_case.empty() ? "several load cases" : fmt::format("a load case '{}'", gradient.load_case),
        gradient.load_case.empty() ? "each has a solution of its own" : "there is none of this name",
        "name a load case or a combination in load_case");
  if (cases == nullptr && !gradient.load_case.empty())
    return wrong("load_case", fmt::format("a load case '{}'", gradient.load_case), "the case has no load cases",
                 "omit load_case");
  if (evolution == nullptr && gradient.over_time)
    return wrong("over", "an integral over time", "the case has no [time]", "omit over");
  const std::optional<ProbeWeights> probe = probe_of(run, read);
  if (!probe) return;
  if (std::ranges::count(gradient.keys, positions_key) > 0) {
    if (derived_of(read, *probe) != nullptr)
      return wrong("by", fmt::format("'{}' by positions of nodes", probe->field), "it depends on positions, too",
                   "take a probe of the unknown");
    if (probe->add_by_cell)
      return wrong("by", "a mean or integral over cells or facets by positions of nodes",
                   "its weights are areas, which they change",
                   "take a probe at a point, or the mean of a region of nodes");
  }
  if (probe->field == "velocity" && probe->add_by_cell && std::ranges::count(gradient.keys, thickness_key) > 0)
    return wrong("by", fmt::format("a mean or integral of 'velocity' by '{}'", thickness_key),
                 "its weights contain the thickness", "take a probe of the displacement, or one at a point");
  if (const DerivedResult* field = derived_of(read, *probe);
      field != nullptr && !field->is_linear() && gradient.over_time)
    return wrong("over", fmt::format("an integral of '{}' over time", field->field.name),
                 "it is no linear function of the stress", "take a component of the stress, or omit over");
  if (!probe->of_reactions) return;
  const Case::Table root = run.input().root();
  if (evolution != nullptr)
    wrong("probe", "reactions in time", "they are means over the last step", "take the unknown in place of a reaction");
  else if (cases != nullptr)
    wrong("probe", "reactions of load cases", "the loads on supports differ",
          "take the unknown, or one load case alone");
  else if (read.supports->common().dependent() != nullptr || root.has("foundation") || root.has("spring"))
    wrong("probe", "reactions beside elastic ground, ties or other relations", "they carry a part of them",
          "take the unknown in place of a reaction");
}

}  // namespace ritz
