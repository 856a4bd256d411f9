#include "fem/operator/fields_operator.hpp"

#include "device/error.hpp"
#include "device/function_ref.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/operator/task_plans.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

const FunctionSpace& first_space(const Spaces& spaces) {
  if (spaces.empty()) throw Error(ErrorKind::internal, "a mixed operator was made without spaces");
  return spaces.front();
}

std::shared_ptr<OperatorsOfFields> operators_of(const FieldsTerms& terms, std::vector<Integral> of_fields) {
  std::vector<std::vector<Integral>> alone(terms.spaces().size());
  for (const Integral& each : of_fields)
    if (terms.family(each.field) == Family::facet || terms.family(each.field) == Family::edge)
      throw Error(ErrorKind::internal,
                  fmt::format("form '{}' of one field was given for facets or edges", each.form.name),
                  "forms of one field know unknowns at nodes", "write it as a form of several fields, if only of one");
  for (Integral& each : of_fields) alone.at(static_cast<std::size_t>(each.field)).push_back(std::move(each));
  auto operators = std::make_shared<OperatorsOfFields>(alone.size());
  for (std::size_t k = 0; k < alone.size(); ++k)
    if (!alone[k].empty()) (*operators)[k] = std::make_unique<Operator>(terms.spaces()[k], std::move(alone[k]));
  return operators;
}

// Equations between spaces change blocks of single fields alone.
void require_no_joined(const FieldsTerms& terms, int row, int column) {
  for (const int k : {row, column})
    if (terms.space(k).joined_with(terms.space(k)) != nullptr)
      throw Error(ErrorKind::several_fields,
                  fmt::format("equations join the field '{}' with others, and a form couples it with '{}'",
                              terms.field_name(k), terms.field_name(k == row ? column : row)),
                  "the matrix of such a coupling is not transformed by equations between fields",
                  "join fields that have forms of one field alone");
}

// Rows and columns of the components of each pair of nodes.
std::unique_ptr<RectangularMatrix> coupling_matrix(const FunctionSpace& rows, const FunctionSpace& columns,
                                                   const FunctionSpace::HostPattern& pattern) {
  const Index c = rows.components(), d = columns.components();
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> entries;
  for (std::size_t node = 0; node + 1 < pattern.offsets.size(); ++node)
    for (Index i = 0; i < c; ++i) {
      for (Index k = pattern.offsets[node]; k < pattern.offsets[node + 1]; ++k)
        for (Index j = 0; j < d; ++j)
          entries.push_back(static_cast<std::int32_t>(pattern.columns[static_cast<std::size_t>(k)] * d + j));
      offsets.push_back(static_cast<Index>(entries.size()));
    }
  return std::make_unique<RectangularMatrix>(rows.device(), offsets, entries, columns.unknown_count());
}

// y += what the forms of single fields make of their parts of x, both with ghosts.
void add_of_fields(const FieldsOperator& equations, const Layout& local, const Vector& x, Vector& y,
                   FunctionRef<void(const Operator&, const Vector&, int, Vector&)> apply) {
  for (int k = 0; k < equations.field_count(); ++k) {
    if (equations.of_field(k) == nullptr) continue;
    const Vector part = local.part(x, k);
    Vector result = equations.space(k).zeros(), sum = local.part(y, k);
    apply(*equations.of_field(k), part, k, result);
    axpy(1, result, sum);
    local.put(sum, k, y);
  }
}

}  // namespace

FieldsOperator::FieldsOperator(Spaces spaces, std::vector<MixedIntegral> integrals, std::vector<Integral> of_fields,
                               const std::vector<std::vector<Node>>& met_before)
    : Equations(first_space(spaces).device(), layout_of(spaces)),
      local_(layout_.local()),
      terms_(std::make_shared<FieldsTerms>(std::move(spaces), time_, std::move(integrals), met_before)),
      of_fields_(operators_of(*terms_, std::move(of_fields))),
      states_(std::make_shared<FieldsStates>(*of_fields_, layout_)),
      plans_(std::make_shared<TaskPlans>(*terms_)),
      inputs_(std::make_shared<FieldsInputs>(*terms_, *of_fields_, *time_)) {}

const Operator* FieldsOperator::of_field(int field) const {
  return (*of_fields_)[static_cast<std::size_t>(field)].get();
}

bool adds_matrix(const Operator* of_field) {
  return of_field != nullptr &&
         std::ranges::any_of(of_field->integrals(), [](const Integral& i) { return i.form.has_matrix; });
}

bool FieldsOperator::has_block(int row, int column) const {
  return terms_->couples(row, column) || (row == column && adds_matrix(of_field(row))) ||
         space(row).joined_with(space(column)) != nullptr;
}

EquationFacts FieldsOperator::facts() const {
  EquationFacts facts;
  for (const MixedIntegral& each : terms_->integrals()) {
    const bool varies = each.form.numbers.varies_in_time();
    facts = together(facts, {each.form.symmetric, each.form.linear, varies, varies});
  }
  for (const auto& each : *of_fields_)
    if (each != nullptr) facts = together(facts, each->facts());
  return facts;
}

