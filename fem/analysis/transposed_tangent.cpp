#include "fem/analysis/transposed_tangent.hpp"

#include "fem/operator/linearisation.hpp"

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

TransposedTangent::TransposedTangent(const Operator& equations, const LinearSolverOptions& options,
                                     const OwnField* part)
    : equations_(equations), options_(options), part_(part) {
  options_.promise = MatrixPromise::none;
  options_.operator_kind = OperatorKind::matrix;
}

// On a part columns of owned nodes are complete, too.
void TransposedTangent::multiply(const Vector& u, const Vector& x, Vector& y) const {
  const Layout& layout = equations_.layout();
  Vector room;
  SparseMatrix K = tangent_matrix(equations_, u.empty() ? u : layout.with_ghosts(u, room));
  transpose(K);
  layout.apply(K, x, y);
}

SolveReport TransposedTangent::solve(const Vector& u, const Constraints& held, const Vector& b, Vector& x) {
  if (!system_)
    system_.emplace(equations_, options_, LinearSystem::Keeps::nothing, part_, LinearSystem::Tangent::transposed);
  system_->linearise(u, held);
  return system_->solve(b, x);
}

}  // namespace ritz
