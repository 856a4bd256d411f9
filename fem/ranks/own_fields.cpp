#include "fem/ranks/own_fields.hpp"

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

const DependentRows* rows_between(const FieldsConstraints& supports) {
  return supports.joining() != nullptr ? &supports.joining()->rows() : nullptr;
}

FieldsConstraints supports_of_part(const LocalFields& part, const FieldsOperator& all,
                                   const FieldsConstraints& supports) {
  std::vector<PartSupports> own;
  for (int k = 0; k < all.field_count(); ++k) {
    const Ghosts& nodes = *part.space(k).ghosts();
    const Index first = nodes.first()[static_cast<std::size_t>(nodes.ranks().rank())];
    own.push_back(supports_of(supports[k], all.space(k).components(), first, first + nodes.owned(), nodes.reached()));
  }
  FieldsConstraints of_part = part.supports(own, rows_between(supports));
  of_part.take_values(supports);
  return of_part;
}

}  // namespace

void check_divisible(const FieldsOperator& equations, const Ranks& ranks) {
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

OwnFields::OwnFields(const FieldsOperator& equations, const FieldsConstraints& supports, Ranks* ranks,
                     const FieldsOperator* rates)
    : all_(equations), all_supports_(supports), ranks_(ranks), supports_(supports) {
  if (ranks != nullptr) {
    check_divisible(equations, *ranks);
    part_.emplace(cutter().part(ranks->rank()), equations.time(), equations.device(), *ranks);
    supports_ = supports_of_part(*part_, equations, supports);
    whole_ = of_this_rank(whole_problem(equations, supports));
    each_with_states([](const Operator& whole, const Operator& mine, const std::vector<Index>& cells) {
      take_states(whole, cells, mine);
    });
  }
  if (rates != nullptr) rates_ = own(*rates);
}

FieldsCutter OwnFields::cutter() const { return {all_, ranks_->count(), rows_between(all_supports_)}; }

std::shared_ptr<FieldsOperator> OwnFields::own(const FieldsOperator& others) const {
  if (!part_) return std::make_shared<FieldsOperator>(others);
  return part_->make(cutter().integrals(others, ranks_->rank()), others.time());
}

const FieldsConstraints& OwnFields::with_values_of(const Supports& whole) {
  supports_.take_values(dynamic_cast<const FieldsConstraints&>(whole));
  return supports_;
}

void OwnFields::bring_to_all() const {
  each_with_states([&](const Operator& whole, const Operator& mine, const std::vector<Index>& cells) {
    bring_states(mine, cells, whole.terms(), whole.states(), *ranks_);
  });
}

WholeProblem OwnFields::of_this_rank(WholeProblem whole) const {
  for (FieldMotion& motion : whole.motions)
    motion.values = [this, field = motion.field, all = std::move(motion.values)] {
      Vector mine(part_->device(), layout().size(field), "vectors");
      layout().rows(field).take(all(), mine);
      return mine;
    };
  whole.calls.nesting = [this](int field) {
    return nested_levels_of_rank(all_.space(field), equal_parts(all_.space(field), ranks_->count()), ranks_->rank());
  };
  whole.calls.corners = [this](int field) {
    const EdgeCorners corners = edge_corners(all_.space(field), all_supports_[field]);
    if (std::ssize(corners.held) < ranks_->count())
      throw_not_over_ranks(*ranks_, fmt::format("an iteration over the edges between {} corners", corners.held.size()),
                           "start fewer ranks");
    return corners_at(corners, part_->mesh_nodes());
  };
  return whole;
}

}  // namespace ritz
