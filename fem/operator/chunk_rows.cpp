#include "fem/operator/chunk_rows.hpp"

namespace ritz {

void ChunkRows::collect(const ElementGroup& group, Index first, Index last) {
  width_ = static_cast<std::size_t>(group.node_count());
  const auto elements = static_cast<std::size_t>(last - first);
  const std::span<const Node> all = group.host_nodes;
  element_nodes_.resize(elements * width_);
  nodes_.clear();
  begin_.assign(1, 0);
  std::int32_t* const local_of = local_.data();
  Node* node = element_nodes_.data();
  for (std::size_t e = 0; e < elements; ++e) {
    const Node* const nodes = all.data() + group.place(first + static_cast<Index>(e), 0);
    for (std::size_t a = 0; a < width_; ++a) {
      const Node at = nodes[a * lane_count];
      *node++ = at;
      std::int32_t& local = local_of[at];
      if (local < 0) {
        local = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back(at);
        begin_.push_back(0);
      }
      ++begin_.data()[local + 1];
    }
  }
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  next_.assign(begin_.begin(), begin_.end() - 1);
  places_.resize(begin_.back());
  node = element_nodes_.data();
  for (std::size_t e = 0; e < elements; ++e)
    for (std::size_t a = 0; a < width_; ++a)
      places_.data()[next_.data()[local_of[*node++]]++] = {static_cast<std::uint16_t>(e),
                                                           static_cast<std::uint16_t>(a)};
  for (const Node each : nodes_) local_of[each] = -1;
}

}  // namespace ritz
