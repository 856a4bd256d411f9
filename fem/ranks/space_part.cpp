#include "fem/ranks/space_part.hpp"

#include "device/error.hpp"
#include "fem/modules/plugin_elements.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace ritz {
namespace {

// A function of the whole mesh, called with points in cells of a part.
struct OnWholeMesh {
  PointFunction function;
  const Mesh* whole;
  std::shared_ptr<const std::vector<Index>> cells;  // [cell of the part]
  bool depends_on_time() const { return function.varies_in_time(); }
  void operator()(const EvaluationPoints& points, double t, std::span<double> values) const {
    if (points.mesh == nullptr) return function(points, t, values);
    std::vector<Index> holding;
    holding.reserve(points.cells.size());
    for (const Index cell : points.cells) holding.push_back((*cells)[static_cast<std::size_t>(cell)]);
    function(EvaluationPoints(points.x, *whole, holding, points.xi), t, values);
  }
};

}  // namespace

std::vector<Index> equal_parts(const FunctionSpace& space, int ranks) {
  std::vector<Index> first;
  for (int rank = 0; rank <= ranks; ++rank) first.push_back(space.node_count() * rank / ranks);
  return first;
}

WholeCells parts_of_whole_cells(const FunctionSpace& space, int ranks) {
  const Mesh& mesh = space.mesh();
  const std::vector<Index> equal = equal_parts(space, ranks);
  WholeCells parts;
  FunctionSpace::CellNodes nodes_of(space);
  std::vector<bool> met(static_cast<std::size_t>(mesh.node_count()), false);
  Index count = 0;       // of nodes that cells so far have
  bool corners = false;  // has the present rank any?
  for (const Index cell : space.cell_order()) {
    if (std::ssize(parts.first) < ranks && count >= equal[parts.first.size()]) {
      parts.all_have = parts.all_have && (corners || parts.first.empty());
      parts.first.push_back(count);
      corners = false;
    }
    for (const Node node : nodes_of(cell)) count = std::max(count, Index{node} + 1);
    const std::span<const Node> nodes = mesh.nodes_of(cell);
    for (const Node node : nodes.first(static_cast<std::size_t>(traits(mesh.kind_of(cell)).corner_count))) {
      corners = corners || !met[static_cast<std::size_t>(node)];
      met[static_cast<std::size_t>(node)] = true;
    }
  }
  parts.all_have = parts.all_have && corners && std::ssize(parts.first) == ranks;
  parts.first.push_back(count);
  return parts;
}

