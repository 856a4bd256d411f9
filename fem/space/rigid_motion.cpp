#include "fem/space/rigid_motion.hpp"

#include "mesh/components.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace ritz {
namespace {

// Motions are rows (wx, wy, wz, tx, ty, tz): u(x) = t + w x (x - centre) / size.
constexpr int motion_size = 6;
using Motion = std::array<double, motion_size>;
using Vec = std::array<double, 3>;
using Gram = std::array<Motion, motion_size>;

struct Part {
  Index cell_count = 0, first_cell = 0;
  RigidModes modes = RigidModes::solid;
  Vec low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  Gram gram{};  // sum of row^T row over the supports
  double size() const { return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-300}); }
  bool is_around() const { return modes == RigidModes::revolution || modes == RigidModes::one_wave; }
  // The centre of a meridian lies on the axis, as that of the whole body.
  Vec centre() const {
    return {is_around() ? 0 : 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])};
  }
};

// Component c of the six elementary motions at point x; from 3 on the rotation of a beam or shell there.
Motion motions_at(const Part& part, const Vec& x, int c) {
  const Vec m = part.centre();
  const double s = part.size();
  const Vec d{(x[0] - m[0]) / s, (x[1] - m[1]) / s, (x[2] - m[2]) / s};
  Motion row{};
  if (part.modes == RigidModes::one_wave && c == 2) {  // u_x cos(theta) along r is -u_x sin(theta) around
    row = motions_at(part, x, 0);
    for (double& each : row) each = -each;
    return row;
  }
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
    case RigidModes::revolution: return {1, 4};
    case RigidModes::one_wave: return {2, 3};
    case RigidModes::scalar: return {3};
  }
  return {};
}

using Matrix = std::vector<std::vector<double>>;

// Null space of a Gram matrix restricted to the allowed columns, as reduced row echelon vectors: rotations first, so
// that pure translations come out as such. Gaussian elimination with full pivoting; the entries are O(1) by scaling.
Matrix null_space(Matrix gram, const std::vector<int>& allowed) {
  double largest = 0;
  for (const int i : allowed)
    largest = std::max(largest, gram[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)]);
  const double tolerance = 1e-10 * std::max(largest, 1e-6);  // an axis of revolution is held to rounding
  std::vector<int> pivots;
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
      const auto row = static_cast<std::size_t>(i);
      const double factor = gram[row][p] / gram[p][p];
      if (row == p || factor == 0) continue;
      for (std::size_t j = 0; j < gram.size(); ++j) gram[row][j] -= factor * gram[p][j];
    }
  }
  Matrix basis;
  std::ranges::sort(left);
  for (const int f : left) {
    std::vector<double> v(gram.size(), 0.0);
    v[static_cast<std::size_t>(f)] = 1;
    for (const int p : pivots) {
      const auto q = static_cast<std::size_t>(p);
      v[q] = -gram[q][static_cast<std::size_t>(f)] / gram[q][q];
      if (std::abs(v[q]) < 1e-9) v[q] = 0;
    }
    basis.push_back(std::move(v));
  }
  return basis;
}

