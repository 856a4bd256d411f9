#include "fem/analysis/lumped_rotations.hpp"

#include "device/error.hpp"
#include "fem/elements/mass.hpp"

#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace ritz {
namespace {

using Quadrilaterals = SurfaceMass<CellKind::quad4, 6>;
using Triangles = SurfaceMass<CellKind::tri3, 6>;

// The numbers of a form of Ritz; none: it is another one.
template <class Mass>
std::optional<Mass> mass_in(const FormValue& form) {
  if (form.name != Mass::name || form.module != "ritz_fem_kernels") return std::nullopt;
  Mass mass;
  std::memcpy(&mass, form.bytes.data(), sizeof mass);
  return mass;
}

// Part of one of n nodes: about x, y, z.
std::array<double, 3> at_node(const BeamMass& mass, const double (&x)[2][3]) {
  const Beam& beam = mass.beam;
  if (beam.has_offset())
    throw Error(ErrorKind::explicit_steps, "lumped masses of beams with an offset",
                "their masses turn about the nodes as they move", "take the generalised-alpha method");
  const Beam::Axes<double> a = beam.axes(x);
  const double half = 0.5 * mass.density * a.length, of_cell = half * beam.area * a.length * a.length / 39;
  std::array<double, 3> result{};
  for (int d = 0; d < 3; ++d)
    result[static_cast<std::size_t>(d)] = half * (beam.inertia_y * (a.x[d] * a.x[d] + a.y[d] * a.y[d]) +
                                                  beam.inertia_z * (a.x[d] * a.x[d] + a.z[d] * a.z[d])) +
                                          of_cell;
  return result;
}

template <CellKind Kind>
std::array<double, 3> at_node(const SurfaceMass<Kind, 6>& mass, const double (&x)[SurfaceMass<Kind, 6>::nodes][3]) {
  constexpr int nodes = SurfaceMass<Kind, 6>::nodes;
  const double still[nodes][6] = {};
  double v[6], area = 0;
  for (int point = 0; point < nodes; ++point) area += mass.strain(point, x, still, v);
  const double part = area / nodes * (mass.rotary + mass.per_area * area / 39);
  return {part, part, part};
}

// Cells [of the mesh] of the integral.
std::vector<Index> cells_of(const Integral& integral, const Mesh& mesh) {
  if (!integral.everywhere) return integral.cells;
  std::vector<Index> all(static_cast<std::size_t>(mesh.cell_count()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

template <std::size_t nodes, class Mass>
void add(const Mass& mass, const Integral& integral, const FunctionSpace& space, std::span<double> sums) {
  const Mesh& mesh = space.mesh();
  for (const Index cell : cells_of(integral, mesh)) {
    double x[nodes][3];
    const auto numbers = mesh.nodes_of(cell);
    for (std::size_t n = 0; n < nodes; ++n)
      for (std::size_t d = 0; d < 3; ++d) x[n][d] = mesh.point(numbers[n])[d];
    const std::array<double, 3> part = at_node(mass, x);
    for (const Node node : numbers)
      for (std::size_t d = 0; d < 3; ++d) sums[static_cast<std::size_t>(space.node_of(node)) * 6 + 3 + d] += part[d];
  }
}

}  // namespace

std::vector<double> lumped_rotations(const Operator& masses) {
  const FunctionSpace& space = masses.space();
  std::vector<double> sums(static_cast<std::size_t>(space.unknown_count()), 0.0);
  std::vector<Integral> others;  // at nodes
  for (const Integral& each : masses.integrals()) {
    if (const auto beam = mass_in<BeamMass>(each.form)) add<2>(*beam, each, space, sums);
    else if (const auto quadrilateral = mass_in<Quadrilaterals>(each.form)) add<4>(*quadrilateral, each, space, sums);
    else if (const auto triangle = mass_in<Triangles>(each.form)) add<3>(*triangle, each, space, sums);
    else others.push_back(each);
  }
  const auto owned = static_cast<std::size_t>(masses.layout().total());
  if (others.empty()) {
    sums.resize(owned);
    return sums;
  }
  std::vector<double> turned(sums.size(), 0.0);
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = i % 6 < 3 ? 0 : 1;
  Vector rows = space.zeros();
  Operator(space, std::move(others))
      .residual_of_part(Vector(space.device(), std::span<const double>(turned), "vectors"), rows);
  const std::vector<double> of_nodes = rows.host();
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (turned[i] != 0) sums[i] += of_nodes[i];
  sums.resize(owned);
  return sums;
}

}  // namespace ritz
