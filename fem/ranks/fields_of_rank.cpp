#include "fem/ranks/fields_of_rank.hpp"

#include "device/error.hpp"
#include "fem/preconditioners/edge_preconditioner.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "fem/ranks/divided_system.hpp"
#include "fem/space/nested_nodes.hpp"

#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

std::size_t at_place(Index i) { return static_cast<std::size_t>(i); }

// Those of the nodes of a part among numbers of all nodes, [node][component].
std::vector<double> at_nodes(const Ghosts& nodes, int components, const std::vector<double>& of_all) {
  std::vector<double> result;
  for (Index node = 0; node < nodes.size(); ++node)
    for (int c = 0; c < components; ++c) result.push_back(of_all[at_place(nodes.global(node) * components + c)]);
  return result;
}

const DependentRows* rows_between(const MixedConstraints& supports) {
  return supports.joining() != nullptr ? &supports.joining()->rows() : nullptr;
}

MixedConstraints supports_of_part(const LocalFields& part, const MixedOperator& all, const MixedConstraints& supports) {
  Vector u = all.zeros();
  supports.set_values(u);
  std::vector<PartSupports> own;
  std::vector<std::vector<double>> values;
  for (int k = 0; k < all.field_count(); ++k) {
    const int components = all.space(k).components();
    const Ghosts& nodes = *part.space(k).ghosts();
    const Index first = nodes.first()[at_place(nodes.ranks().rank())];
    own.push_back(supports_of(supports[k], components, first, first + nodes.owned(), nodes.reached()));
    values.push_back(at_nodes(nodes, components, all.layout().part(u, k).host()));
  }
  return part.supports(own, values, rows_between(supports));
}

std::unique_ptr<const LocalFields> part_of(const MixedOperator& equations, const MixedConstraints& supports,
                                           Ranks& ranks) {
  return std::make_unique<const LocalFields>(
      FieldsCutter(equations, ranks.count(), rows_between(supports)).part(ranks.rank()), equations.time(),
      equations.device(), ranks);
}

const MixedOperator& checked(const MixedOperator& equations, const Ranks& ranks) {
  check_divisible(equations, ranks);
  return equations;
}

}  // namespace

void check_divisible(const MixedOperator& equations, const Ranks& ranks) {
  for (int k = 0; k < equations.field_count(); ++k)
    if (equations.space(k).node_count() < ranks.count())
      throw_not_over_ranks(
          ranks, fmt::format("a field '{}' of {} nodes", equations.field_name(k), equations.space(k).node_count()),
          "start fewer ranks");
}

FieldsOfRank::FieldsOfRank(const MixedOperator& equations, const MixedConstraints& supports, Ranks& ranks,
                           const MixedOperator* rates)
    : all_(checked(equations, ranks)),
      all_supports_(supports),
      cut_(equations, ranks.count(), rows_between(supports)),
      ranks_(ranks),
      part_(cut_.part(ranks.rank()), equations.time(), equations.device(), ranks),
      rates_(rates == nullptr ? nullptr : part_of(*rates, supports, ranks)),
      supports_(supports_of_part(part_, equations, supports)),
      whole_(of_this_rank(whole_problem(equations, supports))) {}

Vector FieldsOfRank::own(const Vector& of_all) const {
  Vector mine = equations().zeros();
  equations().layout().own(of_all, mine);
  return mine;
}

void FieldsOfRank::residual(const Vector& u, Vector& r) {
  Vector own_r = equations().zeros();
  equations().residual(own(u), own_r);
  equations().layout().gather(own_r, r);
}

WholeProblem FieldsOfRank::of_this_rank(WholeProblem whole) const {
  for (FieldMotion& motion : whole.motions)
    motion.values = [this, field = motion.field, all = std::move(motion.values)] {
      const Layout& layout = equations().layout();
      Vector mine(part_.device(), layout.size(field), "vectors");
      layout.rows(field).take(all(), mine);
      return mine;
    };
  whole.calls.nesting = [this](int field) {
    const FunctionSpace& space = all_.space(field);
    const NestedLevels levels = nested_levels_of(space);
    if (!levels) return NestedLevels();
    std::vector<NestedLevels> of_ranks = divide(*levels, cut_.first(field), space.components(), replicated_unknowns());
    return std::move(of_ranks[at_place(ranks_.rank())]);
  };
  whole.calls.corners = [this](int field) {
    const EdgeCorners corners = edge_corners(all_.space(field), all_supports_[field]);
    if (std::ssize(corners.held) < ranks_.count())
      throw_not_over_ranks(ranks_, fmt::format("an iteration over the edges between {} corners", corners.held.size()),
                           "start fewer ranks");
    return corners_at(corners, part_.mesh_nodes());
  };
  return whole;
}

Vector FieldsOfRank::gathered(const Vector& x) const {
  Vector all = all_.zeros();
  equations().layout().gather(x, all);
  return all;
}

}  // namespace ritz
