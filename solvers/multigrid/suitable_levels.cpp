#include "solvers/multigrid/suitable_levels.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/anisotropy.hpp"
#include "solvers/multigrid/level_matrix_kernels.hpp"
#include "solvers/smoothers/jacobi.hpp"

#include <algorithm>

namespace ritz {
namespace {

// A cell of a regular mesh makes 8 between a node inside and one at a corner. With stiff inclusions in single cells of
// a scalar problem, 24^3 hexahedra: a factor of 10 costs one iteration of 8, 1000 makes 67 of 12.
constexpr double most_suitable_jump = 30;

// Largest ratio of the diagonal entries of two coupled rows; above a field of lower order on the same cells, of two of
// its nodes.
double largest_jump(const LevelMatrix& A, const NestedNodes& first) {
  Vector inverse = inverse_diagonal(A.diagonal());
  if (first.same_cells) {
    const auto block = static_cast<std::size_t>(A.block());
    std::vector<double> is_kept(static_cast<std::size_t>(A.unknowns()), 0);
    for (const std::int32_t node : first.same)
      std::fill_n(is_kept.begin() + static_cast<std::ptrdiff_t>(node) * A.block(), block, 1.0);
    const Vector all = std::move(inverse);
    inverse = Vector(A.device, A.unknowns(), setup_tag);
    multiply(Vector(A.device, std::span<const double>(is_kept), setup_tag), all, inverse);
  }
  if (A.ghosts() != nullptr) inverse = with_ghosts(inverse, *A.ghosts(), A.block());
  Vector jumps(A.device, A.view.rows, setup_tag);
  A.device.profile().count(bytes_of(A.view, A.nonzeros) + inverse.bytes() + jumps.bytes());
  kernels<LevelMatrixKernels>(A.device, solver_kernels, "level matrix")
      .jumps(A.device, A.view, inverse.data(), jumps.data());
  return max_abs(jumps);
}

// Couplings stronger in one direction: heat over nested meshes takes 35 iterations where trilinear hexahedra are 10
// times as long as thick and 102 at 50 times, with aggregates 18 and 24; elasticity 151 and more than a thousand, with
// aggregates 22 and 39. A field of order 2 keeps order 1 on its cells up to some 15 times.
bool is_stretched(const LevelMatrix& A, const SmoothedAggregationOptions& options, double factor) {
  constexpr double stretched_share = 0.1;  // of nodes
  return (A.block() == 1 || A.block() == options.dimension) && options.coordinates != nullptr &&
         anisotropic_share(A, *options.coordinates, options.dimension, factor) > stretched_share;
}

// Levels from the first on that are fields of lower order on the same cells.
std::size_t on_same_cells(const NestedHierarchy& nested) {
  std::size_t count = 0;
  for (const std::vector<NestedNodes>* levels : {&nested.levels, &nested.replicated})
    for (const NestedNodes& level : *levels) {
      if (!level.same_cells) return count;
      ++count;
    }
  return count;
}

// The rule of MultigridLevels::automatic.
std::size_t suitable_count(const LevelMatrix& A, const SmoothedAggregationOptions& options,
                           const NestedHierarchy& nested) {
  const std::size_t all = nested.levels.size() + nested.replicated.size(), same_cells = on_same_cells(nested);
  if (same_cells > 0 && is_stretched(A, options, 50)) return 0;
  const bool suits = same_cells == all ||
                     (!is_stretched(A, options, 3) && largest_jump(A, nested.levels.front()) <= most_suitable_jump);
  return suits ? all : same_cells;
}

NestedLevels first_of(const NestedLevels& nested, std::size_t count) {
  const auto taken = [](const std::vector<NestedNodes>& levels, std::size_t most) {
    return std::vector<NestedNodes>(levels.begin(),
                                    levels.begin() + static_cast<std::ptrdiff_t>(std::min(most, levels.size())));
  };
  const std::size_t own = nested->levels.size();
  if (count == own + nested->replicated.size()) return nested;
  if (count == 0) return nullptr;
  return std::make_shared<const NestedHierarchy>(
      NestedHierarchy{taken(nested->levels, count), taken(nested->replicated, count > own ? count - own : 0)});
}

}  // namespace

NestedLevels suitable_levels(const LevelMatrix& A, const SmoothedAggregationOptions& options) {
  if (options.levels == MultigridLevels::aggregation) return nullptr;
  NestedLevels nested = options.nested ? options.nested() : nullptr;
  if (options.levels == MultigridLevels::nested && nested == nullptr)
    throw Error(ErrorKind::solver_options, "multigrid over nested meshes was asked for, but there are none",
                "they are found where fields are of order 2, or the mesh is a uniform refinement",
                "use multigrid.levels = \"auto\", or refine a coarser mesh (ritz mesh refine)");
  if (options.levels == MultigridLevels::nested || nested == nullptr) return nested;
  return first_of(nested, suitable_count(A, options, *nested));
}

}  // namespace ritz
