#include "apps/ritz/size.hpp"

#include "apps/run/cards.hpp"
#include "device/error.hpp"
#include "fem/analysis/static_forecast.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/space/pattern_size.hpp"
#include "io/files/byte_size.hpp"
#include "mesh/generators.hpp"

#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

constexpr double sample_nodes = 20'000;

Integral integral_of(const std::string& physics, int dimension) {
  constexpr Lame lame = Lame::from(1, 0.3);
  if (physics == "heat")
    return dimension == 3 ? Integral::over_all_cells(Diffusion<3>{1}) : Integral::over_all_cells(Diffusion<2>{1});
  if (dimension == 3) return Integral::over_all_cells(Elasticity{lame.lambda, lame.mu});
  return Integral::over_all_cells(PlaneElasticity::plane_strain(lame, 1));
}

// A cube or square with about so many nodes. Of an odd number of cells along its side: meshes of meshers are no uniform
// refinements, whose hierarchies take less.
Mesh sample(CellKind kind, int order) {
  const PatternSize per_vertex = pattern_size(typical_counts(kind, 1'000'000), order);
  const double vertices = sample_nodes * 1e6 / double(per_vertex.nodes);
  const bool flat = traits(kind).dimension == 2;
  const Index n =
      std::max<Index>(
          3, std::llround(flat ? std::sqrt(vertices)
                               : std::cbrt(traits(kind).linear == CellKind::pyramid5 ? vertices / 2 : vertices)) -
                 1) |
      1;
  return flat ? rectangle(n, n, {1, 1}, kind) : box(n, n, n, {1, 1, 1}, kind);
}

// Nodes of others around a cube or square of so many.
double nodes_around(double nodes, int dimension) {
  return std::pow(std::pow(nodes, 1.0 / dimension) + 2, dimension) - nodes;
}

// The first rank also has the whole model: positions and prescribed values, and a vector while ranks give it theirs.
Index of_whole_model(const ForecastPath& path, double factor, double unknowns) {
  Index bytes = std::llround(sizeof(double) * unknowns);
  for (const char* const tag : {"space", "constraints"})
    if (const auto found = path.peak.by_tag().find(tag); found != path.peak.by_tag().end())
      bytes += std::llround(factor * double(found->second));
  return bytes;
}

}  // namespace

std::string answer(const SizeQuestion& question) {
  if (!(question.unknowns >= 1) || question.unknowns > 1e13)
    throw Error(Exit::input, fmt::format("--unknowns is {:g}", question.unknowns), {},
                "use a number from 1 to 1e13, such as 50e6");
  const CellKind kind = cell_kind_named(question.cell);
  if (traits(kind).dimension < 2)
    throw Error(Exit::input, fmt::format("'{}' carries no field here", question.cell), {},
                "use a plane or solid cell, such as tet10");
  const Mesh mesh = sample(kind, question.order);
  const Device device = Device::named("cpu");
  const FunctionSpace space(mesh, question.physics == "heat" ? 1 : mesh.dimension(), device, {.order = question.order});
  const Operator equations(space, {integral_of(question.physics, mesh.dimension())});
  std::vector<ForecastPath> paths = forecast_static(equations, {.promise = MatrixPromise::positive_definite});
  const double nodes = question.unknowns / space.components() / question.ranks;
  if (nodes < 1)
    throw Error(Exit::input,
                fmt::format("--ranks is {}, and there are {:g} unknowns", question.ranks, question.unknowns),
                "each rank has nodes of its own", "take fewer ranks");
  const double ghosts = question.ranks > 1 ? nodes_around(nodes, mesh.dimension()) : 0;
  const double of_all = question.unknowns / double(space.unknown_count());
  const double factor = of_all / question.ranks * (1 + ghosts / nodes);
  const Index beside = of_whole_model(paths.front(), of_all, question.unknowns);
  for (ForecastPath& path : paths) {
    MemoryNeeds scaled;
    for (const auto& [tag, bytes] : path.peak.by_tag()) scaled.bytes(tag, std::llround(factor * double(bytes)));
    path.peak = scaled;
    // in iterations, too
    const bool grows = path.path == SolverPath::diagonal || path.path == SolverPath::without_matrix;
    path.bytes_moved *= factor * (grows ? std::pow(factor, 1.0 / mesh.dimension()) : 1);
  }
  return fmt::format(
             "{:.3g} unknowns, {} on {}{}: {:.0f} bytes per unknown ({})\n", question.unknowns, question.physics,
             question.cell, question.order > 0 ? fmt::format(", order {}", question.order) : "",
             double(paths.front().peak.total()) * question.ranks / question.unknowns, name_of(paths.front().path)) +
         (question.ranks > 1
              ? fmt::format("each of {} ranks, with {:.3g} nodes and {:.3g} of others around them; the first "
                            "one has {} more, of the whole model\n",
                            question.ranks, nodes, ghosts, text_of_bytes(beside))
              : "") +
         text_of_paths(paths, 0, 0) + text_of_cards(paths);
}

}  // namespace ritz
