// Vectors of several parts, one after the other in one Vector, such as the velocities and then the pressures of a flow.
// Krylov methods see the whole vector; parts are copied out and in.
//
//   BlockLayout layout({velocity.unknown_count(), pressure.unknown_count()});
//   Vector p = layout.part(x, 1);   ...   layout.put(p, 1, x);
#pragma once

#include "device/array.hpp"

#include <span>
#include <vector>

namespace ritz {

class BlockLayout {
 public:
  BlockLayout() = default;
  explicit BlockLayout(std::span<const Index> sizes);

  int count() const { return static_cast<int>(first_.size()) - 1; }
  Index first(int block) const { return first_.at(static_cast<std::size_t>(block)); }
  Index size(int block) const { return first(block + 1) - first(block); }
  Index total() const { return first_.back(); }
  bool operator==(const BlockLayout&) const = default;

  // Throw Error(Exit::internal) where sizes differ.
  Vector part(const Vector& whole, int block, const char* tag = "vectors") const;
  void take(const Vector& whole, int block, Vector& part) const;  // part = block of whole
  void put(const Vector& part, int block, Vector& whole) const;   // block of whole = part
  void check(const Vector& whole) const;

 private:
  std::vector<Index> first_{0};
};

}  // namespace ritz
