#include "solvers/multigrid/divided_symmetric_part.hpp"

#include "solvers/multigrid/global_rows.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace ritz {
namespace {

template <class T>
std::vector<T> on_host(const Device& device, const T* numbers, Index count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  device.machine().copy_to_host(result.data(), numbers, count * Index{sizeof(T)});
  return result;
}

// Rows of ghosts are the halves of the transposes of what this rank knows: they go to the owners, who add them to
// halves of their own.
class SymmetricPart {
 public:
  explicit SymmetricPart(const DividedMatrix& A)
      : A_(A),
        ghosts_(A.ghosts()),
        C_(static_cast<std::size_t>(A.block_size())),
        block_(C_ * C_),
        offsets_(on_host(A.device(), A.with_ghost_rows().offsets, ghosts_.size() + 1)),
        column_(on_host(A.device(), A.with_ghost_rows().column, A.nonzeros_with_ghost_rows())),
        from_(
            on_host(A.device(), A.with_ghost_rows().values, A.nonzeros_with_ghost_rows() * static_cast<Index>(block_))),
        values_(from_.size(), 0.0) {}

  BlockMatrix compute(bool diagonally_dominant) {
    for (Index row = 0; row < ghosts_.owned(); ++row) add_transposes(row);
    for (const GlobalRows& rows : swap_rows(ghosts_.ranks(), of_ghosts())) take(rows);
    if (diagonally_dominant)
      for (Index row = 0; row < ghosts_.owned(); ++row) raise_diagonal(row);
    const Device& device = A_.device();
    return {.rows = ghosts_.owned(),
            .columns = ghosts_.size(),
            .row_block = A_.block_size(),
            .column_block = A_.block_size(),
            .offsets = Array<Index>(device, std::span<const Index>(offsets_), "pattern"),
            .column = Array<std::int32_t>(device, std::span<const std::int32_t>(column_), "pattern"),
            .values = Vector(device, std::span<const double>(values_), "matrix")};
  }

 private:
  std::size_t place(Index block) const { return static_cast<std::size_t>(block) * block_; }
  std::int32_t column(Index entry) const { return column_[static_cast<std::size_t>(entry)]; }
  Index offset(Index row) const { return offsets_[static_cast<std::size_t>(row)]; }

  Index find(Index row, Index wanted) const {  // -1: not there
    const auto begin = column_.begin() + offset(row), end = column_.begin() + offset(row + 1);
    const auto found = std::lower_bound(begin, end, wanted);
    return found == end || *found != wanted ? -1 : found - column_.begin();
  }

  Index find_ghost(Index row, Index global) const {  // -1: not there
    for (Index e = offset(row + 1) - 1; e >= offset(row) && column(e) >= ghosts_.owned(); --e)
      if (ghosts_.global(column(e)) == global) return e;
    return -1;
  }

  void add_transposes(Index row) {
    for (Index e = offset(row); e < offset(row + 1); ++e) {
      if (column(e) >= ghosts_.owned()) continue;
      const Index mirror = find(column(e), row);
      if (mirror < 0) continue;
      for (std::size_t c = 0; c < C_; ++c)
        for (std::size_t d = 0; d < C_; ++d)
          values_[place(e) + c * C_ + d] = 0.5 * (from_[place(e) + c * C_ + d] + from_[place(mirror) + d * C_ + c]);
    }
  }

  std::vector<GlobalRows> of_ghosts() const {
    std::vector<GlobalRows> sent(static_cast<std::size_t>(ghosts_.ranks().count()));
    const auto global = [this](std::int32_t local) { return ghosts_.global(local); };
    for (const Ghosts::Neighbour& neighbour : ghosts_.neighbours())
      for (Index k = 0; k < neighbour.count; ++k) {
        const Index local = neighbour.first + k;
        const auto begin = static_cast<std::size_t>(offset(local)), count = static_cast<std::size_t>(offset(local + 1)) - begin;
        sent[static_cast<std::size_t>(neighbour.rank)].append(
            ghosts_.global(local), std::span(column_).subspan(begin, count),
            std::span(from_).subspan(begin * block_, count * block_), global);
      }
    return sent;
  }

  void take(const GlobalRows& rows) {
    std::size_t k = 0;
    for (std::size_t r = 0; r < rows.row.size(); ++r) {
      const Index row = ghosts_.local(rows.row[r]);
      for (Index n = 0; n < rows.count[r]; ++n, ++k) {
        const Index e = find_ghost(row, rows.column[k]);
        if (e < 0) continue;
        for (std::size_t c = 0; c < block_; ++c)
          values_[place(e) + c] = 0.5 * from_[place(e) + c] + rows.values[k * block_ + c];
      }
    }
  }

  void raise_diagonal(Index row) {
    constexpr double dominance = 1 + 1.0 / 64;  // as SparseMatrix::symmetric_part
    const Index diagonal = find(row, row);
    if (diagonal < 0) return;
    for (std::size_t c = 0; c < C_; ++c) {
      double& pivot = values_[place(diagonal) + c * C_ + c];
      double others = 0;
      for (Index e = offset(row); e < offset(row + 1); ++e)
        for (std::size_t d = 0; d < C_; ++d)
          if (e != diagonal || d != c) others += std::abs(values_[place(e) + c * C_ + d]);
      if (!(pivot > others)) pivot = others > 0 ? dominance * others : 1.0;
    }
  }

  const DividedMatrix& A_;
  const Ghosts& ghosts_;
  const std::size_t C_, block_;
  const std::vector<Index> offsets_;  // of owned rows and rows of ghosts
  const std::vector<std::int32_t> column_;
  const std::vector<double> from_;
  std::vector<double> values_;
};

}  // namespace

BlockMatrix symmetric_part(const DividedMatrix& A, bool diagonally_dominant) {
  return SymmetricPart(A).compute(diagonally_dominant);
}

}  // namespace ritz
