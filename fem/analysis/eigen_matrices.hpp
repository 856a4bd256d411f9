// Both matrices of an eigenvalue problem, with supports eliminated: of one process, or the rows that a rank owns.
// Private to fem/analysis.
//
//   EigenMatrices both(supports, part, linear);
//   both.add(std::move(K), max_abs(K.diagonal()));   both.add(std::move(M), 0);
//   EigenSolution s = both.solve([&](const auto& K, const auto& M, const SolverGeometry& geometry) {
//     return solve_eigen(K, M, options, geometry);
//   });
#pragma once

#include "fem/ranks/rank_matrices.hpp"
#include "fem/space/nested_nodes.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ritz {

class EigenMatrices {
 public:
  // part: whose supports they are; null: one process. linear: with a matrix. Throws where a rank predicts no room.
  EigenMatrices(const Constraints& supports, const FieldOfRank* part, const LinearSolverOptions& linear, bool iterates)
      : supports_(supports) {
    if (part == nullptr) return;
    of_part_.emplace(*part, linear);
    if (iterates) of_part_->find_nested_levels();
    of_part_->check_room();
  }

  void add(SparseMatrix A, double pivot) {
    if (of_part_) {
      rows_.push_back(of_part_->eliminated(std::move(A), pivot));
      return;
    }
    auto phase = supports_.space().device().profile().phase("constraints");
    supports_.eliminate(whole_.emplace_back(std::move(A)), pivot);
  }

  // Takes both in the order in which they were added, and facts of the mesh.
  template <class Solve>
  auto solve(const Solve& solve) {
    auto phase = supports_.space().device().profile().phase("solve");
    if (!of_part_) return solve(whole_.front(), whole_.back(), solver_geometry(supports_.space()));
    auto found = solve(*rows_.front(), *rows_.back(), of_part_->geometry());
    of_part_->report(rows_.front().get(), nullptr, {});
    return found;
  }

 private:
  const Constraints& supports_;
  std::optional<RankMatrices> of_part_;
  std::vector<SparseMatrix> whole_;
  std::vector<std::unique_ptr<const DividedMatrix>> rows_;
};

}  // namespace ritz
