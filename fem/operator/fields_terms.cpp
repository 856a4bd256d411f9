#include "fem/operator/fields_terms.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/cells/facet_rule.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/operator/task_plans.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

void check_coefficients(const MixedFormValue& form) {
  if (static_cast<int>(form.numbers.given.size()) != form.numbers.given_count)
    throw Error(ErrorKind::internal, fmt::format("form '{}' needs {} numbers at every point, {} are given", form.name,
                                                 form.numbers.given_count, form.numbers.given.size()));
}

void check_geometry(const Spaces& spaces) {
  for (const FunctionSpace& space : spaces)
    if (!space.shares_geometry(spaces.front()))
      throw Error(ErrorKind::internal, "the spaces of a mixed operator do not share the geometry of their mesh", {},
                  "make them by spaces_of(), or name the first space in SpaceOptions::beside of the others");
}

}  // namespace

FieldsTerms::FieldsTerms(Spaces spaces, std::shared_ptr<const Time> time, std::vector<MixedIntegral> integrals,
                         const std::vector<std::vector<Node>>& met_before)
    : spaces_(std::move(spaces)),
      time_(std::move(time)),
      integrals_(std::move(integrals)),
      groups_(std::make_shared<std::vector<FieldGroup>>()),
      patterns_(spaces_, integrals_, *groups_),
      points_(spaces_.front()) {
  if (!integrals_.empty()) check_geometry(spaces_);
  for (const MixedIntegral& integral : integrals_) {
    check_coefficients(integral.form);
    check_fields(integral);
  }
  families_ = families_of(spaces_, integrals_);
  *groups_ = field_groups(spaces_, families_, integrals_, met_before);
  Index next = 0;
  for (const FunctionSpace& each : spaces_) first_.push_back(std::exchange(next, next + each.unknown_count()));
}

void FieldsTerms::check_fields(const MixedIntegral& integral) const {
  const MixedFormValue& form = integral.form;
  const std::vector<int> fields = fields_of(integral);
  bool fits = std::ssize(fields) == form.field_count() && form.dimension == space(0).mesh().dimension() &&
              (!integral.fields.empty() || form.field_count() == field_count());
  for (std::size_t j = 0; fits && j < fields.size(); ++j)
    fits = fields[j] >= 0 && fields[j] < field_count() && form.fields[j].components == space(fields[j]).components();
  if (!fits)
    throw Error(ErrorKind::internal,
                fmt::format("form '{}' has {} fields in {} dimensions, the operator {} spaces in {}, or their numbers "
                            "of components differ",
                            form.name, form.field_count(), form.dimension, field_count(), space(0).mesh().dimension()),
                {}, "say in MixedIntegral::fields which fields they are");
}

bool FieldsTerms::couples(int test, int trial) const {
  return std::ranges::any_of(integrals_, [&](const MixedIntegral& integral) { return integral.couples(test, trial); });
}

std::string FieldsTerms::field_name(int field) const {
  for (const MixedIntegral& each : integrals_)
    if (const int j = each.position_of(field); j >= 0) return each.form.fields[static_cast<std::size_t>(j)].name;
  const std::string& name = space(field).field_name();
  return name.empty() ? fmt::format("number {}", field) : name;
}

void FieldsTerms::set_factor_of_rates(double factor) {
  for (MixedIntegral& each : integrals_)
    if (each.is_rate) each.factor = factor;
}

void FieldsTerms::set_numbers(const std::vector<MixedFormValue>& forms) {
  bool fits = forms.size() == integrals_.size();
  for (std::size_t i = 0; fits && i < forms.size(); ++i) fits = forms[i].name == integrals_[i].form.name;
  if (!fits)
    throw Error(ErrorKind::internal,
                fmt::format("{} forms were given for {} integrals, or other ones", forms.size(), integrals_.size()));
  std::vector<FormValue> numbers;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    check_coefficients(forms[i]);
    integrals_[i].form.numbers.bytes = forms[i].numbers.bytes;
    integrals_[i].form.numbers.given = forms[i].numbers.given;
    numbers.push_back(forms[i].numbers);
  }
  points_.forget_fields_but_of(numbers);
  points_.update_coefficients(PointData::Which::all, time_->t);
}

std::vector<std::shared_ptr<const ElementGroup>> FieldsTerms::groups_of(int field) const {
  std::vector<std::shared_ptr<const ElementGroup>> list;
  for (const FieldGroup& group : *groups_) list.emplace_back(groups_, &group.of_field[static_cast<std::size_t>(field)]);
  return list;
}

std::vector<TaskJob> FieldsTerms::jobs_of(OperatorTask task) const {
  if (task != OperatorTask::matrix) return {{task}};
  std::vector<TaskJob> blocks;
  for (int row = 0; row < field_count(); ++row)
    for (int column = 0; column < field_count(); ++column)
      if (couples(row, column)) blocks.push_back({task, {}, row, column});
  return blocks;
}

