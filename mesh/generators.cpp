#include "mesh/generators.hpp"

#include "mesh/hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace ritz {
namespace {

// One cell inside a cube of the grid: corners 0..7 of the cube in the order of hex8, 8 is its centre.
struct Piece {
  CellKind kind;
  std::vector<int> corners;
};
using Pattern = std::vector<Piece>;

Piece pyramid_on(const std::vector<int>& face) {  // the base as seen from the centre
  return {CellKind::pyramid5, {face[0], face[3], face[2], face[1], 8}};
}

Pattern pattern_of(CellKind kind) {
  switch (kind) {
    case CellKind::tri3: return {{kind, {0, 1, 2}}, {kind, {0, 2, 3}}};
    case CellKind::quad4: return {{kind, {0, 1, 2, 3}}};
    case CellKind::hex8: return {{kind, {0, 1, 2, 3, 4, 5, 6, 7}}};
    case CellKind::prism6: return {{kind, {0, 1, 2, 4, 5, 6}}, {kind, {0, 2, 3, 4, 6, 7}}};
    case CellKind::tet4:
      return {{kind, {0, 1, 2, 6}}, {kind, {0, 3, 7, 6}}, {kind, {0, 4, 5, 6}},
              {kind, {0, 5, 1, 6}}, {kind, {0, 2, 3, 6}}, {kind, {0, 7, 4, 6}}};
    default: {
      Pattern pattern;
      for (const Facet& face : traits(CellKind::hex8).facets) pattern.push_back(pyramid_on(face.nodes));
      return pattern;
    }
  }
}

// Pyramids, but two tetrahedra on the face +x, split along the diagonal of the tetrahedra that follow.
Pattern transition_pattern() {
  Pattern pattern = pattern_of(CellKind::pyramid5);
  pattern.erase(pattern.begin() + 1);
  pattern.push_back({CellKind::tet4, {1, 6, 2, 8}});
  pattern.push_back({CellKind::tet4, {1, 5, 6, 8}});
  return pattern;
}

struct Grid {
  int dimension;
  std::array<Index, 3> counts;  // of cubes; nz = 1 in two dimensions, where there are no nodes above z = 0
  Point lengths;
  std::vector<const Pattern*> columns;  // [ix]: every cube at ix follows this pattern

  Index row_count() const { return counts[1] * counts[2]; }
  Index nodes_along(std::size_t axis) const { return axis == 2 && dimension == 2 ? 1 : counts[axis] + 1; }
  Index corner_node(int corner, Index ix, Index iy, Index iz) const {
    const Index i = ix + ((corner + 1) / 2 % 2), j = iy + (corner / 2 % 2), k = iz + corner / 4;
    return i + nodes_along(0) * (j + nodes_along(1) * k);
  }
  Index grid_node_count() const { return nodes_along(0) * nodes_along(1) * nodes_along(2); }
};

bool has_centre(const Pattern& pattern) {
  return std::any_of(pattern.begin(), pattern.end(), [](const Piece& piece) {
    return std::find(piece.corners.begin(), piece.corners.end(), 8) != piece.corners.end();
  });
}

// Numbering of one sort of entities (cells of a kind, centre nodes): row by row, within the row by column.
struct Numbering {
  std::vector<Index> before;  // [ix] number in the columns before; the last entry is the number per row
  Index at(Index row, Index ix) const { return row * before.back() + before[static_cast<std::size_t>(ix)]; }

