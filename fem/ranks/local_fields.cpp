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
    throw Error(ErrorKind::internal,
                fmt::format("no element of facets, edges or cells has the name '{}'", wanted.name));
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

// Place of an unknown of all fields, one after the other.
struct FieldNode {
  int field;
  Node node;
  int component;
};
FieldNode place_in(const Layout& layout, Index unknown) {
  const int k = layout.field_at(unknown);
  const Index own = unknown - layout.first(k);
  return {k, static_cast<Node>(own / layout.width(k)), static_cast<int>(own % layout.width(k))};
}

// Nodes that each node follows by equations: of its field, and of others, through its field, too.
class FollowedNodes {
 public:
  using List = std::vector<std::pair<int, Node>>;  // field, node

  FollowedNodes(const FieldsOperator& equations, const DependentRows* between) {
    std::map<std::pair<int, Node>, List> others;
    for (std::size_t row = 0; between != nullptr && row < between->unknown.size(); ++row) {
      const FieldNode dependent = place_in(equations.layout(), between->unknown[row]);
      for (Index t = between->begin[row]; t < between->begin[row + 1]; ++t) {
        const FieldNode followed = place_in(equations.layout(), between->followed[position(t)]);
        others[{dependent.field, dependent.node}].emplace_back(followed.field, followed.node);
      }
    }
    of_.resize(static_cast<std::size_t>(equations.field_count()));
    for (auto& [node, list] : others) add(node.first, node.second, list);
    for (int k = 0; k < equations.field_count(); ++k) {
      const NodeCouplings* const couplings = equations.space(k).couplings();
      if (couplings == nullptr) continue;
      for (Node node = 0; node < static_cast<Node>(equations.space(k).node_count()); ++node)
        for (const Node followed : couplings->followed_by(node)) {
          add(k, node, {{k, followed}});
          if (const auto found = others.find({k, followed}); found != others.end()) add(k, node, found->second);
        }
    }
    for (auto& of_field : of_)
      for (auto& [node, list] : of_field) {
        std::ranges::sort(list);
        list.erase(std::ranges::unique(list).begin(), list.end());
      }
  }

  bool empty() const {
    return std::ranges::all_of(of_, [](const auto& each) { return each.empty(); });
  }
  bool any_of(int field) const { return !of_[static_cast<std::size_t>(field)].empty(); }
  const List& of(int field, Node node) const {
    static const List none;
    const auto& nodes = of_[static_cast<std::size_t>(field)];
    const auto found = nodes.find(node);
    return found != nodes.end() ? found->second : none;
  }

 private:
  void add(int field, Node node, const List& more) {
    List& list = of_[static_cast<std::size_t>(field)][node];
    list.insert(list.end(), more.begin(), more.end());
  }
  std::vector<std::map<Node, List>> of_;  // [field]
};

// Equations between unknowns. A rank that owns a node gets the cells around those that follow it; then a cell at each
// node that those of its cells follow. So it can eliminate the equations from its rows. cells [mesh], first [field].
class CellsOfEquations {
 public:
  CellsOfEquations(const FieldsOperator& equations, const std::vector<int>& mesh_of,
                   const std::vector<std::vector<Index>>& first, const FollowedNodes& followed)
      : equations_(equations), mesh_of_(mesh_of), first_(first), followed_(followed) {}

  void add_to(std::vector<CellsOfRanks>& cells) const {
    if (followed_.empty()) return;
    std::vector<CellsOfRanks> more(cells.size(), CellsOfRanks(cells.front().size()));
    for (int k = 0; k < equations_.field_count(); ++k) {
      if (!followed_.any_of(k)) continue;
      FunctionSpace::CellNodes nodes_of(equations_.space(k));
      for (const Index cell : equations_.space(k).cell_order())
        for (const Node node : nodes_of(cell))
          for (const auto& [field, followed] : followed_.of(k, node))
            more[at(k)][owner(field, followed)].push_back(cell);
    }
    take(more, cells);
    std::vector<std::vector<Index>> cell_at;  // [field][node]
    for (int k = 0; k < equations_.field_count(); ++k) {
      FunctionSpace::CellNodes nodes_of(equations_.space(k));
      cell_at.emplace_back(position(equations_.space(k).node_count()), -1);
      for (const Index cell : equations_.space(k).cell_order())
        for (const Node node : nodes_of(cell)) cell_at.back()[position(node)] = cell;
    }
    for (std::size_t rank = 0; rank < cells.front().size(); ++rank) {
      std::vector<std::vector<bool>> has;
      for (int k = 0; k < equations_.field_count(); ++k) {
        FunctionSpace::CellNodes nodes_of(equations_.space(k));
        has.emplace_back(position(equations_.space(k).node_count()), false);
        for (const Index cell : cells[at(k)][rank])
          for (const Node node : nodes_of(cell)) has.back()[position(node)] = true;
      }
      for (int k = 0; k < equations_.field_count(); ++k)
        for (std::size_t node = 0; node < has[std::size_t(k)].size(); ++node)
          if (has[std::size_t(k)][node])
            for (const auto& [field, followed] : followed_.of(k, static_cast<Node>(node)))
              if (!has[std::size_t(field)][position(followed)])
                more[at(field)][rank].push_back(cell_at[std::size_t(field)][position(followed)]);
    }
    take(more, cells);
  }