// Diagonal blocks have the lists of operators on one space.
TaskOutline FieldsTerms::outline(const TaskJob& job) const {
  TaskOutline result{.job = job};
  result.by_nodes = job.is_matrix() && job.row == job.column;
  result.block = result.by_nodes ? space(job.row).components() * space(job.row).components() : 1;
  for (std::size_t g = 0; g < groups_->size(); ++g) {
    const FieldGroup& group = (*groups_)[g];
    GroupTask part{.group = static_cast<int>(g), .fields = {}, .integrals = {}, .items = 0};
    for (const int i : group.geometry().integrals)
      if (!job.is_matrix() || integrals_[static_cast<std::size_t>(i)].couples(job.row, job.column))
        part.integrals.push_back(i);
    if (part.integrals.empty()) continue;
    const auto nodes = [&](int k) { return group.of_field[static_cast<std::size_t>(k)].node_count(); };
    for (const int k : group.fields) {
      part.fields.push_back({&group.of_field[static_cast<std::size_t>(k)], k, space(k).components(),
                             first_[static_cast<std::size_t>(k)]});
      part.items += job.is_matrix() ? 0 : nodes(k) * space(k).components();
    }
    if (job.is_matrix()) part.items = nodes(job.row) * nodes(job.column);
    if (job.is_matrix() && !result.by_nodes) part.items *= space(job.row).components() * space(job.column).components();
    result.add(space(0).device(), std::move(part), "take a lower order");
  }
  return result;
}

// Exact on affine cells for products of what the form uses: values of an order, gradients of one less. On facets, too:
// two values.
int FieldsTerms::degree_of(const MixedFormValue& form, const FieldGroup& group) const {
  const CellKind shape = traits(group.geometry().kind).linear;
  int order = 1, value_order = 0;
  for (std::size_t j = 0; j < group.fields.size(); ++j) {
    const int of_field = order_of(group.of_field[static_cast<std::size_t>(group.fields[j])]);
    order = std::max(order, of_field);
    if (form.fields[j].uses_value) value_order = std::max(value_order, of_field);
  }
  if (const int facet = group.geometry().facet; facet >= 0)
    return form.numbers.extra_degree +
           mass_degree(traits(traits(shape).facets[static_cast<std::size_t>(facet)].kind).linear, order);
  return form.numbers.extra_degree +
         (value_order >= order ? mass_degree(shape, order) : stiffness_degree(shape, order));
}

ReferenceTable FieldsTerms::table(const FieldGroup& group, int field, int degree) const {
  return points_.table(group.of_field[static_cast<std::size_t>(field)], degree, family(field));
}

MixedArguments FieldsTerms::arguments(const TaskJob& job, const FieldGroup& group, const MixedIntegral& integral,
                                      int degree) const {
  MixedArguments mixed{.form = integral.form.numbers.bytes.data(),
                       .row = std::max(0, integral.position_of(job.row)),
                       .column = std::max(0, integral.position_of(job.column)),
                       .fields = {}};
  for (std::size_t j = 0; j < group.fields.size(); ++j) {
    const auto k = static_cast<std::size_t>(group.fields[j]);
    mixed.fields[j] = {.table = table(group, group.fields[j], degree),
                       .nodes = group.of_field[k].nodes.data(),
                       .u = nullptr,
                       .direction = nullptr,
                       .signs = group.signs[k].data(),
                       .partners = group.partners[k].data()};
  }
  if (const int facet = group.geometry().facet; facet >= 0)
    std::ranges::copy(facet_rule(group.geometry().kind, facet, degree).normal, mixed.normal);
  return mixed;
}

void FieldsTerms::add_terms(std::size_t g, TaskPlan& plan) const {
  const FieldGroup& group = (*groups_)[static_cast<std::size_t>(plan.groups[g])];
  const OperatorTask task = plan.job.task;
  for (const int i : plan.integrals[g]) {
    const MixedIntegral& integral = integrals_[static_cast<std::size_t>(i)];
    const auto& found = kernels<FormKernels>(space(0).device(), integral.form.numbers.module,
                                             form_kernel_name(integral.form.name.c_str(), 0, integral.form.dimension));
    const int degree = degree_of(integral.form, group);
    const MixedArguments& mixed = plan.fields_of_terms[g].emplace_back(arguments(plan.job, group, integral, degree));
    AssemblyTerm& term = plan.terms[g].emplace_back(AssemblyTerm{});
    term.kernel = plan.job.is_matrix()           ? found.matrices
                  : task == OperatorTask::action ? found.actions
                                                 : found.residuals;
    term.arguments.table = mixed.fields[0].table;
    term.arguments.nodes = mixed.fields[0].nodes;
    term.arguments.geometry_nodes = group.geometry().geometry_nodes().data();
    term.arguments.coordinates = coordinates_of(space(0), group.geometry()).data();
    term.arguments.components = space(group.fields.front()).components();
    points_.give(term.arguments, group.geometry(), degree, integral.form.numbers, time_->t);
  }
}

FunctionSpace::HostPattern FieldsTerms::pattern(const TaskJob& job) const {
  return job.row == job.column ? space(job.row).host_pattern() : patterns_.pattern(job.row, job.column);
}

Index FieldsTerms::pattern_pairs(const TaskJob& job, NodeSamples& samples) const {
  if (!job.is_matrix()) return 0;
  if (job.row == job.column) return pairs_of_nodes(space(job.row));
  const Index by_equations = patterns_.pairs_by_equations(job.row, job.column);  // no element fills these
  if (by_equations == 0) return 0;
  return pairs_between(samples.around(job.row), samples.around(job.column)) + by_equations;
}

void FieldsTerms::add_point_needs(const TaskOutline& outline, PointData::Counted& counted, MemoryNeeds& needs) const {
  for (std::size_t g = 0; g < outline.groups.size(); ++g) {
    const FieldGroup& group = (*groups_)[static_cast<std::size_t>(outline.groups[g])];
    for (const int i : outline.integrals[g]) {
      const MixedFormValue& form = integrals_[static_cast<std::size_t>(i)].form;
      const int degree = degree_of(form, group), points = table(group, group.fields.front(), degree).point_count;
      points_.add_coefficient_needs(group.geometry(), form.numbers, degree, points, counted, needs);
    }
  }
}

}  // namespace ritz