  template <class Count>
  Numbering(const Grid& grid, Count count) : before{0} {
    for (const Pattern* column : grid.columns) before.push_back(before.back() + static_cast<Index>(count(*column)));
  }
};

Numbering numbering_of_cells(const Grid& grid, CellKind kind) {
  return {grid, [kind](const Pattern& pattern) {
            return std::count_if(pattern.begin(), pattern.end(), [kind](const Piece& p) { return p.kind == kind; });
          }};
}
Numbering numbering_of_centres(const Grid& grid) {
  return {grid, [](const Pattern& pattern) { return has_centre(pattern) ? 1 : 0; }};
}

std::vector<double> make_points(const Grid& grid) {
  const Numbering centres = numbering_of_centres(grid);
  const Index nx = grid.nodes_along(0), ny = grid.nodes_along(1), nz = grid.nodes_along(2);
  std::vector<double> points(static_cast<std::size_t>(3 * (nx * ny * nz + grid.row_count() * centres.before.back())));
  const auto coordinate = [&grid](double i, std::size_t axis) {
    return i / static_cast<double>(grid.counts[axis]) * grid.lengths[axis];
  };
  const auto put = [&](Index node, double i, double j, double k) {
    double* const p = points.data() + 3 * node;
    p[0] = coordinate(i, 0), p[1] = coordinate(j, 1), p[2] = coordinate(k, 2);
  };
#pragma omp parallel for schedule(static)
  for (Index row = 0; row < ny * nz; ++row)
    for (Index i = 0; i < nx; ++i)
      put(row * nx + i, static_cast<double>(i), static_cast<double>(row % ny), static_cast<double>(row / ny));
  for (Index row = 0; row < grid.row_count() && centres.before.back() > 0; ++row)
    for (Index ix = 0; ix < grid.counts[0]; ++ix)
      if (has_centre(*grid.columns[static_cast<std::size_t>(ix)]))
        put(grid.grid_node_count() + centres.at(row, ix), static_cast<double>(ix) + 0.5,
            static_cast<double>(row % grid.counts[1]) + 0.5, static_cast<double>(row / grid.counts[1]) + 0.5);
  return points;
}

CellBlock make_block(const Grid& grid, CellKind kind, Index first_cell) {
  const Numbering cells = numbering_of_cells(grid, kind), centres = numbering_of_centres(grid);
  const Index per_row = cells.before.back(), rows = grid.row_count();
  const auto n = static_cast<std::size_t>(traits(kind).node_count);
  CellBlock block{kind, std::vector<Node>(static_cast<std::size_t>(rows * per_row) * n), first_cell};
#pragma omp parallel for schedule(static)
  for (Index row = 0; row < rows; ++row) {
    Node* out = block.nodes.data() + static_cast<std::size_t>(row * per_row) * n;
    const Index iy = row % grid.counts[1], iz = row / grid.counts[1];
    for (Index ix = 0; ix < grid.counts[0]; ++ix) {
      Node nodes[9];
      for (int c = 0; c < (grid.dimension == 2 ? 4 : 8); ++c)
        nodes[c] = static_cast<Node>(grid.corner_node(c, ix, iy, iz));
      nodes[8] = static_cast<Node>(grid.grid_node_count() + centres.at(row, ix));
      for (const Piece& piece : *grid.columns[static_cast<std::size_t>(ix)])
        if (piece.kind == kind)
          for (const int corner : piece.corners) *out++ = nodes[corner];
    }
  }
  return block;
}

// Whether a corner of the cube lies on the cube's low or high side along an axis. The centre lies on neither.
bool corner_on_side(int corner, std::size_t axis, bool high) {
  if (corner == 8) return false;
  const int bits[3] = {(corner + 1) / 2 % 2, corner / 2 % 2, corner / 4};
  return (bits[axis] == 1) == high;
}

// The facets of the pieces of a pattern that lie on one side of the cube, as (position among its kind, facet).
struct SideFacet {
  CellKind kind;
  Index position;
  int facet;
};
std::vector<SideFacet> facets_on_side(const Pattern& pattern, std::size_t axis, bool high) {
  std::vector<SideFacet> found;
  std::array<Index, 32> seen{};  // [kind]
  for (const Piece& piece : pattern) {
    const Index position = seen[static_cast<std::size_t>(piece.kind)]++;
    const auto& facets = traits(piece.kind).facets;
    for (std::size_t f = 0; f < facets.size(); ++f)
      if (std::all_of(facets[f].nodes.begin(), facets[f].nodes.end(),
                      [&](int i) { return corner_on_side(piece.corners[static_cast<std::size_t>(i)], axis, high); }))
        found.push_back({piece.kind, position, static_cast<int>(f)});
  }
  return found;
}

Region make_side(const Grid& grid, std::span<const CellBlock> blocks, std::size_t axis, bool high) {
  Region region{{"xyz"[axis], high ? '1' : '0'}, RegionKind::facets, {}, {}, {}};
  for (const CellBlock& block : blocks) {
    const Numbering cells = numbering_of_cells(grid, block.kind);
    std::vector<std::vector<SideFacet>> of_column;
    for (const Pattern* column : grid.columns) of_column.push_back(facets_on_side(*column, axis, high));
    std::array<Index, 3> from{}, to = grid.counts;
    (high ? from : to)[axis] = high ? grid.counts[axis] - 1 : 1;
    for (Index iz = from[2]; iz < to[2]; ++iz)
      for (Index iy = from[1]; iy < to[1]; ++iy)
        for (Index ix = from[0]; ix < to[0]; ++ix)
          for (const SideFacet& f : of_column[static_cast<std::size_t>(ix)])
            if (f.kind == block.kind)
              region.facets.push_back(
                  {block.first_cell + cells.at(iz * grid.counts[1] + iy, ix) + f.position, f.facet});
  }
  return region;
}

void check_grid(const Grid& grid) {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(grid.dimension); ++axis) {
    if (grid.counts[axis] < 1)
      throw Error(ErrorKind::other_input, fmt::format("a box of {} cells along {}", grid.counts[axis], "xyz"[axis]), "",
                  "ask for at least one");
    if (!(grid.lengths[axis] > 0) || !std::isfinite(grid.lengths[axis]))
      throw Error(ErrorKind::other_input, fmt::format("a box of length {} along {}", grid.lengths[axis], "xyz"[axis]),
                  "", "lengths are positive");
  }
  double nodes = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) nodes *= static_cast<double>(grid.nodes_along(axis));
  if (nodes > 1.0e9)  // with room for centre and mid nodes, which Mesh checks again
    throw Error(ErrorKind::other_input, fmt::format("a box of {:.3g} nodes", nodes), "node numbers have 32 bits",
                "ask for fewer cells");
}

