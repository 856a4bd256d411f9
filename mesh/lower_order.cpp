#include "mesh/lower_order.hpp"

#include "mesh/lagrange_cells.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace ritz {
namespace {

constexpr double same_place = 1e-9;  // on reference cells

using Matrix = std::vector<std::vector<double>>;  // [point][node of the file]

// The corners that a point of the reference cell lies between: the identity of the edge, facet or inside that it is on.
std::vector<bool> corners_around(CellKind shape, const Point& x) {
  std::vector<bool> around;
  for (const double value : shape_values(shape, x)) around.push_back(std::abs(value) > same_place);
  return around;
}

// Data that all cells of one kind share.
class Lowering {
 public:
  Lowering(CellKind kind, const NodeSet& set)
      : kind_(kind),
        set_(&set),
        functions_(std::make_shared<const LagrangePolynomials>(traits(kind).linear, set.order, set.nodes)) {
    const CellKind shape = traits(kind).linear;
    std::vector<std::vector<bool>> corners;  // [node of the file]
    for (const Point& x : set.nodes) corners.push_back(corners_around(shape, x));
    for (const Point& x : reference_nodes(kind)) {
      const std::vector<bool> mine = corners_around(shape, x);
      at_nodes_.push_back(functions_->at(x));
      std::vector<std::size_t> same, around;
      for (std::size_t i = 0; i < set.nodes.size(); ++i) {
        if (distance(set.nodes[i], x) < same_place) same.push_back(i);
        if (corners[i] == mine) around.push_back(i);
      }
      stays_.push_back(!same.empty());
      candidates_.push_back(same.empty() ? around : same);
    }
    for (const Point& x : set.nodes) difference_at_nodes_.push_back(difference_at(x, functions_->at(x)));
    // The difference of a cubic and its parabola is greatest at 1/sqrt(3), which is 8/14 but for one per cent.
    const int steps = traits(kind).dimension == 3 ? 14 : 28;
    for (const Point& x : lagrange_nodes(shape, steps)) {
      const std::vector<double> values = functions_->at(x);
      difference_.push_back(difference_at(x, values));
      double sum = 0;
      for (const double value : values) sum += std::abs(value);
      amplification_ = std::max(amplification_, sum);
    }
  }

  const std::shared_ptr<const LagrangePolynomials>& functions() const { return functions_; }
  std::size_t node_count() const { return set_->nodes.size(); }
  std::size_t new_node_count() const { return candidates_.size(); }
  bool stays(std::size_t node) const { return stays_[node]; }

  Node number(std::size_t node, std::span<const Node> cell) const {
    Node least = cell[candidates_[node][0]];
    for (const std::size_t i : candidates_[node]) least = std::min(least, cell[i]);
    return least;
  }
  // `x`: of the cell's nodes, from its first one.
  Point place(std::size_t node, std::span<const Point> x) const { return combined(at_nodes_[node], x); }

  // Whether the two maps differ by more than a millionth of the shortest distance of two corners. What is of degree k
  // vanishes when it does so at the nodes.
  bool differs(std::span<const Point> x) const {
    const auto corners = x.first(static_cast<std::size_t>(traits(kind_).corner_count));
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < corners.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) shortest = std::min(shortest, distance(corners[a], corners[b]));
    return greatest(difference_at_nodes_, x) > 1e-6 * shortest;
  }

  // The greatest distance between the two maps; 0 if it cannot exceed `known`. The differences at the file's nodes
  // bound it: between them they grow by at most the sum of the polynomials' magnitudes.
  double distance_of_maps(std::span<const Point> x, double known) const {
    if (amplification_ * greatest(difference_at_nodes_, x) < known) return 0;
    return greatest(difference_, x);
  }

