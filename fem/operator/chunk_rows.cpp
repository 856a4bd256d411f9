#include "fem/operator/chunk_rows.hpp"

namespace ritz {

void ChunkRows::collect(const ElementGroup& group, Index first, Index last) {
  width_ = static_cast<std::size_t>(group.node_count());
  const auto elements = static_cast<std::size_t>(last - first);
  const std::span<const Node> all = group.host_nodes;
  element_nodes_.resize(elements * width_);
  nodes_.clear();
  begin_.assign(1, 0);
  for (std::size_t e = 0; e < elements; ++e)
    for (std::size_t a = 0; a < width_; ++a) {
      const Node node = all[group.place(first + static_cast<Index>(e), a)];
      element_nodes_[e * width_ + a] = node;
      std::int32_t& local = local_[static_cast<std::size_t>(node)];
      if (local < 0) {
        local = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back(node);
        begin_.push_back(0);
      }
      ++begin_[static_cast<std::size_t>(local) + 1];
    }
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  next_.assign(begin_.begin(), begin_.end() - 1);
  places_.resize(begin_.back());
  const Node* node = element_nodes_.data();
  for (std::size_t e = 0; e < elements; ++e)
    for (std::size_t a = 0; a < width_; ++a) {
      const auto local = static_cast<std::size_t>(local_[static_cast<std::size_t>(*node++)]);
      places_[next_[local]++] = {static_cast<std::uint16_t>(e), static_cast<std::uint16_t>(a)};
    }
  for (const Node each : nodes_) local_[static_cast<std::size_t>(each)] = -1;
}

}  // namespace ritz
