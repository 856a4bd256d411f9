// Matrices of several fields, as both of an eigenvalue problem, with supports eliminated: of one process, or the rows
// that a rank owns; as EliminatedMatrices are of one field. All ranks call these together. Private to fem/analysis.
//
//   BlockOperator K = fields.equations().make_matrix();   fields.equations().assemble(u, K);   ...
//   eliminate_held(fields, may_be_free, K);   fields.supports().eliminate(M, 0);
//   EigenSolution s = JoinedMatrices(fields, K, M).solve([&](const auto& A, const auto& B) {
//     return solve_eigen(A, B, options);
//   });
#pragma once

#include "fem/physics/model.hpp"
#include "fem/ranks/own_fields.hpp"
#include "solvers/algebra/divided_matrix.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ritz {

// Adds the geometric stiffness of the model at u, before supports are eliminated. `analysis`: for messages. Throws what
// geometric_integrals() throws.
void add_geometric_stiffness(const OwnFields& fields, const Model& model, const std::string& analysis, const Vector& u,
                             BlockOperator& K);
// Eliminates the supports of a stiffness. Throws Error: Exit::model where a field may move freely, and should not.
void eliminate_held(const OwnFields& fields, bool may_be_free, BlockOperator& K);

// Two matrices of all fields on one pattern.
class JoinedMatrices {
 public:
  JoinedMatrices(const OwnFields& fields, const BlockOperator& K, const BlockOperator& other);

  // Takes both: SparseMatrix, or DividedMatrix over ranks.
  template <class Solve>
  auto solve(const Solve& solve) const {
    return whole_ ? solve(whole_->first, whole_->second) : solve(*rows_.first, *rows_.second);
  }

 private:
  std::optional<std::pair<SparseMatrix, SparseMatrix>> whole_;
  std::pair<std::unique_ptr<DividedMatrix>, std::unique_ptr<DividedMatrix>> rows_;
};

}  // namespace ritz
