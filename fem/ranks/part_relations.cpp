#include "fem/ranks/part_relations.hpp"

#include <algorithm>
#include <map>

namespace ritz {
namespace {

// The blocks of one node, by the nodes that it follows.
class NodeRow {
 public:
  NodeRow(Node node, int components)
      : node_(node), C_(static_cast<std::size_t>(components)), dependent_(static_cast<std::size_t>(components), 0) {}

  Node node() const { return node_; }
  void depend(int component) { dependent_[static_cast<std::size_t>(component)] = 1; }
  double& factor(int component, Node followed, int of) {
    std::vector<double>& block = blocks_[followed];
    block.resize(C_ * C_, 0.0);
    return block[static_cast<std::size_t>(component) * C_ + static_cast<std::size_t>(of)];
  }

  void append_to(DependentNodeRows& rows) {
    for (std::size_t c = 0; c < C_; ++c)
      if (dependent_[c] == 0) factor(static_cast<int>(c), node_, static_cast<int>(c)) = 1;
    rows.node.push_back(node_);
    for (const auto& [followed, block] : blocks_) {
      rows.followed.push_back(followed);
      rows.block.insert(rows.block.end(), block.begin(), block.end());
    }
    rows.begin.push_back(std::ssize(rows.followed));
    rows.dependent.insert(rows.dependent.end(), dependent_.begin(), dependent_.end());
  }

 private:
  Node node_;
  std::size_t C_;
  std::vector<std::uint8_t> dependent_;
  std::map<Node, std::vector<double>> blocks_;
};

}  // namespace

DependentNodeRows relations_of(const Constraints& constraints, Index first, Index last, std::span<const Index> others,
                               FollowedUnknowns kept) {
  const DependentRows& all = constraints.dependent_rows();
  const int components = constraints.space().components();
  DependentNodeRows rows;
  for (std::size_t row = 0; row < all.unknown.size();) {
    NodeRow of_node(all.unknown[row] / components, components);
    const Index node = of_node.node();
    const bool is_here = (node >= first && node < last) || std::ranges::binary_search(others, node);
    for (; row < all.unknown.size() && all.unknown[row] / components == of_node.node(); ++row) {
      if (!is_here) continue;
      const int component = all.unknown[row] % components;
      of_node.depend(component);
      for (auto k = static_cast<std::size_t>(all.begin[row]); k < static_cast<std::size_t>(all.begin[row + 1]); ++k) {
        const Node followed = all.followed[k] / components;
        const int of = all.followed[k] % components;
        if (kept == FollowedUnknowns::all || !constraints.is_prescribed(followed, of))
          of_node.factor(component, followed, of) = all.factor[k];
      }
    }
    if (is_here) of_node.append_to(rows);
  }
  return rows;
}

}  // namespace ritz
