#include "fem/operator/untouched_unknowns.hpp"

#include <algorithm>

namespace ritz {

std::vector<std::uint8_t> touched_unknowns(const FunctionSpace& space, const std::vector<Integral>& integrals) {
  const auto components = static_cast<std::size_t>(space.components());
  std::vector<std::uint8_t> touched(static_cast<std::size_t>(space.unknown_count()), 0);
  std::vector<Node> nodes;
  for (const Integral& integral : integrals) {
    if (!integral.form.has_matrix) continue;
    const auto touch = [&] {
      for (const Node node : nodes)
        for (int c = 0; c < integral.form.components; ++c)
          touched[static_cast<std::size_t>(node) * components + static_cast<std::size_t>(c)] = 1;
    };
    const auto touch_cell = [&](Index cell) {
      space.nodes_of(cell, nodes);
      touch();
    };
    if (integral.everywhere)
      for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) touch_cell(cell);
    for (const Index cell : integral.cells) touch_cell(cell);
    for (const FacetOfCell& facet : integral.facets) touch_cell(facet.cell);
    nodes.clear();
    for (const Node node : integral.nodes) nodes.push_back(space.node_of(node));
    touch();
  }
  return touched;
}

void touch(const FunctionSpace& space, const MixedIntegral& integral, std::vector<std::uint8_t>& touched) {
  const auto components = static_cast<std::size_t>(space.components());
  std::vector<Node> nodes;
  const auto touch_cell = [&](Index cell) {
    space.nodes_of(cell, nodes);
    for (const Node node : nodes)
      std::fill_n(touched.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(node) * components),
                  components, std::uint8_t{1});
  };
  if (integral.everywhere)
    for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) touch_cell(cell);
  for (const Index cell : integral.cells) touch_cell(cell);
  for (const FacetOfCell& facet : integral.facets) touch_cell(facet.cell);
}

Index hold_untouched(const std::vector<std::uint8_t>& touched, Constraints& constraints) {
  const FunctionSpace& space = constraints.space();
  const int components = space.components();
  Index count = 0;
  for (int c = 0; c < components; ++c) {
    std::vector<Node> nodes;
    for (Index node = 0; node < space.node_count(); ++node)
      if (touched[static_cast<std::size_t>(node * components + c)] == 0 &&
          !constraints.is_prescribed(static_cast<Node>(node), c))
        nodes.push_back(static_cast<Node>(node));
    count += static_cast<Index>(nodes.size());
    if (!nodes.empty()) constraints.prescribe_nodes(nodes, c, 0, "no element acts there");
  }
  return count;
}

}  // namespace ritz
