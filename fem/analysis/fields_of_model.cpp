#include "fem/analysis/fields_of_model.hpp"

#include "fem/analysis/setup.hpp"
#include "fem/operator/untouched_unknowns.hpp"
#include "fem/results/vector_field.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

// The unknowns of a field of facets or edges at which a vector has moments.
void prescribe_vector(const FieldsOperator& equations, const PrescribedValue& given, Constraints& supports) {
  if (std::ranges::any_of(given.vector, &PointFunction::varies_in_time))
    throw Error(ErrorKind::analysis,
                fmt::format("the field '{}' has a prescribed vector that varies in time",
                            equations.terms().field_name(given.field)),
                "its fluxes or circulations are found once, before the analysis",
                "give a vector that does not depend on t, or let loads vary")
        .at(given.origin);
  const std::vector<double> moments = interpolate(equations, given.field, given.vector).host();
  const std::vector<Node> nodes = supports.space().nodes_in(*given.region);
  if (nodes.empty())
    throw Error(ErrorKind::prescribes_nothing,
                fmt::format("no unknown of the field '{}' lies in '{}'", equations.terms().field_name(given.field),
                            given.region->name),
                "its unknowns are at the facets or the edges of cells", "name a region of facets")
        .at(given.origin);
  std::vector<double> values;
  for (const Node node : nodes) values.push_back(moments[static_cast<std::size_t>(node)]);
  supports.prescribe_nodes(nodes, 0, values, given.origin);
}

// own: of a load case, in place of those outside on the same region and component.
std::unique_ptr<FieldsConstraints> supports_of(const Model& model, const FieldsOperator& equations,
                                               const std::vector<PrescribedValue>& own,
                                               std::span<const std::size_t> stops = {}) {
  auto result = std::make_unique<FieldsConstraints>(model.spaces());
  ErrorList errors;
  const auto add = [&](const PrescribedValue& each) {
    Constraints& supports = (*result)[each.field];
    if (!each.vector.empty()) {
      try {
        prescribe_vector(equations, each, supports);
      } catch (const Error& error) { errors.add(error); }
    } else if (each.value.is_number()) {
      supports.prescribe(*each.region, each.component, each.value.number(), each.origin);
    } else {
      supports.prescribe(*each.region, each.component, each.value.function(), each.origin);
    }
  };
  for (const PrescribedValue& each : model.supports) {
    const auto replaces = [&](const PrescribedValue& p) {
      return p.region == each.region && p.component == each.component && p.field == each.field;
    };
    if (std::ranges::none_of(own, replaces)) add(each);
  }
  std::ranges::for_each(own, add);
  errors.throw_if_any();
  (*result)[0].prescribe_nodes(model.held_on_axis, 0, 0.0, "the axis of revolution");
  for (const LinearEquations& each : model.relations)
    if (each.at_most) continue;
    else if (each.join_fields()) result->relate(each);
    else (*result)[each.terms.empty() ? each.field : each.field_of(each.terms.front())].relate(each);
  if (model.sparse)
    for (int k = 0; k < equations.field_count(); ++k) hold_untouched(touched_in(model, k), (*result)[k]);
  for (const std::size_t stop : stops) {
    const int field = equations.layout().field_at(static_cast<Index>(stop)),
              width = equations.space(field).components();
    const Index unknown = static_cast<Index>(stop) - equations.layout().first(field);
    const auto node = static_cast<Node>(unknown / width);
    (*result)[field].prescribe_nodes({&node, 1}, static_cast<int>(unknown % width), 0.0, "stops of a free body");
  }
  result->finish();
  return result;
}

// Supports, springs and equations that hold the bodies of a model, over the unknowns of all fields.
struct Holding {
  Spaces spaces;
  std::vector<std::uint8_t> held, acting;
  std::vector<LinearEquations> rows;

  Holding(const Model& model, const FieldsConstraints& supports)
      : spaces(model.spaces()), rows(supports.between_fields()) {
    for (int k = 0; k < std::ssize(spaces); ++k) {
      for (LinearEquations each : supports[k].equations()) {
        each.field = k;
        rows.push_back(std::move(each));
      }
      add(model, supports[k], k);
    }
    rows.insert(rows.end(), model.held_along.begin(), model.held_along.end());
    for (const AttachedMotion& each : model.attached)
      if (each.stiffness > 0) rows.emplace_back(LinearEquations{.field = each.field}).add(each.terms);
  }