 private:
  static Point combined(const std::vector<double>& weights, std::span<const Point> x) {
    Point sum{};
    for (std::size_t i = 0; i < weights.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) sum[k] += weights[i] * x[i][k];
    return sum;
  }
  static double greatest(const Matrix& weights, std::span<const Point> x) {
    double square = 0;
    for (const std::vector<double>& row : weights) {
      const Point d = combined(row, x);
      square = std::max(square, dot(d, d));
    }
    return std::sqrt(square);
  }
  // Weights of the nodes in the file's map, which are given, less those in the map of order 2.
  std::vector<double> difference_at(const Point& x, std::vector<double> weights) const {
    const std::vector<double> quadratic = shape_values(kind_, x);
    for (std::size_t a = 0; a < quadratic.size(); ++a)
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= quadratic[a] * at_nodes_[a][i];
    return weights;
  }

  CellKind kind_;
  const NodeSet* set_;
  std::shared_ptr<const LagrangePolynomials> functions_;  // of the file
  Matrix at_nodes_;                                       // of order 2
  std::vector<bool> stays_;                               // [node of order 2]: the file has a node there
  std::vector<std::vector<std::size_t>> candidates_;  // [node of order 2]: nodes of the file whose number it may take
  Matrix difference_at_nodes_, difference_;
  double amplification_ = 0;
};

