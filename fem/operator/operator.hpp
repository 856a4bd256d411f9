// The equations of a model: forms over regions, bound to a space. It computes residuals and assembles matrices in
// place; element kernels and sums run on the space's device and give the same bits every time.
//
//   Operator equations(space, {Integral::over_all_cells(Elasticity{lambda, mu}), Integral::over(load, region)});
//   SparseMatrix K = equations.make_matrix();      equations.assemble(u, K);       // K = d(residual)/du
//   equations.residual(u, r);                      // internal minus external forces
//   equations.action(u, x, y);                     // y = K x without K
//
// On a part of a mesh (FunctionSpace::ghosts) the vectors of Equations have the unknowns that this rank owns, and all
// ranks call together; Linearisation, assemble() and residual_of_part() take those with ghosts, [owned | ghosts].
//
// Copies share these parts, which are objects: inputs() are the data that change, states() the internal variables,
// terms() the integrals on groups of elements, and plans() the lists and buffers of tasks. Functions of an operator
// take it: Linearisation (linearisation.hpp), evaluate() (evaluate.hpp), OperatorNeeds (operator_needs.hpp),
// can_assemble() and others (abilities.hpp).
#pragma once

#include "fem/operator/element_terms.hpp"
#include "fem/operator/equations.hpp"
#include "fem/operator/operator_inputs.hpp"
#include "fem/operator/operator_states.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

class TaskPlans;

class Operator final : public Equations {
 public:
  using Task = OperatorTask;
  // Throws an internal Error when a form does not suit the space, one of the model when a structural element was given
  // cells of another kind. ElementLists::counted: for forecasts only, not to compute.
  Operator(const FunctionSpace& space, std::vector<Integral> integrals, ElementLists lists = ElementLists::written);

  const FunctionSpace& space() const { return terms_->space(); }
  const std::vector<Integral>& integrals() const { return terms_->integrals(); }
  const ElementTerms& terms() const { return *terms_; }
  TaskPlans& plans() const { return *plans_; }  // lists and buffers change as tasks run
  EquationFacts facts() const override;

  Vector diagonal(const Vector& u) const override;
  SparseMatrix make_matrix() const;                            // pattern and memory; values undefined
  void assemble(const Vector& u, SparseMatrix& matrix) const;  // values = tangent at u

  void residual_of_part(const Vector& u, Vector& r) const override;
  void action_of_part(const Vector& u, const Vector& x, Vector& y) const override;
  OperatorInputs& inputs() override { return *inputs_; }
  OperatorStates& states() const override { return *states_; }
  std::unique_ptr<Equations> forces(Forces which) const override;
  std::string name_of(Index unknown) const override;
  std::vector<double> forces_for_results(const Vector& f) const override;

 private:
  const Operator* of_field(int) const override { return this; }
  std::shared_ptr<Equations> shared() const override { return std::make_shared<Operator>(*this); }

  std::shared_ptr<ElementTerms> terms_;
  std::shared_ptr<OperatorStates> states_;
  std::shared_ptr<TaskPlans> plans_;
  std::shared_ptr<OperatorInputs> inputs_;
};

}  // namespace ritz
