#include "fem/ranks/coarser_fields.hpp"

#include "device/error.hpp"
#include "device/ranks/packed.hpp"
#include "fem/ranks/part_relations.hpp"
#include "fem/ranks/space_part.hpp"
#include "fem/multigrid/coarser_constraints.hpp"

#include <utility>

namespace ritz {

struct WholeCoarserFields::Field {
  FunctionSpace space;
  std::unique_ptr<Constraints> constraints;

  Field(const Constraints& finer, int order)
      : space(finer.space().mesh(), finer.space().components(), finer.space().device(),
              {.order = order, .beside = &finer.space()}),
        constraints(coarser_constraints(finer, space)) {}
};

WholeCoarserFields::WholeCoarserFields(const Constraints& finest) : finest_(finest) {}
WholeCoarserFields::~WholeCoarserFields() = default;

DependentNodeRows WholeCoarserFields::deal_relations(int order, const Ghosts& nodes) {
  auto phase = finest_.space().device().profile().phase("constraints");
  if (!fields_.empty() && order >= coarsest().order()) forget();  // a preconditioner before was not finished
  fields_.push_back(std::make_unique<Field>(fields_.empty() ? finest_ : *fields_.back()->constraints, order));
  const Constraints& constraints = *fields_.back()->constraints;
  if (coarsest().node_count() != nodes.total())
    throw Error(Exit::internal, "the ranks' nodes of a coarser field are not those of the whole mesh");
  Ranks& ranks = nodes.ranks();
  const auto rows_of = [&](int rank, const std::vector<Index>& reached) {
    const auto r = static_cast<std::size_t>(rank);
    return relations_of(constraints, nodes.first()[r], nodes.first()[r + 1], reached);
  };
  for (int rank = 1; rank < ranks.count(); ++rank) {
    const std::string text = ranks.wait(rank);
    Unpacked from(text);
    Packed to;
    add(to, rows_of(rank, from.list<Index>()));
    ranks.send(rank, to.take());
  }
  return rows_of(0, nodes.reached());
}

const FunctionSpace& WholeCoarserFields::coarsest() const { return fields_.back()->space; }

// A field shares the geometry of the finer one.
void WholeCoarserFields::forget() {
  while (!fields_.empty()) fields_.pop_back();
}

DependentNodeRows ask_for_relations(const Ghosts& nodes) {
  nodes.ranks().send(0, Packed().add(nodes.reached()).take());
  const std::string text = nodes.ranks().wait(0);
  Unpacked from(text);
  return unpacked_relations(from);
}

}  // namespace ritz
