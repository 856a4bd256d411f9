#include "fem/analysis/edge_preconditioner.hpp"

#include "device/error.hpp"
#include "solvers/algebra/host_products.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

// An edge from the end with the lower number in the mesh, along which its circulation is positive.
struct Edge {
  Index from = -1, to = -1;  // corners, counted
  Point along{};
};

struct Edges {
  std::vector<Edge> all;  // [node of the space]
  Index corner_count = 0;
  std::vector<bool> held;  // [corner] the end of an edge that is prescribed
};

// [node of the space] between nodes of the mesh.
std::vector<Edge> edges_between_nodes(const FunctionSpace& space) {
  const Mesh& mesh = space.mesh();
  for (const CellBlock& block : mesh.blocks())
    if (space.element(block.kind).node_count() != std::ssize(traits(block.kind).edges))
      throw Error(Exit::input, "a preconditioner of edges was asked for unknowns that are not one for each edge",
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
      const auto from = mesh.point(p), to = mesh.point(q);
      edge.from = p;
      edge.to = q;
      for (std::size_t d = 0; d < 3; ++d) edge.along[d] = to[d] - from[d];
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
      if (number < 0) number = edges.corner_count++;
      *end = number;
    }
  edges.held.resize(static_cast<std::size_t>(edges.corner_count));
  for (std::size_t e = 0; e < edges.all.size(); ++e)
    if (edges.all[e].from >= 0 && supports.is_prescribed(static_cast<Node>(e), 0))
      for (const Index end : {edges.all[e].from, edges.all[e].to}) edges.held[static_cast<std::size_t>(end)] = true;
  return corner_of;
}

// Rows of edges that are not prescribed: `first` of the lower corner, `second` of the other, unless they are held.
template <class Values>
HostMatrix from_corners(const Edges& edges, const Constraints& supports, const Values& values) {
  HostMatrix P;
  P.offsets.push_back(0);
  for (std::size_t e = 0; e < edges.all.size(); ++e) {
    const Edge& edge = edges.all[e];
    if (edge.from >= 0 && !supports.is_prescribed(static_cast<Node>(e), 0)) {
      const auto [first, second] = values(edge);
      std::pair<Index, double> entries[] = {{edge.from, first}, {edge.to, second}};
      if (entries[1].first < entries[0].first) std::swap(entries[0], entries[1]);
      for (const auto& [column, value] : entries) {
        if (edges.held[static_cast<std::size_t>(column)]) continue;
        P.columns.push_back(static_cast<std::int32_t>(column));
        P.values.push_back(value);
      }
    }
    P.offsets.push_back(static_cast<Index>(P.columns.size()));
  }
  return P;
}

// P of the components of vectors, then of gradients.
void each_prolongation(Edges& edges, const FunctionSpace& space, const Constraints& supports, Index one_more,
                       const std::function<void(HostMatrix P, bool needed)>& visit) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(space.mesh().dimension()); ++d)
    visit(from_corners(edges, supports,
                       [d](const Edge& edge) { return std::pair(0.5 * edge.along[d], 0.5 * edge.along[d]); }),
          true);
  if (one_more >= 0) edges.held[static_cast<std::size_t>(one_more)] = true;
  visit(from_corners(edges, supports, [](const Edge&) { return std::pair(-1.0, 1.0); }), false);
}

double& diagonal_entry(HostMatrix& A, Index row) {
  for (Index k = A.offsets[static_cast<std::size_t>(row)]; k < A.offsets[static_cast<std::size_t>(row) + 1]; ++k)
    if (A.columns[static_cast<std::size_t>(k)] == row) return A.values[static_cast<std::size_t>(k)];
  throw Error(Exit::internal, "an auxiliary matrix lacks a diagonal entry");
}

}  // namespace

// Values that change their sign along every edge have no mean there: the matrix maps them to zero, and its dense
// inverse would be lost in them. The share is that of a wave over ten thousand cells.
double raised_entry(double entry, double most) {
  constexpr double share_of_diagonal = 1e-8;
  if (entry <= 1e-14 * most) return most > 0 ? most : 1;
  return entry * (1 + share_of_diagonal);
}

bool is_seen(double most, double largest) { return most > 1e-12 * largest; }

EdgeCorners edge_corners(const FunctionSpace& space, const Constraints& supports) {
  Edges edges{.all = edges_between_nodes(space)};
  EdgeCorners corners{.number = count_corners(edges, space, supports)};
  corners.held = std::move(edges.held);
  return corners;
}

void each_edge_space_of_part(const SparseMatrix& A, const FunctionSpace& space, const Constraints& supports,
                             const std::vector<bool>& held, Node one_more, Index owned,
                             const std::function<void(EdgeSpace, bool needed)>& visit) {
  Edges edges{.all = edges_between_nodes(space), .corner_count = space.mesh().node_count(), .held = held};
  const HostMatrix K = host_matrix(A);
  each_prolongation(edges, space, supports, one_more, [&](HostMatrix P, bool needed) {
    HostMatrix of_owned = P;
    of_owned.offsets.resize(static_cast<std::size_t>(owned) + 1);
    of_owned.columns.resize(static_cast<std::size_t>(of_owned.offsets.back()));
    of_owned.values.resize(of_owned.columns.size());
    HostMatrix rows = product(K, P, edges.corner_count);
    rows.offsets.resize(static_cast<std::size_t>(owned) + 1);
    HostMatrix coarse = product(transposed(of_owned, edges.corner_count), rows, edges.corner_count);
    visit({std::move(of_owned), std::move(coarse)}, needed);
  });
}

void each_edge_space(const SparseMatrix& A, const FunctionSpace& space, const Constraints& supports,
                     const std::function<void(EdgeSpace)>& visit) {
  Edges edges{.all = edges_between_nodes(space)};
  count_corners(edges, space, supports);
  const HostMatrix K = host_matrix(A);
  const double largest = max_abs(A.diagonal());
  const auto add = [&](HostMatrix P, bool needed) {
    HostMatrix coarse =
        sum(product(transposed(P, edges.corner_count), product(K, P, edges.corner_count), edges.corner_count), 1,
            scaled_identity(edges.corner_count, 0));  // each row has an entry on its diagonal
    double most = 0;
    for (Index row = 0; row < coarse.rows(); ++row) most = std::max(most, diagonal_entry(coarse, row));
    if (!needed && !is_seen(most, largest)) return;  // the matrix maps gradients to zero
    for (Index row = 0; row < coarse.rows(); ++row) {
      double& entry = diagonal_entry(coarse, row);
      entry = raised_entry(entry, most);
    }
    visit({std::move(P), std::move(coarse)});
  };
  // Constants have no gradient: one corner is held where none is.
  const bool none_is_held = std::ranges::find(edges.held, true) == edges.held.end() && !edges.held.empty();
  each_prolongation(edges, space, supports, none_is_held ? 0 : -1, add);
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
  each_edge_space(A, space, supports, [&](const EdgeSpace& made) {
    corners = made.matrix.rows();
    Auxiliary& each = spaces_.emplace_back();
    each.up = std::make_unique<RectangularMatrix>(rectangular_matrix(A.device(), made.prolongation, corners));
    each.down = std::make_unique<RectangularMatrix>(
        rectangular_matrix(A.device(), transposed(made.prolongation, corners), A.rows()));
    each.matrix = std::make_unique<SparseMatrix>(sparse_matrix(A.device(), made.matrix));
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
