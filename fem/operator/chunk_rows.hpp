// The nodes of a chunk of elements and the elements at each: where the rows of its part of a matrix come from.
#pragma once

#include "fem/operator/element_groups.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ritz {

// Looks at one chunk after the other; every thread has its own.
class ChunkRows {
 public:
  explicit ChunkRows(Index node_count) : local_(static_cast<std::size_t>(node_count), -1) {}

  // Takes elements [first, last) of the group; the chunk has at most 65536 (element, node) pairs.
  void collect(const ElementGroup& group, Index first, Index last);

  struct Place {
    std::uint16_t element, node;  // in the chunk, in the element
  };
  std::span<const Node> nodes() const { return nodes_; }  // in the order of their first use
  // Places of the node of this number, elements ascending.
  std::span<const Place> places(std::size_t number) const {
    return std::span(places_).subspan(begin_[number], begin_[number + 1] - begin_[number]);
  }
  std::span<const Node> nodes_of(std::size_t element) const {
    return std::span(element_nodes_).subspan(element * width_, width_);
  }

 private:
  std::vector<std::int32_t> local_;  // [node of the space] its number in the chunk, -1
  std::size_t width_ = 0;            // nodes per element
  std::vector<Node> element_nodes_;  // [element][node]
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> begin_, next_;  // [number + 1], [number] into places_
  std::vector<Place> places_;
};

}  // namespace ritz
