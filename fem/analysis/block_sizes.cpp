#include "fem/analysis/block_sizes.hpp"

#include "device/communicator.hpp"
#include "device/host_view.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ritz {
namespace {

// The values of the first rows.
Vector head(const Vector& values, const Array<Index>& offsets, Index rows, Index of_entry) {
  const Index count = HostView<Index>(values.device(), offsets.data() + rows, 1)[0] * of_entry;
  Vector result(values.device(), count, "vectors");
  values.device().machine().copy_on_device(result.data(), values.data(), result.bytes());
  return result;
}

}  // namespace

BlockSizes::BlockSizes(const BlockOperator& K, const std::vector<Index>& owned) : count_(K.layout().count()) {
  double largest = 0;
  for (int row = 0; row < count_; ++row) {
    const Index rows = owned.empty() ? K.layout().size(row) : owned[static_cast<std::size_t>(row)];
    for (int column = 0; column < count_; ++column) {
      const SparseMatrix* const square = row == column ? K.square(row) : nullptr;
      const RectangularMatrix* const coupling = row == column ? nullptr : K.coupling(row, column);
      if (square == nullptr && coupling == nullptr) {
        sizes_.emplace_back();
        continue;
      }
      const Vector& values = square != nullptr ? square->values() : coupling->values();
      std::optional<Vector> own;
      if (rows < K.layout().size(row))
        own = square != nullptr ? head(values, square->pattern().offsets(), rows / square->block_size(),
                                       Index{square->block_size()} * square->block_size())
                                : head(values, coupling->row_offsets(), rows, 1);
      const Vector& mine = own ? *own : values;
      sizes_.push_back({norm2(mine), max_abs(mine)});
    }
    if (K.square(row) == nullptr) continue;
    const std::vector<double> diagonal = K.square(row)->diagonal().host();
    for (Index i = 0; i < rows; ++i) largest = std::max(largest, std::abs(diagonal[static_cast<std::size_t>(i)]));
  }
  largest = Communicator(K.device()).largest_of(largest);
  if (largest > 0) pivot_ = largest;
}

}  // namespace ritz