 private:
  std::size_t at(int field) const { return static_cast<std::size_t>(mesh_of_[static_cast<std::size_t>(field)]); }
  std::size_t owner(int field, Node node) const {
    const std::vector<Index>& begin = first_[static_cast<std::size_t>(field)];
    return position(std::ranges::upper_bound(begin, Index{node}) - begin.begin() - 1);
  }
  // Each once, along the curve of its mesh.
  void take(std::vector<CellsOfRanks>& more, std::vector<CellsOfRanks>& cells) const {
    for (int k = 0; k < equations_.field_count(); ++k) {
      const std::span<const Index> along_curve = equations_.space(k).cell_order();
      std::vector<Index> place(along_curve.size());
      for (std::size_t i = 0; i < place.size(); ++i) place[position(along_curve[i])] = static_cast<Index>(i);
      for (std::size_t rank = 0; rank < cells[at(k)].size(); ++rank) {
        std::vector<Index>&here = cells[at(k)][rank], &added = more[at(k)][rank];
        if (added.empty()) continue;
        here.insert(here.end(), added.begin(), added.end());
        std::ranges::sort(here, {}, [&](Index cell) { return place[position(cell)]; });
        here.erase(std::ranges::unique(here).begin(), here.end());
        added.clear();
      }
    }
  }

  const FieldsOperator& equations_;
  const std::vector<int>& mesh_of_;
  const std::vector<std::vector<Index>>& first_;
  const FollowedNodes& followed_;
};

// Rows of T of the nodes of a part that have all nodes which they follow there: those that take part in rows of owned
// nodes. Offsets are zero.
DependentRows rows_on_part(const DependentNodeRows& rows, const Ghosts& nodes, int components) {
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
        throw Error(ErrorKind::internal, "a part of a mesh lacks nodes that its own follow by equations");
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
    result.offset.push_back(0);
    for (const auto& [followed, factor] : of_row) {
      result.followed.push_back(followed);
      result.factor.push_back(factor);
    }
    result.begin.push_back(std::ssize(result.followed));
  }
  return result;
}

// The same of equations between fields, of a part whose nodes of each field are [owned | ghosts].
DependentRows rows_on_part(const DependentRows& rows, const Layout& whole, const Layout& part) {
  const Layout local = part.local();
  // -1: not here
  const auto place = [&](Index unknown) -> std::int32_t {
    const FieldNode at = place_in(whole, unknown);
    const Ghosts& nodes = *part.ghosts(at.field);
    const Index first = nodes.first()[position(nodes.ranks().rank())];
    const bool is_owned = at.node >= first && at.node < first + nodes.owned();
    if (!is_owned && !std::ranges::binary_search(nodes.reached(), Index{at.node})) return -1;
    return static_cast<std::int32_t>(local.first(at.field) + nodes.local(at.node) * local.width(at.field) +
                                     at.component);
  };
  struct Row {
    double offset = 0;
    std::map<std::int32_t, double> terms = {};
  };
  std::map<std::int32_t, Row> here;
  for (std::size_t row = 0; row < rows.unknown.size(); ++row) {
    const std::int32_t unknown = place(rows.unknown[row]);
    if (unknown < 0) continue;
    Row of_unknown{.offset = rows.offset[row]};
    bool is_complete = true;
    for (auto t = position(rows.begin[row]); is_complete && t < position(rows.begin[row + 1]); ++t) {
      const std::int32_t followed = place(rows.followed[t]);
      is_complete = followed >= 0;
      if (is_complete) of_unknown.terms[followed] = rows.factor[t];
    }
    if (is_complete) here[unknown] = std::move(of_unknown);
  }
  DependentRows result;
  for (const auto& [unknown, row] : here) {
    result.unknown.push_back(unknown);
    result.offset.push_back(row.offset);
    for (const auto& [followed, factor] : row.terms) {
      result.followed.push_back(followed);
      result.factor.push_back(factor);
    }
    result.begin.push_back(std::ssize(result.followed));
  }
  return result;
}

