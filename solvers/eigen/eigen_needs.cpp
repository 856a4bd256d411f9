#include "solvers/eigen/eigen_needs.hpp"

#include <algorithm>

namespace ritz {
namespace {

constexpr int column_lanes = MultiVector::lanes;

int rounded_up(int n) { return (n + column_lanes - 1) / column_lanes * column_lanes; }

struct Blocks {
  Index rows;
  // Multi-vectors of so many columns.
  MemoryNeeds operator()(int columns, Index count = 1, const char* tag = "eigenvectors") const {
    return MemoryNeeds().array<double>(tag, rows * rounded_up(columns), count);
  }
  MemoryNeeds vectors(Index count, Index columns = 1) const {
    return MemoryNeeds().array<double>("vectors", rows * columns, count);
  }
};

void raise(EigenNeeds& needs, const MemoryNeeds& peak, const char* moment) {
  if (peak.total() <= needs.peak.total()) return;
  needs.peak = peak;
  needs.moment = moment;
}

// The vectors of a restart, and their copy in pieces (solvers/eigen/vector_pieces.hpp).
constexpr int measuring = 2;
constexpr int nearby_beyond = 4;

}  // namespace

int lanczos_basis(int nearby, Index mass_count) {
  const int most = static_cast<int>(std::min<Index>(mass_count, 1 << 30));
  return std::min(rounded_up(std::max(2 * nearby, nearby + 5 * column_lanes)), rounded_up(most));
}

int lobpcg_width(int count, Index mass_count, bool in_lanes) {
  const int width = count + std::max(3, count / 8);
  return static_cast<int>(std::min<Index>(in_lanes ? rounded_up(width) : width, mass_count));
}

EigenNeeds lanczos_needs(const HierarchyShape& shape, const EigenOptions& options) {
  const Blocks block{shape.rows * shape.block};
  const int basis = lanczos_basis(options.count + nearby_beyond, block.rows);
  // The diagonal of K; the matrix that is factorised, and the direct solver's two vectors.
  const MemoryNeeds stay = block.vectors(3).array<double>("matrix", shape.nonzeros * shape.block * shape.block);
  EigenNeeds needs{{}, "", basis};
  // The basis, of which the last block is just inverted: M X, X, and of the direct solver R, D, both packed, and four
  // vectors.
  raise(needs,
        stay + block(column_lanes, basis / column_lanes) + block(column_lanes, 2) + block(column_lanes, 2, "vectors") +
            block.vectors(2, column_lanes) + block.vectors(4),
        "iteration");
  raise(needs, stay + block(column_lanes, basis / column_lanes + 1) + block(options.count, measuring),
        "measuring the modes");
  return needs;
}

// X, P and W, and a piece of what K, M or the cycle make of them.
EigenNeeds lobpcg_needs(Index unknowns, const EigenOptions& options, bool in_lanes) {
  const Blocks block{unknowns};
  const int width = lobpcg_width(options.count, unknowns, in_lanes);
  return {block(width, 3) + block(column_lanes, 1), "iteration", width};
}

}  // namespace ritz
