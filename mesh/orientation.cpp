// Jacobians of all cells, at their nodes and centroid. Shape function gradients at a node involve only the nodes on
// the grid lines through it, so they are kept as sparse lists; tetrahedra take a shorter way.
#include "mesh/cell_geometry.hpp"
#include "mesh/checks.hpp"
#include "mesh/mirror.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

enum Status : std::uint8_t { positive, reversed, flat, folded };

struct GradientEntry {
  int node;
  double slope[3];
};

struct CheckPoints {  // [point] -> entries start[point] .. start[point + 1]
  std::vector<int> start = {0};
  std::vector<GradientEntry> entries;

  void add(CellKind kind, const Point& xi) { add(shape_gradients(kind, xi)); }
  void add(std::span<const Point> gradients) {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const Point& g = gradients[i];
      if (g != Point{}) entries.push_back({static_cast<int>(i), {g[0], g[1], g[2]}});
    }
    start.push_back(static_cast<int>(entries.size()));
  }
};

CheckPoints check_points_of(CellKind kind) {
  CheckPoints points;
  const CellTraits& t = traits(kind);
  if (kind == CellKind::tri3 || kind == CellKind::line2) {  // constant
    points.add(kind, reference_centroid(kind));
    return points;
  }
  for (const Point& node : reference_nodes(kind)) {
    if (t.linear == CellKind::pyramid5 && node[2] == 1) continue;
    points.add(kind, node);
  }
  if (kind == CellKind::pyramid13 || kind == CellKind::pyramid14)  // near the apex, along the edges and the axis;
    for (const auto& [s, q] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, 0}}) {  // linear: the same as below it
      const double h = 1e-7;
      points.add(kind, {s * h, q * h, 1 - h});
    }
  points.add(kind, reference_centroid(kind));
  return points;
}

// Check points of a cell with its own map: its nodes.
CheckPoints check_points_of(const LagrangePolynomials& functions) {
  CheckPoints points;
  const std::size_t n = functions.nodes().size();
  std::vector<double> values(n);
  std::vector<Point> gradients(n);
  const auto add = [&](const Point& xi) {
    functions.evaluate(xi, values, gradients);
    points.add(gradients);
  };
  for (const Point& node : functions.nodes())
    if (functions.shape() != CellKind::pyramid5 || node[2] < 1) add(node);
  add(reference_centroid(functions.shape()));
  return points;
}

struct Frame {  // the columns of a Jacobian
  double a[3], b[3], c[3];
};