std::vector<int> fields_among(const DependentRows& rows, const Layout& whole) {
  std::vector<int> fields;
  for (const std::vector<std::int32_t>* unknowns : {&rows.unknown, &rows.followed})
    for (const std::int32_t unknown : *unknowns) fields.push_back(place_in(whole, unknown).field);
  std::ranges::sort(fields);
  fields.erase(std::ranges::unique(fields).begin(), fields.end());
  return fields;
}

MixedIntegral of_several_fields(const Integral& integral, std::vector<int> fields, const Device& device) {
  const auto* record = static_cast<const MixedFormRecord*>(
      find_kernels(device.backend(), integral.form.module, mixed_record_name(integral.form.name.c_str())));
  MixedFormValue form(*record, integral.form);
  form.linear = integral.form.linear;  // with its parameters; of the record, with any
  return {.form = std::move(form),
          .everywhere = integral.everywhere,
          .cells = integral.cells,
          .factor = integral.factor,
          .facets = integral.facets,
          .fields = std::move(fields),
          .is_rate = integral.is_rate};
}

}  // namespace

FieldsCutter::FieldsCutter(const FieldsOperator& equations, int ranks, const DependentRows* between)
    : equations_(equations) {
  std::vector<Spaces> spaces;                          // [mesh]
  std::vector<std::vector<std::vector<Index>>> first;  // [mesh][space]
  for (int k = 0; k < equations.field_count(); ++k) {
    const auto has_mesh = [&](const auto& each) { return each.front().mesh() == equations.space(k).mesh(); };
    const auto known = std::ranges::find_if(spaces, has_mesh);
    const auto mesh = static_cast<std::size_t>(known - spaces.begin());
    mesh_of_.push_back(static_cast<int>(mesh));
    if (known == spaces.end()) spaces.emplace_back(), first.emplace_back();
    spaces[mesh].push_back(equations.space(k));
    first[mesh].push_back(equal_parts(equations.space(k), ranks));
    first_.push_back(equal_parts(equations.space(k), ranks));
    lowest_cell_.push_back(equations.terms().family(k) == Family::facet ? lowest_cells(equations.space(k))
                                                                        : std::vector<Index>());
  }
  std::vector<CellsOfRanks> around;
  for (std::size_t mesh = 0; mesh < spaces.size(); ++mesh) around.push_back(cells_around(spaces[mesh], first[mesh]));
  CellsOfEquations(equations, mesh_of_, first_, FollowedNodes(equations, between)).add_to(around);
  std::vector<std::shared_ptr<const CellsOfRanks>> cells;
  for (CellsOfRanks& each : around) cells.push_back(std::make_shared<const CellsOfRanks>(std::move(each)));
  for (int k = 0; k < equations.field_count(); ++k)
    cutters_.emplace_back(equations.space(k), first_[position(k)], cells[position(mesh_of_[position(k)])]);
}

LocalFieldsData FieldsCutter::part(int rank) {
  LocalFieldsData part;
  for (int k = 0; k < equations_.field_count(); ++k) {
    const bool is_first = std::ranges::find(mesh_of_, mesh_of_[position(k)]) - mesh_of_.begin() == k;
    LocalFieldsData::Space& own = part.spaces.emplace_back(is_first ? cutters_[position(k)].part(rank)
                                                                    : cutters_[position(k)].part_without_mesh(rank));
    own.mesh = mesh_of_[position(k)];
    own.field_name = equations_.space(k).field_name();
    own.family = equations_.terms().family(k);
    own.met_before = met_before(k, own.nodes);
    if (!is_first) {  // those of the first one serve all
      own.nodes.cells = {};
      own.nodes.numbering.cell_order = {};
    }
    for (const CellBlock& block : equations_.space(k).mesh().blocks())
      own.elements.push_back({block.kind, equations_.space(k).element(block.kind).name});
  }
  part.mesh_nodes = cutters_.front().mesh_nodes();
  part.integrals = integrals(equations_, rank);
  return part;
}

