#include "fem/space/chosen_nodes.hpp"

#include "mesh/hash.hpp"

namespace ritz {
namespace {

constexpr Index wanted = 2000;

}  // namespace

ChosenNodes::ChosenNodes(const FunctionSpace& space)
    : number_(static_cast<std::size_t>(space.node_count()), -1),
      near_(static_cast<std::size_t>(space.mesh().cell_count()), 0) {
  const auto every = static_cast<std::uint64_t>(std::max<Index>(1, space.node_count() / wanted));
  const std::uint64_t below = ~std::uint64_t{0} / every;
  for (std::size_t node = 0; node < number_.size(); ++node)
    if (every == 1 || mix(node) < below) number_[node] = static_cast<std::int32_t>(count_++);
  const Index cells = space.mesh().cell_count();
#pragma omp parallel num_threads(space.device().threads())
  {
    FunctionSpace::CellNodes nodes_of(space);
#pragma omp for schedule(static)
    for (Index cell = 0; cell < cells; ++cell)
      for (const Node node : nodes_of(cell))
        if (number(node) >= 0) near_[static_cast<std::size_t>(cell)] = 1;
  }
}

}  // namespace ritz
