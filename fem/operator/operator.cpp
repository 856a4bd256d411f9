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

void Operator::residual_of_part(const Vector& u, Vector& r) const {
  check_size(space(), u.size());
  check_size(space(), r.size());
  plans_->run(plans_->plan_of_few_runs({OperatorTask::residual}), {.u = u.data(), .target = r.data()});
}

void Operator::action_of_part(const Vector& u, const Vector& x, Vector& y) const {
  Linearisation(*this, u).action(x, y, nullptr);
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

std::unique_ptr<Equations> Operator::forces(Forces which) const {
  return std::make_unique<Operator>(space(),
                                    which == Forces::loads ? loads_among(integrals()) : elastic_among(integrals()));
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

}  // namespace ritz