// The nodes of a cell, from its first one: the differences of points far from the origin keep their digits.
void gather(std::span<const Node> cell, std::span<const double> points, std::vector<Point>& x) {
  x.resize(cell.size());
  for (std::size_t i = 0; i < cell.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      x[i][k] = points[3 * static_cast<std::size_t>(cell[i]) + k] - points[3 * static_cast<std::size_t>(cell[0]) + k];
}

double size_of(CellKind kind, std::span<const Point> x) {
  const auto corners = x.first(static_cast<std::size_t>(traits(kind).corner_count));
  double size = 0;
  for (const Point& a : corners)
    for (const Point& b : corners) size = std::max(size, distance(a, b));
  return size;
}

struct Loss {
  double distance = -1, fraction = 0;
  CellKind kind{};
  Index cell = 0;
  Point near{};
};

// The greatest of the cells of a kind; none where all are less than `known`.
Loss measure(const Lowering& lowering, CellKind kind, std::span<const Node> cells, std::span<const double> points,
             double known) {
  const std::size_t width = lowering.node_count();
  const auto count = static_cast<Index>(cells.size() / width);
  Loss worst;
#pragma omp parallel
  {
    Loss mine;
    std::vector<Point> x;
#pragma omp for schedule(dynamic, 16)
    for (Index c = 0; c < count; ++c) {
      const auto cell = cells.subspan(static_cast<std::size_t>(c) * width, width);
      gather(cell, points, x);
      const double distance = lowering.distance_of_maps(x, std::max(mine.distance, known));
      if (!(distance > mine.distance)) continue;
      mine = {distance, distance / size_of(kind, x), kind, c, {}};
      for (std::size_t k = 0; k < 3; ++k) mine.near[k] = points[3 * static_cast<std::size_t>(cell[0]) + k];
    }
#pragma omp critical(ritz_lower_order)
    if (mine.distance > worst.distance || (mine.distance == worst.distance && mine.cell < worst.cell)) worst = mine;
  }
  return worst;
}

// The cells whose two maps differ.
CurvedCells curved_cells(const Lowering& lowering, std::span<const Node> cells, std::span<const double> points) {
  const std::size_t width = lowering.node_count();
  const auto count = static_cast<Index>(cells.size() / width);
  std::vector<std::uint8_t> differs(static_cast<std::size_t>(count));
#pragma omp parallel
  {
    std::vector<Point> x;
#pragma omp for schedule(dynamic, 16)
    for (Index c = 0; c < count; ++c) {
      gather(cells.subspan(static_cast<std::size_t>(c) * width, width), points, x);
      differs[static_cast<std::size_t>(c)] = lowering.differs(x);
    }
  }
  CurvedCells curved;
  for (Index c = 0; c < count; ++c) {
    if (differs[static_cast<std::size_t>(c)] == 0) continue;
    curved.cells.push_back(c);
    for (const Node node : cells.subspan(static_cast<std::size_t>(c) * width, width)) {
      const double* x = &points[3 * static_cast<std::size_t>(node)];
      curved.points.push_back({x[0], x[1], x[2]});
    }
  }
  if (!curved.empty()) curved.functions = lowering.functions();
  return curved;
}

enum class Use : std::uint8_t { none, unneeded, stays, moves };

class Rewriting {
 public:
  Rewriting(std::span<const double> points, const std::string& source)
      : points_(points), source_(&source), use_(points.size() / 3, Use::none), moved_(points.begin(), points.end()) {}

  void keep(std::span<const Node> nodes) {
    for (const Node node : nodes) stay(node);
  }

  std::vector<Node> rewrite(const Lowering& lowering, std::span<const Node> cells, CellKind kind) {
    const std::size_t width = lowering.node_count();
    std::vector<Node> nodes;
    nodes.reserve(cells.size() / width * lowering.new_node_count());
    std::vector<Point> x;
    for (std::size_t at = 0; at < cells.size(); at += width) {
      const auto cell = cells.subspan(at, width);
      for (const Node node : cell)
        if (Use& use = use_[static_cast<std::size_t>(node)]; use == Use::none) use = Use::unneeded;
      gather(cell, points_, x);
      const double tolerance = 1e-6 * size_of(kind, x);
      for (std::size_t a = 0; a < lowering.new_node_count(); ++a) {
        nodes.push_back(lowering.number(a, cell));
        if (lowering.stays(a)) stay(nodes.back());
        else move(nodes.back(), lowering.place(a, x), cell[0], tolerance);
      }
    }
    return nodes;
  }

  std::vector<std::uint8_t> unneeded() const {
    std::vector<std::uint8_t> flags;
    for (const Use use : use_) flags.push_back(use == Use::unneeded);
    return flags;
  }
  std::vector<double> points() && { return std::move(moved_); }

 private:
  void stay(Node node) {
    Use& use = use_[static_cast<std::size_t>(node)];
    if (use == Use::moves) refuse(node);
    use = Use::stays;
  }
  void move(Node node, const Point& from_first, Node first, double tolerance) {
    Use& use = use_[static_cast<std::size_t>(node)];
    if (use == Use::stays) refuse(node);
    double* place = moved_.data() + 3 * static_cast<std::size_t>(node);
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = points_[3 * static_cast<std::size_t>(first) + k] + from_first[k];
      if (use == Use::moves && std::abs(x - place[k]) > tolerance) refuse(node);
      if (use != Use::moves) place[k] = x;
    }
    use = Use::moves;
  }
  [[noreturn]] void refuse(Node node) const {
    throw Error(
        ErrorKind::mesh_order,
        fmt::format("the cells that share node {} (counted from 0) of '{}' do not fit each other", node, *source_),
        "it is between the corners of a cell of order 3 or more, and elsewhere in another one",
        "write the file again with the mesher, all cells of one order, or of order 1 or 2");
  }

  std::span<const double> points_;
  const std::string* source_;
  std::vector<Use> use_;
  std::vector<double> moved_;
};

void say(const Loss& worst, int order, Index curved, KeepMaps keep, const std::string& source,
         std::vector<std::string>& notices) {
  const std::string difference = fmt::format(
      "the two maps differ by at most {:.2g} in the file's unit, {:.2g} % of the cell's size ({} {}, near ({:.4g}, "
      "{:.4g}, {:.4g}))",
      worst.distance, 100 * worst.fraction, traits(worst.kind).name, worst.cell, worst.near[0], worst.near[1],
      worst.near[2]);
  if (keep == KeepMaps::no)
    notices.push_back(fmt::format("cells of order {} in '{}' are taken at order 2: {}", order, source, difference));
  else if (curved == 0)
    notices.push_back(
        fmt::format("cells of order {} in '{}' are of order 2 in their shape: {}", order, source, difference));
  else
    notices.push_back(fmt::format("{} cell{} of order {} in '{}' keep{} the file's map, with nodes of order 2: {}",
                                  curved, curved == 1 ? "" : "s", order, source, curved == 1 ? "s" : "", difference));
}

}  // namespace

