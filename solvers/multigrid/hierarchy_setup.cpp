#include "solvers/multigrid/hierarchy_setup.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/chebyshev.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/matrix_kernels.hpp"
#include "solvers/multigrid/aggregation_kernels.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"
#include "solvers/multigrid/transfer_kernels.hpp"
#include "solvers/vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ritz {
namespace {

constexpr const char* tag = "multigrid set-up";

// Scalar couplings |a_ij| <= this a_ii take no part in the smoothing of the prolongator (beside it, the corners of a cube of
// trilinear elements couple by 0.03). Vectors keep all: a coupling that is added to the diagonal breaks rotations.
constexpr double weak_coupling = 0.025;

// A level's matrix as an operator, for the estimate of its largest eigenvalue.
class LevelOperator final : public LinearOperator {
 public:
  LevelOperator(const Device& device, const BlockMatrixView<double>& A)
      : device_(device), A_(A), kernels_(kernels<CycleKernels<double>>(device, solver_kernels, "cycle double")),
        zero_(device, A.rows * A.row_block, tag) {
    zero_.fill_zero();
  }
  const Device& device() const override { return device_; }
  Index rows() const override { return A_.rows * A_.row_block; }
  void apply(const Vector& x, Vector& y) const override {
    kernels_.residual(device_, A_, zero_.data(), x.data(), y.data());  // y = -A x
    axpby(0.0, x, -1.0, y);
  }

 private:
  Device device_;
  BlockMatrixView<double> A_;
  const CycleKernels<double>& kernels_;
  Vector zero_;
};

struct Box {
  std::array<double, 3> centre{};
  double size = 1;
};

Box bounding_box(const Vector& coordinates, int dimension) {
  const std::vector<double> x = coordinates.host();
  std::array<double, 3> low{}, high{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t d = i % static_cast<std::size_t>(dimension);
    if (i < static_cast<std::size_t>(dimension)) low[d] = high[d] = x[i];
    low[d] = std::min(low[d], x[i]);
    high[d] = std::max(high[d], x[i]);
  }
  Box box;
  box.size = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    box.centre[d] = 0.5 * (low[d] + high[d]);
    box.size = std::max(box.size, high[d] - low[d]);
  }
  if (box.size == 0) box.size = 1;
  return box;
}

// Near-null-space vectors of the first level: 1, or 3, or 6 rigid motions.
int near_null_count(int block, const SmoothedAggregationOptions& options) {
  if (options.coordinates == nullptr || block != options.dimension) return block;
  return block == 2 ? 3 : block == 3 ? 6 : 1;
}

// Inverse of a symmetric matrix by Cholesky; unknowns without stiffness (zero rows) get a zero row.
std::vector<double> dense_inverse(std::vector<double> a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (a[i * n + i] <= 0)
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] = a[j * n + i] = i == j ? 1 : 0;
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, a[i * n + i]);
  for (std::size_t j = 0; j < n; ++j) {  // A = L L^T, row by row
    for (std::size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i == j) a[j * n + j] = std::sqrt(std::max(sum, 1e-14 * largest));
      else a[i * n + j] = sum / a[j * n + j];
    }
  }
  std::vector<double> inverse(n * n, 0.0), y(n);
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      double sum = i == c ? 1 : 0;
      for (std::size_t k = c; k < i; ++k) sum -= a[i * n + k] * y[k];
      y[i] = i < c ? 0 : sum / a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      double sum = y[i];
      for (std::size_t k = i + 1; k < n; ++k) sum -= a[k * n + i] * inverse[k * n + c];
      inverse[i * n + c] = sum / a[i * n + i];
    }
  }
  return inverse;
}

std::vector<double> dense_matrix(const BlockMatrix& A) {
  const auto n = static_cast<std::size_t>(A.scalar_rows());
  const auto b = static_cast<std::size_t>(A.row_block);
  const std::vector<Index> offsets = A.offsets.host();
  const std::vector<std::int32_t> columns = A.column.host();
  const std::vector<double> values = A.values.host();
  std::vector<double> dense(n * n, 0.0);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    for (auto k = static_cast<std::size_t>(offsets[i]); k < static_cast<std::size_t>(offsets[i + 1]); ++k)
      for (std::size_t r = 0; r < b; ++r)
        for (std::size_t c = 0; c < b; ++c)
          dense[(i * b + r) * n + static_cast<std::size_t>(columns[k]) * b + c] = values[(k * b + r) * b + c];
  return dense;
}

class Builder {
 public:
  Builder(const SparseMatrix& A, const SmoothedAggregationOptions& options)
      : A_(A),
        options_(options),
        device_(A.device()),
        aggregation_(kernels<AggregationKernels>(device_, solver_kernels, "aggregation")),
        transfer_(kernels<TransferKernels>(device_, solver_kernels, "transfer")) {}