 private:
  void add(const Model& model, const Constraints& supports, int k) {
    const Index components = supports.space().components();
    std::vector<std::uint8_t> own = supports.host_mask();
    for (const HeldNodes& each : model.held)
      for (const Node node : each.nodes)
        for (int c = 0; each.field == k && c < components; ++c)
          if (each.component < 0 || each.component == c)
            own[static_cast<std::size_t>(Index{node} * components + c)] = 1;
    std::vector<std::uint8_t> touched = touched_in(model, k);
    touched.resize(own.size(), model.sparse ? 0 : 1);
    for (std::size_t i = 0; i < touched.size(); ++i)
      if (touched[i] == 0) own[i] = 0;
    held.insert(held.end(), own.begin(), own.end());
    acting.insert(acting.end(), touched.begin(), touched.end());
  }
};

}  // namespace

std::vector<FreePart> free_parts(const Model& model, const FieldsConstraints& supports) {
  const Holding all(model, supports);
  return free_parts(all.spaces, all.held, all.acting, all.rows, model.rigid.value_or(RigidModes::solid));
}

std::vector<std::vector<double>> free_motions(const Model& model, const FieldsConstraints& supports) {
  const Holding all(model, supports);
  return free_motions(all.spaces, all.held, all.acting, all.rows, model.rigid.value_or(RigidModes::solid));
}

namespace {

std::unique_ptr<FieldsConstraints> supports_of(const Model& model, const ModelLoadCase& load_case,
                                               const FieldsOfModel& fields) {
  if (load_case.prescribed.empty()) return nullptr;
  std::unique_ptr<FieldsConstraints> supports = supports_of(model, *fields.equations, load_case.prescribed);
  const auto [one, other] = std::ranges::mismatch(supports->host_mask(), fields.supports->host_mask());
  if (one == supports->host_mask().end()) return supports;
  const Equations& equations = *fields.equations;
  throw Error(
      ErrorKind::conflicting_conditions,
      fmt::format("{} is prescribed {} in the load case '{}'", equations.name_of(one - supports->host_mask().begin()),
                  *one != 0 ? "alone" : "everywhere but", load_case.name),
      "load cases share one matrix, so the same unknowns are prescribed in all of them",
      "prescribe it outside of the load cases, too, or make a case file of each");
}

}  // namespace

std::unique_ptr<FieldsConstraints> supports_of(const Model& model, std::span<const std::size_t> stops) {
  return supports_of(model, FieldsOperator(model.spaces(), model.of_fields.equations, model.equations), {}, stops);
}

FieldsOfModel fields_of(const Model& model, FieldsOfModel::Rates rates) {
  using Rates = FieldsOfModel::Rates;
  for (const auto& [has, what] :
       {std::pair{!model.means.empty(), "prescribed means"}, {!model.attached.empty(), "motions of reference points"}})
    if (has && !model.of_fields.equations.empty())
      throw Error(ErrorKind::internal, fmt::format("a model of several fields was given {}", what),
                  "these are of models whose fields no form couples");
  FieldsOfModel fields;
  std::vector<MixedIntegral> of_fields = model.of_fields.equations;
  if (rates == Rates::among) std::ranges::copy(rates_among_fields(model), std::back_inserter(of_fields));
  fields.equations = std::make_unique<FieldsOperator>(model.spaces(), std::move(of_fields),
                                                      rates == Rates::among ? with_rates(model) : model.equations);
  if (rates == Rates::among)
    fields.rates = std::make_unique<FieldsOperator>(model.spaces(), rates_among_fields(model), rates_of(model));
  if (rates == Rates::beside)
    fields.rates = std::make_unique<FieldsOperator>(model.spaces(), model.of_fields.inertia, model.inertia);
  fields.supports = supports_of(model, *fields.equations, {});
  for (const ModelLoadCase& each : model.load_cases)
    fields.supports_of_cases.push_back(supports_of(model, each, fields));
  if (model.structural || model.copies) fields.free = free_parts(model, *fields.supports);
  else if (model.rigid) {
    fields.free = ritz::free_parts(model, (*fields.supports)[0]);
    fields.motions = *model.rigid;
  }
  return fields;
}

int FieldsOfModel::rigid_motions() const {
  std::size_t count = 0;
  if (free)
    for (const FreePart& part : *free) count += part.motions.size();
  return static_cast<int>(count);
}

void check_held(const FieldsOfModel& fields) {
  if (fields.free) check_held(*fields.free, fields.motions);
}

}  // namespace ritz