LocalIntegrals FieldsCutter::integrals(const FieldsOperator& equations, int rank) {
  std::vector<Integral> of_several;  // their places
  LocalIntegrals part;
  for (const MixedIntegral& each : equations.terms().integrals()) {
    of_several.push_back(
        {each.form.numbers, each.everywhere, each.cells, each.facets, {}, each.factor, 0, each.is_rate});
    part.fields_of.push_back(each.fields);
  }
  part.of_several = std::ssize(of_several);
  part.integrals = cutters_.front().integrals(rank, of_several);
  for (int k = 0; k < equations.field_count(); ++k) {
    const Operator* const alone = equations.of_field(k);
    const std::vector<Integral> of_field = alone != nullptr ? alone->integrals() : std::vector<Integral>();
    PartIntegrals own = cutters_[position(k)].integrals(rank, of_field);
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
                           const std::vector<std::shared_ptr<const Ghosts>>& ghosts) {
  Spaces first;  // of each mesh
  for (LocalFieldsData::Space& each : data.spaces) {
    const auto number = static_cast<std::size_t>(each.mesh);
    if (number == meshes.size())
      meshes.push_back(std::make_unique<const Mesh>(std::move(each.nodes.mesh), MeshChecks{.fix_inverted = false}));
    SpaceOptions options{.beside = number < first.size() ? first[number] : FunctionSpace(),
                         .given = &each.nodes.numbering,
                         .ghosts = ghosts.empty() ? nullptr : ghosts[spaces.size()]};
    for (const LocalFieldsData::ElementOfKind& element : each.elements)
      if (!meshes[number]->structural()) options.elements.push_back(element_named(element, each.family, device));
    options.field_name = each.field_name;
    spaces.emplace_back(*meshes[number], each.nodes.components, device, options);
    if (number == first.size()) first.push_back(spaces.back());
    met_before.push_back(each.met_before);
  }
  equations = make(data.integrals, time);
}

std::unique_ptr<FieldsOperator> FieldsOnPart::make(const LocalIntegrals& integrals, const Time& time) const {
  std::vector<MixedIntegral> of_several;
  std::vector<Integral> of_one;
  const std::vector<Integral>& all = integrals.integrals.integrals;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<Index>(i) < integrals.of_several)
      of_several.push_back(of_several_fields(all[i], integrals.fields_of[i], spaces.front().device()));
    else of_one.push_back(all[i].of_field(integrals.fields_of[i].front()));
  auto made = std::make_unique<FieldsOperator>(spaces, std::move(of_several), std::move(of_one), met_before);
  made->inputs().set_time(time);
  return made;
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
    : own_(data, time, ranks.among_all(device), ghosts_of(data, ranks)), mesh_nodes_(std::move(data.mesh_nodes)) {
  for (LocalFieldsData::Space& each : data.spaces) {
    mesh_of_.push_back(each.mesh);
    if (each.mesh == std::ssize(cells_)) cells_.push_back(std::move(each.nodes.cells));
  }
}

const std::vector<Index>& LocalFields::cells(int field) const { return cells_[position(mesh_of_[position(field)])]; }

FieldsConstraints LocalFields::supports(const std::vector<PartSupports>& of_fields,
                                        const DependentRows* between) const {
  FieldsConstraints supports(equations().spaces());
  if (between != nullptr) {
    std::vector<Layout::Field> all;
    for (int k = 0; k < equations().field_count(); ++k)
      all.push_back({.nodes = space(k).ghosts()->total(), .width = space(k).components()});
    const Layout whole(std::move(all));
    supports.relate(rows_on_part(*between, whole, equations().layout()), fields_among(*between, whole));
  }
  for (int k = 0; k < equations().field_count(); ++k) {
    const PartSupports& own = of_fields[position(k)];
    supports[k].prescribe(own.held, "the whole model");
    if (own.related) supports[k].relate(rows_on_part(own.relations, *space(k).ghosts(), space(k).components()));
  }
  supports.finish();
  return supports;
}

}  // namespace ritz
