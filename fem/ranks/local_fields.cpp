#include "fem/ranks/local_fields.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/modules/plugin_elements.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace ritz {
namespace {

std::size_t position(Index i) { return static_cast<std::size_t>(i); }

// The element of this name, of Ritz or a plugin.
ReferenceElement element_named(const LocalFieldsData::ElementOfKind& wanted, Family family, const Device& device) {
  const CellKind shape = traits(wanted.kind).linear;
  if (family != Family::lagrange) {
    for (int order = family == Family::cell ? 0 : 1; order <= highest_order(family); ++order)
      if (ReferenceElement element = entity_element(shape, family, order); element.name == wanted.name) return element;
    throw Error(Exit::internal, fmt::format("no element of facets, edges or cells has the name '{}'", wanted.name));
  }
  if (ReferenceElement of_mesh = cell_element(wanted.kind); of_mesh.name == wanted.name) return of_mesh;
  for (int order = 1; order <= highest_lagrange_order(shape); ++order)
    if (ReferenceElement element = lagrange_element(shape, order); element.name == wanted.name) return element;
  return element_of_plugins(wanted.name, device);
}

// [node] the cell with the lowest number that has it.
std::vector<Index> lowest_cells(const FunctionSpace& space) {
  std::vector<Index> lowest(position(space.node_count()), std::numeric_limits<Index>::max());
  FunctionSpace::CellNodes nodes_of(space);
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell)
    for (const Node node : nodes_of(cell)) lowest[position(node)] = std::min(lowest[position(node)], cell);
  return lowest;
}

// Equations between unknowns. A rank that owns a node gets the cells around those that follow it; then a cell at each
// node that those of its cells follow. So it can eliminate the equations from its rows.
void add_cells_of_equations(const std::vector<const FunctionSpace*>& spaces,
                            const std::vector<std::vector<Index>>& first, CellsOfRanks& cells) {
  if (std::ranges::all_of(spaces, [](const FunctionSpace* each) { return each->couplings() == nullptr; })) return;
  const std::span<const Index> along_curve = spaces.front()->cell_order();
  std::vector<Index> place(along_curve.size());
  for (std::size_t i = 0; i < place.size(); ++i) place[position(along_curve[i])] = static_cast<Index>(i);
  CellsOfRanks more(cells.size());
  const auto take_more = [&] {
    for (std::size_t rank = 0; rank < cells.size(); ++rank) {
      cells[rank].insert(cells[rank].end(), more[rank].begin(), more[rank].end());
      std::ranges::sort(cells[rank], {}, [&](Index cell) { return place[position(cell)]; });
      cells[rank].erase(std::ranges::unique(cells[rank]).begin(), cells[rank].end());
      more[rank].clear();
    }
  };
  const auto each_field = [&](const auto& visit) {
    for (std::size_t k = 0; k < spaces.size(); ++k)
      if (const NodeCouplings* const couplings = spaces[k]->couplings()) visit(*spaces[k], *couplings, first[k]);
  };
  each_field([&](const FunctionSpace& space, const NodeCouplings& couplings, const std::vector<Index>& begin) {
    FunctionSpace::CellNodes nodes_of(space);
    for (const Index cell : along_curve)
      for (const Node node : nodes_of(cell))
        for (const Node followed : couplings.followed_by(node))
          more[position(std::ranges::upper_bound(begin, Index{followed}) - begin.begin() - 1)].push_back(cell);
  });
  take_more();
  each_field([&](const FunctionSpace& space, const NodeCouplings& couplings, const std::vector<Index>&) {
    FunctionSpace::CellNodes nodes_of(space);
    std::vector<Index> cell_at(position(space.node_count()), -1);
    for (const Index cell : along_curve)
      for (const Node node : nodes_of(cell)) cell_at[position(node)] = cell;
    for (std::size_t rank = 0; rank < cells.size(); ++rank) {
      std::vector<bool> has(cell_at.size(), false);
      for (const Index cell : cells[rank])
        for (const Node node : nodes_of(cell)) has[position(node)] = true;
      for (std::size_t node = 0; node < has.size(); ++node)
        for (const Node followed : couplings.followed_by(static_cast<Node>(node)))
          if (has[node] && !has[position(followed)]) more[rank].push_back(cell_at[position(followed)]);
    }
  });
  take_more();
}