std::vector<Motion> null_space(const Gram& gram, const std::vector<int>& allowed) {
  Matrix matrix;
  for (const Motion& row : gram) matrix.emplace_back(row.begin(), row.end());
  std::vector<Motion> basis;
  for (const std::vector<double>& v : null_space(std::move(matrix), allowed)) {
    basis.emplace_back();
    std::ranges::copy(v, basis.back().begin());
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

// Connected parts of the meshes of some spaces, and how far supports hold each.
class BodyParts {
 public:
  // gone [cell of the first space]; empty: all are there.
  BodyParts(Spaces spaces, std::span<const std::uint8_t> gone, RigidModes modes) : spaces_(std::move(spaces)) {
    for (const FunctionSpace& space : spaces_) {
      std::vector<Index> part_of_cell;
      const std::size_t first = parts_.size();
      const bool is_first = space == spaces_.front();
      parts_.resize(first + static_cast<std::size_t>(connected_components(
                                space.mesh(), is_first ? gone : std::span<const std::uint8_t>(), part_of_cell)));
      for (std::size_t p = first; p < parts_.size(); ++p) parts_[p].modes = modes;
      if (part_of_cell.empty()) all_of_one_part(space, first);
      else divide(space, part_of_cell, first);
    }
  }

  // use(space, node, its part or -1, its first unknown)
  template <class Use>
  void each_node(const Use& use) const {
    std::size_t unknown = 0;
    for (std::size_t k = 0; k < spaces_.size(); ++k)
      for (Node node = 0; node < spaces_[k].node_count(); ++node) {
        use(spaces_[k], node, part_of_[k][static_cast<std::size_t>(node)], unknown);
        unknown += static_cast<std::size_t>(spaces_[k].components());
      }
  }

  // held [unknown]
  void hold(std::span<const std::uint8_t> held) {
    each_node([&](const FunctionSpace& space, Node node, Index p, std::size_t unknown) {
      for (int c = 0; c < space.components() && p >= 0; ++c) {
        Part& part = parts_[static_cast<std::size_t>(p)];
        if (held[unknown + static_cast<std::size_t>(c)] != 0)
          add_square(part.gram, motions_at(part, space.point(node), c));
      }
    });
  }

  std::size_t count() const { return parts_.size(); }
  const Part& operator[](std::size_t part) const { return parts_[part]; }
  const FunctionSpace& space_of(const LinearEquations& equations, const UnknownTerm& term) const {
    return spaces_[number_of(equations, term)];
  }
  std::size_t part_of(const LinearEquations& equations, const UnknownTerm& term) const {
    return static_cast<std::size_t>(part_of_[number_of(equations, term)][static_cast<std::size_t>(term.node)]);
  }

 private:
  void all_of_one_part(const FunctionSpace& space, std::size_t p) {
    parts_[p].cell_count = space.mesh().cell_count();
    part_of_.emplace_back(static_cast<std::size_t>(space.node_count()), static_cast<Index>(p));
    for (Node node = 0; node < space.node_count(); ++node) add_to_box(space, node, parts_[p]);
  }
  void divide(const FunctionSpace& space, const std::vector<Index>& part_of_cell, std::size_t first) {
    std::vector<Index>& part_of = part_of_.emplace_back(static_cast<std::size_t>(space.node_count()), -1);
    FunctionSpace::CellNodes nodes_of(space);
    for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
      if (part_of_cell[static_cast<std::size_t>(cell)] < 0) continue;  // it is gone
      const Index p = static_cast<Index>(first) + part_of_cell[static_cast<std::size_t>(cell)];
      Part& part = parts_[static_cast<std::size_t>(p)];
      if (part.cell_count++ == 0) part.first_cell = cell;
      for (const Node node : nodes_of(cell))
        if (std::exchange(part_of[static_cast<std::size_t>(node)], p) < 0) add_to_box(space, node, part);
    }
  }
  static void add_to_box(const FunctionSpace& space, Node node, Part& part) {
    const Vec x = space.point(node);
    for (std::size_t d = 0; d < 3; ++d) {
      part.low[d] = std::min(part.low[d], x[d]);
      part.high[d] = std::max(part.high[d], x[d]);
    }
  }
  // The space of a term, by its number among all of a model or the only one.
  std::size_t number_of(const LinearEquations& equations, const UnknownTerm& term) const {
    return spaces_.size() == 1 ? 0 : static_cast<std::size_t>(equations.field_of(term));
  }

  Spaces spaces_;
  std::vector<Part> parts_;
  std::vector<std::vector<Index>> part_of_;  // [space][node]; -1: of no cell
};

// Parts that equations join; all others alone.
struct PartGroups {
  std::vector<std::vector<std::size_t>> parts;  // [group] ascending
  std::vector<std::size_t> of, place;           // [part] its group, and its place there
};

PartGroups joined_parts(const BodyParts& all, const std::vector<LinearEquations>& equations) {
  std::vector<std::size_t> root(all.count());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t p) {
    while (root[p] != p) p = root[p] = root[root[p]];
    return p;
  };
  for (const LinearEquations& each : equations)
    for (Index i = 0; i < each.size(); ++i) {
      const auto terms = each.terms_of(i);
      for (const UnknownTerm& term : terms) {
        const auto part = [&](const UnknownTerm& t) { return find(all.part_of(each, t)); };
        const std::size_t a = part(terms.front()), b = part(term);
        root[std::max(a, b)] = std::min(a, b);
      }
    }
  PartGroups groups{{}, std::vector<std::size_t>(all.count(), 0), std::vector<std::size_t>(all.count(), 0)};
  for (std::size_t p = 0; p < all.count(); ++p) {
    if (find(p) == p) {
      groups.of[p] = groups.parts.size();
      groups.parts.emplace_back();
    }
    groups.of[p] = groups.of[find(p)];
    std::vector<std::size_t>& group = groups.parts[groups.of[p]];
    groups.place[p] = group.size();
    group.push_back(p);
  }
  return groups;
}

