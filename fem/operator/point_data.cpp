#include "fem/operator/point_data.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/launch/point_geometry.hpp"
#include "fem/operator/given_numbers.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

void start_state(const FormValue& form, Vector& state) {
  std::vector<double> values(static_cast<std::size_t>(state.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = form.state_start[i / lane_count % form.state_start.size()];
  state.upload(values);
}

}  // namespace

ReferenceTable PointData::table(const ElementGroup& group, int degree, Family family) {
  const TablePlace place{group.element, group.geometry.get(), degree, group.facet};
  if (family == Family::facet || family == Family::edge) {
    const auto known = vector_tables_.find({place, family});
    if (known != vector_tables_.end()) return known->second.table();
    return vector_tables_
        .try_emplace({place, family}, space_.device(),
                     vector_element(group.element->shape, family, group.element->order), *group.geometry,
                     rule_of(group, degree))
        .first->second.table();
  }
  const auto found = tables_.find(place);
  if (found != tables_.end()) return found->second.table();
  return tables_.try_emplace(place, space_.device(), *group.element, *group.geometry, rule_of(group, degree))
      .first->second.table();
}

const double* PointData::geometry(const ElementGroup& group, const ReferenceTable& table) {
  if (group.geometry->order == 1) return nullptr;
  Vector& stored = geometry_[{&group, table.point_count}];
  if (stored.empty()) {
    stored = Vector(space_.device(),
                    group.batch_count() * table.point_count * point_geometry_entries(table.dimension) * lane_count,
                    "point geometry");
    ElementArguments arguments{};
    arguments.table = table;
    arguments.geometry_nodes = group.geometry_nodes().data();
    arguments.coordinates = coordinates_of(space_, group).data();
    arguments.batch_count = group.batch_count();
    kernels<PointGeometryKernels>(space_.device(), "ritz_fem_kernels", "point geometry")
        .store(space_.device(), arguments, stored.data());
  }
  return stored.data();
}

void PointData::evaluate(const ElementGroup& group, int degree, const FormValue& form, double t, Coefficients& to) {
  const QuadratureRule rule = rule_of(group, degree);
  if (to.stride > 0) return given_at_points(space_, group, rule, form, t, fields_, to.numbers);
  if (form.varies_in_space())
    throw Error(ErrorKind::internal,
                fmt::format("numbers of the form '{}' vary in space that did not before", form.name),
                "they need arrays of another size", "make the equations again");
  to.numbers.upload(given_everywhere(space_, group, rule, form, t));
}

void PointData::give(ElementArguments& arguments, const ElementGroup& group, int degree, const FormValue& form,
                     double t) {
  if (form.given_count == 0) return;
  Coefficients& stored = coefficients_[{&group, &form, degree}];
  if (stored.numbers.empty()) {
    const bool varies = form.varies_in_space();
    const Index count =
        varies ? given_count(group, rule_of(group, degree), form) : Index{form.given_count} * lane_count;
    Coefficients made{Vector(space_.device(), count, "given numbers"), varies ? form.given_count : 0};
    evaluate(group, degree, form, t, made);
    stored = std::move(made);
  }
  arguments.given = stored.numbers.data();
  arguments.given_stride = stored.stride;
}

void PointData::update_coefficients(Which which, double t) {
  for (auto& [key, stored] : coefficients_) {
    const auto& [group, form, degree] = key;
    const bool in_time = std::ranges::any_of(form->given, &PointFunction::varies_in_time);
    if (which == Which::in_time && !in_time) continue;
    evaluate(*group, degree, *form, t, stored);
  }
}

Index PointData::state_numbers(const ElementGroup& group, const FormValue& form) {
  const int points = form.cell >= 0 ? form.state_points : table(group, quadrature_degree(form, group)).point_count;
  return group.batch_count() * points * static_cast<Index>(form.state_start.size()) * lane_count;
}

Vector& PointData::state(const ElementGroup& group, const Integral& integral) {
  Vector& state = states_[{&group, &integral}];
  if (state.empty()) {
    state = Vector(space_.device(), state_numbers(group, integral.form), "point state");
    start_state(integral.form, state);
  }
  return state;
}

void PointData::reset_states() {
  for (auto& [key, state] : states_) start_state(key.second->form, state);
}

const LawWithInputs& PointData::law(const Integral& integral, Index workspace) {
  const FormValue& form = integral.form;
  LawWithInputs& law = laws_[&integral];
  if (law_workspace_.size() < workspace) {
    law_workspace_ = Vector(space_.device(), workspace, "laws at points");
    law_workspace_.fill_zero();  // residuals load moduli with the stress and do not use them
  }
  law = {{.kernel = kernels<LawKernel>(space_.device(), form.law.module, form.law.kernel),
          .law = form.bytes.data(),
          .measure = form.law.measure,
          .plane_stress = form.law.plane_stress,
          .state = static_cast<int>(form.state_start.size()),
          .workspace = law_workspace_.data(),
          .workspace_size = law_workspace_.size()},
         form.law.free_strains,
         form.law.has_axes,
         form.law.varying,
         std::popcount(form.law.varying),
         form.given_count > form.law.before_temperature(),
         law_results_};
  return law;
}

void PointData::set_law_results(LawResults results) {
  law_results_ = results;
  for (auto& [integral, law] : laws_) law.results = results;
}

Index PointData::bytes_read_by(const std::vector<std::vector<AssemblyTerm>>& terms) const {
  Index sum = 0;
  const auto add = [&sum](const double* used, const Vector& array) {
    sum += used != nullptr && used == array.data() ? array.bytes() : 0;
  };
  for (const auto& group : terms)
    for (const AssemblyTerm& term : group) {
      for (const auto& [key, each] : coefficients_) add(term.arguments.given, each.numbers);
      for (const auto& [key, array] : geometry_) add(term.arguments.point_geometry, array);
      for (const auto& [key, array] : states_) add(term.arguments.state, array);
    }
  return sum;
}

void PointData::add_law_needs(Index workspace, Counted& counted, MemoryNeeds& needs) const {
  if (!law_workspace_.empty() || std::exchange(counted.laws, true)) return;
  if (workspace > 0) needs.array<double>("laws at points", workspace);
}

void PointData::add_coefficient_needs(const ElementGroup& group, const FormValue& form, int degree, int points,
                                      Counted& counted, MemoryNeeds& needs) const {
  if (form.given_count == 0 || coefficients_.contains({&group, &form, degree}) ||
      !counted.arrays.emplace(&group, &form, degree).second)
    return;
  const Index places = form.varies_in_space() ? group.batch_count() * points : 1;
  needs.array<double>("given numbers", places * lane_count * form.given_count);
  fields_.add_needs(space_, group, points, form, counted.fields, needs);
}

void PointData::add_geometry_needs(const ElementGroup& group, int points, Counted& counted, MemoryNeeds& needs) const {
  if (group.geometry->order == 1 || geometry_.contains({&group, points}) ||
      !counted.arrays.emplace(&group, nullptr, points).second)
    return;
  needs.array<double>("point geometry",
                      group.batch_count() * points * lane_count * point_geometry_entries(group.element->dimension()));
}

void PointData::add_state_needs(const ElementGroup& group, const Integral& integral, MemoryNeeds& needs) {
  if (!states_.contains({&group, &integral})) needs.array<double>("point state", state_numbers(group, integral.form));
}

}  // namespace ritz
