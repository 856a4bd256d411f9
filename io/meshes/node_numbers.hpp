// From the tags of a mesh file, which may have gaps or be huge, to node numbers 0, 1, 2, ... Private to io.
#pragma once

#include "mesh/mesh.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ritz {

class NodeNumbers {
 public:
  // Tag i belongs to node i. Tags that appear twice are reported by `duplicate`.
  explicit NodeNumbers(const std::vector<std::int64_t>& tags) {
    if (tags.empty()) return;
    const auto [least, greatest] = std::minmax_element(tags.begin(), tags.end());
    const auto span = static_cast<std::uint64_t>(*greatest) - static_cast<std::uint64_t>(*least);
    first_ = *least;
    if (span < 4 * tags.size() + 1024) fill_table(tags, span + 1);
    else fill_hash(tags);
  }

  // -1 when no node has this tag.
  Node operator()(std::int64_t tag) const {
    if (hash_tags_.empty()) {
      const auto position = static_cast<std::uint64_t>(tag) - static_cast<std::uint64_t>(first_);
      return position < numbers_.size() ? numbers_[position] : Node{-1};
    }
    for (std::size_t slot = slot_of(tag);; slot = (slot + 1) & mask_) {
      if (numbers_[slot] < 0) return -1;
      if (hash_tags_[slot] == tag) return numbers_[slot];
    }
  }

  bool has_duplicate() const { return has_duplicate_; }
  std::int64_t duplicate() const { return duplicate_; }

 private:
  void fill_table(const std::vector<std::int64_t>& tags, std::uint64_t size) {
    numbers_.assign(size, -1);
    for (std::size_t i = 0; i < tags.size(); ++i) {
      Node& number = numbers_[static_cast<std::uint64_t>(tags[i]) - static_cast<std::uint64_t>(first_)];
      if (number >= 0) record_duplicate(tags[i]);
      number = static_cast<Node>(i);
    }
  }

  // Open addressing, at most half full.
  void fill_hash(const std::vector<std::int64_t>& tags) {
    std::size_t capacity = 16;
    while (capacity < 2 * tags.size()) capacity *= 2;
    mask_ = capacity - 1;
    numbers_.assign(capacity, -1);
    hash_tags_.assign(capacity, 0);
    for (std::size_t i = 0; i < tags.size(); ++i) {
      std::size_t slot = slot_of(tags[i]);
      while (numbers_[slot] >= 0 && hash_tags_[slot] != tags[i]) slot = (slot + 1) & mask_;
      if (numbers_[slot] >= 0) record_duplicate(tags[i]);
      hash_tags_[slot] = tags[i];
      numbers_[slot] = static_cast<Node>(i);
    }
  }

  std::size_t slot_of(std::int64_t tag) const {
    const std::uint64_t mixed = static_cast<std::uint64_t>(tag) * 0x9E3779B97F4A7C15u;  // Fibonacci hashing
    return (mixed ^ (mixed >> 32)) & mask_;
  }

  void record_duplicate(std::int64_t tag) {
    if (!has_duplicate_) duplicate_ = tag;
    has_duplicate_ = true;
  }

  std::int64_t first_ = 0, duplicate_ = 0;
  bool has_duplicate_ = false;
  std::size_t mask_ = 0;
  std::vector<Node> numbers_;
  std::vector<std::int64_t> hash_tags_;
};

}  // namespace ritz
