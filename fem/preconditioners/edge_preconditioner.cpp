#include "fem/preconditioners/edge_preconditioner.hpp"

#include "device/error.hpp"
#include "fem/launch/field_part_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/sparse_products.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace ritz {
namespace {

// An edge from the end with the lower number in the mesh, along which its circulation is positive.
struct Edge {
  Index from = -1, to = -1;  // nodes of the mesh, then corners
};

struct Edges {
  std::vector<Edge> all;           // [node of the space]
  std::vector<Node> corner_nodes;  // [corner] node of the mesh
  std::vector<bool> held;          // [corner] the end of an edge that is prescribed
};

// [node of the space] between nodes of the mesh.
std::vector<Edge> edges_between_nodes(const FunctionSpace& space) {
  const Mesh& mesh = space.mesh();
  for (const CellBlock& block : mesh.blocks())
    if (space.element(block.kind).node_count() != std::ssize(traits(block.kind).edges))
      throw Error(ErrorKind::solver_options,
                  "a preconditioner of edges was asked for unknowns that are not one for each edge",
                  "auxiliary spaces are those of edges of order 1", "take order 1, or the method 'direct'");
  std::vector<Edge> edges(static_cast<std::size_t>(space.node_count()));
  FunctionSpace::CellNodes nodes_of(space);
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto unknowns = nodes_of(cell);
    const auto corners = mesh.nodes_of(cell);
    const CellTraits& t = traits(mesh.kind_of(cell));
    for (std::size_t a = 0; a < unknowns.size(); ++a) {
      Edge& edge = edges[static_cast<std::size_t>(unknowns[a])];
      if (edge.from >= 0) continue;
      Node p = corners[static_cast<std::size_t>(t.edges[a][0])], q = corners[static_cast<std::size_t>(t.edges[a][1])];
      if (q < p) std::swap(p, q);
      edge = {.from = p, .to = q};
    }
  }
  return edges;
}

// Their ends become corners, in the order in which they are met; returns the corner of each node of the mesh.
std::vector<Index> count_corners(Edges& edges, const FunctionSpace& space, const Constraints& supports) {
  std::vector<Index> corner_of(static_cast<std::size_t>(space.mesh().node_count()), -1);
  for (Edge& edge : edges.all)
    for (Index* const end : {&edge.from, &edge.to}) {
      if (*end < 0) continue;
      Index& number = corner_of[static_cast<std::size_t>(*end)];
      if (number < 0) {
        number = std::ssize(edges.corner_nodes);
        edges.corner_nodes.push_back(static_cast<Node>(*end));
      }
      *end = number;
    }
  edges.held.resize(edges.corner_nodes.size());
  for (std::size_t e = 0; e < edges.all.size(); ++e)
    if (edges.all[e].from >= 0 && supports.is_prescribed(static_cast<Node>(e), 0))
      for (const Index end : {edges.all[e].from, edges.all[e].to}) edges.held[static_cast<std::size_t>(end)] = true;
  return corner_of;
}

// The edges on the device of the matrix: 8 bytes for each, and the positions of the corners.
class EdgesOnDevice {
 public:
  EdgesOnDevice(const Device& device, const Edges& edges, const FunctionSpace& space, const Constraints& supports)
      : device_(device), supports_(supports), dimension_(space.mesh().dimension()) {
    std::vector<std::int32_t> ends;
    for (const Edge& edge : edges.all)
      for (const Index corner : {edge.from, edge.to}) ends.push_back(static_cast<std::int32_t>(corner));
    std::vector<double> points;
    for (const Node node : edges.corner_nodes) {
      const auto x = space.mesh().point(node).first(static_cast<std::size_t>(dimension_));
      points.insert(points.end(), x.begin(), x.end());
    }
    const std::vector<std::uint8_t> held(edges.held.begin(), edges.held.end());
    ends_ = Array<std::int32_t>(device, std::span<const std::int32_t>(ends), "multigrid set-up");
    held_ends_ = Array<std::uint8_t>(device, std::span<const std::uint8_t>(held), "multigrid set-up");
    points_ = Vector(device, std::span<const double>(points), "multigrid set-up");
  }

  // Calls visit(component, needed) for each component of vectors, then for gradients, which are component -1. one_more:
  // a corner that is held for gradients; -1: none.
  template <class Visit>
  void each_prolongation(Index one_more, const Visit& visit) {
    for (int component = 0; component < dimension_; ++component) visit(component, true);
    constexpr std::uint8_t held = 1;
    if (one_more >= 0) copy_to_device(device_, held_ends_.data() + one_more, &held, Index{sizeof held});
    visit(-1, false);
  }
  BlockMatrix prolongation(int component, Index rows) const {  // to the first edges
    const EdgesView view{.edges = ends_.size() / 2,
                         .corners = held_ends_.size(),
                         .dimension = dimension_,
                         .ends = ends_.data(),
                         .is_held = supports_.mask().data(),
                         .held_ends = held_ends_.data(),
                         .points = points_.data()};
    BlockMatrix P;
    field_part_kernels(device_).prolongation(device_, view, rows, component, P);
    return P;
  }
  Index edges() const { return ends_.size() / 2; }

