#include "fem/physics/removed_cells.hpp"

#include "fem/operator/untouched_unknowns.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

class Remover {
 public:
  Remover(std::span<const Index> cells, Model& model) : model_(model), space_(model.space) {
    gone_.resize(static_cast<std::size_t>(space_.mesh().cell_count()), 0);
    for (const Index cell : cells) gone_[static_cast<std::size_t>(cell)] = 1;
    stays_.assign(static_cast<std::size_t>(space_.node_count()), 0);
    FunctionSpace::CellNodes nodes_of(space_);
    for (Index cell = 0; cell < space_.mesh().cell_count(); ++cell)
      if (!is_gone(cell))
        for (const Node node : nodes_of(cell)) stays_[static_cast<std::size_t>(node)] = 1;
  }

  void remove() {
    for (const PrescribedMean& each : model_.means) require(each.terms, "a prescribed mean motion", each.origin);
    for (const AttachedMotion& each : model_.attached) require(each.terms, "a reference point", "");
    for (std::vector<Integral>* each : {&model_.equations, &model_.capacity, &model_.inertia}) keep_rest(*each);
    if (model_.turning)
      for (std::vector<Integral>* each : {&model_.turning->softening, &model_.turning->gyroscopic}) keep_rest(*each);
    for (ModelLoadCase& each : model_.load_cases) keep_rest(each.loads);
    for (LinearEquations* each : relations()) keep_rest(*each);
    for (HeldNodes& each : model_.held) std::erase_if(each.nodes, [this](Node node) { return !stays(node); });
    std::erase_if(model_.held_on_axis, [this](Node node) { return !stays(node); });
    std::erase_if(model_.exchanges, [this](Exchange& each) { return !keep_rest(each.integral); });
    model_.gone = std::move(gone_);
    model_.sparse = true;
  }

 private:
  bool is_gone(Index cell) const { return gone_[static_cast<std::size_t>(cell)] != 0; }
  bool stays(Node node) const { return stays_[static_cast<std::size_t>(node)] != 0; }
  bool stay(std::span<const UnknownTerm> terms) const {
    return std::ranges::all_of(terms, [this](const UnknownTerm& term) { return stays(term.node); });
  }

  std::vector<LinearEquations*> relations() {
    std::vector<LinearEquations*> all;
    for (LinearEquations& each : model_.relations) all.push_back(&each);
    for (LinearEquations& each : model_.held_along) all.push_back(&each);
    return all;
  }

  // False: nothing is left of it.
  bool keep_rest(Integral& integral) const {
    if (integral.everywhere) {
      integral.everywhere = false;
      for (Index cell = 0; cell < space_.mesh().cell_count(); ++cell) integral.cells.push_back(cell);
    }
    std::erase_if(integral.cells, [this](Index cell) { return is_gone(cell); });
    std::erase_if(integral.facets, [this](const FacetOfCell& facet) { return is_gone(facet.cell); });
    std::erase_if(integral.nodes, [this](Node node) { return !stays(space_.node_of(node)); });
    return !integral.cells.empty() || !integral.facets.empty() || !integral.nodes.empty();
  }
  void keep_rest(std::vector<Integral>& integrals) const {
    std::erase_if(integrals, [this](Integral& each) { return !keep_rest(each); });
  }
  void keep_rest(LinearEquations& equations) const {
    LinearEquations rest{.origin = equations.origin, .field = equations.field};
    for (Index i = 0; i < equations.size(); ++i)
      if (stay(equations.terms_of(i))) rest.add(equations.terms_of(i), equations.values[static_cast<std::size_t>(i)]);
    equations = std::move(rest);
  }

  void require(std::span<const UnknownTerm> terms, const std::string& what, const std::string& origin) const {
    if (stay(terms)) return;
    throw Error(ErrorKind::removed_part,
                fmt::format("{} on a part that is removed{}", what, origin.empty() ? "" : at_origin(origin)),
                "its surface belongs to cells that are gone", "remove its table in the same step");
  }

  Model& model_;
  const FunctionSpace& space_;
  std::vector<std::uint8_t> gone_, stays_;  // [cell] 1: it is removed; [node] 1: a cell that is there has it
};

}  // namespace

void remove_cells(std::span<const Index> cells, Model& model) {
  if (model.has_fields())
    throw Error(ErrorKind::removed_part, "removal of a part of a model of several fields",
                "their spaces are those of all cells", "take equations of one field");
  if (!model.ranges.empty())
    throw Error(ErrorKind::removed_part, "removal of a part of a model with tables of the unknown",
                "nodes that only the part has are at zero, beyond the tables", "let the tables be constant outside");
  Remover(cells, model).remove();
}

}  // namespace ritz