double scalar_product(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double determinant(const Frame& J) {
  return J.a[0] * (J.b[1] * J.c[2] - J.b[2] * J.c[1]) + J.a[1] * (J.b[2] * J.c[0] - J.b[0] * J.c[2]) +
         J.a[2] * (J.b[0] * J.c[1] - J.b[1] * J.c[0]);
}

// Coordinates are known to 4 units in the last place of `size`, and so are columns: the determinant's error is at most
// that times the sum of the products of the other columns' lengths. Smaller values cannot be distinguished from zero.
double noise_of(const Frame& J, double size, int dimension) {
  const double e = 4 * 2.2e-16 * size;
  if (dimension == 1) return e;
  const double a = std::sqrt(scalar_product(J.a, J.a)), b = std::sqrt(scalar_product(J.b, J.b));
  if (dimension == 2) return e * (a + b);
  const double c = std::sqrt(scalar_product(J.c, J.c));
  return e * (a * b + b * c + c * a);
}

struct Verdict {  // over the check points of one cell
  bool all_positive = true, all_negative = true, all_flat = true;
  void add(double det, double noise) {
    const bool up = det > noise, down = det < -noise;
    all_positive &= up;
    all_negative &= down;
    all_flat &= !up && !down;
  }
  Status status() const { return all_positive ? positive : all_negative ? reversed : all_flat ? flat : folded; }
};

double size_of(const Point* x, int n) {
  double size = 0;
  for (int i = 0; i < n; ++i) size = std::max({size, std::abs(x[i][0]), std::abs(x[i][1]), std::abs(x[i][2])});
  return size;
}

Status status_of_tet(const Point* x) {
  Frame J;
  for (int k = 0; k < 3; ++k) J.a[k] = x[1][k] - x[0][k], J.b[k] = x[2][k] - x[0][k], J.c[k] = x[3][k] - x[0][k];
  const double det = determinant(J);
  // sure without square roots: noise <= 4 eps size 3 max |column|^2
  const double longest = std::max({scalar_product(J.a, J.a), scalar_product(J.b, J.b), scalar_product(J.c, J.c)}),
               size = size_of(x, 4);
  if (det > 12 * 2.2e-16 * size * longest) return positive;
  Verdict verdict;
  verdict.add(det, noise_of(J, size, 3));
  return verdict.status();
}

// A surface in space: its normals all look to the side of the first.
void add_surface(const Frame& J, double size, double (&first)[3], Verdict& verdict) {
  double normal[3];
  for (int i = 0; i < 3; ++i) normal[i] = J.a[(i + 1) % 3] * J.b[(i + 2) % 3] - J.a[(i + 2) % 3] * J.b[(i + 1) % 3];
  const double area = std::sqrt(scalar_product(normal, normal)), noise = noise_of(J, size, 2);
  if (area <= noise) return verdict.add(0, noise);
  if (scalar_product(first, first) == 0) std::copy_n(normal, 3, first);
  verdict.add(scalar_product(normal, first) > 0 ? area : -area, noise);
}

Status status_of(const Point* x, int n, int dimension, bool in_space, const CheckPoints& points) {
  const double size = size_of(x, n);
  Verdict verdict;
  double first_normal[3] = {0, 0, 0};
  for (std::size_t p = 0; p + 1 < points.start.size(); ++p) {
    Frame J{};
    for (int e = points.start[p]; e < points.start[p + 1]; ++e) {
      const GradientEntry& g = points.entries[static_cast<std::size_t>(e)];
      const Point& at = x[g.node];
      for (int k = 0; k < 3; ++k) {
        J.a[k] += g.slope[0] * at[k];
        J.b[k] += g.slope[1] * at[k];
        J.c[k] += g.slope[2] * at[k];
      }
    }
    if (dimension == 3) verdict.add(determinant(J), noise_of(J, size, 3));
    if (dimension == 2 && in_space) add_surface(J, size, first_normal, verdict);
    else if (dimension == 2) verdict.add(J.a[0] * J.b[1] - J.a[1] * J.b[0], noise_of(J, size, 2));
    if (dimension == 1) verdict.add(std::sqrt(scalar_product(J.a, J.a)), noise_of(J, size, 1));
  }
  return verdict.status();
}

struct Judgement {
  std::vector<std::uint8_t> status;  // [cell of the block]
  Index counts[4] = {};
};

Judgement judge(const MeshData& data, const CellBlock& block) {
  const int n = traits(block.kind).node_count, dimension = traits(block.kind).dimension;
  const Index count = block.cell_count();
  const CheckPoints points = check_points_of(block.kind);
  const CheckPoints own = block.curved.empty() ? CheckPoints() : check_points_of(*block.curved.functions);
  const bool is_tet = block.kind == CellKind::tet4;
  Judgement result;
  result.status.resize(static_cast<std::size_t>(count));
  Index reversed_count = 0, flat_count = 0, folded_count = 0;
#pragma omp parallel for schedule(static) reduction(+ : reversed_count, flat_count, folded_count)
  for (Index c = 0; c < count; ++c) {
    Status status;
    if (const std::span<const Point> curved = block.curved.of(c); !curved.empty()) {
      status = status_of(curved.data(), static_cast<int>(curved.size()), dimension, false, own);
    } else {
      const Node* const cell = block.nodes.data() + c * n;
      Point x[27];
      for (int i = 0; i < n; ++i) std::copy_n(data.points.data() + 3 * static_cast<Index>(cell[i]), 3, x[i].data());
      status = is_tet ? status_of_tet(x) : status_of(x, n, dimension, data.structural, points);
    }
    result.status[static_cast<std::size_t>(c)] = status;
    reversed_count += status == reversed;
    flat_count += status == flat;
    folded_count += status == folded;
  }
  result.counts[reversed] = reversed_count;
  result.counts[flat] = flat_count;
  result.counts[folded] = folded_count;
  result.counts[positive] = count - reversed_count - flat_count - folded_count;
  return result;
}

// The points of the nodes after the first two reference axes have changed places.
void turn(CurvedCells& curved) {
  if (curved.empty()) return;
  std::vector<std::vector<double>> at_mirrored;
  for (const Point& x : curved.functions->nodes()) at_mirrored.push_back(curved.functions->at({x[1], x[0], x[2]}));
  const std::size_t n = at_mirrored.size();
  std::vector<Point> turned(curved.points.size());
  for (std::size_t i = 0; i < turned.size(); ++i)
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t k = 0; k < 3; ++k) turned[i][k] += at_mirrored[i % n][b] * curved.points[i - i % n + b][k];
  curved.points = std::move(turned);
}