 private:
  Device device_;
  const Constraints& supports_;
  Array<std::int32_t> ends_;       // [edge][2]
  Array<std::uint8_t> held_ends_;  // [corner]
  Vector points_;                  // [corner][dimension]
  int dimension_;
};

// R A P. A may lack rows after those that R has columns for.
BlockMatrix coarse_matrix(const Device& device, const BlockMatrix& R, const BlockMatrixView<double>& A,
                          const BlockMatrix& P) {
  BlockMatrix coarse = product(device, R.view(), product(device, A, P.view()).view());
  sort_rows(coarse);
  return coarse;
}

BlockMatrix with_diagonal(const Device& device, const BlockMatrix& A) {
  Vector zeros(device, A.rows, "multigrid set-up");
  zeros.fill_zero();
  return sum(device, A.view(), 1, diagonal_matrix(std::move(zeros)).view());
}

// The largest entry on the diagonal; 0 where none is positive.
double largest_diagonal(const SparseMatrix& A) {
  Vector diagonal = A.diagonal();
  field_part_kernels(A.device()).at_least(A.device(), diagonal.size(), 1, 0, diagonal.data());
  return max_abs(diagonal);
}

}  // namespace

bool is_seen(double most, double largest) { return most > 1e-12 * largest; }

EdgeCorners edge_corners(const FunctionSpace& space, const Constraints& supports) {
  Edges edges{.all = edges_between_nodes(space)};
  EdgeCorners corners{.number = count_corners(edges, space, supports)};
  corners.held = std::move(edges.held);
  return corners;
}

void each_edge_space_of_part(const SparseMatrix& A, const FunctionSpace& space, const Constraints& supports,
                             const std::vector<bool>& held, Node one_more, Index owned,
                             FunctionRef<void(EdgeSpaceOfPart, bool needed)> visit) {
  Edges edges{.all = edges_between_nodes(space), .held = held};
  edges.corner_nodes.resize(held.size());
  std::iota(edges.corner_nodes.begin(), edges.corner_nodes.end(), 0);
  EdgesOnDevice on_device(A.device(), edges, space, supports);
  BlockMatrixView<double> rows = block_view(A);
  rows.rows = owned;
  on_device.each_prolongation(one_more, [&](int component, bool needed) {
    const BlockMatrix of_owned = on_device.prolongation(component, owned),
                      coarse = coarse_matrix(A.device(), transposed(of_owned), rows,
                                             on_device.prolongation(component, on_device.edges()));
    visit({host_matrix(of_owned), host_matrix(coarse)}, needed);
  });
}

namespace {

// Calls visit(P, R, matrix) for each component of vectors, then for gradients where the matrix sees them.
template <class Visit>
void each_edge_space(const SparseMatrix& A, const FunctionSpace& space, const Constraints& supports,
                     const Visit& visit) {
  const Device& device = A.device();
  Edges edges{.all = edges_between_nodes(space)};
  count_corners(edges, space, supports);
  EdgesOnDevice on_device(device, edges, space, supports);
  const double largest = max_abs(A.diagonal());
  // Constants have no gradient: one corner is held where none is.
  const bool none_is_held = std::ranges::find(edges.held, true) == edges.held.end() && !edges.held.empty();
  on_device.each_prolongation(none_is_held ? 0 : -1, [&](int component, bool needed) {
    BlockMatrix P = on_device.prolongation(component, on_device.edges()), R = transposed(P);
    SparseMatrix matrix = sparse_matrix(with_diagonal(device, coarse_matrix(device, R, block_view(A), P)));
    const double most = largest_diagonal(matrix);
    if (!needed && !is_seen(most, largest)) return;  // the matrix maps gradients to zero
    field_part_kernels(device).raise_diagonal(device, block_view(matrix), most, matrix.values().data());
    visit(std::move(P), std::move(R), std::move(matrix));
  });
}

}  // namespace

EdgeGradients::EdgeGradients(const FunctionSpace& space, const Constraints& supports) {
  Edges edges{.all = edges_between_nodes(space)};
  count_corners(edges, space, supports);
  const auto free = [&](Index corner) { return edges.held[static_cast<std::size_t>(corner)] ? -1 : corner; };
  for (const Edge& edge : edges.all)
    ends_.push_back(edge.from < 0 ? std::array<Index, 2>{-1, -1} : std::array{free(edge.from), free(edge.to)});
}