MeshData make_linear(const Grid& grid, std::span<const CellKind> kinds, std::string source) {
  MeshData data{.dimension = grid.dimension,
                .points = make_points(grid),
                .blocks = {},
                .regions = {},
                .source = std::move(source)};
  Index first_cell = 0;
  for (const CellKind kind : kinds) {
    data.blocks.push_back(make_block(grid, kind, first_cell));
    first_cell += data.blocks.back().cell_count();
  }
  Region all{"all", RegionKind::cells, std::vector<Index>(static_cast<std::size_t>(first_cell)), {}, {}};
  std::iota(all.cells.begin(), all.cells.end(), Index{0});
  data.regions.push_back(std::move(all));
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(grid.dimension); ++axis)
    for (const bool high : {false, true}) data.regions.push_back(make_side(grid, data.blocks, axis, high));
  return data;
}

// Nodes between the corners follow after them; they move by chance only half as far.
void distort(std::vector<double>& points, const Grid& grid, const Distortion& d) {
  if (d.smooth == 0 && d.random == 0) return;
  constexpr std::array<double, 3> direction = {1, -0.7, 0.5};
  const auto dimension = static_cast<std::size_t>(grid.dimension);
  const auto node_count = static_cast<Index>(points.size() / 3);
  const Index corner_count = grid.grid_node_count() + grid.row_count() * numbering_of_centres(grid).before.back();
#pragma omp parallel for schedule(static)
  for (Index node = 0; node < node_count; ++node) {
    double* const x = points.data() + 3 * node;
    double bump = 1;  // vanishes on the sides of the box
    bool inner = true;
    for (std::size_t k = 0; k < dimension; ++k) {
      bump *= std::sin(std::numbers::pi * x[k] / grid.lengths[k]);
      inner = inner && x[k] > 1e-9 * grid.lengths[k] && x[k] < (1 - 1e-9) * grid.lengths[k];
    }
    if (!inner) continue;
    for (std::size_t k = 0; k < dimension; ++k) {
      const std::uint64_t bits = mix(mix(d.seed) ^ static_cast<std::uint64_t>(3 * node + static_cast<Index>(k)));
      const double between = static_cast<double>(bits >> 11) * 0x1p-52 - 1;  // -1 .. 1
      const double reach = (node < corner_count ? 1 : 0.5) * grid.lengths[k] / static_cast<double>(grid.counts[k]);
      x[k] += d.smooth * grid.lengths[k] * direction[k] * bump + d.random * reach * between;
    }
  }
}