std::vector<int> allowed_in_group(const std::vector<int>& allowed, std::size_t parts) {
  std::vector<int> result;
  for (std::size_t p = 0; p < parts; ++p)
    for (const int motion : allowed) result.push_back(static_cast<int>(p) * motion_size + motion);
  return result;
}

Matrix gram_of(const BodyParts& all, const std::vector<std::size_t>& group) {
  const std::size_t size = motion_size * group.size();
  Matrix gram(size, std::vector<double>(size, 0.0));
  for (std::size_t k = 0; k < group.size(); ++k)
    for (std::size_t i = 0; i < motion_size; ++i)
      for (std::size_t j = 0; j < motion_size; ++j)
        gram[k * motion_size + i][k * motion_size + j] = all[group[k]].gram[i][j];
  return gram;
}

// Sums of the unknowns that equations prescribe hold like supports.
void add_rows(const BodyParts& all, const PartGroups& groups, const LinearEquations& equations,
              std::vector<Matrix>& grams) {
  std::map<std::size_t, double> row;  // few entries
  for (Index i = 0; i < equations.size(); ++i) {
    row.clear();
    double largest = 1e-300;
    std::size_t group = 0;
    for (const UnknownTerm& term : equations.terms_of(i)) {
      const std::size_t p = all.part_of(equations, term);
      group = groups.of[p];
      const Motion motion = motions_at(all[p], all.space_of(equations, term).point(term.node), term.component);
      // The rotation of a part is w / size, where its displacements are w x (x - centre) / size.
      const double factor = term.component < 3 ? term.factor : term.factor / all[p].size();
      for (std::size_t j = 0; j < motion_size; ++j)
        if (motion[j] != 0) row[groups.place[p] * motion_size + j] += factor * motion[j];
      largest = std::max(largest, std::abs(factor));
    }
    for (const auto& [a, x] : row)
      for (const auto& [b, y] : row)
        if (std::abs(x) > 1e-12 * largest && std::abs(y) > 1e-12 * largest)
          grams[group][a][b] += x / largest * (y / largest);
  }
}

// Motions that no node feels: bars on one line do not feel their turning about it.
void hold_unfelt(const BodyParts& all, const PartGroups& groups, const std::vector<int>& allowed,
                 std::span<const std::uint8_t> acting, const std::vector<char>& is_free, std::vector<Matrix>& grams) {
  std::vector<Gram> felt(all.count());  // sum of row^T row over all nodes
  const auto concerned = [&](Index p) { return p >= 0 && is_free[groups.of[static_cast<std::size_t>(p)]] != 0; };
  all.each_node([&](const FunctionSpace& space, Node node, Index p, std::size_t unknown) {
    if (!concerned(p)) return;
    const auto part = static_cast<std::size_t>(p);
    for (int c = 0; c < space.components(); ++c)
      if (acting.empty() || acting[unknown + static_cast<std::size_t>(c)] != 0)
        add_square(felt[part], motions_at(all[part], space.point(node), c));
  });
  for (std::size_t p = 0; p < all.count(); ++p) {
    if (!concerned(static_cast<Index>(p))) continue;
    Matrix& gram = grams[groups.of[p]];
    const std::size_t first = groups.place[p] * motion_size;
    for (const Motion& still : null_space(felt[p], allowed))
      for (std::size_t i = 0; i < motion_size; ++i)
        for (std::size_t j = 0; j < motion_size; ++j) gram[first + i][first + j] += still[i] * still[j];
  }
}

