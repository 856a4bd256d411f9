#include "fem/preconditioners/field_motions.hpp"

#include "device/error.hpp"
#include "fem/space/rigid_motion.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <numeric>

namespace ritz {
namespace {

// [node of the space] number of the body, of cells that share nodes of the mesh; nodes without cells are in the first.
std::vector<Index> body_of_nodes(const FunctionSpace& space) {
  std::vector<Index> of_cell, body(static_cast<std::size_t>(space.node_count()), 0);
  if (connected_components(space.mesh(), of_cell) < 2) return body;
  FunctionSpace::CellNodes nodes_of(space);
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell)
    for (const Node node : nodes_of(cell))
      body[static_cast<std::size_t>(node)] = of_cell[static_cast<std::size_t>(cell)];
  return body;
}

class MotionsLeft {
 public:
  MotionsLeft(const FieldsOperator& equations, const FieldsConstraints& supports)
      : equations_(equations), supports_(supports) {}

  std::vector<FieldMotion> all() {
    for (int k = 0; k < equations_.field_count(); ++k) {
      if (equations_.terms().family(k) == Family::facet || equations_.terms().family(k) == Family::edge) continue;
      add_constants(k);
      if (equations_.terms().family(k) == Family::lagrange) add_rigid_motions(k);
    }
    return std::move(motions_);
  }

 private:
  // Bodies and components of a field that equations join: a constant of one is one of all in its group.
  struct Groups {
    std::vector<Index> body;   // [node]
    std::vector<Index> group;  // [body][component] the first of those that are joined
    Index components;
    std::size_t place(Node node, int component) const {
      return static_cast<std::size_t>(body[static_cast<std::size_t>(node)] * components + component);
    }
    Index of(Node node, int component) const { return group[place(node, component)]; }
  };

  Groups groups_of(int k) const {
    Groups groups{
        .body = body_of_nodes(equations_.space(k)), .group = {}, .components = equations_.space(k).components()};
    const Index bodies = groups.body.empty() ? 0 : *std::ranges::max_element(groups.body) + 1;
    groups.group.resize(static_cast<std::size_t>(bodies * groups.components));
    std::iota(groups.group.begin(), groups.group.end(), Index{0});
    for (const LinearEquations& each : supports_[k].equations())
      for (Index i = 0; i < each.size(); ++i)
        for (const UnknownTerm& term : each.terms_of(i)) {
          const UnknownTerm& first = each.terms_of(i).front();
          const auto [low, high] =
              std::minmax({groups.of(first.node, first.component), groups.of(term.node, term.component)});
          if (low != high) std::ranges::replace(groups.group, high, low);
        }
    return groups;
  }

  void add_constants(int k) {
    constexpr int most = 50;
    const auto groups = std::make_shared<const Groups>(groups_of(k));
    const int components = equations_.space(k).components();
    std::vector<std::uint8_t> held(groups->group.size(), 0);
    for (Node node = 0; node < equations_.space(k).node_count(); ++node)
      for (int c = 0; c < components; ++c)
        if (supports_[k].is_prescribed(node, c)) held[static_cast<std::size_t>(groups->of(node, c))] = 1;
    int added = 0;
    for (std::size_t i = 0; i < held.size() && added < most; ++i) {
      const auto group = static_cast<Index>(i);
      if (held[i] != 0 || groups->group[i] != group) continue;
      ++added;
      motions_.push_back(
          {.field = k,
           .constant = true,
           .what = fmt::format("a constant may be added to the field '{}'{}", equations_.terms().field_name(k),
                               components == 1 ? "" : fmt::format(", component {}", group % components)),
           .values = [groups, group, &supports = supports_[k]] {
             return independent(constant_of(supports.space(), *groups, group), supports);
           }});
    }
  }

  // 1 in a group, and zero elsewhere.
  static Vector constant_of(const FunctionSpace& space, const Groups& groups, Index group) {
    Vector constant(space.device(), space.unknown_count(), "vectors");
    if (std::ranges::all_of(groups.group, [&](Index each) { return each == group; })) {
      fill(1, constant);
      return constant;
    }
    std::vector<double> values;
    for (Node node = 0; node < space.node_count(); ++node)
      for (int c = 0; c < space.components(); ++c) values.push_back(groups.of(node, c) == group ? 1 : 0);
    constant.upload(values);
    return constant;
  }

  // The motion without what follows others by equations, which the matrix does not see.
  static Vector independent(Vector motion, const Constraints& supports) {
    if (supports.has_dependent()) supports.set_zero(motion);
    return motion;
  }

