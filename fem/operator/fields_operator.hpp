// The equations of a mixed problem: forms of several fields, each field in a space of its own on one mesh, and forms of
// one field on any of the spaces. It computes residuals and matrices of blocks; a vector holds the unknowns of one
// space after the other: those that this rank owns, where the spaces are on a part of a mesh.
//
//   const MixedFormValue flow = Stokes<2>{1e-3};
//   FieldsOperator equations(spaces_of(flow, mesh, device), {MixedIntegral::over_all_cells(flow)},
//                           {Integral::over(load, region)});
//   equations.residual(u, r);
//   BlockOperator K = equations.make_matrix();   equations.assemble(u, K);   // K = d(residual)/du
//
// Copies share these parts, which are objects, as those of Operator: inputs() are the data that change, states() the
// internal variables, terms() the forms of several fields on groups of elements, of_field() the operators of forms of
// one field, and plans() the lists and buffers of tasks of the others.
#pragma once

#include "fem/operator/fields_inputs.hpp"
#include "fem/operator/fields_terms.hpp"
#include "solvers/algebra/block_operator.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

class FieldsOperator final : public Equations {
 public:
  // Spaces of different meshes have forms of one field alone. Throws Error: Exit::internal when spaces of forms of
  // several fields do not share a geometry, or a form does not suit them.
  // met_before: [field] EntitySigns' own, of a part of a mesh.
  FieldsOperator(Spaces spaces, std::vector<MixedIntegral> integrals, std::vector<Integral> of_fields = {},
                 const std::vector<std::vector<Node>>& met_before = {});

  const FieldsTerms& terms() const { return *terms_; }
  TaskPlans& plans() const { return *plans_; }  // lists and buffers change as tasks run
  int field_count() const { return terms_->field_count(); }
  const FunctionSpace& space(int field) const { return terms_->space(field); }
  const Spaces& spaces() const { return terms_->spaces(); }
  const Operator* of_field(int field) const override;
  bool has_block(int row, int column) const;  // of the matrix
  EquationFacts facts() const override;

  void residual_of_part(const Vector& u, Vector& r) const override;
  void action_of_part(const Vector& u, const Vector& x, Vector& y) const override;
  Vector diagonal(const Vector& u) const override;  // of a matrix that is made for it
  // Blocks where fields couple: pattern and memory; values are zero.
  BlockOperator make_matrix() const;
  // Values become the tangent at u; an empty u is zero. Blocks that no form fills become zero.
  void assemble(const Vector& u, BlockOperator& K) const;

  FieldsInputs& inputs() override { return *inputs_; }
  PointStates& states() const override { return *states_; }

 private:
  std::unique_ptr<Equations> forces(Forces which) const override;
  std::string name_of(Index unknown) const override;
  std::vector<double> forces_for_results(const Vector& f) const override { return f.host(); }
  std::shared_ptr<Equations> shared() const override { return std::make_shared<FieldsOperator>(*this); }

  Layout local_;  // of vectors with ghosts, as kernels read and write the unknowns
  std::shared_ptr<FieldsTerms> terms_;
  std::shared_ptr<OperatorsOfFields> of_fields_;
  std::shared_ptr<FieldsStates> states_;
  std::shared_ptr<TaskPlans> plans_;
  std::shared_ptr<FieldsInputs> inputs_;
};

bool adds_matrix(const Operator* of_field);  // has a form of this field alone a matrix?

// Gives back what assemble() made for itself, and the patterns of the spaces; a further call rebuilds them.
void forget_assembly(const FieldsOperator& equations);

}  // namespace ritz
