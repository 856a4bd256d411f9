#include "solvers/linear/block_preconditioner.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"

#include <fmt/format.h>

namespace ritz {

BlockPreconditioner::BlockPreconditioner(const BlockOperator& K, std::vector<BlockPart> parts, BlockTriangle triangle)
    : K_(K), parts_(std::move(parts)), triangle_(triangle) {
  const Layout& layout = K.layout();
  if (static_cast<int>(parts_.size()) != layout.count())
    throw Error(ErrorKind::internal, fmt::format("a block preconditioner has {} parts, the matrix {} blocks",
                                                 parts_.size(), layout.count()));
  for (int k = 0; k < layout.count(); ++k) {
    const BlockPart& part = parts_[static_cast<std::size_t>(k)];
    for (auto* vectors : {&x_, &y_, &product_}) vectors->emplace_back(K.device(), layout.size(k), "vectors");
    if (part.made != nullptr) {
      if (part.made->rows() != layout.size(k)) throw_size_mismatch(layout.size(k), part.made->rows());
      preconditioners_.emplace_back(std::nullopt);
      continue;
    }
    if (part.matrix == nullptr)
      throw Error(ErrorKind::internal, fmt::format("part {} of a block preconditioner has no matrix", k),
                  "the block of a saddle point's second field is empty",
                  "give an approximate Schur complement, such as a mass matrix");
    if (part.matrix->rows() != layout.size(k)) throw_size_mismatch(layout.size(k), part.matrix->rows());
    preconditioners_.emplace_back(std::in_place, *part.matrix, preconditioner_named(part.by),
                                  PreconditionerBasis::matrix, part.multigrid);
  }
}

// Forwards through a lower triangle, backwards through an upper one.
void BlockPreconditioner::apply(const Vector& x, Vector& y) const {
  const Layout& layout = K_.layout();
  const int count = layout.count();
  for (int step = 0; step < count; ++step) {
    const int k = triangle_ == BlockTriangle::upper ? count - 1 - step : step;
    const auto i = static_cast<std::size_t>(k);
    layout.take(x, k, x_[i]);
    if (triangle_ == BlockTriangle::lower) K_.add_couplings(k, 0, k, -1, y_, x_[i], product_[i]);
    if (triangle_ == BlockTriangle::upper) K_.add_couplings(k, k + 1, count, -1, y_, x_[i], product_[i]);
    const LinearOperator* M = parts_[i].made ? parts_[i].made.get() : preconditioners_[i]->get();
    if (M != nullptr) M->apply(x_[i], y_[i]);
    else copy(x_[i], y_[i]);
    if (parts_[i].factor != 1) axpby(parts_[i].factor - 1, y_[i], 1, y_[i]);
    layout.put(y_[i], k, y);
  }
}

std::string BlockPreconditioner::name() const {
  std::string text = triangle_ == BlockTriangle::none    ? "block diagonal ("
                     : triangle_ == BlockTriangle::lower ? "block lower triangular ("
                                                         : "block upper triangular (";
  for (std::size_t i = 0; i < preconditioners_.size(); ++i)
    text += (i > 0 ? ", " : "") + (parts_[i].made ? parts_[i].made->name() : preconditioners_[i]->name());
  return text + ")";
}

}  // namespace ritz
