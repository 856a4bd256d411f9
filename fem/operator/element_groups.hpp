// Elements of equal shape that carry the same integrals, laid out for the kernels: batches of lane_count elements, node
// numbers interleaved by lane. Cells and facets are treated alike. Elements with straight edges use the geometry of
// their corners, which is cheaper to read, and are in a group of their own; so are those whose map is of order 3 or
// more.
#pragma once

#include "fem/space/function_space.hpp"
#include "fem/operator/integral.hpp"
#include "device/pack.hpp"
#include "mesh/quadrature.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ritz {

// Cells in order: a list of its own, or that of the space where a group has all of its cells.
class CellList {
 public:
  CellList() = default;
  explicit CellList(std::vector<Index> own) : own_(std::move(own)), cells_(own_) {}
  static CellList all_of(const FunctionSpace& space) {
    CellList list;
    list.cells_ = space.cell_order();
    return list;
  }
  CellList(CellList&&) = default;  // a vector that is moved keeps its memory
  CellList& operator=(CellList&&) = default;

  bool empty() const { return cells_.empty(); }
  std::size_t size() const { return cells_.size(); }
  Index operator[](std::size_t position) const { return cells_[position]; }
  Index front() const { return cells_.front(); }
  Index own_bytes() const { return static_cast<Index>(own_.size() * sizeof(Index)); }
  bool operator==(const CellList& other) const { return std::ranges::equal(cells_, other.cells_); }

 private:
  std::vector<Index> own_;
  std::span<const Index> cells_;
};

struct ElementGroup {
  CellKind kind;                                     // of the cells or facets
  std::shared_ptr<const ReferenceElement> geometry;  // through whose nodes they are mapped
  const ReferenceElement* element;                   // of the field; owned by the space
  std::vector<int> integrals;                        // positions in the operator's list
  CellList elements;                                 // cells (of cell groups) in order; empty for facet groups
  std::vector<FacetOfCell> facets;                   // (of facet groups) in order
  Index element_count = 0;
  // [batch][node][lane]; the last batch repeats its last element. Not written where cells are counted only
  Array<std::int32_t> nodes;
  std::span<const Node> host_nodes;  // the same for the host: in `nodes`, or in nodes_on_host
  std::vector<Node> nodes_on_host;   // of devices with memory of their own
  Array<std::int32_t> own_geometry;  // the nodes of the geometry in the same layout; empty when they are the field's
  // they have a map of order 3 or more: own_geometry counts the space's curved points
  bool curved = false;
  int facet = -1;  // of cells: integrals are over the facet of this number of each; -1: over the cells

  const Array<std::int32_t>& geometry_nodes() const { return own_geometry.empty() ? nodes : own_geometry; }
  int node_count() const { return element->node_count(); }
  Index entry_count() const { return batch_count() * node_count() * lane_count; }  // of nodes
  Index batch_count() const { return (element_count + lane_count - 1) / lane_count; }
  // Place of node a of an element in `nodes`.
  std::size_t place(Index element, std::size_t a) const {
    constexpr auto lanes = static_cast<std::size_t>(lane_count);
    const auto e = static_cast<std::size_t>(element);
    return (e / lanes * static_cast<std::size_t>(node_count()) + a) * lanes + e % lanes;
  }
  Node node(Index element, int a) const { return host_nodes[place(element, static_cast<std::size_t>(a))]; }
};

// Coordinates of the group's geometry nodes: [geometry node][dimension].
inline const Vector& coordinates_of(const FunctionSpace& space, const ElementGroup& group) {
  return group.curved ? space.curved_coordinates() : space.geometry_coordinates();
}
int order_of(const ElementGroup& group);  // highest order in the element's functions and its geometry
QuadratureRule rule_of(const ElementGroup& group, int degree);
// that the rule for integrals of the form is exact to
int quadrature_degree(const FormValue& form, const ElementGroup& group);
// FormValue::reduced: modes of such cells without energy cannot spread from a cell to the next.
bool can_be_reduced(CellKind kind, const ReferenceElement& element);
// FormValue::cell_kernels
bool can_be_assumed(CellKind kind, const ReferenceElement& element);

// Counted: for forecasts; cells have their memory on the device, but nothing in it. When needed: the nodes of cells are
// written before the first task that reads them; an operator that ranks divide has none.
enum class ElementLists { written, counted, when_needed };

// Splits the domains of the integrals into groups; elements follow the space-filling curve of the space.
std::vector<ElementGroup> element_groups(const FunctionSpace& space, const std::vector<Integral>& integrals,
                                         ElementLists lists = ElementLists::written);

// Frees nodes and own_geometry of cells, and makes them again. ElementNodes does without them.
void forget_nodes_of_cells(std::vector<ElementGroup>& groups);
void write_nodes_of_cells(const FunctionSpace& space, std::vector<ElementGroup>& groups);
Index bytes_of_cells(const std::vector<ElementGroup>& groups);  // of nodes and own_geometry

// Nodes of one element after the other, whether the group is written or counted. They are valid until the next
// call.
class ElementNodes {
 public:
  ElementNodes(const FunctionSpace& space, const ElementGroup& group);
  std::span<const Node> operator()(Index element) {
    if (!group_->elements.empty()) return of_cell_(group_->elements[static_cast<std::size_t>(element)]);
    const std::span<const Node> all = group_->host_nodes;
    for (std::size_t a = 0; a < nodes_.size(); ++a) nodes_[a] = all[group_->place(element, a)];
    return nodes_;
  }

 private:
  const ElementGroup* group_;
  FunctionSpace::CellNodes of_cell_;
  std::vector<Node> nodes_;
};

}  // namespace ritz
