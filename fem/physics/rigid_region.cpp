#include "fem/physics/rigid_region.hpp"

#include "fem/physics/place.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

constexpr double nothing = 1e-13, independent = 1e-6;

Point place_of(const Mesh& mesh, Node node) {
  const auto x = mesh.point(node);
  return {x[0], x[1], x[2]};
}

template <class Measure>
Node farthest(std::span<const Node> nodes, const Measure& measure) {
  return *std::ranges::max_element(nodes, {}, measure);
}

// Rows [equation][unknown, value] to reduced echelon form with full pivoting. Returns [equation] its pivot, -1: none.
std::vector<int> eliminate_rows(std::vector<std::vector<double>>& rows, std::size_t columns) {
  std::vector<int> pivots(rows.size(), -1);
  for (std::size_t step = 0; step < rows.size(); ++step) {
    std::size_t row = 0, column = 0;
    double best = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; pivots[i] < 0 && j < columns; ++j)
        if (std::abs(rows[i][j]) > best) best = std::abs(rows[i][j]), row = i, column = j;
    if (best < independent) break;
    pivots[row] = static_cast<int>(column);
    const double pivot = rows[row][column];
    for (double& each : rows[row]) each /= pivot;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double factor = rows[i][column];
      for (std::size_t j = 0; i != row && j <= columns; ++j) rows[i][j] -= factor * rows[row][j];
    }
  }
  return pivots;
}

}  // namespace

bool RigidRegion::acts(Node node, int component) const {
  return acting_.empty() || acting_[static_cast<std::size_t>(node) * static_cast<std::size_t>(space_.components()) +
                                    static_cast<std::size_t>(component)] != 0;
}

// u = t + w x (x - base), the rotations times scale_.
RigidRegion::Modes RigidRegion::modes_of(const Point& x, int component) const {
  const Point r = minus(x, base_);
  const auto c = static_cast<std::size_t>(component), j = (c + 1) % 3, k = (c + 2) % 3;
  Modes modes{};
  if (of_revolution_ && component != 1) return modes;
  modes[c] = 1;
  if (of_revolution_) return modes;
  if (space_.mesh().dimension() == 3) {
    modes[3 + j] = r[k] / scale_;
    modes[3 + k] = -r[j] / scale_;
  } else modes[5] = (c == 0 ? -r[1] : r[0]) / scale_;
  return modes;
}

RigidRegion::Modes RigidRegion::rotation_modes(int axis) const {
  Modes modes{};
  modes[3 + static_cast<std::size_t>(axis)] = 1 / scale_;
  return modes;
}

// The components of a node that are most independent of those chosen before, one after the other.
void RigidRegion::choose_at(Node mesh_node) {
  const Node node = space_.node_of(mesh_node);
  const auto rest = [&](const Modes& modes, std::vector<double>& along) {
    Modes left = modes;
    along.assign(basis_.size(), 0.0);
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t b = 0; b < basis_.size(); ++b) {
        double part = 0;
        for (std::size_t m = 0; m < most; ++m) part += left[m] * basis_[b][m];
        for (std::size_t m = 0; m < most; ++m) left[m] -= part * basis_[b][m];
        along[b] += part;
      }
    return left;
  };
  const auto norm = [](const Modes& modes) {
    double sum = 0;
    for (const double each : modes) sum += each * each;
    return std::sqrt(sum);
  };
  while (true) {
    int best = -1;
    double size = independent;
    Modes direction{};
    std::vector<double> row, along;
    for (int c = 0; c < space_.components(); ++c) {
      if (!acts(node, c)) continue;
      const Modes left = rest(c < 3 ? modes_of(space_.point(node), c) : rotation_modes(c - 3), along);
      const double left_size = norm(left) * (c < 3 ? 1 : scale_);
      if (left_size <= size * (1 + 1e-9)) continue;
      best = c, size = left_size, direction = left, row = along;
    }
    if (best < 0) return;
    const double length = norm(direction);
    for (double& each : direction) each /= length;
    basis_.push_back(direction);
    row.push_back(length);
    triangle_.push_back(std::move(row));
    chosen_.push_back({node, mesh_node, best});
  }
}

