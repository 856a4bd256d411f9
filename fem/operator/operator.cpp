#include "fem/operator/operator.hpp"

#include "fem/operator/linearisation.hpp"
#include "fem/operator/task_plans.hpp"

#include <algorithm>
#include <span>

namespace ritz {
namespace {

// Node numbers of a group that has all cells, in their order; empty: there is none.
std::span<const Node> nodes_of_all_cells(const ElementTerms& terms) {
  for (const ElementGroup& group : terms.groups())
    if (group.elements.size() == terms.space().cell_order().size())
      return {group.nodes.data(), group.host_nodes.size()};
  return {};
}

}  // namespace

Operator::Operator(const FunctionSpace& space, std::vector<Integral> integrals, ElementLists lists)
    : Equations(space.device(), Layout(std::vector<Layout::Field>{field_of(space)})),
      terms_(std::make_shared<ElementTerms>(space, std::move(integrals), time_, lists)),
      states_(std::make_shared<OperatorStates>(layout_, *terms_)),
      plans_(std::make_shared<TaskPlans>(*terms_, states_.get())),
      inputs_(std::make_shared<OperatorInputs>(*terms_, *states_, *time_)) {}

EquationFacts Operator::facts() const {
  EquationFacts facts;
  for (const Integral& integral : integrals()) {
    const FormValue& form = integral.form;
    const bool varies = form.varies_in_time();
    facts = together(facts, {!form.has_matrix || form.symmetric, form.linear, varies, form.has_matrix && varies});
  }
  facts.has_states = has_states(*terms_);
  return facts;
}

void Operator::residual(const Vector& u, Vector& r) const {
  if (!layout_.is_divided()) return residual_of_part(*this, u, r);
  Vector room, rows = space().zeros();
  residual_of_part(*this, layout_.with_ghosts(u, room), rows);
  layout_.keep_owned(rows, r);
}

void Operator::action(const Vector& u, const Vector& x, Vector& y) const {
  if (!layout_.is_divided()) return Linearisation(*this, u).action(x, y, nullptr);
  Vector room_of_u, room, rows = space().zeros();
  const Vector& at = u.empty() ? u : layout_.with_ghosts(u, room_of_u);
  Linearisation(*this, at).action(layout_.with_ghosts(x, room), rows, nullptr);
  layout_.keep_owned(rows, y);
}

Vector Operator::diagonal(const Vector& u) const {
  if (!layout_.is_divided()) return Linearisation(*this, u).diagonal();
  Vector room, owned = zeros();
  layout_.keep_owned(Linearisation(*this, u.empty() ? u : layout_.with_ghosts(u, room)).diagonal(), owned);
  return owned;
}

SparseMatrix Operator::make_matrix() const {
  return SparseMatrix(space().pattern(nodes_of_all_cells(*terms_)), space().components(),
                      SparseMatrix::Values::undefined);
}

void Operator::assemble(const Vector& u, SparseMatrix& matrix) const { Linearisation(*this, u).assemble(matrix); }

std::unique_ptr<Equations> Operator::loads() const {
  return std::make_unique<Operator>(space(), loads_among(integrals()));
}

std::unique_ptr<Equations> Operator::without_states() const {
  return std::make_unique<Operator>(space(), elastic_among(integrals()));
}

std::string Operator::name_of(Index unknown) const {
  return space().name_of(static_cast<Node>(unknown / space().components()));
}

std::vector<double> Operator::forces_for_results(const Vector& f) const {
  return layout_.is_divided() ? f.host() : space().forces_to_mesh(f);
}

void divide(const Operator& equations, std::shared_ptr<OperatorOverRanks> ranks) {
  equations.states().divide(std::move(ranks));
  equations.plans().forget_all();
  equations.terms().forget_connectivity();
}

void residual_of_part(const Operator& equations, const Vector& u, Vector& r) {
  check_size(equations.space(), u.size());
  check_size(equations.space(), r.size());
  TaskPlans& plans = equations.plans();
  plans.run(plans.plan_of_few_runs({OperatorTask::residual}), {.u = u.data(), .target = r.data()});
}

}  // namespace ritz
