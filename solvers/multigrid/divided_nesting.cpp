#include "solvers/multigrid/divided_nesting.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/anisotropy.hpp"
#include "solvers/multigrid/hierarchy_setup.hpp"
#include "solvers/multigrid/level_matrix_kernels.hpp"
#include "solvers/smoothers/jacobi.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

constexpr const char* nesting_tag = "multigrid set-up";

// The part of nodes [first, last) of a level and of coarser nodes [coarse_first, coarse_last).
NestedPart part_of(const NestedNodes& level, Index first, Index last, Index coarse_first, Index coarse_last) {
  NestedPart part;
  part.same_cells = level.same_cells;
  const Index begin = level.first[static_cast<std::size_t>(first)], end = level.first[static_cast<std::size_t>(last)];
  for (Index node = first; node <= last; ++node)
    part.first.push_back(level.first[static_cast<std::size_t>(node)] - begin);
  part.parents.assign(level.parents.begin() + begin, level.parents.begin() + end);
  if (!level.weights.empty()) part.weights.assign(level.weights.begin() + begin, level.weights.begin() + end);
  for (Index coarse = coarse_first; coarse < coarse_last; ++coarse)
    part.same.push_back(static_cast<std::int32_t>(level.same[static_cast<std::size_t>(coarse)] - first));
  return part;
}

// The inverse diagonal at all columns; zero at nodes that are not kept, if there are some to keep.
Vector inverse_at_columns(const DividedMatrix& A, const NestedPart& level) {
  const std::vector<double> own = inverse_diagonal(A.diagonal()).host();
  const int C = A.block_size();
  std::vector<double> all(static_cast<std::size_t>(A.ghosts().size() * C), 0.0);
  if (!level.same_cells) std::ranges::copy(own, all.begin());
  else
    for (const std::int32_t node : level.same)
      std::copy_n(own.begin() + std::ptrdiff_t{node} * C, C, all.begin() + std::ptrdiff_t{node} * C);
  A.ghosts().fetch(all, C);
  return Vector(A.device(), std::span<const double>(all), nesting_tag);
}

double largest_jump(const DividedMatrix& A, const NestedPart& level) {
  const Vector inverse = inverse_at_columns(A, level);
  Vector jumps(A.device(), A.ghosts().owned(), nesting_tag);
  kernels<LevelMatrixKernels>(A.device(), solver_kernels, "level matrix")
      .jumps(A.device(), A.owned_rows(), inverse.data(), jumps.data());
  return max_abs(jumps);
}

bool is_stretched(const DividedMatrix& A, const SmoothedAggregationOptions& options, double factor) {
  const int block = A.block_size();
  if ((block != 1 && block != options.dimension) || options.coordinates == nullptr) return false;
  const BlockMatrixView<double> rows = A.owned_rows();
  const MatrixView view{rows.rows, A.nonzeros(), block, rows.offsets, rows.column, rows.values};
  return anisotropic_share(view, *options.coordinates, options.dimension, factor) > stretched_share;
}

}  // namespace

std::vector<DividedNesting> divide(const std::vector<NestedNodes>& levels, std::vector<Index> first, int block,
                                   Index replicated) {
  std::vector<DividedNesting> result(first.size() - 1);
  std::size_t number = 0;
  for (; number < levels.size() && (number == 0 || first.back() * block > replicated); ++number) {
    const NestedNodes& level = levels[number];
    std::vector<Index> coarse_first;
    for (const Index node : first)
      coarse_first.push_back(std::ranges::lower_bound(level.same, node) - level.same.begin());
    if (std::ranges::adjacent_find(coarse_first) != coarse_first.end()) return result;
    for (std::size_t rank = 0; rank < result.size(); ++rank)
      result[rank].parts.push_back(
          part_of(level, first[rank], first[rank + 1], coarse_first[rank], coarse_first[rank + 1]));
    first = std::move(coarse_first);
  }
  for (DividedNesting& each : result)
    each.whole.assign(levels.begin() + static_cast<std::ptrdiff_t>(number), levels.end());
  return result;
}

std::size_t suitable_levels(const DividedMatrix& A, const DividedNesting& nesting,
                            const SmoothedAggregationOptions& options) {
  const std::size_t count = nesting.parts.size() + nesting.whole.size();
  if (options.levels == MultigridLevels::aggregation || nesting.empty()) {
    if (options.levels == MultigridLevels::nested) throw_no_nested_levels();
    return 0;
  }
  if (options.levels == MultigridLevels::nested) return count;
  const auto meshes = std::ranges::find(nesting.parts, false, &NestedPart::same_cells);
  std::size_t on_same_cells = static_cast<std::size_t>(meshes - nesting.parts.begin());
  if (meshes == nesting.parts.end())
    for (const NestedNodes& level : nesting.whole) {
      if (!level.same_cells) break;
      ++on_same_cells;
    }
  return suitable_levels(
      count, on_same_cells, [&](double factor) { return is_stretched(A, options, factor); },
      [&] { return largest_jump(A, nesting.parts.front()); });
}

void add(Packed& to, const DividedNesting& nesting) {
  to.add(nesting.parts.size());
  for (const NestedPart& part : nesting.parts)
    to.add(part.first).add(part.parents).add(part.weights).add(part.same).add(part.same_cells);
  to.add(nesting.whole.size());
  for (const NestedNodes& level : nesting.whole)
    to.add(level.first).add(level.parents).add(level.weights).add(level.same).add(level.same_cells);
}

namespace {

template <class Level>
void get(Unpacked& from, Level& level) {
  level.first = from.list<Index>();
  level.parents = from.list<std::int32_t>();
  level.weights = from.list<double>();
  level.same = from.list<std::int32_t>();
  from.get(level.same_cells);
}

}  // namespace

DividedNesting unpacked_nesting(Unpacked& from) {
  DividedNesting result;
  result.parts.resize(from.get<std::size_t>());
  for (NestedPart& part : result.parts) get(from, part);
  result.whole.resize(from.get<std::size_t>());
  for (NestedNodes& level : result.whole) get(from, level);
  return result;
}

}  // namespace ritz
