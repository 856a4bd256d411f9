// Matrices of one field, as both of an eigenvalue problem, with supports eliminated: of one process, or the rows that a
// rank owns. Private to fem/analysis.
//
//   EliminatedMatrices both(supports, part, linear, iterates);
//   both.add(std::move(K), max_abs(K.diagonal()));   both.add(std::move(M), 0);
//   EigenSolution s = both.solve([&](const auto& K, const auto& M, const SolverGeometry& geometry) {
//     return solve_eigen(K, M, options, geometry);
//   });
#pragma once

#include "device/host_view.hpp"
#include "fem/ranks/rank_matrices.hpp"
#include "fem/space/nested_nodes.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ritz {

// Block rows, columns [owned | ghosts] over ranks, and blocks row by row.
struct HostRows {
  explicit HostRows(const SparseMatrix& A)
      : offsets(A.pattern().offsets().host()), columns(A.pattern().columns().host()), values(A.values().host()) {}
  explicit HostRows(const DividedMatrix& A) : ghosts(A.shared_ghosts()) {
    const BlockMatrixView<double> rows = A.owned_rows();
    const auto copied = [&](const auto* numbers, Index size) {
      const HostView view(A.device(), numbers, size);
      return std::vector(view.span().begin(), view.span().end());
    };
    offsets = copied(rows.offsets, rows.rows + 1);
    columns = copied(rows.column, A.nonzeros());
    values = copied(rows.values, A.nonzeros() * rows.row_block * rows.column_block);
  }

  std::vector<Index> offsets;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  std::shared_ptr<const Ghosts> ghosts;  // null: one process
};

class EliminatedMatrices {
 public:
  // part: whose supports they are; null: one process. linear: with a matrix. Throws where a rank predicts no room.
  EliminatedMatrices(const Constraints& supports, const OwnField* part, const LinearSolverOptions& linear,
                     bool iterates)
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

  // In the order in which they were added.
  const LinearOperator& matrix(std::size_t number) const {
    if (of_part_) return *rows_[number];
    return whole_[number];
  }
  // Rows of this process on the host.
  HostRows host_rows(std::size_t number) const {
    return of_part_ ? HostRows(*rows_[number]) : HostRows(whole_[number]);
  }
  void report() {
    if (of_part_) of_part_->report(rows_.front().get(), nullptr, {});
  }

  // Takes both in the order in which they were added, and facts of the mesh.
  template <class Solve>
  auto solve(const Solve& solve) {
    auto phase = supports_.space().device().profile().phase("solve");
    if (!of_part_) return solve(whole_.front(), whole_.back(), solver_geometry(supports_.space()));
    auto found = solve(*rows_.front(), *rows_.back(), of_part_->geometry());
    report();
    return found;
  }

 private:
  const Constraints& supports_;
  std::optional<RankMatrices> of_part_;
  std::vector<SparseMatrix> whole_;
  std::vector<std::unique_ptr<const DividedMatrix>> rows_;
};

}  // namespace ritz
