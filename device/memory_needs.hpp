// The memory that an object will take of a device's pool, by tag, known in advance. Each
// type that allocates has its model (`memory_needs` of SparseMatrix,
// SmoothedAggregation, Operator, ...), and tests compare them with the pool's
// statistics.
//
//   MemoryNeeds needs = SparsityPattern::memory_needs(rows, nonzeros) + SparseMatrix::memory_needs(nonzeros, 3);
//   if (needs.total() > device.memory().available()) ...
#pragma once

#include "device/memory.hpp"

#include <map>
#include <string>

namespace ritz {

class MemoryNeeds {
 public:
  // `count` arrays of `size` numbers of type T, in whole blocks of the pool.
  template <class T>
  MemoryNeeds& array(const std::string& tag, Index size, Index count = 1) {
    if (size > 0) by_tag_[tag] += count * MemoryPool::block_size(size * Index{sizeof(T)});
    return *this;
  }
  MemoryNeeds& bytes(const std::string& tag, Index bytes) {
    if (bytes != 0) by_tag_[tag] += bytes;
    return *this;
  }
  MemoryNeeds& operator+=(const MemoryNeeds& other) {
    for (const auto& [tag, bytes] : other.by_tag_) by_tag_[tag] += bytes;
    return *this;
  }
  friend MemoryNeeds operator+(MemoryNeeds a, const MemoryNeeds& b) { return a += b; }
  Index total() const {
    Index sum = 0;
    for (const auto& [tag, bytes] : by_tag_) sum += bytes;
    return sum;
  }
  Index of(const std::string& tag) const {
    const auto found = by_tag_.find(tag);
    return found == by_tag_.end() ? 0 : found->second;
  }
  const std::map<std::string, Index>& by_tag() const { return by_tag_; }

 private:
  std::map<std::string, Index> by_tag_;
};

// The larger needs of two moments.
inline const MemoryNeeds& larger(const MemoryNeeds& a, const MemoryNeeds& b) { return a.total() < b.total() ? b : a; }

}  // namespace ritz