// Far apart: the node farthest from the mean, the one farthest from it, and the one farthest from the line of both.
void RigidRegion::choose(std::span<const Node> mesh_nodes, const Region& region) {
  const Mesh& mesh = space_.mesh();
  std::vector<Node> turning, moving;
  for (const Node mesh_node : mesh_nodes) {
    const Node node = space_.node_of(mesh_node);
    if (node < 0 || !acts(node, 0)) continue;
    moving.push_back(mesh_node);
    if (space_.components() == 6 && acts(node, 3) && acts(node, 4) && acts(node, 5)) turning.push_back(mesh_node);
  }
  if (moving.empty())
    throw Error(ErrorKind::not_joined, fmt::format("the rigid region '{}' has no nodes", region.name),
                "nothing moves with it", "name a region of the body")
        .at(equations_.origin);
  Point mean{};
  for (const Node node : moving)
    for (std::size_t d = 0; d < 3; ++d) mean[d] += place_of(mesh, node)[d] / static_cast<double>(moving.size());
  const auto from = [&](const Point& x) { return [&, x](Node node) { return distance(place_of(mesh, node), x); }; };
  const Node a = farthest(turning.empty() ? moving : turning, from(mean));
  const Point at_a = place_of(mesh, a);
  const Node b = farthest(moving, from(at_a));
  const Point along = minus(place_of(mesh, b), at_a);
  const Node c = farthest(moving, [&](Node node) { return length(cross(along, minus(place_of(mesh, node), at_a))); });
  base_ = at_a;
  reference_ = mean;
  if (length(along) > 0) scale_ = length(along);
  for (const Node each : {a, b, c}) choose_at(each);
}

std::vector<double> RigidRegion::factors(const Modes& modes, double* undetermined) const {
  // value = row . basis . triangle^-1 parameters
  std::vector<double> result(basis_.size());
  double all = 0, met = 0;
  for (const double each : modes) all += each * each;
  for (std::size_t b = 0; b < basis_.size(); ++b) {
    for (std::size_t m = 0; m < most; ++m) result[b] += modes[m] * basis_[b][m];
    met += result[b] * result[b];
  }
  if (undetermined != nullptr) *undetermined = std::sqrt(std::max(all - met, 0.0));
  for (std::size_t b = basis_.size(); b-- > 0;) {
    result[b] /= triangle_[b][b];
    for (std::size_t before = 0; before < b; ++before) result[before] -= result[b] * triangle_[b][before];
  }
  return result;
}

RigidRegion::RigidRegion(const FunctionSpace& space, const Region& region, const RigidOptions& options)
    : space_(space),
      acting_(options.acting),
      of_revolution_(options.of_revolution),
      equations_{.origin = options.origin} {
  const int components = space.components(), dimension = space.mesh().dimension();
  if (components != dimension && components != 6)
    throw Error(ErrorKind::relation, "a rigid region of a field that is no displacement",
                fmt::format("the unknown has {} components in {} dimensions", components, dimension),
                "rigid regions are of bodies that move")
        .at(options.origin);
  choose(ritz::nodes_in(space.mesh(), region), region);
  if (options.reference) reference_ = *options.reference;
  std::vector<UnknownTerm> row;
  for (const Node node : space.nodes_in(region))
    for (int c = 0; c < components; ++c) {
      const bool is_chosen =
          std::ranges::any_of(chosen_, [&](const Parameter& p) { return p.node == node && p.component == c; });
      if (is_chosen || !acts(node, c)) continue;
      const std::vector<double> f = factors(c < 3 ? modes_of(space.point(node), c) : rotation_modes(c - 3));
      row.assign({{node, c, 1.0}});
      for (std::size_t p = 0; p < f.size(); ++p)
        if (std::abs(f[p]) > nothing * (c < 3 ? 1 : 1 / scale_))
          row.push_back({chosen_[p].node, chosen_[p].component, -f[p]});
      equations_.add(row);
    }
  prescribe(options);
}

