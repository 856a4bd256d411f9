#include "fem/operator/field_groups.hpp"

#include "device/error.hpp"
#include "fem/cells/vector_element.hpp"
#include "fem/space/entity_signs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>
#include <utility>

namespace ritz {
namespace {

// Cells whose facet of this number belongs to the integral.
std::vector<Index> cells_at(const MixedIntegral& integral, int facet) {
  std::vector<Index> cells;
  for (const FacetOfCell& each : integral.facets)
    if (each.facet == facet) cells.push_back(each.cell);
  std::ranges::sort(cells);
  cells.erase(std::ranges::unique(cells).begin(), cells.end());
  return cells;
}

// The places of those integrals that have these fields, for the lists of elements, which know forms of one field.
// facet: -1: of integrals over cells; else the cells with this facet.
std::vector<Integral> places(const std::vector<MixedIntegral>& integrals, const FunctionSpace& space,
                             const std::vector<int>& fields, int facet) {
  std::vector<Integral> result;
  for (const MixedIntegral& integral : integrals) {
    FormRecord record{};
    record.name = integral.form.name.c_str();
    record.components = space.components();
    record.dimension = integral.form.dimension;
    record.cell = -1;
    Integral& place = result.emplace_back(Integral{FormValue(record, integral.form.numbers.module), false, {}, {}});
    if (fields_of(integral) != fields || (integral.form.codimension == 1) != (facet >= 0)) continue;
    place.everywhere = facet < 0 && integral.everywhere;
    place.cells = facet < 0 ? integral.cells : cells_at(integral, facet);
  }
  return result;
}

// All spaces have the same cells in the same order, so their groups are the same as well.
void add_groups(const Spaces& spaces, const std::vector<MixedIntegral>& integrals, const std::vector<int>& fields,
                int facet, std::vector<FieldGroup>& all) {
  const std::size_t first = all.size();
  for (const FunctionSpace& each : spaces) {
    std::vector<ElementGroup> groups = element_groups(each, places(integrals, each, fields, facet));
    all.resize(first + groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      FieldGroup& group = all[first + g];
      if (!group.of_field.empty()) groups[g].own_geometry = {};  // that of the first field serves all
      groups[g].facet = facet;
      group.of_field.push_back(std::move(groups[g]));
      group.fields = fields;
    }
  }
}

// [batch][node][lane] What the elements see of their unknowns.
Vector seen_numbers(const Device& device, const EntitySigns& signs, const ElementGroup& nodes,
                    std::int8_t SeenUnknown::*part) {
  std::vector<double> values(static_cast<std::size_t>(nodes.entry_count()));
  const Index padded = nodes.batch_count() * lane_count;
  for (Index e = 0; e < padded; ++e)
    for (int a = 0; a < nodes.node_count(); ++a)
      values[nodes.place(e, static_cast<std::size_t>(a))] =
          signs.of(nodes.elements[static_cast<std::size_t>(std::min(e, nodes.element_count - 1))], a).*part;
  return Vector(device, std::span<const double>(values), "connectivity");
}

void add_signs(const FunctionSpace& space, std::size_t field, Family family, std::span<const Node> met_before,
               std::vector<FieldGroup>& groups) {
  const bool signs_needed = family == Family::facet || family == Family::edge;
  const EntitySigns signs = signs_needed ? EntitySigns(space, family, met_before) : EntitySigns();
  for (FieldGroup& group : groups) {
    const auto numbers = [&](std::int8_t SeenUnknown::*part) {
      return seen_numbers(space.device(), signs, group.of_field[field], part);
    };
    group.signs.push_back(signs_needed ? numbers(&SeenUnknown::own) : Vector());
    group.partners.push_back(signs.partners() ? numbers(&SeenUnknown::partner) : Vector());
  }
}

// Has the element its nodes where unknowns of the family are?
bool numbers_family(const ReferenceElement& element, Family family) {
  for (int order = family == Family::cell ? 0 : 1; order <= highest_order(family); ++order)
    if (element.name == entity_element(element.shape, family, order).name) return true;
  return false;
}

}  // namespace

std::vector<int> fields_of(const MixedIntegral& integral) {
  if (!integral.fields.empty()) return integral.fields;
  std::vector<int> list(integral.form.fields.size());
  std::iota(list.begin(), list.end(), 0);
  return list;
}

std::vector<Family> families_of(const Spaces& spaces, const std::vector<MixedIntegral>& integrals) {
  std::vector<Family> families(spaces.size(), Family::lagrange);
  std::vector<bool> known(spaces.size(), false);
  for (const MixedIntegral& integral : integrals)
    for (std::size_t j = 0; j < integral.form.fields.size(); ++j) {
      const auto k = static_cast<std::size_t>(fields_of(integral)[j]);
      const Family family = integral.form.fields[j].family;
      if (!known[k]) families[k] = family;
      known[k] = true;
      bool fits = family == families[k];
      for (const CellBlock& block : spaces[k].mesh().blocks())
        fits = fits && (family == Family::lagrange || numbers_family(spaces[k].element(block.kind), family));
      if (!fits)
        throw Error(ErrorKind::internal,
                    fmt::format("field '{}' of form '{}' has its unknowns elsewhere than its space",
                                integral.form.fields[j].name, integral.form.name),
                    {}, "make the spaces by spaces_of() of this form");
    }
  return families;
}

std::vector<FieldGroup> field_groups(const Spaces& spaces, const std::vector<Family>& families,
                                     const std::vector<MixedIntegral>& integrals,
                                     const std::vector<std::vector<Node>>& met_before) {
  std::vector<std::vector<int>> sets;
  for (const MixedIntegral& integral : integrals)
    if (std::ranges::find(sets, fields_of(integral)) == sets.end()) sets.push_back(fields_of(integral));
  constexpr int most_facets = 6;  // of a cell
  std::vector<FieldGroup> groups;
  for (const std::vector<int>& fields : sets)
    for (int facet = -1; facet < most_facets; ++facet) add_groups(spaces, integrals, fields, facet, groups);
  for (const FieldGroup& group : groups)
    for (const ElementGroup& each : group.of_field)
      if (each.elements != group.geometry().elements)
        throw Error(ErrorKind::internal, "the spaces of a mixed operator list their cells in different orders");
  for (std::size_t k = 0; k < spaces.size(); ++k)
    add_signs(spaces[k], k, families[k], met_before.empty() ? std::span<const Node>() : met_before[k], groups);
  return groups;
}

}  // namespace ritz
