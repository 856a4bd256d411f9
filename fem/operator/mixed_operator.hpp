// The equations of a mixed problem: forms of several fields, each field in a space of its own on one mesh, and forms of
// one field on any of the spaces. It computes residuals and matrices of blocks; a vector holds the unknowns of one
// space after the other: those that this rank owns, where the spaces are on a part of a mesh. Copies share their
// contents.
//
//   const MixedFormValue flow = Stokes<2>{1e-3};
//   MixedOperator equations(spaces_of(flow, mesh, device), {MixedIntegral::over_all_cells(flow)},
//                           {Integral::over(load, region)});
//   equations.residual(u, r);
//   BlockOperator K = equations.make_matrix();   equations.assemble(u, K);   // K = d(residual)/du
#pragma once

#include "fem/operator/mixed_terms.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

class MixedOperator final : public Equations {
 public:
  // Spaces of different meshes have forms of one field alone. Throws Error: Exit::internal when spaces of forms of
  // several fields do not share a geometry, or a form does not suit them.
  // met_before: [field] EntitySigns' own, of a part of a mesh.
  MixedOperator(Spaces spaces, std::vector<MixedIntegral> integrals, std::vector<Integral> of_fields = {},
                const std::vector<std::vector<Node>>& met_before = {});

  const MixedTerms& terms() const { return *terms_; }
  int field_count() const { return terms_->field_count(); }
  const FunctionSpace& space(int field) const { return terms_->space(field); }
  const Spaces& spaces() const { return terms_->spaces(); }
  EquationFacts facts() const override { return terms_->facts(); }

  void residual(const Vector& u, Vector& r) const override { terms_->residual(u, r); }
  void action(const Vector& u, const Vector& x, Vector& y) const override { terms_->action(u, x, y); }
  Vector diagonal(const Vector& u) const override;  // of a matrix that is made for it
  // Blocks where fields couple: pattern and memory; values are zero.
  BlockOperator make_matrix() const { return terms_->make_matrix(); }
  // Values become the tangent at u; an empty u is zero. Blocks that no form fills become zero.
  void assemble(const Vector& u, BlockOperator& K) const { terms_->assemble(u, K); }

  MixedInputs& inputs() override { return terms_->inputs(); }
  PointStates& states() const override { return terms_->states(); }
  std::unique_ptr<Equations> loads() const override;
  std::string name_of(Index unknown) const override { return terms_->name_of(unknown); }
  std::vector<double> forces_for_results(const Vector& f) const override { return f.host(); }

 private:
  std::shared_ptr<Equations> shared() const override { return std::make_shared<MixedOperator>(*this); }

  std::shared_ptr<MixedTerms> terms_;
};

}  // namespace ritz
