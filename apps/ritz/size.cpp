#include "apps/ritz/size.hpp"

#include "apps/run/cards.hpp"
#include "device/error.hpp"
#include "fem/analysis/static_forecast.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/space/pattern_size.hpp"
#include "io/files/byte_size.hpp"
#include "mesh/generators.hpp"

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

constexpr double sample_nodes = 20'000, sample_of_factors = 8'000;

Integral integral_of(const std::string& physics, int dimension) {
  constexpr Lame lame = Lame::from(1, 0.3);
  if (physics == "heat")
    return dimension == 3 ? Integral::over_all_cells(Diffusion<3>{1}) : Integral::over_all_cells(Diffusion<2>{1});
  if (dimension == 3) return Integral::over_all_cells(Elasticity{lame.lambda, lame.mu});
  return Integral::over_all_cells(PlaneElasticity::plane_strain(lame, 1));
}

// A cube or square with about so many nodes. Of an odd number of cells along its side: meshes of meshers are no uniform
// refinements, whose hierarchies take less.
Mesh sample(CellKind kind, int order, double nodes) {
  const PatternSize per_vertex = pattern_size(typical_counts(kind, 1'000'000), order);
  const double vertices = nodes * 1e6 / double(per_vertex.nodes);
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

// Each rank also has the whole model: positions and prescribed values, and a vector while they give it theirs.
Index of_whole_model(const ForecastPath& path, double factor, double unknowns) {
  Index bytes = std::llround(sizeof(double) * unknowns);
  for (const char* const tag : {"space", "constraints"}) bytes += std::llround(factor * double(path.peak.of(tag)));
  return bytes;
}

// A factorisation of such a mesh, with the matrix and factor of each rank. Nested dissection of a cube gives a factor
// as the power 4/3 of the unknowns, that of a square as n log n (George 1973).
std::optional<ForecastPath> factorised(const SizeQuestion& question, const CellKind kind, double around) {
  const Mesh mesh = sample(kind, question.order, sample_of_factors);
  const Device device = Device::named("cpu");
  const FunctionSpace space(mesh, question.physics == "heat" ? 1 : mesh.dimension(), device, {.order = question.order});
  const Operator equations(space, {integral_of(question.physics, mesh.dimension())});
  std::vector<ForecastPath> paths;
  try {
    paths = forecast_static(equations, {.method = LinearMethod::direct, .promise = MatrixPromise::positive_definite});
  } catch (const Error& error) {  // a build without one, or cells whose matrices are not assembled
    if (error.exit() != Exit::environment && error.exit() != Exit::resources && error.exit() != Exit::input) throw;
    return std::nullopt;
  }
  ForecastPath path = std::move(paths.front());
  const double sampled = double(space.unknown_count()), times = question.unknowns / sampled;
  const double more = mesh.dimension() == 3 ? std::pow(times, 4.0 / 3)
                                            : times * std::log(std::max(2.0, question.unknowns)) / std::log(sampled);
  const Index whole = std::llround(more * double(path.factor));
  path.factor = question.ranks > 1 ? factor_of_rank(whole, question.ranks) : whole;
  path.peak = scaled(path.peak, times / question.ranks * around);
  return path;
}

}  // namespace

std::string answer(const SizeQuestion& question) {
  if (!(question.unknowns >= 1) || question.unknowns > 1e13)
    throw Error(ErrorKind::command_line, fmt::format("--unknowns is {:g}", question.unknowns), {},
                "use a number from 1 to 1e13, such as 50e6");
  const CellKind kind = cell_kind_named(question.cell);
  if (traits(kind).dimension < 2)
    throw Error(ErrorKind::command_line, fmt::format("'{}' carries no field here", question.cell), {},
                "use a plane or solid cell, such as tet10");
  const Mesh mesh = sample(kind, question.order, sample_nodes);
  const Device device = Device::named("cpu");
  const FunctionSpace space(mesh, question.physics == "heat" ? 1 : mesh.dimension(), device, {.order = question.order});
  const Operator equations(space, {integral_of(question.physics, mesh.dimension())});
  std::vector<ForecastPath> paths = forecast_static(equations, {.promise = MatrixPromise::positive_definite});
  const double nodes = question.unknowns / space.components() / question.ranks;
  if (nodes < 1)
    throw Error(ErrorKind::command_line,
                fmt::format("--ranks is {}, and there are {:g} unknowns", question.ranks, question.unknowns),
                "each rank has its own nodes", "take fewer ranks");
  const double ghosts = question.ranks > 1 ? nodes_around(nodes, mesh.dimension()) : 0;
  const double of_all = question.unknowns / double(space.unknown_count());
  const double factor = of_all / question.ranks * (1 + ghosts / nodes);
  const Index beside = of_whole_model(paths.front(), of_all, question.unknowns);
  for (ForecastPath& path : paths) {
    path.peak = scaled(path.peak, factor);
    // in iterations, too
    const bool grows = path.path == SolverPath::diagonal || path.path == SolverPath::without_matrix;
    path.bytes_moved *= factor * (grows ? std::pow(factor, 1.0 / mesh.dimension()) : 1);
  }
  std::vector<ForecastPath> direct;
  if (const auto path = factorised(question, kind, 1 + ghosts / nodes)) direct.push_back(*path);
  return fmt::format(
             "{:.3g} unknowns, {} on {}{}: {:.0f} bytes per unknown ({})\n", question.unknowns, question.physics,
             question.cell, question.order > 0 ? fmt::format(", order {}", question.order) : "",
             double(paths.front().peak.total()) * question.ranks / question.unknowns, name_of(paths.front().path)) +
         (question.ranks > 1 ? fmt::format("each of {} ranks, with {:.3g} nodes and {:.3g} of others around them, and "
                                           "{} more of the whole model\n",
                                           question.ranks, nodes, ghosts, text_of_bytes(beside))
                             : "") +
         text_of_paths(paths, 0, 0) + text_of_paths(direct, 0, 0) + text_of_cards(paths);
}

}  // namespace ritz
