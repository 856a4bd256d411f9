#include "fem/ranks/fields_of_rank.hpp"

#include "device/error.hpp"
#include "fem/preconditioners/edge_preconditioner.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "fem/ranks/cell_states.hpp"
#include "fem/ranks/divisible.hpp"
#include "fem/ranks/nested_share.hpp"

#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

std::size_t at_place(Index i) { return static_cast<std::size_t>(i); }

const DependentRows* rows_between(const FieldsConstraints& supports) {
  return supports.joining() != nullptr ? &supports.joining()->rows() : nullptr;
}

FieldsConstraints supports_of_part(const LocalFields& part, const MixedOperator& all,
                                   const FieldsConstraints& supports) {
  std::vector<PartSupports> own;
  for (int k = 0; k < all.field_count(); ++k) {
    const int components = all.space(k).components();
    const Ghosts& nodes = *part.space(k).ghosts();
    const Index first = nodes.first()[at_place(nodes.ranks().rank())];
    own.push_back(supports_of(supports[k], components, first, first + nodes.owned(), nodes.reached()));
  }
  FieldsConstraints of_part = part.supports(own, rows_between(supports));
  of_part.take_values(supports);
  return of_part;
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
          ranks,
          fmt::format("a field '{}' of {} nodes", equations.terms().field_name(k), equations.space(k).node_count()),
          "start fewer ranks");
  for (int k = 0; k < equations.field_count(); ++k)
    if (equations.of_field(k) != nullptr && has_states_on_facets(*equations.of_field(k)))
      throw_not_over_ranks(ranks, "a form with internal variables on facets", "start one process");
}

FieldsOfRank::FieldsOfRank(const MixedOperator& equations, const FieldsConstraints& supports, Ranks& ranks,
                           const MixedOperator* rates)
    : all_(checked(equations, ranks)),
      all_supports_(supports),
      ranks_(ranks),
      part_(cutter().part(ranks.rank()), equations.time(), equations.device(), ranks),
      rates_(rates == nullptr ? nullptr : own(*rates)),
      supports_(supports_of_part(part_, equations, supports)),
      whole_(of_this_rank(whole_problem(equations, supports))) {}

FieldsCutter FieldsOfRank::cutter() const { return {all_, ranks_.count(), rows_between(all_supports_)}; }

std::unique_ptr<MixedOperator> FieldsOfRank::own(const MixedOperator& others) {
  return part_.make(cutter().integrals(others, ranks_.rank()), others.time());
}

const FieldsConstraints& FieldsOfRank::with_values_of(const Supports& whole) {
  supports_.take_values(dynamic_cast<const FieldsConstraints&>(whole));
  return supports_;
}

template <class Use>
void FieldsOfRank::each_with_states(const Use& use) const {
  for (int k = 0; k < all_.field_count(); ++k)
    if (all_.of_field(k) != nullptr && all_.of_field(k)->facts().has_states)
      use(*all_.of_field(k), *equations().of_field(k), part_.cells(k));
}

void FieldsOfRank::take_states() const {
  each_with_states([](const Operator& whole, const Operator& mine, const std::vector<Index>& cells) {
    ritz::take_states(whole, cells, mine);
  });
}

void FieldsOfRank::bring_states() const {
  each_with_states([&](const Operator& whole, const Operator& mine, const std::vector<Index>& cells) {
    ritz::bring_states(mine, cells, whole.terms(), whole.states(), ranks_);
  });
}

PointStates::Values FieldsOfRank::own_states(const PointStates::Values& of_all) const {
  all_.states().set(of_all);
  take_states();
  return equations().states().values();
}

PointStates::Values FieldsOfRank::states_of_all(const PointStates::Values&) const {
  bring_states();
  return all_.states().values();
}

Vector FieldsOfRank::own(const Vector& of_all) const {
  Vector mine = equations().zeros();
  equations().layout().own(of_all, mine);
  return mine;
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
    return nested_levels_of_rank(all_.space(field), equal_parts(all_.space(field), ranks_.count()), ranks_.rank());
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

}  // namespace ritz