MeshData finish(MeshData linear, const Grid& grid, int order, MidNodes mid_nodes, const Distortion& distortion) {
  if (order == 2 && distortion.curved) linear = with_order(linear, 2, mid_nodes);
  distort(linear.points, grid, distortion);
  if (order == 2 && !distortion.curved) linear = with_order(linear, 2, mid_nodes);
  return linear;
}

MeshData make_uniform(Grid grid, CellKind kind, const Distortion& distortion, std::string source) {
  check_grid(grid);
  const CellTraits& t = traits(kind);
  if (t.dimension != grid.dimension)
    throw Error(ErrorKind::other_input,
                fmt::format("a {} cannot be filled with {} cells", grid.dimension == 3 ? "box" : "rectangle", t.name),
                fmt::format("their dimension is {}", t.dimension), "");
  const Pattern pattern = pattern_of(t.linear);
  grid.columns.assign(static_cast<std::size_t>(grid.counts[0]), &pattern);
  const MidNodes mid_nodes = kind_with_order(kind, 2, MidNodes::full) == kind ? MidNodes::full : MidNodes::serendipity;
  return finish(make_linear(grid, std::array{t.linear}, std::move(source)), grid, t.order, mid_nodes, distortion);
}

}  // namespace

MeshData box_data(Index nx, Index ny, Index nz, Point lengths, CellKind kind, const Distortion& distortion) {
  return make_uniform({3, {nx, ny, nz}, lengths, {}}, kind, distortion,
                      fmt::format("box of {}x{}x{} ({})", nx, ny, nz, traits(kind).name));
}

MeshData rectangle_data(Index nx, Index ny, std::array<double, 2> lengths, CellKind kind,
                        const Distortion& distortion) {
  return make_uniform({2, {nx, ny, 1}, {lengths[0], lengths[1], 0}, {}}, kind, distortion,
                      fmt::format("rectangle of {}x{} ({})", nx, ny, traits(kind).name));
}

MeshData box_mixed_data(Index nx, Index ny, Index nz, Point lengths, int order, MidNodes mid_nodes,
                        const Distortion& distortion) {
  Grid grid{3, {nx, ny, nz}, lengths, {}};
  check_grid(grid);
  if (nx < 4)
    throw Error(ErrorKind::other_input, fmt::format("a mixed box of {} cells along x", nx),
                "hexahedra, prisms, pyramids and tetrahedra need one each", "ask for at least 4");
  const Pattern hexes = pattern_of(CellKind::hex8), prisms = pattern_of(CellKind::prism6),
                pyramids = pattern_of(CellKind::pyramid5), transition = transition_pattern(),
                tets = pattern_of(CellKind::tet4);
  const std::array<const Pattern*, 4> quarters = {&hexes, &prisms, &pyramids, &tets};
  for (Index ix = 0; ix < nx; ++ix) grid.columns.push_back(quarters[static_cast<std::size_t>(4 * ix / nx)]);
  *std::prev(std::find(grid.columns.begin(), grid.columns.end(), &tets)) = &transition;
  constexpr std::array kinds = {CellKind::hex8, CellKind::prism6, CellKind::pyramid5, CellKind::tet4};
  return finish(make_linear(grid, kinds, fmt::format("mixed box of {}x{}x{}", nx, ny, nz)), grid, order, mid_nodes,
                distortion);
}

Mesh box(Index nx, Index ny, Index nz, Point lengths, CellKind kind, const Distortion& distortion) {
  return Mesh(box_data(nx, ny, nz, lengths, kind, distortion));
}
Mesh rectangle(Index nx, Index ny, std::array<double, 2> lengths, CellKind kind, const Distortion& distortion) {
  return Mesh(rectangle_data(nx, ny, lengths, kind, distortion));
}
Mesh box_mixed(Index nx, Index ny, Index nz, Point lengths, int order, MidNodes mid_nodes,
               const Distortion& distortion) {
  return Mesh(box_mixed_data(nx, ny, nz, lengths, order, mid_nodes, distortion));
}

}  // namespace ritz
