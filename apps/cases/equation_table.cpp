#include "apps/cases/point_inputs.hpp"
#include "apps/cases/relation_input.hpp"

#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

struct Term {
  std::vector<Node> nodes;
  int component;
  double factor;
  int field;
};

// An unknown that several terms name has one factor.
void add_term(const UnknownTerm& term, std::vector<UnknownTerm>& row) {
  for (UnknownTerm& t : row)
    if (t.node == term.node && t.component == term.component && t.field == term.field) {
      t.factor += term.factor;
      return;
    }
  row.push_back(term);
}

}  // namespace

// The first term may name a region of many nodes: there is an equation for each of them.
void read_equation(const Case::Table& t, RelationInput& in) {
  std::vector<Term> terms;
  bool sound = in.is_at_nodes();
  for (const Case::Table& entry :
       t.tables("terms", "terms {region = \"a\", component = \"x\", factor = 1}", {.minimum_count = 1})) {
    if (in.is_of_parts()) in.enter_part(entry);
    const Region* region =
        entry.region("region", "a region of one node; of the first term it may have more: an equation for each",
                     in.mesh(), every_region_kind);
    Term term{{}, 0, entry.number("factor", "factor of this unknown", {.fallback = 1}), in.field()};
    const std::vector<std::string> names = component_names_of(in.space());
    if (in.space().components() > 1)
      term.component =
          component_of(entry, "component", entry.choice("component", "component of the unknown", names), in.space());
    sound = sound && region != nullptr && term.component >= 0;
    if (region == nullptr) continue;
    term.nodes = in.space().nodes_in(*region);
    if (term.nodes.size() != 1 && !(terms.empty() && !term.nodes.empty())) {
      entry.error(ErrorKind::relation, "region",
                  fmt::format("the region '{}' of a term has {} nodes", region->name, term.nodes.size()),
                  "only the first term may have several: there is an equation for each of its nodes",
                  "name a region of one node");
      sound = false;
    }
    terms.push_back(std::move(term));
  }
  const bool at_most = t.has("at_most");
  if (at_most && t.has("value"))
    t.error(ErrorKind::load_path, "at_most", "an equation with value and at_most", {}, "give one of them");
  const double value =
      at_most
          ? t.number("at_most", "instead of value: the sum is no larger, as at stops and gaps; in nonlinear statics")
          : t.number("value", "right-hand side, in units of factor times unknown", {.fallback = 0});
  if (in.kinds().at_rest && !in.run().step().continues() && value != 0 && !at_most) in.refuse_motion(t, "value", value);
  if (!sound || terms.empty()) return;
  LinearEquations equations{.origin = t.where(), .at_most = at_most};
  if (at_most) in.model().linear = false;
  std::vector<UnknownTerm> row;
  for (const Node node : terms.front().nodes) {
    row.clear();
    for (std::size_t i = 0; i < terms.size(); ++i)
      add_term({i == 0 ? node : terms[i].nodes.front(), terms[i].component, terms[i].factor, terms[i].field}, row);
    equations.add(row, value);
  }
  in.keep(std::move(equations));
}

}  // namespace ritz