// Rows of T of the nodes of a part that have all nodes which they follow there: those that take part in rows of owned
// nodes. values: [unknown of the part], of dependent ones where the others are zero; empty: zero.
DependentRows rows_on_part(const DependentNodeRows& rows, const Ghosts& nodes, int components,
                           const std::vector<double>& values) {
  const auto C = position(components);
  std::map<std::int32_t, std::map<std::int32_t, double>> terms;  // by the unknowns as the part numbers them
  const auto is_here = [&](Index node) {
    const Index first = nodes.first()[position(nodes.ranks().rank())];
    return (node >= first && node < first + nodes.owned()) || std::ranges::binary_search(nodes.reached(), node);
  };
  const auto unknown = [&](Index node, std::size_t component) {
    return static_cast<std::int32_t>(nodes.local(node) * components + static_cast<Index>(component));
  };
  for (std::size_t row = 0; row < rows.node.size(); ++row) {
    const auto begin = position(rows.begin[row]), end = position(rows.begin[row + 1]);
    if (!std::ranges::all_of(std::span(rows.followed).subspan(begin, end - begin), is_here)) {
      if (nodes.local(rows.node[row]) < nodes.owned())
        throw Error(Exit::internal, "a part of a mesh lacks nodes that its own follow by equations");
      continue;
    }
    for (std::size_t c = 0; c < C; ++c) {
      if (rows.dependent[row * C + c] == 0) continue;
      std::map<std::int32_t, double>& of_row = terms[unknown(rows.node[row], c)];
      for (std::size_t k = begin; k < end; ++k)
        for (std::size_t d = 0; d < C; ++d)
          if (const double factor = rows.block[(k * C + c) * C + d]; factor != 0)
            of_row[unknown(rows.followed[k], d)] = factor;
    }
  }
  DependentRows result;
  for (const auto& [dependent, of_row] : terms) {
    result.unknown.push_back(dependent);
    result.offset.push_back(values.empty() ? 0.0 : values[position(dependent)]);
    for (const auto& [followed, factor] : of_row) {
      result.followed.push_back(followed);
      result.factor.push_back(factor);
    }
    result.begin.push_back(std::ssize(result.followed));
  }
  return result;
}

MixedIntegral of_several_fields(const Integral& integral, std::vector<int> fields, const Device& device) {
  const auto* record = static_cast<const MixedFormRecord*>(
      find_kernels(device.backend(), integral.form.module, mixed_record_name(integral.form.name.c_str())));
  return {.form = MixedFormValue(*record, integral.form),
          .everywhere = integral.everywhere,
          .cells = integral.cells,
          .factor = integral.factor,
          .facets = integral.facets,
          .fields = std::move(fields),
          .is_rate = integral.is_rate};
}

}  // namespace

FieldsCutter::FieldsCutter(const MixedOperator& equations, int ranks) : equations_(equations) {
  std::vector<const FunctionSpace*> spaces;
  for (int k = 0; k < equations.field_count(); ++k) {
    spaces.push_back(&equations.space(k));
    first_.push_back(equal_parts(equations.space(k), ranks));
    lowest_cell_.push_back(equations.family(k) == Family::facet ? lowest_cells(equations.space(k))
                                                                : std::vector<Index>());
  }
  CellsOfRanks around = cells_around(spaces, first_);
  add_cells_of_equations(spaces, first_, around);
  const auto cells = std::make_shared<const CellsOfRanks>(std::move(around));
  for (int k = 0; k < equations.field_count(); ++k)
    cutters_.emplace_back(equations.space(k), first_[position(k)], cells);
  for (const MixedIntegral& each : equations.integrals())
    of_several_.push_back(
        {each.form.numbers, each.everywhere, each.cells, each.facets, {}, each.factor, 0, each.is_rate});
}

LocalFieldsData FieldsCutter::part(int rank) {
  LocalFieldsData part{.of_several = std::ssize(of_several_)};
  for (int k = 0; k < equations_.field_count(); ++k) {
    LocalFieldsData::Space& own = part.spaces.emplace_back(k == 0 ? cutters_[position(k)].part(rank)
                                                                  : cutters_[position(k)].part_without_mesh(rank));
    own.family = equations_.family(k);
    own.met_before = met_before(k, own.nodes);
    if (k > 0) {  // those of the first one serve all
      own.nodes.cells = {};
      own.nodes.numbering.cell_order = {};
    }
    for (const CellBlock& block : equations_.space(k).mesh().blocks())
      own.elements.push_back({block.kind, equations_.space(k).element(block.kind).name});
  }
  part.mesh_nodes = cutters_.front().mesh_nodes();
  part.integrals = cutters_.front().integrals(rank, of_several_);
  for (const MixedIntegral& each : equations_.integrals()) part.fields_of.push_back(each.fields);
  for (int k = 0; k < equations_.field_count(); ++k) {
    const std::span<const Integral> of_field = equations_.integrals_of(k);
    PartIntegrals own = cutters_[position(k)].integrals(rank, {of_field.begin(), of_field.end()});
    std::ranges::move(own.integrals, std::back_inserter(part.integrals.integrals));
    for (std::size_t i = 0; i < of_field.size(); ++i) {
      part.integrals.integral_of.push_back(part.integrals.integral_of.size());
      part.fields_of.push_back({k});
    }
  }
  return part;
}

