#include "solvers/multigrid/level_matrix.hpp"

#include "device/kernels.hpp"

namespace ritz {

Vector LevelMatrix::diagonal() const {
  Vector result(device, unknowns(), "vectors");
  device.profile().count((view.rows + 1) * Index{sizeof(Index)} + nonzeros * Index{sizeof(std::int32_t)} +
                         2 * result.bytes());
  if (!result.empty())
    kernels<MatrixKernels>(device, solver_kernels, "matrix").diagonal(device, owned(), result.data());
  return result;
}

LevelMatrix level_matrix(const SparseMatrix& A) {
  const SparsityPattern& pattern = A.pattern();
  return {A.device(),
          {pattern.rows(), pattern.rows(), A.block_size(), A.block_size(), pattern.offsets().data(),
           pattern.columns().data(), A.values().data()},
          pattern.nonzeros()};
}

LevelMatrix level_matrix(const DividedMatrix& A) { return {A.device(), A.owned_rows(), A.nonzeros(), &A}; }

Vector with_ghosts(const Vector& owned, const Ghosts& ghosts, int width) {
  Vector all(owned.device(), ghosts.size() * width, setup_tag);
  owned.device().machine().copy_on_device(all.data(), owned.data(), owned.bytes());
  ghosts.fetch(all, width);
  return all;
}

}  // namespace ritz