struct FreeGroup {
  std::vector<std::size_t> parts;
  Matrix basis;  // of the motions that they are free to do: [motion][part in the group][elementary motion]
};

// acting [unknown]; empty: all.
std::vector<FreeGroup> free_groups(const BodyParts& all, const std::vector<LinearEquations>& equations,
                                   RigidModes modes, std::span<const std::uint8_t> acting) {
  const std::vector<int> allowed = allowed_motions(modes);
  const PartGroups groups = joined_parts(all, equations);
  std::vector<Matrix> grams;
  for (const auto& group : groups.parts) grams.push_back(gram_of(all, group));
  for (const LinearEquations& each : equations) add_rows(all, groups, each, grams);
  std::vector<char> is_free(grams.size());
  for (std::size_t g = 0; g < grams.size(); ++g)
    is_free[g] = !null_space(grams[g], allowed_in_group(allowed, groups.parts[g].size())).empty() ? 1 : 0;
  if (std::ranges::none_of(is_free, std::identity{})) return {};
  hold_unfelt(all, groups, allowed, acting, is_free, grams);
  std::vector<FreeGroup> result;
  for (std::size_t g = 0; g < grams.size(); ++g)
    if (is_free[g] != 0)
      result.push_back(
          {groups.parts[g], null_space(std::move(grams[g]), allowed_in_group(allowed, groups.parts[g].size()))});
  return result;
}

// Independent motions of part k; the basis keeps combinations in which it rests.
std::vector<Motion> moving(Matrix& basis, std::size_t k) {
  std::vector<Motion> result;
  const std::size_t first = k * motion_size;
  for (std::size_t column = first; column < first + motion_size; ++column) {
    const auto best =
        std::ranges::max_element(basis, {}, [&](const std::vector<double>& v) { return std::abs(v[column]); });
    if (best == basis.end() || std::abs((*best)[column]) < 1e-9) continue;
    const std::vector<double> pivot = std::move(*best);
    basis.erase(best);
    for (std::vector<double>& v : basis) {
      const double factor = v[column] / pivot[column];
      if (factor == 0) continue;
      for (std::size_t j = 0; j < v.size(); ++j) v[j] -= factor * pivot[j];
    }
    result.emplace_back();
    std::copy_n(pivot.begin() + static_cast<std::ptrdiff_t>(first), motion_size, result.back().begin());
  }
  return result;
}

// Each motion of a group is reported once: of the first part that moves in it.
void report(const BodyParts& all, FreeGroup group, RigidModes modes, std::vector<FreePart>& result) {
  for (std::size_t k = 0; k < group.parts.size() && !group.basis.empty(); ++k) {
    const Part& part = all[group.parts[k]];
    std::vector<Motion> here = moving(group.basis, k);
    if (here.empty()) continue;
    separate_translations(here);
    remove_slides(here);
    FreePart free{static_cast<Index>(group.parts[k]), part.cell_count, part.first_cell, {}};
    for (const Motion& motion : here) free.motions.push_back(motion_words(part, motion, modes));
    result.push_back(std::move(free));
  }
}

