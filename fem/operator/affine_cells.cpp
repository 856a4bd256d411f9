#include "fem/operator/affine_cells.hpp"

#include "mesh/point_algebra.hpp"

#include <array>
#include <atomic>
#include <cmath>

namespace ritz {
namespace {

constexpr double largest_shift = 1e-12;

Point vertex(const Mesh& mesh, Node node) {
  const auto x = mesh.point(node);
  return {x[0], x[1], x[2]};
}

// Shifts are bounded as in Straightness: |J^-1 shift| <= |J|^(D-1) |shift| / det J in Frobenius' norm.
bool is_parallelogram(const Mesh& mesh, std::span<const Node> nodes) {
  const Point origin = vertex(mesh, nodes[0]);
  const Point a = minus(vertex(mesh, nodes[1]), origin), b = minus(vertex(mesh, nodes[3]), origin);
  const Point shift = minus(minus(minus(vertex(mesh, nodes[2]), origin), a), b);
  return length(shift) <= largest_shift * length(cross(a, b)) / std::sqrt(dot(a, a) + dot(b, b));
}

bool is_parallelepiped(const Mesh& mesh, std::span<const Node> nodes) {
  const Point origin = vertex(mesh, nodes[0]);
  const auto edge = [&](std::size_t corner) { return minus(vertex(mesh, nodes[corner]), origin); };
  const Point a = edge(1), b = edge(3), c = edge(4);
  const double allowed = largest_shift * std::abs(dot(cross(a, b), c)) / (dot(a, a) + dot(b, b) + dot(c, c));
  const auto meets = [&](std::size_t corner, const Point& from, const Point& edge_on) {
    return length(minus(minus(edge(corner), from), edge_on)) <= allowed;
  };
  return meets(2, a, b) && meets(5, a, c) && meets(7, b, c) && meets(6, edge(2), c);
}

}  // namespace

bool all_affine(const Mesh& mesh, const ElementGroup& group, int threads) {
  const CellKind shape = traits(group.kind).linear;
  if ((shape != CellKind::quad4 && shape != CellKind::hex8) || group.elements.empty() || group.geometry->order > 1)
    return false;
  std::atomic<bool> all = true;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index e = 0; e < group.element_count; ++e) {
    if (!all.load(std::memory_order_relaxed)) continue;
    const std::span<const Node> nodes = mesh.nodes_of(group.elements[static_cast<std::size_t>(e)]);
    if (shape == CellKind::quad4 ? !is_parallelogram(mesh, nodes) : !is_parallelepiped(mesh, nodes))
      all.store(false, std::memory_order_relaxed);
  }
  return all;
}

}  // namespace ritz