  // Rigid motions of a field of as many components as dimensions, which may be a displacement or a velocity.
  void add_rigid_motions(int k) {
    const FunctionSpace& space = equations_.space(k);
    const int dimension = space.mesh().dimension();
    constexpr std::size_t most = 16;  // bodies, whose motions are kept at once
    if (space.components() != dimension || dimension < 2) return;
    const RigidModes modes = dimension == 3 ? RigidModes::solid : RigidModes::plane;
    std::vector<std::uint8_t> held = supports_[k].host_mask();
    held.resize(static_cast<std::size_t>(space.unknown_count()), 0);
    const std::vector<LinearEquations>& equations = supports_[k].equations();
    const std::vector<FreePart> parts = free_parts(space, held, equations, modes);
    if (parts.empty() || parts.size() > most) return;
    std::vector<std::string> words;
    for (const FreePart& part : parts) words.insert(words.end(), part.motions.begin(), part.motions.end());
    const auto values =
        std::make_shared<const std::vector<std::vector<double>>>(free_motions(space, held, equations, modes));
    for (std::size_t i = 0; i < values->size(); ++i)
      motions_.push_back(
          {.field = k,
           .constant = false,
           .what = fmt::format("a rigid motion may be added to the field '{}'{}", equations_.terms().field_name(k),
                               i < words.size() ? ": " + words[i] : ""),
           .values = [values, i, &supports = supports_[k]] {
             return independent(Vector(supports.space().device(), (*values)[i], "vectors"), supports);
           }});
  }

  const FieldsOperator& equations_;
  const FieldsConstraints& supports_;
  std::vector<FieldMotion> motions_;
};

// Is K z zero in comparison with the blocks by which z is multiplied? z: of the field k, with values of the size of 1.
bool maps_to_zero(const FieldsOperator& equations, const LinearOperator& K, const BlockNorms& sizes, int k,
                  const Vector& values) {
  const Layout& layout = equations.layout();
  Vector z = equations.zeros(), y = equations.zeros();
  layout.put(values, k, z);
  K.apply(z, y);
  for (int j = 0; j < equations.field_count(); ++j)
    if (max_abs(layout.part(y, j)) > 1e-10 * sizes.largest(j, k)) return false;
  return true;
}

// Do these equations of the field k sum to zero for every solution? Then the matrix is singular, too, as the level of
// a temperature that expands a body and is not prescribed. Tried with random numbers of each field; the sum is compared
// with what it is at most.
bool sums_to_zero(const FieldsOperator& equations, const LinearOperator& K, int k, const Vector& weights) {
  const Layout& layout = equations.layout();
  Vector terms(K.device(), weights.size(), "vectors");
  for (int j = 0; j < equations.field_count(); ++j) {
    if (!equations.has_block(k, j)) continue;
    Vector random(K.device(), layout.size(j), "vectors"), x = equations.zeros(), y = equations.zeros();
    fill_start_vector(random);
    layout.put(random, j, x);
    K.apply(x, y);
    const Vector of_field = layout.part(y, k);
    multiply(weights, of_field, terms);
    const double most = norm2(terms) * std::sqrt(double(layout.size_over_all(k)));
    if (std::abs(dot(weights, of_field)) > 1e-12 * most) return false;
  }
  return true;
}

}  // namespace

std::vector<FieldMotion> motions_left(const FieldsOperator& equations, const FieldsConstraints& supports) {
  return MotionsLeft(equations, supports).all();
}

void require_none_is_free(const FieldsOperator& equations, const LinearOperator& K, const BlockNorms& sizes,
                          const std::vector<FieldMotion>& motions) {
  for (const FieldMotion& each : motions) {
    const Vector values = each.values();
    if (max_abs(values) == 0) continue;  // all of it follows prescribed unknowns
    const bool is_null = maps_to_zero(equations, K, sizes, each.field, values);
    if (!is_null && (!each.constant || equations.facts().symmetric || !sums_to_zero(equations, K, each.field, values)))
      continue;
    const std::string what = "the matrix is singular: " + each.what;
    if (each.constant)
      throw Error(ErrorKind::singular_matrix, what + (is_null ? "" : ", with what follows from it in the others"),
                  "its gradient alone enters the equations of a body",
                  "prescribe its value at one node, or in one cell, of each body");
    throw Error(ErrorKind::singular_matrix, what, "nothing in the equations holds it",
                "prescribe values of the field that exclude the motion");
  }
}

}  // namespace ritz