  Setup build() {
    SetupLevel first;
    const SparsityPattern& pattern = A_.pattern();
    first.view = {pattern.rows(), pattern.rows(), A_.block_size(), A_.block_size(), pattern.offsets().data(),
                  pattern.columns().data(), A_.values().data()};
    first.nonzeros = pattern.nonzeros();
    first.inverse_diagonal = inverse_diagonal(A_.diagonal());
    setup_.levels.push_back(std::move(first));
    const int K = near_null_count(A_.block_size(), options_);
    Vector near_null = first_near_null(K);
    while (true) {
      SetupLevel& level = setup_.levels.back();
      const Index unknowns = level.view.rows * level.view.row_block;
      estimate_eigenvalue(level);
      if (unknowns <= options_.coarsest_size || static_cast<int>(setup_.levels.size()) >= options_.max_levels) break;
      if (!coarsen(K, near_null)) break;
    }
    invert_coarsest();
    return std::move(setup_);
  }

 private:
  Vector first_near_null(int K) {
    const SetupLevel& level = setup_.levels.front();
    Vector near_null(device_, level.view.rows * level.view.row_block * K, tag);
    Box box;
    const double* coordinates = nullptr;
    if (K > level.view.row_block) {
      box = bounding_box(*options_.coordinates, options_.dimension);
      coordinates = options_.coordinates->data();
    }
    transfer_.rigid_motions(device_, level.view, coordinates, options_.dimension, box.centre.data(), box.size, K, near_null.data());
    return near_null;
  }

  void estimate_eigenvalue(SetupLevel& level) {
    auto phase = device_.profile().phase("eigenvalues");
    level.largest_eigenvalue = 1.1 * largest_eigenvalue(LevelOperator(device_, level.view), level.inverse_diagonal, 7);
  }

  Index aggregate(const SetupLevel& fine, Array<std::int32_t>& result) {
    auto phase = device_.profile().phase("aggregation");
    const double strength = options_.strength >= 0 ? options_.strength : A_.block_size() == 1 ? 0.05 : 0.02;
    Graph graph;
    // Coarse levels couple ever more widely: the threshold halves from level to level.
    aggregation_.strong_graph(device_, fine.view, fine.nonzeros, strength * std::pow(0.5, double(setup_.levels.size()) - 1), graph);
    return aggregation_.aggregate(device_, graph, fine.view.rows, result);
  }

  // Appends the next level; false when the graph cannot be made much smaller.
  bool coarsen(int K, Vector& near_null) {
    SetupLevel& fine = setup_.levels.back();
    const int C = fine.view.row_block;
    Array<std::int32_t> aggregate_of;
    const Index aggregates = aggregate(fine, aggregate_of);
    if (aggregates == 0 || aggregates * K > fine.view.rows * C * 4 / 5) return false;
    auto phase = device_.profile().phase("transfers");
    Vector T(device_, fine.view.rows * C * K, tag), coarse_near_null(device_, aggregates * K * K, tag);
    transfer_.tentative(device_, aggregate_of.data(), fine.view.rows, aggregates, C, K, near_null.data(), T.data(), coarse_near_null.data());
    const ProlongatorInput input{fine.view, fine.inverse_diagonal.data(), 4.0 / 3.0 / fine.largest_eigenvalue,
                                 C == 1 ? weak_coupling : 0, aggregate_of.data(), T.data()};
    transfer_.smooth_prolongator(device_, input, aggregates, K, fine.P);
    transfer_.transpose(device_, fine.P, fine.R);
    auto product = device_.profile().phase("product");
    SetupLevel coarse;
    transfer_.galerkin(device_, fine.view, fine.P, fine.R, coarse.A);
    coarse.view = coarse.A.view();
    coarse.nonzeros = coarse.A.nonzeros();
    coarse.inverse_diagonal = Vector(device_, coarse.A.scalar_rows(), "multigrid");
    transfer_.inverse_diagonal(device_, coarse.view, coarse.inverse_diagonal.data());
    near_null = std::move(coarse_near_null);
    setup_.levels.push_back(std::move(coarse));
    return true;
  }

  void invert_coarsest() {
    auto phase = device_.profile().phase("coarsest");
    const SetupLevel& last = setup_.levels.back();
    const Index n = last.view.rows * last.view.row_block;
    if (setup_.levels.size() < 2 || n > 3 * options_.coarsest_size) return;
    const std::vector<double> inverse = dense_inverse(dense_matrix(last.A), static_cast<std::size_t>(n));
    setup_.coarsest_inverse = Vector(device_, std::span<const double>(inverse), "multigrid");
  }

  const SparseMatrix& A_;
  const SmoothedAggregationOptions& options_;
  Device device_;
  const AggregationKernels& aggregation_;
  const TransferKernels& transfer_;
  Setup setup_;
};

}  // namespace

Setup set_up_hierarchy(const SparseMatrix& A, const SmoothedAggregationOptions& options) { return Builder(A, options).build(); }

}  // namespace ritz