std::vector<double> EdgeGradients::gradient(const std::vector<double>& phi) const {
  std::vector<double> result(ends_.size());
  const auto at = [&](Index corner) { return corner < 0 ? 0 : phi[static_cast<std::size_t>(corner)]; };
  for (std::size_t e = 0; e < ends_.size(); ++e) result[e] = at(ends_[e][1]) - at(ends_[e][0]);
  return result;
}

Index EdgeGradients::corner_count() const {
  Index count = 0;
  for (const auto& ends : ends_) count = std::max({count, ends[0] + 1, ends[1] + 1});
  return count;
}

std::vector<double> EdgeGradients::transposed(std::span<const double> on_edges) const {
  std::vector<double> result(static_cast<std::size_t>(corner_count()), 0.0);
  for (std::size_t e = 0; e < ends_.size(); ++e)
    for (const int end : {0, 1})
      if (const Index corner = ends_[e][static_cast<std::size_t>(end)]; corner >= 0)
        result[static_cast<std::size_t>(corner)] += (end == 0 ? -1 : 1) * on_edges[e];
  return result;
}

// Conjugate gradients for the Laplacian G^T G of the graph of edges, whose diagonal counts the edges at a corner.
std::vector<double> EdgeGradients::part_of(std::span<const double> r) const {
  constexpr double relative = 1e-12;
  constexpr int most = 10000;
  std::vector<double> rest = transposed(r);
  const std::size_t n = rest.size();
  std::vector<double> count(n, 0.0), phi(n, 0.0), z(n), p(n, 0.0);
  for (const auto& ends : ends_)
    for (const Index corner : ends)
      if (corner >= 0) ++count[static_cast<std::size_t>(corner)];
  const auto dot_of = [n](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  double size = 0;
  for (const double each : r) size += each * each;
  double before = 0;
  for (int iteration = 0; iteration < most && dot_of(rest, rest) > relative * relative * size; ++iteration) {
    for (std::size_t i = 0; i < n; ++i) z[i] = rest[i] / std::max(1.0, count[i]);
    const double now = dot_of(rest, z), share = before > 0 ? now / before : 0;
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + share * p[i];
    const std::vector<double> Ap = transposed(gradient(p));
    const double length = now / dot_of(p, Ap);
    for (std::size_t i = 0; i < n; ++i) {
      phi[i] += length * p[i];
      rest[i] -= length * Ap[i];
    }
    before = now;
  }
  return gradient(phi);
}

double EdgeGradients::stiffness(const Device& device, FunctionRef<void(const Vector& x, Vector& y)> multiply) const {
  const auto stretch = [&](const std::vector<double>& values) {
    const Vector x(device, std::span<const double>(values), "vectors");
    Vector y(device, x.size(), "vectors");
    multiply(x, y);
    return norm2(x) > 0 ? norm2(y) / norm2(x) : 0;
  };
  Vector any(device, std::ssize(ends_), "vectors");
  fill_start_vector(any);
  const std::vector<double> field = any.host();
  std::vector<double> phi = transposed(field);
  for (std::size_t i = 0; i < phi.size(); ++i) phi[i] = field[i % field.size()];
  const double all = stretch(field);
  return all > 0 ? stretch(gradient(phi)) / all : 0;
}

// Fields that vary along their own direction alone have nearly no curl: of bent cells that is lost in single precision.
SmoothedAggregationOptions edge_multigrid(SmoothedAggregationOptions options) {
  options.coordinates = nullptr;
  options.nested = {};
  options.single_precision = false;
  return options;
}

EdgePreconditioner::EdgePreconditioner(const SparseMatrix& A, const FunctionSpace& space, const Constraints& supports,
                                       SmoothedAggregationOptions multigrid)
    : A_(A), smoother_(A), part_(A.device(), A.rows(), "vectors") {
  multigrid = edge_multigrid(std::move(multigrid));
  Index corners = 0;
  each_edge_space(A, space, supports, [&](BlockMatrix P, BlockMatrix R, SparseMatrix matrix) {
    corners = matrix.rows();
    Auxiliary& each = spaces_.emplace_back();
    each.up = std::make_unique<RectangularMatrix>(std::move(P));
    each.down = std::make_unique<RectangularMatrix>(std::move(R));
    each.matrix = std::make_unique<SparseMatrix>(std::move(matrix));
    each.cycle = std::make_unique<SmoothedAggregation>(*each.matrix, multigrid);
  });
  from_ = Vector(A.device(), corners, "vectors");
  to_ = Vector(A.device(), corners, "vectors");
}

void EdgePreconditioner::apply(const Vector& x, Vector& y) const {
  smoother_.apply(x, y);
  for (const Auxiliary& each : spaces_) {
    each.down->apply(x, from_);
    each.cycle->apply(from_, to_);
    each.up->apply(to_, part_);
    axpy(1, part_, y);
  }
}

std::string EdgePreconditioner::name() const {
  return fmt::format("auxiliary spaces ({} cycles of multigrid, {})", spaces_.size(), smoother_.name());
}

}  // namespace ritz
