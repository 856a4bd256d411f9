#include "fem/space/rigid_motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace ritz {
namespace {

// Motions are rows (wx, wy, wz, tx, ty, tz): u(x) = t + w x (x - centre) / size.
constexpr int motion_size = 6;
using Motion = std::array<double, motion_size>;
using Vec = std::array<double, 3>;
using Gram = std::array<Motion, motion_size>;

struct Part {
  Index cell_count = 0, first_cell = 0;
  Vec low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  Gram gram{};  // sum of row^T row over the supports
  double size() const { return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-300}); }
  Vec centre() const { return {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])}; }
};

// Component c of the six elementary motions at point x; from 3 on the rotation of a beam or shell there.
Motion motions_at(const Part& part, const Vec& x, int c) {
  const Vec m = part.centre();
  const double s = part.size();
  const Vec d{(x[0] - m[0]) / s, (x[1] - m[1]) / s, (x[2] - m[2]) / s};
  Motion row{};
  if (c >= 3) {
    row[static_cast<std::size_t>(c - 3)] = 1;
    return row;
  }
  row[static_cast<std::size_t>(3 + c)] = 1;
  const int j = (c + 1) % 3, k = (c + 2) % 3;  // (w x d)_c = w_j d_k - w_k d_j
  row[static_cast<std::size_t>(j)] = d[static_cast<std::size_t>(k)];
  row[static_cast<std::size_t>(k)] = -d[static_cast<std::size_t>(j)];
  return row;
}

void add_square(Gram& gram, const Motion& row) {
  for (std::size_t i = 0; i < motion_size; ++i)
    for (std::size_t j = 0; j < motion_size; ++j) gram[i][j] += row[i] * row[j];
}

std::vector<int> allowed_motions(RigidModes modes) {
  switch (modes) {
    case RigidModes::solid: return {0, 1, 2, 3, 4, 5};
    case RigidModes::plane: return {2, 3, 4};
    case RigidModes::axisymmetric: return {4};
    case RigidModes::scalar: return {3};
  }
  return {};
}

// Null space of the Gram matrix restricted to the allowed motions, as reduced row echelon vectors: rotations first, so
// that pure translations come out as such. Gaussian elimination with full pivoting; the entries are O(1) by scaling.
std::vector<Motion> null_space(Gram gram, const std::vector<int>& allowed) {
  double largest = 0;
  for (const int i : allowed)
    largest = std::max(largest, gram[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)]);
  const double tolerance = 1e-10 * std::max(largest, 1e-300);
  std::vector<int> pivots, free;
  // Pivots prefer translations, so that the free columns - the parameters of the null space - are rotations.
  std::vector<int> left(allowed.rbegin(), allowed.rend());
  while (!left.empty()) {
    const auto best = std::ranges::max_element(
        left, {}, [&](int i) { return gram[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)]; });
    const auto p = static_cast<std::size_t>(*best);
    if (gram[p][p] <= tolerance) break;
    pivots.push_back(*best);
    left.erase(best);
    for (const int i : allowed) {
      if (i == static_cast<int>(p)) continue;
      const double factor = gram[static_cast<std::size_t>(i)][p] / gram[p][p];
      for (int j = 0; j < motion_size; ++j)
        gram[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] -= factor * gram[p][static_cast<std::size_t>(j)];
    }
  }
  std::vector<Motion> basis;
  std::ranges::sort(left);
  for (const int f : left) {
    Motion v{};
    v[static_cast<std::size_t>(f)] = 1;
    for (const int p : pivots) {
      const auto q = static_cast<std::size_t>(p);
      v[q] = -gram[q][static_cast<std::size_t>(f)] / gram[q][q];
      if (std::abs(v[q]) < 1e-9) v[q] = 0;
    }
    basis.push_back(v);
  }
  return basis;
}

// Makes the null vectors' rotation parts independent of each other and turns the rest into translations.
void separate_translations(std::vector<Motion>& basis) {
  std::size_t row = 0;
  for (std::size_t column = 0; column < motion_size && row < basis.size(); ++column) {
    std::size_t best = row;
    for (std::size_t r = row; r < basis.size(); ++r)
      if (std::abs(basis[r][column]) > std::abs(basis[best][column])) best = r;
    if (std::abs(basis[best][column]) < 1e-9) continue;
    std::swap(basis[row], basis[best]);
    const double pivot = basis[row][column];
    for (double& value : basis[row]) value /= pivot;
    for (std::size_t r = 0; r < basis.size(); ++r) {
      if (r == row) continue;
      const double factor = basis[r][column];
      for (std::size_t j = 0; j < motion_size; ++j) {
        basis[r][j] -= factor * basis[row][j];
        if (std::abs(basis[r][j]) < 1e-9) basis[r][j] = 0;
      }
    }
    ++row;
  }
}

double along_axis(const Motion& m, const Motion& axis) { return axis[0] * m[3] + axis[1] * m[4] + axis[2] * m[5]; }

bool is_translation(const Motion& m) { return std::hypot(m[0], m[1], m[2]) < 1e-9; }

// A rotation that also slides along its axis becomes a plain rotation where a free translation can take the slide away.
void remove_slides(std::vector<Motion>& basis) {
  for (Motion& m : basis) {
    if (is_translation(m)) continue;
    const Motion* best = nullptr;
    for (const Motion& t : basis)
      if (is_translation(t) && std::abs(along_axis(t, m)) > (best == nullptr ? 1e-6 : std::abs(along_axis(*best, m))))
        best = &t;
    if (best == nullptr) continue;
    const double factor = along_axis(m, m) / along_axis(*best, m);
    for (std::size_t j = 0; j < motion_size; ++j) m[j] -= factor * (*best)[j];
  }
}

