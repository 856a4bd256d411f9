#include "fem/ranks/local_fields.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/modules/plugin_elements.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
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

MixedIntegral of_several_fields(const Integral& integral, std::vector<int> fields, const Device& device) {
  const auto* record = static_cast<const MixedFormRecord*>(
      find_kernels(device.backend(), integral.form.module, mixed_record_name(integral.form.name.c_str())));
  return {.form = MixedFormValue(*record, integral.form),
          .everywhere = integral.everywhere,
          .cells = integral.cells,
          .factor = integral.factor,
          .facets = integral.facets,
          .fields = std::move(fields)};
}

}  // namespace

void add(Packed& to, const LocalFieldsData& part) {
  to.add(part.spaces.size());
  for (const LocalFieldsData::Space& each : part.spaces) {
    add(to, each.nodes);
    to.add(each.family).add(each.met_before).add(each.elements.size());
    for (const auto& [kind, name] : each.elements) to.add(kind).add(name);
  }
  to.add(part.mesh_nodes).add(part.of_several).add(part.fields_of.size());
  for (const std::vector<int>& fields : part.fields_of) to.add(fields);
  add(to, part.integrals);
}

LocalFieldsData fields_part_data(Unpacked& from, const FunctionElsewhere& functions) {
  LocalFieldsData part;
  for (auto spaces = from.get<std::size_t>(); spaces > 0; --spaces) {
    LocalFieldsData::Space& each = part.spaces.emplace_back(part_data(from));
    from.get(each.family);
    each.met_before = from.list<Node>();
    for (auto elements = from.get<std::size_t>(); elements > 0; --elements) {
      const auto kind = from.get<CellKind>();
      each.elements.push_back({kind, from.text()});
    }
  }
  part.mesh_nodes = from.list<Node>();
  from.get(part.of_several);
  for (auto integrals = from.get<std::size_t>(); integrals > 0; --integrals) part.fields_of.push_back(from.list<int>());
  part.integrals = part_integrals(from, part.spaces.front().nodes.cells, functions);
  return part;
}

const std::vector<PointFunction>& given_of(const MixedOperator& equations, std::size_t integral) {
  if (integral < equations.integrals().size()) return equations.integrals()[integral].form.numbers.given;
  integral -= equations.integrals().size();
  for (int k = 0; k < equations.field_count(); ++k) {
    const std::span<const Integral> own = equations.integrals_of(k);
    if (integral < own.size()) return own[integral].form.given;
    integral -= own.size();
  }
  throw Error(Exit::internal, "a rank asks for a function of an integral that there is not");
}

