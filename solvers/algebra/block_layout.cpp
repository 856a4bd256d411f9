#include "solvers/algebra/block_layout.hpp"

namespace ritz {

BlockLayout::BlockLayout(std::span<const Index> sizes) {
  for (const Index size : sizes) first_.push_back(first_.back() + size);
}

void BlockLayout::check(const Vector& whole) const {
  if (whole.size() != total()) throw_size_mismatch(total(), whole.size());
}

Vector BlockLayout::part(const Vector& whole, int block, const char* tag) const {
  Vector result(whole.device(), size(block), tag);
  take(whole, block, result);
  return result;
}

void BlockLayout::take(const Vector& whole, int block, Vector& part) const {
  check(whole);
  if (part.size() != size(block)) throw_size_mismatch(size(block), part.size());
  if (part.empty()) return;
  part.device().profile().count(2 * part.bytes());
  part.device().machine().copy_on_device(part.data(), whole.data() + first(block), part.bytes());
}

void BlockLayout::put(const Vector& part, int block, Vector& whole) const {
  check(whole);
  if (part.size() != size(block)) throw_size_mismatch(size(block), part.size());
  if (part.empty()) return;
  part.device().profile().count(2 * part.bytes());
  part.device().machine().copy_on_device(whole.data() + first(block), part.data(), part.bytes());
}

}  // namespace ritz