void RigidRegion::prescribe(const RigidOptions& options) {
  const int dimension = space_.mesh().dimension();
  std::vector<std::vector<double>> rows;
  const auto add = [&](const Modes& modes, double value, double unit, const std::string& what) {
    double undetermined = 0;
    std::vector<double> row = factors(modes, &undetermined);
    if (undetermined * unit > independent)
      throw Error(ErrorKind::not_joined,
                  fmt::format("the {} of a rigid region is prescribed that it does not have", what),
                  "its nodes lie on one line, or it is one node", "omit this value, or move the reference point")
          .at(options.origin);
    for (double& each : row) each *= unit;
    row.push_back(value * unit);
    rows.push_back(std::move(row));
  };
  for (int c = 0; c < 3; ++c) {
    const auto d = static_cast<std::size_t>(c);
    if (options.displacement[d] && c < dimension)
      add(modes_of(reference_, c), *options.displacement[d], 1, fmt::format("displacement along {}", "xyz"[d]));
    if (options.rotation[d] && (dimension == 3 || c == 2))
      add(rotation_modes(c), *options.rotation[d], scale_, fmt::format("rotation about {}", "xyz"[d]));
  }
  const std::vector<int> pivots = eliminate_rows(rows, chosen_.size());
  std::vector<UnknownTerm> row;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (pivots[i] < 0) continue;
    const auto pivot = static_cast<std::size_t>(pivots[i]);
    row.assign({{chosen_[pivot].node, chosen_[pivot].component, 1.0}});
    for (std::size_t p = 0; p < chosen_.size(); ++p)
      if (p != pivot && std::abs(rows[i][p]) > nothing)
        row.push_back({chosen_[p].node, chosen_[p].component, rows[i][p]});
    equations_.add(row, rows[i].back());
  }
}

std::vector<UnknownTerm> RigidRegion::terms(std::size_t motion) const {
  const int c = static_cast<int>(motion), dimension = space_.mesh().dimension();
  std::vector<UnknownTerm> result;
  if (dimension == 2 && c != 0 && c != 1 && c != 5) return result;
  double undetermined = 0;
  const std::vector<double> f = factors(c < 3 ? modes_of(reference_, c) : rotation_modes(c - 3), &undetermined);
  if (undetermined * (c < 3 ? 1 : scale_) > independent) return result;
  for (std::size_t p = 0; p < f.size(); ++p) result.push_back({chosen_[p].node, chosen_[p].component, f[p]});
  return result;
}

RigidMotion RigidRegion::motion(std::span<const double> u) const {
  const auto components = static_cast<std::size_t>(space_.components());
  const auto value = [&](const Modes& modes) {
    const std::vector<double> f = factors(modes);
    double sum = 0;
    for (std::size_t p = 0; p < f.size(); ++p)
      sum += f[p] *
             u[static_cast<std::size_t>(chosen_[p].node) * components + static_cast<std::size_t>(chosen_[p].component)];
    return sum;
  };
  RigidMotion result;
  const int dimension = space_.mesh().dimension();
  for (int c = 0; c < 3; ++c) {
    const auto d = static_cast<std::size_t>(c);
    if (c < dimension) result.displacement[d] = value(modes_of(reference_, c));
    if (dimension == 3 || c == 2) result.rotation[d] = value(rotation_modes(c));
  }
  return result;
}

std::vector<NodalForce> RigidRegion::forces(const std::array<double, 3>& force,
                                            const std::array<double, 3>& moment) const {
  std::vector<NodalForce> result;
  const int dimension = space_.mesh().dimension();
  const auto add = [&](std::size_t p, double value) {
    const Parameter& at = chosen_[p];
    auto found = std::ranges::find(result, at.mesh_node, &NodalForce::mesh_node);
    if (found == result.end()) found = result.insert(found, {at.mesh_node});
    const auto c = static_cast<std::size_t>(at.component);
    (c < 3 ? found->force[c] : found->moment[c - 3]) += value;
  };
  for (int c = 0; c < 3; ++c) {
    const auto d = static_cast<std::size_t>(c);
    if (c < dimension) {
      const std::vector<double> f = factors(modes_of(reference_, c));
      for (std::size_t p = 0; p < f.size(); ++p) add(p, f[p] * force[d]);
    }
    if (dimension == 3 || c == 2) {
      const std::vector<double> f = factors(rotation_modes(c));
      for (std::size_t p = 0; p < f.size(); ++p) add(p, f[p] * moment[d]);
    }
  }
  return result;
}

}  // namespace ritz