std::string direction_words(Vec v) {
  const double length = std::hypot(v[0], v[1], v[2]);
  for (double& value : v) value /= length;
  for (int d = 0; d < 3; ++d)
    if (std::abs(std::abs(v[static_cast<std::size_t>(d)]) - 1) < 1e-6) return std::string(1, "xyz"[d]);
  return fmt::format("({:.3g}, {:.3g}, {:.3g})", v[0], v[1], v[2]);
}

std::string motion_words(const Part& part, const Motion& m, RigidModes modes) {
  if (modes == RigidModes::scalar) return "any constant may be added to the temperature";
  const Vec w{m[0], m[1], m[2]}, t{m[3], m[4], m[5]};
  const double turn = std::hypot(w[0], w[1], w[2]);
  if (turn < 1e-9) return "translation along " + direction_words(t);
  // Points of the axis have no velocity across it: p = centre + size (w x t) / |w|^2.
  Vec p = part.centre();
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    p[i] += part.size() * (w[j] * t[k] - w[k] * t[j]) / (turn * turn);
    if (std::abs(p[i]) < 1e-9 * part.size()) p[i] = 0;
  }
  const double slide = part.size() * along_axis(m, m) / (turn * turn);
  return fmt::format(
      "rotation about the axis through ({:.4g}, {:.4g}, {:.4g}) along {}{}", p[0], p[1], p[2], direction_words(w),
      std::abs(slide) < 1e-9 * part.size() ? "" : fmt::format(", sliding along it by {:.4g} per radian", slide));
}

}  // namespace

std::vector<FreePart> free_parts(const FunctionSpace& space, std::span<const std::uint8_t> held, RigidModes modes) {
  const Mesh& mesh = space.mesh();
  std::vector<Index> part_of_cell;
  const Index part_count = connected_components(mesh, part_of_cell);
  std::vector<Part> parts(static_cast<std::size_t>(part_count));
  std::vector<Index> part_of_node(static_cast<std::size_t>(space.node_count()), -1);
  std::vector<Node> nodes;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    Part& part = parts[static_cast<std::size_t>(part_of_cell[static_cast<std::size_t>(cell)])];
    if (part.cell_count++ == 0) part.first_cell = cell;
    space.nodes_of(cell, nodes);
    for (const Node node : nodes) {
      Index& of_node = part_of_node[static_cast<std::size_t>(node)];
      if (of_node >= 0) continue;
      of_node = part_of_cell[static_cast<std::size_t>(cell)];
      const Vec x = space.point(node);
      for (std::size_t d = 0; d < 3; ++d) {
        part.low[d] = std::min(part.low[d], x[d]);
        part.high[d] = std::max(part.high[d], x[d]);
      }
    }
  }
  const auto hold = [&](Node node, int component) {
    Part& part = parts[static_cast<std::size_t>(part_of_node[static_cast<std::size_t>(node)])];
    add_square(part.gram, motions_at(part, space.point(node), component));
  };
  std::size_t unknown = 0;
  for (Node node = 0; node < space.node_count(); ++node)
    for (int c = 0; c < space.components(); ++c)
      if (held[unknown++] != 0) hold(node, c);

  const std::vector<int> allowed = allowed_motions(modes);
  std::vector<char> is_free(parts.size());
  std::ranges::transform(parts, is_free.begin(),
                         [&](const Part& part) { return !null_space(part.gram, allowed).empty(); });
  std::vector<FreePart> result;
  if (std::ranges::none_of(is_free, std::identity{})) return result;
  // sum of row^T row over all nodes: bars on one line do not feel their turning about it
  std::vector<Gram> felt(parts.size());
  for (Node node = 0; node < space.node_count(); ++node) {
    const Index of_node = part_of_node[static_cast<std::size_t>(node)];
    const auto p = static_cast<std::size_t>(of_node);
    if (of_node < 0 || !is_free[p]) continue;
    for (int c = 0; c < space.components(); ++c) add_square(felt[p], motions_at(parts[p], space.point(node), c));
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!is_free[p]) continue;
    for (const Motion& still : null_space(felt[p], allowed)) add_square(parts[p].gram, still);
    std::vector<Motion> basis = null_space(parts[p].gram, allowed);
    if (basis.empty()) continue;
    separate_translations(basis);
    remove_slides(basis);
    FreePart free{static_cast<Index>(p), parts[p].cell_count, parts[p].first_cell, {}};
    for (const Motion& motion : basis) free.motions.push_back(motion_words(parts[p], motion, modes));
    result.push_back(std::move(free));
  }
  return result;
}

void check_held(const FunctionSpace& space, std::span<const std::uint8_t> held, RigidModes modes) {
  const std::vector<FreePart> free = free_parts(space, held, modes);
  ErrorList errors;
  for (std::size_t i = 0; i < free.size() && i < 10; ++i) {
    std::string motions;
    for (const std::string& motion : free[i].motions) motions += (motions.empty() ? "" : "; ") + motion;
    const std::string body = fmt::format("body {} ({} cells, the first is cell {})", free[i].part + 1,
                                         free[i].cell_count, free[i].first_cell);
    if (modes == RigidModes::scalar)
      errors.add(Error(Exit::model, fmt::format("the temperature of {} is not determined", body), motions,
                       "prescribe a temperature or a convection somewhere on this body"));
    else
      errors.add(Error(Exit::model, fmt::format("{} can still move freely: {}", body, motions),
                       "its supports leave these rigid motions free, so there is no unique solution",
                       "support it so that each of these motions is prevented"));
  }
  errors.throw_if_any();
}

}  // namespace ritz