// [unknown] A motion of a group.
std::vector<double> field_of(const BodyParts& all, const std::vector<std::size_t>& group,
                             const std::vector<double>& motion) {
  std::vector<double> field;
  all.each_node([&](const FunctionSpace& space, Node node, Index p, std::size_t) {
    const auto place = std::ranges::find(group, static_cast<std::size_t>(p)) - group.begin();
    for (int c = 0; c < space.components(); ++c) {
      double value = 0;
      if (p >= 0 && place < std::ssize(group)) {
        const Part& part = all[static_cast<std::size_t>(p)];
        const Motion row = motions_at(part, space.point(node), c);
        for (std::size_t j = 0; j < motion_size; ++j)
          value += row[j] * motion[static_cast<std::size_t>(place) * motion_size + j];
        if (c >= 3) value /= part.size();  // displacements are w x (x - centre) / size
      }
      field.push_back(value);
    }
  });
  return field;
}

std::vector<std::vector<double>> fields_of(const BodyParts& all, const std::vector<LinearEquations>& equations,
                                           RigidModes modes, std::span<const std::uint8_t> acting) {
  std::vector<std::vector<double>> fields;
  for (const FreeGroup& group : free_groups(all, equations, modes, acting))
    for (const std::vector<double>& motion : group.basis) fields.push_back(field_of(all, group.parts, motion));
  return fields;
}

std::vector<FreePart> report_free(const BodyParts& all, const std::vector<LinearEquations>& equations, RigidModes modes,
                                  std::span<const std::uint8_t> acting) {
  std::vector<FreePart> result;
  for (FreeGroup& group : free_groups(all, equations, modes, acting)) report(all, std::move(group), modes, result);
  std::ranges::sort(result, {}, &FreePart::part);
  return result;
}

}  // namespace

std::vector<FreePart> free_parts(const FunctionSpace& space, std::span<const std::uint8_t> held,
                                 const std::vector<LinearEquations>& equations, RigidModes modes,
                                 std::span<const std::uint8_t> gone) {
  BodyParts parts({space}, gone, modes);
  parts.hold(held);
  return report_free(parts, equations, modes, {});
}

std::vector<FreePart> free_parts(const Spaces& spaces, std::span<const std::uint8_t> held,
                                 std::span<const std::uint8_t> acting, const std::vector<LinearEquations>& equations,
                                 RigidModes modes) {
  BodyParts parts(spaces, {}, modes);
  parts.hold(held);
  return report_free(parts, equations, modes, acting);
}

std::vector<std::vector<double>> free_motions(const FunctionSpace& space, std::span<const std::uint8_t> held,
                                              const std::vector<LinearEquations>& equations, RigidModes modes,
                                              std::span<const std::uint8_t> gone) {
  BodyParts parts({space}, gone, modes);
  parts.hold(held);
  return fields_of(parts, equations, modes, {});
}

std::vector<std::vector<double>> free_motions(const Spaces& spaces, std::span<const std::uint8_t> held,
                                              std::span<const std::uint8_t> acting,
                                              const std::vector<LinearEquations>& equations, RigidModes modes) {
  BodyParts parts(spaces, {}, modes);
  parts.hold(held);
  return fields_of(parts, equations, modes, acting);
}

void check_held(const FunctionSpace& space, std::span<const std::uint8_t> held,
                const std::vector<LinearEquations>& equations, RigidModes modes, std::span<const std::uint8_t> gone) {
  check_held(free_parts(space, held, equations, modes, gone), modes);
}

void check_held(const std::vector<FreePart>& free, RigidModes modes) {
  ErrorList errors;
  for (std::size_t i = 0; i < free.size() && i < 10; ++i) {
    std::string motions;
    for (const std::string& motion : free[i].motions) motions += (motions.empty() ? "" : "; ") + motion;
    const std::string body = fmt::format("body {} ({} cells, the first is cell {})", free[i].part + 1,
                                         free[i].cell_count, free[i].first_cell);
    if (modes == RigidModes::scalar)
      errors.add(Error(ErrorKind::unsupported_body, fmt::format("the temperature of {} is not determined", body),
                       motions, "prescribe a temperature or a convection somewhere on this body"));
    else
      errors.add(Error(ErrorKind::unsupported_body, fmt::format("{} can still move freely: {}", body, motions),
                       "its supports leave these rigid motions free, so there is no unique solution",
                       "support it so that each of these motions is prevented"));
  }
  errors.throw_if_any();
}

}  // namespace ritz