void turn_block(MeshData& data, CellBlock& block) {
  turn(block.curved);
  const auto order = mirrored_nodes(block.kind);
  const auto facets = mirrored_facets(block.kind);
  const auto n = static_cast<Index>(order.size());
  const Index count = block.cell_count();
#pragma omp parallel for schedule(static)
  for (Index c = 0; c < count; ++c) {
    Node old[27];
    Node* const cell = block.nodes.data() + c * n;
    std::copy_n(cell, n, old);
    for (Index i = 0; i < n; ++i) cell[i] = old[order[static_cast<std::size_t>(i)]];
  }
  for (Region& region : data.regions) {
    for (FacetOfCell& f : region.facets)
      if (f.cell >= block.first_cell && f.cell < block.first_cell + count)
        f.facet = facets[static_cast<std::size_t>(f.facet)];
    std::sort(region.facets.begin(), region.facets.end(), [](const FacetOfCell& a, const FacetOfCell& b) {
      return std::pair(a.cell, a.facet) < std::pair(b.cell, b.facet);
    });
  }
}

void report(const MeshData& data, const CellBlock& block, const Judgement& judgement, Status status,
            std::string_view complaint, std::string_view why, std::string_view fix, ErrorList& errors) {
  const Index count = judgement.counts[status];
  if (count == 0) return;
  std::vector<Index> first;
  for (std::size_t c = 0; c < judgement.status.size() && first.size() < 10; ++c)
    if (judgement.status[c] == status) first.push_back(block.first_cell + static_cast<Index>(c));
  errors.add(Error(ErrorKind::inverted_cells,
                   fmt::format("{} of kind {} in {} {} {}; the first is at {}", counted("cell", count, first),
                               traits(block.kind).name, data.source, count == 1 ? "is" : "are", complaint,
                               place_of_cell(data, first[0])),
                   std::string(why), std::string(fix)));
}

}  // namespace

std::vector<CellStatus> cell_statuses(const MeshData& data) {
  std::vector<CellStatus> statuses;
  for (const CellBlock& block : data.blocks)
    for (const std::uint8_t status : judge(data, block).status) statuses.push_back(static_cast<CellStatus>(status));
  return statuses;
}

void orient_cells(MeshData& data, bool fix, std::vector<std::string>& notices, ErrorList& errors) {
  for (CellBlock& block : data.blocks) {
    const Judgement judgement = judge(data, block);
    const Index count = block.cell_count();
    if (judgement.counts[positive] == count) continue;
    if (judgement.counts[reversed] == count && fix) {
      turn_block(data, block);
      notices.push_back(
          fmt::format("all {} cells of kind {} in one block of {} were inside out (negative Jacobian) "
                      "and have been renumbered",
                      count, traits(block.kind).name, data.source));
      continue;
    }
    const bool mixture = judgement.counts[reversed] < count;
    report(data, block, judgement, reversed, "inside out (negative Jacobian)",
           mixture ? "other cells of the block are not, so the mesh is folded or its parts are numbered differently"
                   : "the nodes of the whole block are numbered the other way round",
           mixture ? "mesh the place again, or number all cells of a block alike" : "set MeshChecks::fix_inverted",
           errors);
    report(data, block, judgement, flat, "without volume (zero Jacobian)",
           "their nodes coincide or lie in one plane or line, to within the precision of the coordinates",
           "remove them, or mesh the place again", errors);
    report(data, block, judgement, folded, "folded (the Jacobian vanishes or changes its sign inside the cell)",
           "nodes are repeated, misplaced or in another order than the file's format says",
           "straighten the edges there, or mesh the place again without cells that repeat nodes", errors);
  }
}

}  // namespace ritz
