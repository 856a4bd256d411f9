#include "fem/preconditioners/block_norms.hpp"

#include "device/host_view.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <optional>

namespace ritz {
namespace {

// The first numbers.
Vector head(const Vector& values, Index count) {
  Vector result(values.device(), count, "vectors");
  if (count > 0) values.device().machine().copy_on_device(result.data(), values.data(), result.bytes());
  return result;
}

// The values of the first rows.
Vector head(const Vector& values, const Array<Index>& offsets, Index rows, Index of_entry) {
  return head(values, HostView<Index>(values.device(), offsets.data() + rows, 1)[0] * of_entry);
}

}  // namespace

BlockNorms::BlockNorms(const BlockOperator& K) : count_(K.layout().count()) {
  const Layout local = K.layout().local();
  double largest = 0;
  for (int row = 0; row < count_; ++row) {
    const Index rows = K.layout().size(row);
    for (int column = 0; column < count_; ++column) {
      const SparseMatrix* const square = row == column ? K.square(row) : nullptr;
      const RectangularMatrix* const coupling = row == column ? nullptr : K.coupling(row, column);
      if (square == nullptr && coupling == nullptr) {
        sizes_.emplace_back();
        continue;
      }
      const Vector& values = square != nullptr ? square->values() : coupling->values();
      std::optional<Vector> own;
      if (rows < local.size(row))
        own = square != nullptr ? head(values, square->pattern().offsets(), rows / square->block_size(),
                                       Index{square->block_size()} * square->block_size())
                                : head(values, coupling->row_offsets(), rows, 1);
      const Vector& mine = own ? *own : values;
      sizes_.push_back({norm2(mine), max_abs(mine)});
    }
    if (K.square(row) == nullptr) continue;
    const Vector diagonal = K.square(row)->diagonal();
    largest = std::max(largest, rows < diagonal.size() ? max_abs(head(diagonal, rows)) : max_abs(diagonal));
  }
  if (largest > 0) pivot_ = largest;
}

}  // namespace ritz
