#include "fem/analysis/transposed_tangent.hpp"

#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ritz {

SparseMatrix transposed_tangent(const Operator& equations, const Vector& u, const Constraints* held) {
  SparseMatrix K = equations.make_matrix();
  equations.assemble(u, K);
  if (held != nullptr) held->eliminate(K, std::max(max_abs(K.diagonal()), 1e-300));
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
  return K;
}

}  // namespace ritz
