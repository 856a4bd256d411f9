#include "fem/ranks/transposed_tangent.hpp"

#include "fem/ranks/divided_system.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ritz {

void transpose(SparseMatrix& K) {
  const std::vector<Index> offsets = K.pattern().offsets().host();
  const std::vector<std::int32_t> columns = K.pattern().columns().host();
  const std::vector<double> values = K.values().host();
  std::vector<double> transposed(values.size());
  const auto size = static_cast<std::size_t>(K.block_size());
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
    for (auto k = static_cast<std::size_t>(offsets[row]); k < static_cast<std::size_t>(offsets[row + 1]); ++k) {
      const auto other = static_cast<std::size_t>(columns[k]);
      const auto mirrored = static_cast<std::size_t>(std::lower_bound(columns.begin() + offsets[other],
                                                                      columns.begin() + offsets[other + 1],
                                                                      static_cast<std::int32_t>(row)) -
                                                     columns.begin());
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j)
          transposed[(mirrored * size + j) * size + i] = values[(k * size + i) * size + j];
    }
  K.values().upload(transposed);
}

SparseMatrix transposed_tangent(const Operator& equations, const Vector& u) {
  SparseMatrix K = equations.make_matrix();
  equations.assemble(u, K);
  transpose(K);
  return K;
}

TransposedTangent::TransposedTangent(const Operator& equations, const LinearSolverOptions& options,
                                     const FieldOfRank* part)
    : equations_(equations), options_(options), part_(part) {
  options_.promise = MatrixPromise::none;
  options_.operator_kind = OperatorKind::matrix;
}

TransposedTangent::~TransposedTangent() = default;

// On a part columns of owned nodes are complete, too.
void TransposedTangent::multiply(const Vector& u, const Vector& x, Vector& y) const {
  const Layout& layout = equations_.layout();
  Vector room_of_u, room, rows = equations_.space().zeros();
  const SparseMatrix transposed = transposed_tangent(equations_, u.empty() ? u : layout.with_ghosts(u, room_of_u));
  transposed.apply(layout.with_ghosts(x, room), rows);
  if (layout.is_divided()) layout.keep_owned(rows, y);
  else copy(rows, y);
}

SolveReport TransposedTangent::solve(const Vector& u, const Constraints& held, const Vector& b, Vector& x) {
  if (part_ != nullptr) {
    if (!divided_) divided_ = std::make_unique<DividedSystem>(*part_, options_);
    divided_->linearise(u, Tangent::transposed);
    return divided_->solve(b, x, {options_.relative, options_.rounding_error});
  }
  SparseMatrix K = transposed_tangent(equations_, u);
  held.eliminate(K, std::max(max_abs(K.diagonal()), 1e-300));
  return solve_linear(K, b, x, options_);
}

}  // namespace ritz
