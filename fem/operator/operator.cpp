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
    : Equations(space.device(),
                Layout(std::vector<Layout::Field>{{.nodes = space.node_count(), .width = space.components()}})),
      terms_(std::make_unique<ElementTerms>(space, std::move(integrals), time_, lists)),
      plans_(std::make_unique<TaskPlans>(*this, *terms_)),
      states_(std::make_unique<OperatorStates>(*this, *terms_, *plans_)),
      inputs_(*terms_, *plans_, time_) {}

Operator::~Operator() = default;

EquationFacts Operator::facts() const {
  EquationFacts facts;
  for (const Integral& integral : integrals()) {
    const FormValue& form = integral.form;
    facts.symmetric = facts.symmetric && (!form.has_matrix || form.symmetric);
    facts.linear = facts.linear && form.linear;
    facts.varies_in_time = facts.varies_in_time || form.varies_in_time();
    facts.matrix_varies_in_time = facts.matrix_varies_in_time || (form.has_matrix && form.varies_in_time());
    facts.has_states = facts.has_states || !form.state_start.empty();
  }
  return facts;
}

void Operator::residual(const Vector& u, Vector& r) const {
  check_size(space(), u.size());
  check_size(space(), r.size());
  if (plans_->over_ranks() != nullptr) return plans_->over_ranks()->residual(*this, u, r);
  plans_->run(plans_->plan_of_few_runs({Task::residual}), {.u = u.data(), .target = r.data()});
}

void Operator::action(const Vector& u, const Vector& x, Vector& y) const {
  check_size(space(), x.size());
  check_size(space(), y.size());
  if (plans_->over_ranks() != nullptr) return plans_->over_ranks()->action(*this, u, x, y);
  Linearisation(*this, u).action(x, y, nullptr);
}

Vector Operator::diagonal(const Vector& u) const { return Linearisation(*this, u).diagonal(); }

SparseMatrix Operator::make_matrix() const {
  return SparseMatrix(space().pattern(nodes_of_all_cells(*terms_)), space().components(),
                      SparseMatrix::Values::undefined);
}

void Operator::assemble(const Vector& u, SparseMatrix& matrix) const { Linearisation(*this, u).assemble(matrix); }

std::unique_ptr<Equations> Operator::loads() const {
  return std::make_unique<Operator>(space(), loads_among(integrals()));
}

std::string Operator::name_of(Index unknown) const {
  return space().name_of(static_cast<Node>(unknown / space().components()));
}

std::vector<double> Operator::forces_for_results(const Vector& f) const { return space().forces_to_mesh(f); }

}  // namespace ritz
