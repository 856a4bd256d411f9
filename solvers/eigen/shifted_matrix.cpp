#include "solvers/eigen/shifted_matrix.hpp"

#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vector_kernels.hpp"
#include "solvers/algebra/vectors.hpp"

#include <utility>

namespace ritz {

std::unique_ptr<const SparseMatrix> shifted(const SparseMatrix& K, double shift, const SparseMatrix& M) {
  auto sum = std::make_unique<SparseMatrix>(K.shared_pattern(), K.block_size());
  sum->values().copy_from(K.values());
  axpy(shift, M.values(), sum->values());
  return sum;
}

std::unique_ptr<const DividedMatrix> shifted(const DividedMatrix& K, double shift, const DividedMatrix& M) {
  const BlockMatrixView<double> k = K.owned_rows(), m = M.owned_rows();
  const Index entries = K.nonzeros_with_ghost_rows(), values = K.nonzeros() * k.row_block * k.column_block;
  BlockMatrix sum{.rows = k.rows, .columns = k.columns, .row_block = k.row_block, .column_block = k.column_block};
  sum.offsets = Array<Index>(K.device(), k.columns + 1, "pattern");
  sum.column = Array<std::int32_t>(K.device(), entries, "pattern");
  sum.values = Vector(K.device(), entries * k.row_block * k.column_block, "matrix");
  Machine& machine = K.device().machine();
  machine.copy_on_device(sum.offsets.data(), k.offsets, (k.rows + 1) * Index{sizeof(Index)});
  machine.copy_on_device(sum.column.data(), k.column, K.nonzeros() * Index{sizeof(std::int32_t)});
  machine.copy_on_device(sum.values.data(), k.values, values * Index{sizeof(double)});
  kernels<VectorKernels>(K.device(), solver_kernels, "vector")
      .axpby(K.device(), values, shift, m.values, 1.0, sum.values.data());
  return std::make_unique<const DividedMatrix>(K.shared_ghosts(), std::move(sum));
}

Index bytes_of_shifted(const DividedMatrix& K) {
  const Index entries = K.nonzeros_with_ghost_rows(), block = K.block_size();
  return entries * (block * block * Index{sizeof(double)} + Index{sizeof(std::int32_t)}) +
         K.owned_rows().columns * Index{sizeof(Index)};
}

SmoothedAggregationOptions with_geometry(SmoothedAggregationOptions options, const SolverGeometry& geometry) {
  options.coordinates = geometry.coordinates;
  options.dimension = geometry.dimension;
  options.nested = geometry.nested;
  return options;
}

}  // namespace ritz