FieldsCutter::FieldsCutter(const MixedOperator& equations, int ranks) : equations_(equations) {
  std::vector<const FunctionSpace*> spaces;
  for (int k = 0; k < equations.field_count(); ++k) {
    spaces.push_back(&equations.space(k));
    first_.push_back(equal_parts(equations.space(k), ranks));
    lowest_cell_.push_back(equations.family(k) == Family::facet ? lowest_cells(equations.space(k))
                                                                : std::vector<Index>());
  }
  const auto cells = std::make_shared<const CellsOfRanks>(cells_around(spaces, first_));
  for (int k = 0; k < equations.field_count(); ++k)
    cutters_.emplace_back(equations.space(k), first_[position(k)], cells);
  for (const MixedIntegral& each : equations.integrals())
    of_several_.push_back({each.form.numbers, each.everywhere, each.cells, each.facets, {}, each.factor});
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

FieldsOnPart::FieldsOnPart(LocalFieldsData& data, const Time& time, const Device& device)
    : mesh(std::make_unique<const Mesh>(std::move(data.spaces.front().nodes.mesh), MeshChecks{.fix_inverted = false})) {
  Spaces spaces;
  std::vector<std::vector<Node>> met_before;
  for (const LocalFieldsData::Space& each : data.spaces) {
    SpaceOptions options{.beside = spaces.empty() ? nullptr : spaces.front().get(), .given = &each.nodes.numbering};
    for (const LocalFieldsData::ElementOfKind& element : each.elements)
      options.elements.push_back(element_named(element, each.family, device));
    spaces.push_back(std::make_shared<const FunctionSpace>(*mesh, each.nodes.components, device, options));
    met_before.push_back(each.met_before);
  }
  std::vector<MixedIntegral> of_several;
  std::vector<FieldIntegral> of_one;
  const std::vector<Integral>& integrals = data.integrals.integrals;
  for (std::size_t i = 0; i < integrals.size(); ++i)
    if (static_cast<Index>(i) < data.of_several)
      of_several.push_back(of_several_fields(integrals[i], data.fields_of[i], device));
    else of_one.push_back({data.fields_of[i].front(), integrals[i]});
  auto made = std::make_unique<MixedOperator>(std::move(spaces), std::move(of_several), std::move(of_one), met_before);
  made->set_time(time);
  equations = std::move(made);
}

LocalFields::LocalFields(LocalFieldsData data, const Time& time, const Device& device, Ranks& ranks)
    : ranks_(ranks),
      own_(data, time, ranks.among_all(device)),
      mesh_nodes_(std::move(data.mesh_nodes)),
      asks_(std::ranges::any_of(data.integrals.integrals, [](const Integral& i) { return !i.form.given.empty(); })) {
  std::vector<Index> owned, whole;
  for (const LocalFieldsData::Space& each : data.spaces) {
    const PartData& nodes = each.nodes;
    ghosts_.push_back(std::make_shared<const Ghosts>(ranks, nodes.last - nodes.first, nodes.reached));
    owned.push_back((nodes.last - nodes.first) * nodes.components);
    whole.push_back(ghosts_.back()->total() * nodes.components);
  }
  owned_ = BlockLayout(owned);
  whole_ = BlockLayout(whole);
}

std::vector<Index> LocalFields::places() const {
  const auto fields = ghosts_.size();
  const auto components = [&](std::size_t k) { return Index{space(static_cast<int>(k)).components()}; };
  const auto owned_by = [&](std::size_t k, int rank) {
    return ghosts_[k]->first()[position(rank) + 1] - ghosts_[k]->first()[position(rank)];
  };
  std::vector<std::vector<Index>> first(position(ranks_.count()));  // [rank][field] place of the first unknown
  Index next = 0;
  for (int rank = 0; rank < ranks_.count(); ++rank)
    for (std::size_t k = 0; k < fields; ++k) {
      first[position(rank)].push_back(next);
      next += owned_by(k, rank) * components(k);
    }
  std::vector<Index> places;
  places.reserve(position(equations().layout().total()));
  for (std::size_t k = 0; k < fields; ++k)
    for (Index node = 0; node < ghosts_[k]->size(); ++node) {
      const Index global = ghosts_[k]->global(node);
      const int owner = ghosts_[k]->owner(global);
      for (Index c = 0; c < components(k); ++c)
        places.push_back(first[position(owner)][k] + (global - ghosts_[k]->first()[position(owner)]) * components(k) +
                         c);
    }
  return places;
}

MixedConstraints LocalFields::supports(const std::vector<std::vector<std::uint8_t>>& held) const {
  MixedConstraints supports(equations().spaces());
  for (int k = 0; k < equations().field_count(); ++k) {
    const auto components = position(space(k).components());
    for (std::size_t c = 0; c < components; ++c) {
      std::vector<Node> prescribed;
      for (std::size_t node = 0; node * components < held[position(k)].size(); ++node)
        if (held[position(k)][node * components + c] != 0) prescribed.push_back(static_cast<Node>(node));
      supports[k].prescribe_nodes(prescribed, static_cast<int>(c), 0.0, "the whole model");
    }
  }
  supports.finish();
  return supports;
}

RankRows LocalFields::rows(int field) const {
  RankRows rows{.ranks = &ranks_, .first = ghosts(field).first()};
  for (Index& row : rows.first) row *= space(field).components();
  return rows;
}

void LocalFields::deal(const Vector& whole, Vector& own) const {
  for (int k = 0; k < owned_.count(); ++k) {
    Vector mine(device(), owned_.size(k), "vectors");
    rows(k).deal(whole.empty() ? Vector() : whole_.part(whole, k), mine);
    owned_.put(mine, k, own);
  }
}

void LocalFields::collect(const Vector& own, Vector& whole) const {
  for (int k = 0; k < owned_.count(); ++k) {
    Vector all = whole.empty() ? Vector() : Vector(device(), whole_.size(k), "vectors");
    rows(k).collect(owned_.part(own, k), all);
    if (!whole.empty()) whole_.put(all, k, whole);
  }
}

Vector LocalFields::with_ghosts(const Vector& own) const {
  const BlockLayout& layout = equations().layout();
  Vector all = equations().zeros();
  for (int k = 0; k < owned_.count(); ++k) {
    Vector part(device(), layout.size(k), "vectors");
    device().machine().copy_on_device(part.data(), own.data() + owned_.first(k),
                                      owned_.size(k) * Index{sizeof(double)});
    ghosts(k).fetch(part, space(k).components());
    layout.put(part, k, all);
  }
  return all;
}

Vector LocalFields::without_ghosts(const Vector& all) const {
  Vector own(device(), owned_.total(), "vectors");
  for (int k = 0; k < owned_.count(); ++k)
    device().machine().copy_on_device(own.data() + owned_.first(k), all.data() + equations().layout().first(k),
                                      owned_.size(k) * Index{sizeof(double)});
  return own;
}

}  // namespace ritz
