// Connected components by union and find over the nodes.
#include "mesh/components.hpp"

#include <numeric>

namespace ritz {
namespace {

class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), Node{0}); }

  Node root(Node node) {  // halving the path on the way
    while (at(node) != node) node = at(node) = at(at(node));
    return node;
  }
  void join(Node a, Node b) {  // the lower root stays: nodes of a mesh are mostly numbered along it
    if (at(a) == at(b)) return;
    a = root(a);
    b = root(b);
    if (a < b) at(b) = a;
    if (b < a) at(a) = b;
  }

 private:
  Node& at(Node node) { return parent_[static_cast<std::size_t>(node)]; }
  std::vector<Node> parent_;
};

}  // namespace

Index connected_components(const Mesh& mesh, std::vector<Index>& component_of_cell) {
  return connected_components(mesh, {}, component_of_cell);
}

Index connected_components(const Mesh& mesh, std::span<const std::uint8_t> left_out,
                           std::vector<Index>& component_of_cell) {
  Sets sets(static_cast<std::size_t>(mesh.node_count()));
  const auto is_left_out = [left_out](Index cell) {
    return !left_out.empty() && left_out[static_cast<std::size_t>(cell)] != 0;
  };
  for (Index cell = 0; const CellBlock& block : mesh.blocks())
    for (Index c = 0; c < block.cell_count(); ++c) {
      if (is_left_out(cell++)) continue;
      const std::span<const Node> nodes = block.cell(c);
      for (const Node node : nodes.subspan(1)) sets.join(nodes[0], node);
    }

  component_of_cell.clear();
  std::vector<Index> number(static_cast<std::size_t>(mesh.node_count()), -1);  // [root], in the order of the cells
  Index count = 0;
  for (Index cell = 0; const CellBlock& block : mesh.blocks())
    for (Index c = 0; c < block.cell_count(); ++c) {
      if (is_left_out(cell++)) continue;
      Index& component = number[static_cast<std::size_t>(sets.root(block.cell(c)[0]))];
      if (component < 0) component = count++;
    }
  if (count == 1 && left_out.empty()) return count;
  component_of_cell.reserve(static_cast<std::size_t>(mesh.cell_count()));
  for (Index cell = 0; const CellBlock& block : mesh.blocks())
    for (Index c = 0; c < block.cell_count(); ++c)
      component_of_cell.push_back(is_left_out(cell++) ? Index{-1}
                                                      : number[static_cast<std::size_t>(sets.root(block.cell(c)[0]))]);
  return count;
}

}  // namespace ritz
