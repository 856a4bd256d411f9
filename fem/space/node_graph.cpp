#include "fem/space/node_graph.hpp"

#include "device/parallel_errors.hpp"

#include <algorithm>
#include <omp.h>
#include <utility>

namespace ritz {
namespace {

// The cells around each node, as positions in cell_order: [offsets[node], offsets[node + 1]), ascending.
struct Incidence {
  std::vector<Index> offsets;
  std::vector<std::int32_t> cells;
};

Incidence cells_around_nodes(const FunctionSpace& space) {
  Incidence result;
  result.offsets.assign(static_cast<std::size_t>(space.node_count()) + 1, 0);
  FunctionSpace::CellNodes nodes_of(space);
  for (const Index cell : space.cell_order())
    for (const Node node : nodes_of(cell)) ++result.offsets[static_cast<std::size_t>(node) + 1];
  for (std::size_t n = 1; n < result.offsets.size(); ++n) result.offsets[n] += result.offsets[n - 1];
  result.cells.resize(static_cast<std::size_t>(result.offsets.back()));
  std::vector<Index> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t position = 0; position < space.cell_order().size(); ++position)
    for (const Node node : nodes_of(space.cell_order()[position]))
      result.cells[static_cast<std::size_t>(next[static_cast<std::size_t>(node)]++)] =
          static_cast<std::int32_t>(position);
  return result;
}

}  // namespace

NodeGraph node_graph(const FunctionSpace& space) {
  const Incidence incidence = cells_around_nodes(space);
  const Index node_count = space.node_count();
  const int threads = space.device().threads();
  const NodeCouplings* const couplings = space.couplings();
  // Rows of consecutive nodes are collected per part, then joined: every part writes its own memory only.
  const Index rows_per_part = 8192;
  const Index parts = (node_count + rows_per_part - 1) / rows_per_part;
  std::vector<std::vector<std::int32_t>> columns(static_cast<std::size_t>(parts));
  NodeGraph graph;
  graph.offsets.assign(static_cast<std::size_t>(node_count) + 1, 0);
  ParallelErrors errors;
#pragma omp parallel num_threads(threads)
  {
    FunctionSpace::CellNodes nodes_of(space);
    std::vector<Node> marker;
    errors.run([&] { marker.assign(static_cast<std::size_t>(node_count), -1); });
    const auto list_rows = [&](Index part) {
      std::vector<std::int32_t>& list = columns[static_cast<std::size_t>(part)];
      const Index last = std::min(node_count, (part + 1) * rows_per_part);
      for (Index row = part * rows_per_part; row < last; ++row) {
        const std::size_t begin = list.size();
        const auto add = [&](Node node) {
          if (std::exchange(marker[static_cast<std::size_t>(node)], static_cast<Node>(row)) != row)
            list.push_back(node);
        };
        const auto add_around = [&](Index center) {
          for (Index i = incidence.offsets[static_cast<std::size_t>(center)];
               i < incidence.offsets[static_cast<std::size_t>(center) + 1]; ++i)
            for (const Node node :
                 nodes_of(space.cell_order()[static_cast<std::size_t>(incidence.cells[static_cast<std::size_t>(i)])])) {
              add(node);
              if (couplings != nullptr)
                for (const Node followed : couplings->followed_by(node)) add(followed);
            }
        };
        add_around(row);
        if (couplings != nullptr)
          for (const Node follower : couplings->followers_of(static_cast<Node>(row))) add_around(follower);
        std::sort(list.begin() + static_cast<std::ptrdiff_t>(begin), list.end());
        graph.offsets[static_cast<std::size_t>(row) + 1] = static_cast<Index>(list.size() - begin);
      }
    };
#pragma omp for schedule(dynamic)
    for (Index part = 0; part < parts; ++part) errors.run([&] { list_rows(part); });
  }
  errors.rethrow();
  for (std::size_t row = 1; row < graph.offsets.size(); ++row) graph.offsets[row] += graph.offsets[row - 1];
  graph.columns.resize(static_cast<std::size_t>(graph.offsets.back()));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index part = 0; part < parts; ++part) {
    std::vector<std::int32_t>& list = columns[static_cast<std::size_t>(part)];
    std::ranges::copy(list, graph.columns.begin() + graph.offsets[static_cast<std::size_t>(part * rows_per_part)]);
    list = {};
  }
  return graph;
}

}  // namespace ritz