bool tells_of_lower_order(std::string_view notice) {
  return notice.find("are taken at order 2") != std::string_view::npos;
}

Index file_node_count(const NodeSets& sets, CellKind kind) {
  const NodeSet& set = sets[static_cast<std::size_t>(kind)];
  return set.nodes.empty() ? traits(kind).node_count : static_cast<Index>(set.nodes.size());
}

CellKind complete_quadratic(CellKind shape) {
  CellKind most = shape;
  for (const CellKind kind : all_cell_kinds())
    if (traits(kind).linear == shape && traits(kind).node_count > traits(most).node_count) most = kind;
  return most;
}

LoweredCells lower_order(CellsByKind& cells, const NodeSets& sets, std::vector<double>& points, KeepMaps keep,
                         const std::string& source, std::vector<std::string>& notices) {
  int order = 0, dimension = 0;
  for (const CellKind kind : all_cell_kinds()) {
    const auto k = static_cast<std::size_t>(kind);
    if (cells[k].empty()) continue;
    order = std::max(order, sets[k].order);
    dimension = std::max(dimension, traits(kind).dimension);
  }
  if (order == 0) return {};
  LoweredCells lowered;
  Rewriting rewriting(points, source);
  Loss worst;
  Index curved = 0;
  const std::span<const CellKind> kinds = all_cell_kinds();
  for (auto at = kinds.rbegin(); at != kinds.rend(); ++at) {  // solids before their facets
    const CellKind kind = *at;
    const auto k = static_cast<std::size_t>(kind);
    if (cells[k].empty() || sets[k].nodes.empty()) continue;
    const Lowering lowering(kind, sets[k]);
    const Loss loss = measure(lowering, kind, cells[k], points, worst.distance);
    // A facet differs like its solid, but on a finer lattice.
    const bool is_facet = worst.distance >= 0 && traits(kind).dimension < traits(worst.kind).dimension;
    if (loss.distance > (is_facet ? 1.05 : 1) * worst.distance) worst = loss;
    if (keep == KeepMaps::where_they_differ && traits(kind).dimension == dimension && dimension > 1)
      lowered.curved[k] = curved_cells(lowering, cells[k], points);
    curved += std::ssize(lowered.curved[k].cells);
    cells[k] = rewriting.rewrite(lowering, cells[k], kind);
  }
  for (const CellKind kind : all_cell_kinds()) {
    const auto k = static_cast<std::size_t>(kind);
    if (sets[k].nodes.empty()) rewriting.keep(cells[k]);
  }
  say(worst, order, curved, dimension > 1 ? keep : KeepMaps::no, source, notices);
  lowered.unneeded = rewriting.unneeded();
  points = std::move(rewriting).points();
  return lowered;
}

void drop_points(MeshData& data, const std::vector<std::uint8_t>& unneeded) {
  if (unneeded.empty()) return;
  std::vector<Node> number(unneeded.size(), -1);
  std::size_t next = 0;
  for (std::size_t node = 0; node < unneeded.size(); ++node) {
    if (unneeded[node] != 0) continue;
    std::copy_n(data.points.begin() + static_cast<std::ptrdiff_t>(3 * node), 3,
                data.points.begin() + static_cast<std::ptrdiff_t>(3 * next));
    number[node] = static_cast<Node>(next++);
  }
  data.points.resize(3 * next);
  // regions have not been checked yet
  const auto exists = [&number](Node node) { return node >= 0 && node < std::ssize(number); };
  const auto renumber = [&](std::vector<Node>& nodes) {
    for (Node& node : nodes)
      if (exists(node)) node = number[static_cast<std::size_t>(node)];
  };
  for (CellBlock& block : data.blocks) renumber(block.nodes);
  for (Region& region : data.regions) {
    std::erase_if(region.nodes,
                  [&](Node node) { return exists(node) && unneeded[static_cast<std::size_t>(node)] != 0; });
    renumber(region.nodes);
  }
}

}  // namespace ritz
