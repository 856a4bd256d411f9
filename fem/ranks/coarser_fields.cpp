#include "fem/ranks/coarser_fields.hpp"

#include "device/error.hpp"
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
              {.order = order, .beside = finer.space()}),
        constraints(coarser_constraints(finer, space)) {}
};

WholeCoarserFields::WholeCoarserFields(const Constraints& finest) : finest_(finest) {}
WholeCoarserFields::~WholeCoarserFields() = default;

DependentNodeRows WholeCoarserFields::relations(int order, const Ghosts& nodes) {
  auto phase = finest_.space().device().profile().phase("constraints");
  if (!fields_.empty() && order >= coarsest().order()) forget();  // a preconditioner before was not finished
  fields_.push_back(std::make_unique<Field>(fields_.empty() ? finest_ : *fields_.back()->constraints, order));
  const Constraints& constraints = *fields_.back()->constraints;
  if (coarsest().node_count() != nodes.total())
    throw Error(ErrorKind::internal, "the ranks' nodes of a coarser field are not those of the whole mesh");
  const auto rank = static_cast<std::size_t>(nodes.ranks().rank());
  return relations_of(constraints, nodes.first()[rank], nodes.first()[rank + 1], nodes.reached());
}

const FunctionSpace& WholeCoarserFields::coarsest() const { return fields_.back()->space; }

// A field shares the geometry of the finer one.
void WholeCoarserFields::forget() {
  while (!fields_.empty()) fields_.pop_back();
}

}  // namespace ritz
