#include "solvers/multigrid/near_null.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/box_around.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

// Near-null-space vectors of a first level for which none are given: 1, or 3, or 6 rigid motions; six unknowns per node
// are displacements and rotations. Three in the plane are those of a body of revolution with waves around: six motions
// in space span its rigid ones, whatever the number of waves.
int default_near_null_count(int block, const SmoothedAggregationOptions& options) {
  const bool on_meridian = block == 3 && options.dimension == 2;
  if (options.coordinates == nullptr || (block != options.dimension && !on_meridian)) return block;
  return block == 2 ? 3 : block == 3 ? 6 : 1;
}

int near_null_count(int block, const SmoothedAggregationOptions& options) {
  return options.near_null != nullptr ? options.near_null_count : default_near_null_count(block, options);
}

void check_near_null(const LevelMatrix& A, const SmoothedAggregationOptions& options) {
  if (options.near_null == nullptr) return;
  const int C = A.block(), K = options.near_null_count;
  if ((K == C || (C == 2 && K == 3) || (C == 3 && K == 6)) && options.near_null->size() == A.unknowns() * K) return;
  throw Error(ErrorKind::solver_options, fmt::format("a near-null space of {} vectors for blocks of {} unknowns", K, C),
              "multigrid takes as many vectors as a node has unknowns, or 3 for 2 of them, 6 for 3",
              "give that many, or other blocks");
}

}  // namespace

NearNull::NearNull(const LevelMatrix& A, const SmoothedAggregationOptions& options)
    : device_(A.device),
      options_(options),
      kernels_(kernels<NearNullKernels>(device_, solver_kernels, "near-null space")),
      count_(near_null_count(A.block(), options)),
      translations_(options.translations >= 0 ? options.translations
                    : count_ > A.block()      ? A.block()
                                              : 0) {
  check_near_null(A, options);
}

// The caller's, but zero in rows of A that couple to nothing.
Vector NearNull::given(const BlockMatrixView<double>& A) const {
  const int C = A.row_block;
  Vector unit(device_, A.rows * C * C, setup_tag);
  const double centre[3] = {0, 0, 0};
  kernels_.rigid_motions(device_, A, nullptr, 0, centre, 1, C, unit.data());
  const std::vector<double> couples = unit.host();
  std::vector<double> values = options_.near_null->host();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(count_), c = row % static_cast<std::size_t>(C);
    if (couples[row * static_cast<std::size_t>(C) + c] == 0) values[i] = 0;
  }
  return Vector(device_, std::span<const double>(values), setup_tag);
}

Vector NearNull::of_first_level(const LevelMatrix& of) const {
  const BlockMatrixView<double>& A = of.view;
  if (options_.near_null != nullptr) return given(of.view);
  Vector near_null(device_, A.rows * A.row_block * count_, setup_tag);
  BoxAround box;
  const double* coordinates = nullptr;
  if (options_.coordinates != nullptr && (count_ > A.row_block || (A.row_block == 6 && options_.dimension == 3))) {
    box = box_around(*options_.coordinates, options_.dimension);
    coordinates = options_.coordinates->data();
  }
  const double size = std::ranges::max(box.extent);
  device_.profile().count(bytes_of(A, of.nonzeros) + (coordinates != nullptr ? options_.coordinates->bytes() : 0) +
                          near_null.bytes());
  kernels_.rigid_motions(device_, A, coordinates, options_.dimension, box.centre.data(), size > 0 ? size : 1, count_,
                         near_null.data());
  return near_null;
}

Vector NearNull::injected(const NestedNodes& nodes, const BlockMatrixView<double>& A, const Vector& near_null) const {
  const int size = A.row_block * count_;
  const Array<std::int32_t> same(device_, std::span<const std::int32_t>(nodes.same), setup_tag);
  Vector coarse(device_, same.size() * size, setup_tag);
  device_.profile().count(same.bytes() + 2 * coarse.bytes());
  kernels_.take(device_, same.size(), same.data(), size, near_null.data(), coarse.data());
  return coarse;
}

Vector NearNull::extension(const Vector& coarse_near_null, const CoarseNodes& aggregates) const {
  if (translations_ == 0) return {};
  Vector result(device_, aggregates.count() * count_ * count_, setup_tag);
  device_.profile().count(2 * result.bytes());
  kernels_.rigid_extension(device_, aggregates.own(), count_, translations_, coarse_near_null.data(), result.data());
  aggregates.fetch(result, count_ * count_);
  return result;
}

}  // namespace ritz