std::string FieldsOperator::name_of(Index unknown) const {
  const int field = layout_.field_at(unknown);
  const FunctionSpace& of = space(field);
  const Index entity = (unknown - layout_.first(field)) / of.components();
  const std::string name = terms_->field_name(field);
  if (terms_->family(field) != Family::lagrange) return fmt::format("'{}', number {}", name, entity);
  return fmt::format("'{}' at {}", name, of.name_of(static_cast<Node>(entity)));
}

void FieldsOperator::residual_of_part(const Vector& u, Vector& r) const {
  plans_->run(plans_->plan({OperatorTask::residual}), {.u = u.data(), .target = r.data()});
  add_of_fields(*this, local_, u, r, [](const Operator& one, const Vector& part, int, Vector& result) {
    one.residual_of_part(part, result);
  });
}

void FieldsOperator::action_of_part(const Vector& u, const Vector& x, Vector& y) const {
  plans_->run(plans_->plan({OperatorTask::action}),
              {.u = u.empty() ? nullptr : u.data(), .target = y.data(), .direction = x.data()});
  add_of_fields(*this, local_, x, y, [&](const Operator& one, const Vector& part, int k, Vector& result) {
    one.action_of_part(u.empty() ? Vector() : local_.part(u, k), part, result);
  });
}

Vector FieldsOperator::diagonal(const Vector& u) const {
  BlockOperator K = make_matrix();
  assemble(u, K);
  Vector result = zeros();
  for (int k = 0; k < field_count(); ++k)
    if (K.square(k) != nullptr) {
      Vector of_field = K.square(k)->diagonal(), owned(device(), layout_.size(k), "vectors");
      device().machine().copy_on_device(owned.data(), of_field.data(), owned.bytes());
      layout_.put(owned, k, result);
    }
  return result;
}

BlockOperator FieldsOperator::make_matrix() const {
  BlockOperator K(device(), layout_);
  for (int row = 0; row < field_count(); ++row)
    for (int column = 0; column < field_count(); ++column) {
      if (!has_block(row, column)) continue;
      if (row == column) {
        K.set(row, std::make_unique<SparseMatrix>(space(row).pattern(), space(row).components()));
        continue;
      }
      if (terms_->couples(row, column)) require_no_joined(*terms_, row, column);
      K.set(row, column, coupling_matrix(space(row), space(column), terms_->patterns().pattern(row, column)));
    }
  return K;
}

void FieldsOperator::assemble(const Vector& u, BlockOperator& K) const {
  Vector room;
  const Vector& at = u.empty() ? u : layout_.with_ghosts(u, room);
  if (K.layout() != layout_)
    throw Error(ErrorKind::internal, "a matrix of other spaces was given to assemble", {},
                "take it from make_matrix()");
  for (int row = 0; row < field_count(); ++row)
    for (int column = 0; column < field_count(); ++column) {
      if (K.block(row, column) == nullptr) continue;
      Vector& values = row == column ? K.square(row)->values() : K.coupling(row, column)->values();
      if (terms_->couples(row, column)) {
        const TaskPlan& lists = plans_->plan({OperatorTask::matrix, {}, row, column});
        if (const Index entries = target_numbers(*terms_, lists); values.size() != entries)
          throw Error(ErrorKind::internal,
                      fmt::format("a matrix with {} numbers in block ({}, {}) was given to assemble, which has {}",
                                  values.size(), row, column, entries),
                      "equations between unknowns have joined others since it was made",
                      "finish the supports before make_matrix()");
        plans_->run(lists, {.u = at.empty() ? nullptr : at.data(), .target = values.data()});
      } else {
        values.fill_zero();
      }
      if (row != column || !adds_matrix(of_field(row))) continue;
      SparseMatrix alone = of_field(row)->make_matrix();
      of_field(row)->assemble(at.empty() ? Vector() : local_.part(at, row), alone);
      axpy(1, alone.values(), values);
    }
}

// Integrals of loads have no blocks.
std::unique_ptr<Equations> FieldsOperator::forces(Forces which) const {
  const bool with_matrix = which == Forces::elastic;
  std::vector<MixedIntegral> several;
  for (const MixedIntegral& each : terms_->integrals()) {
    bool has_block = false;
    for (const auto& row : each.form.couples) has_block = has_block || std::ranges::find(row, true) != row.end();
    if (has_block == with_matrix && !each.is_rate) several.push_back(each);
  }
  std::vector<Integral> of_one;
  for (int k = 0; k < field_count(); ++k)
    if (of_field(k) != nullptr)
      for (const Integral& each : (with_matrix ? elastic_among : loads_among)(of_field(k)->integrals()))
        of_one.push_back(each.of_field(k));
  return std::make_unique<FieldsOperator>(spaces(), std::move(several), std::move(of_one));
}

void forget_assembly(const FieldsOperator& equations) {
  equations.plans().forget_assembly();
  equations.terms().patterns().forget();
  for (int k = 0; k < equations.field_count(); ++k) {
    if (equations.of_field(k) != nullptr) equations.of_field(k)->plans().forget_assembly();
    equations.space(k).forget_pattern();
  }
  equations.device().memory().trim();
}

}  // namespace ritz