std::vector<Node> FieldsCutter::met_before(int field, const PartData& part) const {
  std::vector<Node> result;
  if (lowest_cell_[position(field)].empty()) return result;
  for (std::size_t i = 0; i < part.reached.size(); ++i)
    if (!std::ranges::binary_search(part.cells, lowest_cell_[position(field)][position(part.reached[i])]))
      result.push_back(static_cast<Node>(part.last - part.first + static_cast<Index>(i)));
  return result;
}

FieldsOnPart::FieldsOnPart(LocalFieldsData& data, const Time& time, const Device& device,
                           const std::vector<std::shared_ptr<const Ghosts>>& ghosts)
    : mesh(std::make_unique<const Mesh>(std::move(data.spaces.front().nodes.mesh), MeshChecks{.fix_inverted = false})) {
  Spaces spaces;
  std::vector<std::vector<Node>> met_before;
  for (const LocalFieldsData::Space& each : data.spaces) {
    SpaceOptions options{.beside = spaces.empty() ? nullptr : spaces.front().get(),
                         .given = &each.nodes.numbering,
                         .ghosts = ghosts.empty() ? nullptr : ghosts[spaces.size()]};
    for (const LocalFieldsData::ElementOfKind& element : each.elements)
      options.elements.push_back(element_named(element, each.family, device));
    spaces.push_back(std::make_shared<const FunctionSpace>(*mesh, each.nodes.components, device, options));
    met_before.push_back(each.met_before);
  }
  std::vector<MixedIntegral> of_several;
  std::vector<Integral> of_one;
  const std::vector<Integral>& integrals = data.integrals.integrals;
  for (std::size_t i = 0; i < integrals.size(); ++i)
    if (static_cast<Index>(i) < data.of_several)
      of_several.push_back(of_several_fields(integrals[i], data.fields_of[i], device));
    else of_one.push_back(integrals[i].of_field(data.fields_of[i].front()));
  auto made = std::make_unique<MixedOperator>(std::move(spaces), std::move(of_several), std::move(of_one), met_before);
  made->set_time(time);
  equations = std::move(made);
}

namespace {

std::vector<std::shared_ptr<const Ghosts>> ghosts_of(const LocalFieldsData& data, Ranks& ranks) {
  std::vector<std::shared_ptr<const Ghosts>> ghosts;
  for (const LocalFieldsData::Space& each : data.spaces)
    ghosts.push_back(std::make_shared<const Ghosts>(ranks, each.nodes.last - each.nodes.first, each.nodes.reached));
  return ghosts;
}

}  // namespace

LocalFields::LocalFields(LocalFieldsData data, const Time& time, const Device& device, Ranks& ranks)
    : own_(data, time, ranks.among_all(device), ghosts_of(data, ranks)), mesh_nodes_(std::move(data.mesh_nodes)) {}

MixedConstraints LocalFields::supports(const std::vector<PartSupports>& of_fields,
                                       const std::vector<std::vector<double>>& values) const {
  MixedConstraints supports(equations().spaces());
  for (int k = 0; k < equations().field_count(); ++k) {
    const PartSupports& own = of_fields[position(k)];
    const std::vector<std::uint8_t>& mask = own.held;
    const auto components = position(space(k).components());
    for (std::size_t c = 0; c < components; ++c) {
      std::vector<Node> nodes;
      std::vector<double> prescribed;
      for (std::size_t unknown = c; unknown < mask.size(); unknown += components) {
        if (mask[unknown] == 0) continue;
        nodes.push_back(static_cast<Node>(unknown / components));
        prescribed.push_back(values.empty() ? 0.0 : values[position(k)][unknown]);
      }
      supports[k].prescribe_nodes(nodes, static_cast<int>(c), prescribed, "the whole model");
    }
    if (own.related)
      supports.relate(k, rows_on_part(own.relations, *space(k).ghosts(), space(k).components(),
                                      values.empty() ? std::vector<double>() : values[position(k)]));
  }
  supports.finish();
  return supports;
}

}  // namespace ritz
