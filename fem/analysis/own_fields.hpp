// The fields of a model as this process works on them: all of them, or over ranks the part of a rank, whose vectors
// have the unknowns that it owns, as OwnField is of one. Their matrices, with supports eliminated, are both of an
// eigenvalue problem. All ranks make theirs and call its functions together. Private to fem/analysis.
//
//   OwnFields fields(setup.fields(), linear.ranks);
//   BlockOperator K = fields.equations().make_matrix();   fields.equations().assemble(u, K);   ...
//   fields.eliminate(K);   fields.supports().eliminate(M, 0);
//   EigenSolution s = fields.solve(K, M, [&](const auto& A, const auto& B) { return solve_eigen(A, B, options); });
#pragma once

#include "fem/analysis/fields_of_model.hpp"
#include "fem/ranks/fields_of_rank.hpp"
#include "solvers/algebra/divided_matrix.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ritz {

class OwnFields {
 public:
  OwnFields(const FieldsOfModel& fields, Ranks* ranks);  // null: one process

  const PartOfModel* part() const { return rank_ ? &*rank_ : nullptr; }  // null: one process
  const MixedOperator& equations() const { return rank_ ? rank_->equations() : *fields_.equations; }
  const MixedOperator& rates() const { return rank_ ? rank_->rates() : *fields_.rates; }
  const FieldsConstraints& supports() const { return rank_ ? rank_->supports() : *fields_.supports; }

  Vector own(const Vector& of_all) const;
  Vector gathered(const Vector& own) const;
  void take_states() const;  // from the equations of the whole model

  // Adds the geometric stiffness of the model at u, before supports are eliminated. `analysis`: for messages. Throws
  // what geometric_integrals() throws.
  void add_geometric_stiffness(const Model& model, const std::string& analysis, const Vector& u, BlockOperator& K);
  // Takes the stiffness with its supports. Throws Error: Exit::model where a field may move freely.
  void eliminate(BlockOperator& K) const;

  // solve(K, other) of both matrices joined, on one pattern: SparseMatrix, or DividedMatrix over ranks.
  template <class Solve>
  auto solve(const BlockOperator& K, const BlockOperator& other, const Solve& solve) const {
    if (!rank_) {
      const auto [one, second] = joined(K, other);
      return solve(one, second);
    }
    const auto [one, second] = divided(K, other);
    return solve(*one, *second);
  }

 private:
  using DividedPair = std::pair<std::unique_ptr<DividedMatrix>, std::unique_ptr<DividedMatrix>>;
  static std::pair<SparseMatrix, SparseMatrix> joined(const BlockOperator& K, const BlockOperator& other);
  DividedPair divided(const BlockOperator& K, const BlockOperator& other) const;

  const FieldsOfModel& fields_;
  std::optional<FieldsOfRank> rank_;  // none: one process
};

}  // namespace ritz