std::vector<std::string> elements_of_plugins(const FunctionSpace& space) {
  std::vector<std::string> names;
  if (space.isoparametric()) return names;
  for (const CellBlock& block : space.mesh().blocks()) {
    const CellKind shape = traits(block.kind).linear;
    const std::string& name = space.element(block.kind).name;
    const bool own =
        space.order() <= highest_lagrange_order(shape) && name == lagrange_element(shape, space.order()).name;
    if (!own && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

PartSupports supports_of(const Constraints& constraints, int components, Index first, Index last,
                         std::span<const Index> reached) {
  PartSupports own{.held = {}, .related = constraints.dependent() != nullptr};
  const auto hold = [&](Index node) {
    for (int c = 0; c < components; ++c)
      own.held.push_back(constraints.is_prescribed(static_cast<Node>(node), c) ? 1 : 0);
  };
  own.held.reserve((static_cast<std::size_t>(last - first) + reached.size()) * static_cast<std::size_t>(components));
  for (Index node = first; node < last; ++node) hold(node);
  std::ranges::for_each(reached, hold);
  own.relations = relations_of(constraints, first, last, reached);
  return own;
}

CellsOfRanks cells_around(const Spaces& spaces, const std::vector<std::vector<Index>>& first) {
  CellsOfRanks cells(first.front().size() - 1);
  std::vector<FunctionSpace::CellNodes> nodes_of;
  for (const FunctionSpace& each : spaces) nodes_of.emplace_back(each);
  std::vector<std::size_t> around;
  for (const Index cell : spaces.front().cell_order()) {
    around.clear();
    for (std::size_t k = 0; k < spaces.size(); ++k) {
      const std::span<const Index> begin = std::span<const Index>(first[k]).subspan(1, first[k].size() - 2);
      const auto add_owner = [&](Index node) {
        const auto rank = static_cast<std::size_t>(std::ranges::upper_bound(begin, node) - begin.begin());
        if (std::ranges::find(around, rank) == around.end()) around.push_back(rank);
        return rank;
      };
      const std::span<const Node> nodes = nodes_of[k](cell);
      const auto [low, high] = std::ranges::minmax(nodes);
      if (add_owner(low) != add_owner(high)) std::ranges::for_each(nodes, add_owner);
    }
    for (const std::size_t rank : around) cells[rank].push_back(cell);
  }
  return cells;
}

SpaceCutter::SpaceCutter(const FunctionSpace& whole, std::vector<Index> first, Cells order)
    : SpaceCutter(whole, first, std::make_shared<CellsOfRanks>(cells_around({whole}, {first}))) {
  order_ = order;
  if (order == Cells::with_patches)
    for (int layer = 0; layer < 2; ++layer) add_layer();
}

SpaceCutter::SpaceCutter(const FunctionSpace& whole, std::vector<Index> first,
                         std::shared_ptr<const CellsOfRanks> cells)
    : whole_(whole),
      first_(std::move(first)),
      order_(Cells::of_fields),
      cells_(std::move(cells)),
      cell_place_(static_cast<std::size_t>(whole.mesh().cell_count()), -1),
      place_(static_cast<std::size_t>(whole.node_count()), -1),
      mesh_place_(static_cast<std::size_t>(whole.mesh().node_count()), -1) {}

namespace {

// Ranks that meet each node of the mesh. Most nodes have one.
class RanksOfNodes {
 public:
  explicit RanksOfNodes(Index nodes) : one_(static_cast<std::size_t>(nodes), -1) {}
  void add(Node node, int rank) {
    int& one = one_[static_cast<std::size_t>(node)];
    if (one < 0) one = rank;
    else if (one != rank)
      if (std::vector<int>& more = more_[node]; std::ranges::find(more, rank) == more.end()) more.push_back(rank);
  }
  void add_to(std::vector<int>& ranks, Node node) const {
    const auto add_once = [&](int rank) {
      if (std::ranges::find(ranks, rank) == ranks.end()) ranks.push_back(rank);
    };
    if (const int one = one_[static_cast<std::size_t>(node)]; one >= 0) add_once(one);
    if (const auto found = more_.find(node); found != more_.end()) std::ranges::for_each(found->second, add_once);
  }

 private:
  std::vector<int> one_;  // the first that was added, -1
  std::unordered_map<Node, std::vector<int>> more_;
};

}  // namespace

// All cells that share a vertex with those of a rank.
void SpaceCutter::add_layer() {
  const Mesh& mesh = whole_.mesh();
  const auto corners = [&](Index cell) {
    return mesh.nodes_of(cell).first(static_cast<std::size_t>(traits(mesh.kind_of(cell)).corner_count));
  };
  RanksOfNodes meet(mesh.node_count());
  for (std::size_t rank = 0; rank < cells_->size(); ++rank)
    for (const Index cell : (*cells_)[rank])
      for (const Node node : corners(cell)) meet.add(node, static_cast<int>(rank));
  CellsOfRanks more(cells_->size());
  std::vector<int> ranks;
  for (const Index cell : whole_.cell_order()) {
    ranks.clear();
    for (const Node node : corners(cell)) meet.add_to(ranks, node);
    for (const int rank : ranks) more[static_cast<std::size_t>(rank)].push_back(cell);
  }
  cells_ = std::make_shared<const CellsOfRanks>(std::move(more));
}

PartData SpaceCutter::cells_of(int rank) {
  PartData part{.components = whole_.components(),
                .order = whole_.isoparametric() ? 0 : whole_.order(),
                .elements = elements_of_plugins(whole_),
                .first = first_[static_cast<std::size_t>(rank)],
                .last = first_[static_cast<std::size_t>(rank) + 1]};
  part.numbering.order = whole_.order();
  take_cells((*cells_)[static_cast<std::size_t>(rank)], part);
  return part;
}

PartData SpaceCutter::numbered_part(int rank) {
  PartData part = cells_of(rank);
  take_nodes(part);
  if (order_ == Cells::inner_first) put_inner_first(part);
  if (!whole_.isoparametric() || order_ == Cells::of_fields) number_as_whole(part);
  return part;
}

PartData SpaceCutter::part(int rank) {
  PartData part = numbered_part(rank);
  take_mesh_nodes(part);
  take_mesh(part);
  forget(part);
  return part;
}

PartData SpaceCutter::part_without_mesh(int rank) {
  mesh_nodes_.clear();
  PartData part = numbered_part(rank);
  forget(part);
  return part;
}

PartIntegrals SpaceCutter::integrals(int rank, const std::vector<Integral>& all) {
  PartData part = cells_of(rank);
  mesh_nodes_.clear();
  if (std::ranges::any_of(all, [](const Integral& each) { return !each.nodes.empty(); })) {
    take_nodes(part);
    take_mesh_nodes(part);
  }
  const auto cells = std::make_shared<const std::vector<Index>>(part.cells);
  PartIntegrals own;
  for (std::size_t i = 0; i < all.size(); ++i) take(all[i], i, cells, own);
  forget(part);
  return own;
}

// Ascending, so that blocks stay together, and their order along the curve.
void SpaceCutter::take_cells(std::vector<Index> along_curve, PartData& part) {
  part.cells = along_curve;
  std::ranges::sort(part.cells);
  for (std::size_t place = 0; place < part.cells.size(); ++place)
    cell_place_[static_cast<std::size_t>(part.cells[place])] = static_cast<Index>(place);
  for (Index& cell : along_curve) cell = cell_place_[static_cast<std::size_t>(cell)];
  part.numbering.cell_order = std::move(along_curve);
}

void SpaceCutter::take_nodes(PartData& part) {
  FunctionSpace::CellNodes nodes_of(whole_);
  for (const Index cell : part.cells)
    for (const Node node : nodes_of(cell))
      if ((node < part.first || node >= part.last) && std::exchange(place_[static_cast<std::size_t>(node)], 0) < 0)
        part.reached.push_back(node);
  std::ranges::sort(part.reached);
  const Index owned = part.last - part.first;
  for (Index node = 0; node < owned; ++node)
    place_[static_cast<std::size_t>(part.first + node)] = static_cast<Node>(node);
  for (std::size_t k = 0; k < part.reached.size(); ++k)
    place_[static_cast<std::size_t>(part.reached[k])] = static_cast<Node>(owned + static_cast<Index>(k));
  part.numbering.node_count = owned + std::ssize(part.reached);
}

void SpaceCutter::put_inner_first(PartData& part) const {
  FunctionSpace::CellNodes nodes_of(whole_);
  part.along_curve = part.numbering.cell_order;
  std::ranges::stable_partition(part.numbering.cell_order, [&](Index cell) {
    return std::ranges::all_of(nodes_of(part.cells[static_cast<std::size_t>(cell)]),
                               [&](Node node) { return node >= part.first && node < part.last; });
  });
}

// Nodes of the mesh in the order of those of the part, or along the curve where the space has nodes of its own. Of
// fields: in their order in the whole mesh, but for beams and shells, which have no others.
void SpaceCutter::take_mesh_nodes(const PartData& part) {
  const Mesh& whole = whole_.mesh();
  mesh_nodes_.clear();
  for (const Index cell : part.cells)
    for (const Node node : whole.nodes_of(cell))
      if (std::exchange(mesh_place_[static_cast<std::size_t>(node)], 0) < 0) mesh_nodes_.push_back(node);
  std::ranges::sort(mesh_nodes_, {}, [&](Node node) {
    if (order_ == Cells::of_fields && !whole.structural()) return node;
    return whole_.isoparametric() ? place_[static_cast<std::size_t>(whole_.node_of(node))]
                                  : whole_.geometry_node_of(node);
  });
  for (std::size_t place = 0; place < mesh_nodes_.size(); ++place)
    mesh_place_[static_cast<std::size_t>(mesh_nodes_[place])] = static_cast<Node>(place);
}

void SpaceCutter::take_mesh(PartData& part) const {
  const Mesh& whole = whole_.mesh();
  part.mesh = {.dimension = whole.dimension(),
               .structural = whole.structural(),
               .points = {},
               .blocks = {},
               .regions = {},
               .source = whole.source()};
  part.mesh.points.reserve(3 * mesh_nodes_.size());
  for (const Node node : mesh_nodes_) {
    const auto point = whole.point(node);
    part.mesh.points.insert(part.mesh.points.end(), point.begin(), point.end());
  }
  auto cell = part.cells.begin();
  for (const CellBlock& block : whole.blocks()) {
    CellBlock here{.kind = block.kind, .nodes = {}};
    here.curved.functions = block.curved.functions;
    for (; cell != part.cells.end() && *cell < block.first_cell + block.cell_count(); ++cell) {
      const Index position = *cell - block.first_cell;
      here.curved.append(block.curved, position, here.cell_count());
      for (const Node node : block.cell(position)) here.nodes.push_back(mesh_place_[static_cast<std::size_t>(node)]);
    }
    if (!here.nodes.empty()) part.mesh.blocks.push_back(std::move(here));
  }
}

void SpaceCutter::number_as_whole(PartData& part) const {
  FunctionSpace::CellNodes nodes_of(whole_);
  for (const Index cell : part.cells)
    for (const Node node : nodes_of(cell)) part.numbering.cell_nodes.push_back(place_[static_cast<std::size_t>(node)]);
}

void SpaceCutter::forget(const PartData& part) {
  for (const Index cell : part.cells) cell_place_[static_cast<std::size_t>(cell)] = -1;
  for (const Node node : mesh_nodes_) mesh_place_[static_cast<std::size_t>(node)] = -1;
  for (Index node = part.first; node < part.last; ++node) place_[static_cast<std::size_t>(node)] = -1;
  for (const Index node : part.reached) place_[static_cast<std::size_t>(node)] = -1;
}

void SpaceCutter::take(const Integral& each, std::size_t number, const std::shared_ptr<const std::vector<Index>>& cells,
                       PartIntegrals& part) const {
  Integral here{each.form, each.everywhere, {}, {}, {}, each.factor, each.field, each.is_rate, each.is_load};
  for (const Index cell : each.cells)
    if (const Index place = cell_place_[static_cast<std::size_t>(cell)]; place >= 0) here.cells.push_back(place);
  for (const FacetOfCell& facet : each.facets)
    if (const Index place = cell_place_[static_cast<std::size_t>(facet.cell)]; place >= 0)
      here.facets.push_back({place, facet.facet});
  for (const Node node : each.nodes)
    if (const Node place = mesh_place_[static_cast<std::size_t>(node)]; place >= 0) here.nodes.push_back(place);
  for (PointFunction& given : here.form.given)
    if (given.varies_in_space()) given = OnWholeMesh{given, &whole_.mesh(), cells};
  part.integrals.push_back(std::move(here));
  part.integral_of.push_back(number);
}

SpacePart::SpacePart(PartData data, const Device& device, std::shared_ptr<const Ghosts> ghosts,
                     const FunctionSpace& whole)
    : data_(std::move(data)) {
  mesh_ = std::make_unique<Mesh>(std::move(data_.mesh), MeshChecks{.fix_inverted = false});
  SpaceOptions options{.order = data_.order, .given = &data_.numbering, .ghosts = std::move(ghosts), .part_of = whole};
  for (const std::string& name : data_.elements) options.elements.push_back(element_of_plugins(name, device));
  space_ = FunctionSpace(*mesh_, data_.components, device, options);
  data_.numbering = {};
}

Constraints SpacePart::constraints(const std::vector<std::uint8_t>& mask, const DependentNodeRows* relations) const {
  Constraints held(space_);
  held.prescribe(mask, "the whole model");
  if (relations != nullptr) held.relate(*relations, *space_.ghosts());
  held.finish();
  return held;
}

}  // namespace ritz
