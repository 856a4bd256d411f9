#include "fem/space/gpu_pattern.hpp"

#include "device/kernels.hpp"
#include "device/memory_shortage.hpp"
#include "device/pack.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace ritz {
namespace {

// Cells of equal kind, in the order of the space.
std::map<CellKind, std::vector<Index>> cells_by_kind(const FunctionSpace& space) {
  std::map<CellKind, std::vector<Index>> cells;
  const std::span<const Index> order = space.cell_order();
  const Mesh& mesh = space.mesh();
  if (mesh.blocks().size() == 1) cells[mesh.blocks().front().kind].assign(order.begin(), order.end());
  else
    for (const Index cell : order) cells[mesh.kind_of(cell)].push_back(cell);
  return cells;
}

std::vector<Node> in_batches(const FunctionSpace& space, const std::vector<Index>& cells, Index batches, int width) {
  std::vector<Node> nodes(static_cast<std::size_t>(batches * width * lane_count));
#pragma omp parallel num_threads(space.device().threads())
  {
    FunctionSpace::CellNodes nodes_of(space);
#pragma omp for schedule(static)
    for (Index batch = 0; batch < batches; ++batch)
      for (Index lane = 0; lane < lane_count; ++lane) {
        const Index place = std::min(batch * lane_count + lane, std::ssize(cells) - 1);
        Node* to = nodes.data() + batch * width * lane_count + lane;
        for (const Node node : nodes_of(cells[static_cast<std::size_t>(place)])) {
          *to = node;
          to += lane_count;
        }
      }
  }
  return nodes;
}

// Cells of equal kind in the order of the space, in arrays that are added to `arrays`. A transfer.
std::vector<CellBatches> laid_out_cells(const FunctionSpace& space, std::vector<Array<Node>>& arrays) {
  std::vector<CellBatches> result;
  for (const auto& [kind, cells] : cells_by_kind(space)) {
    const int width = space.element(kind).node_count();
    const Index batches = (std::ssize(cells) + lane_count - 1) / lane_count;
    const std::vector<Node> nodes = in_batches(space, cells, batches, width);
    arrays.emplace_back(space.device(), std::span<const Node>(nodes), "connectivity");
    result.push_back({arrays.back().data(), batches, width});
  }
  return result;
}

}  // namespace

std::optional<NodePattern> pattern_of_gpu(const FunctionSpace& space, std::span<const Node> cell_nodes) {
  const Device& device = space.device();
  std::optional<NodePattern> made;
  if (!device.is_gpu() || space.couplings() != nullptr || space.joined_with(space) != nullptr ||
      space.cell_order().empty())
    return made;
  const auto attempt = [&] {
    std::vector<Array<Node>> arrays;
    std::vector<CellBatches> cells;
    if (cell_nodes.empty()) {
      cells = laid_out_cells(space, arrays);
    } else {
      const int width = space.element(space.mesh().kind_of(space.cell_order()[0])).node_count();
      cells = {{cell_nodes.data(), std::ssize(cell_nodes) / (width * lane_count), width}};
    }
    made = kernels<PatternKernels>(device, "ritz_fem_kernels", "pattern").make(device, space.node_count(), cells);
  };
  if (memory_shortage(attempt)) made.reset();
  return made;
}

Index scratch_of_gpu_pattern(const FunctionSpace& space) {
  Index entries = 0;
  for (const CellBlock& block : space.mesh().blocks())
    entries += (block.cell_count() + lane_count - 1) / lane_count * lane_count * space.element(block.kind).node_count();
  return pattern_scratch(space.node_count(), entries);
}

}  // namespace ritz
