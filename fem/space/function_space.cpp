#include "fem/space/function_space.hpp"

#include "device/error.hpp"
#include "device/process/stop_request.hpp"
#include "fem/space/gpu_pattern.hpp"
#include "fem/space/node_graph.hpp"
#include "fem/space/node_numbering.hpp"
#include "fem/space/straight_cells.hpp"
#include "mesh/curve_order.hpp"
#include "mesh/hash.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <fmt/format.h>

namespace ritz {
namespace {

// Values of the shape functions `of` at the places `at`: [place][node of `of`].
std::vector<double> interpolation(const ReferenceElement& of, std::span<const Point> at) {
  const std::size_t n = of.nodes.size();
  std::vector<double> result(at.size() * n);
  std::vector<Point> gradients(n);
  for (std::size_t i = 0; i < at.size(); ++i) of.evaluate(at[i], std::span(result).subspan(i * n, n), gradients);
  return result;
}

// Positions of nodes of the mesh, [node][dimension].
Vector points_of(const Mesh& mesh, const std::vector<Node>& nodes, const Device& device) {
  const auto dimension = static_cast<std::size_t>(mesh.dimension());
  const auto size = static_cast<Index>(nodes.size() * dimension);
  const double* const points = mesh.points().data();
  const auto write = [&](double* to) {
    for (const Node node : nodes) to = std::copy_n(points + 3 * static_cast<Index>(node), dimension, to);
  };
  Vector result(device, size, "space");
  if (device.machine().is_apart()) {
    std::vector<double> on_host(static_cast<std::size_t>(size));
    write(on_host.data());
    result.upload(on_host);
  } else {
    write(result.data());
  }
  return result;
}

enum class Evaluated { at_mesh_nodes, at_space_nodes };

// visit(mesh nodes, nodes of the space, shape) for each cell, in order. shape[target][source]: the space's functions at
// the mesh's nodes, or the mesh's at those of the space. A kind's are found when its first cell comes.
template <class Visit>
void for_each_cell(const FunctionSpace& space, Evaluated where, const Visit& visit) {
  const Mesh& mesh = space.mesh();
  std::vector<Node> nodes;
  std::map<CellKind, std::vector<double>> shapes;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const CellKind kind = mesh.kind_of(cell);
    std::vector<double>& shape = shapes[kind];
    if (shape.empty())
      shape = where == Evaluated::at_mesh_nodes ? interpolation(space.element(kind), reference_nodes(kind))
                                                : interpolation(cell_element(kind), space.element(kind).nodes);
    space.nodes_of(cell, nodes);
    visit(mesh.nodes_of(cell), std::span<const Node>(nodes), std::span<const double>(shape));
  }
}

}  // namespace

FunctionSpace::FunctionSpace(const Mesh& mesh, int components, const Device& device, const SpaceOptions& options) {
  if (components < 1 || components > 6)
    throw Error(ErrorKind::internal, fmt::format("a space with {} components", components));
  const LongWork here;
  contents_ = std::make_shared<Contents>(
      Contents{.mesh = mesh,
               .device = device,
               .components = components,
               .ghosts = options.ghosts,
               .part_of = options.part_of.contents_,
               .isoparametric = options.order == 0 && options.elements.empty(),
               .geometry = options.beside ? options.beside.contents_->geometry : geometry_of(mesh, device, options),
               .field_name = options.field_name});
  Contents& made = *contents_;
  made.choose_elements(options);
  if (options.given != nullptr) made.order = std::max(made.order, options.given->order);
  if (made.isoparametric) {
    made.node_count = static_cast<Index>(made.geometry->mesh_node.size());
    made.node = made.geometry->node;
  } else {
    made.number_nodes(options.given);
  }
}

FunctionSpace::FunctionSpace(const Mesh& mesh, int components, const Device& device)
    : FunctionSpace(mesh, components, device, SpaceOptions{}) {}

void FunctionSpace::Geometry::number_nodes(const Mesh& mesh) {
  node.assign(static_cast<std::size_t>(mesh.node_count()), -1);
  for (const Index cell : cell_order)
    for (const Node of_mesh : mesh.nodes_of(cell)) {
      Node& number = node[static_cast<std::size_t>(of_mesh)];
      if (number >= 0) continue;
      number = static_cast<Node>(mesh_node.size());
      mesh_node.push_back(of_mesh);
    }
}

std::shared_ptr<const FunctionSpace::Geometry> FunctionSpace::geometry_of(const Mesh& mesh, const Device& device,
                                                                          const SpaceOptions& options) {
  const LongWork here;
  Geometry made;
  if (options.given == nullptr) {
    made.cell_order = curve_order(mesh);
    made.number_nodes(mesh);
  } else {
    made.cell_order = options.given->cell_order;
    made.node.resize(static_cast<std::size_t>(mesh.node_count()));
    std::iota(made.node.begin(), made.node.end(), Node{0});
    made.mesh_node = made.node;
  }
  if (!options.is_cut) made.coordinates = points_of(mesh, made.mesh_node, device);
  made.straight = straight_cells(mesh, device.threads());
  made.place_curved(mesh, device);
  return std::make_shared<const Geometry>(std::move(made));
}

void FunctionSpace::Geometry::place_curved(const Mesh& mesh, const Device& device) {
  if (std::ranges::all_of(mesh.blocks(), [](const CellBlock& block) { return block.curved.empty(); })) return;
  first_curved.assign(static_cast<std::size_t>(mesh.cell_count()), -1);
  const auto dimension = static_cast<std::ptrdiff_t>(mesh.dimension());
  std::vector<double> points;
  for (const Index cell : cell_order) {
    const CellBlock& block = mesh.block_of(cell);
    const std::span<const Point> own = block.curved.of(cell - block.first_cell);
    if (own.empty()) continue;
    const Index first = std::ssize(points) / dimension;
    if (first + std::ssize(own) > std::numeric_limits<Node>::max())
      throw Error(ErrorKind::device_memory,
                  fmt::format("the curved cells of '{}' have more than {} points", mesh.source(), first),
                  "they are numbered with 31 bits", "refine less");
    first_curved[static_cast<std::size_t>(cell)] = static_cast<Node>(first);
    for (const Point& x : own) points.insert(points.end(), x.begin(), x.begin() + dimension);
  }
  curved = Vector(device, std::span<const double>(points), "space");
}

void FunctionSpace::Contents::choose_elements(const SpaceOptions& options) {
  order = 0;
  for (const CellBlock& block : mesh.blocks()) {
    if (elements.contains(block.kind)) continue;
    const CellKind shape = traits(block.kind).linear;
    const auto own = std::ranges::find(options.elements, shape, &ReferenceElement::shape);
    if (own != options.elements.end()) elements.emplace(block.kind, *own);
    else if (isoparametric) elements.emplace(block.kind, cell_element(block.kind));
    else elements.emplace(block.kind, lagrange_element(shape, options.order));
    order = std::max(order, elements.at(block.kind).order);
  }
  if (mesh.structural()) return;  // facets of shells and beams carry no forms
  for (const auto& [kind, element] : elements) {
    const CellTraits& t = traits(kind);
    for (int f = 0; f < static_cast<int>(t.facets.size()); ++f) {
      const CellKind facet_kind = t.facets[static_cast<std::size_t>(f)].kind;
      if (isoparametric) {
        const auto made = facet_elements.try_emplace(facet_kind, cell_element(facet_kind)).first;
        facets[{kind, f}] = {t.facets[static_cast<std::size_t>(f)].nodes, &made->second};
      } else {
        Trace trace = trace_of(element, f);
        const auto made = facet_elements.try_emplace(facet_kind, std::move(trace.element)).first;
        facets[{kind, f}] = {std::move(trace.nodes), &made->second};
      }
    }
  }
}

void FunctionSpace::Contents::number_nodes(const GivenNumbering* given) {
  if (given == nullptr) {
    NodeNumbering numbering = ritz::number_nodes(mesh, geometry->cell_order, elements);
    node_count = numbering.node_count;
    block_begin = std::move(numbering.block_begin);
    cell_nodes = std::move(numbering.cell_nodes);
  } else {
    Index total = 0;
    for (const CellBlock& block : mesh.blocks()) {
      block_begin.push_back(total);
      total += block.cell_count() * elements.at(block.kind).node_count();
    }
    node_count = given->node_count;
    cell_nodes = given->cell_nodes;
  }
  // Positions of the nodes, and which of them are nodes of the mesh.
  const auto dimension = static_cast<std::size_t>(mesh.dimension());
  host_coordinates.assign(static_cast<std::size_t>(node_count) * dimension, 0.0);
  own_node.assign(static_cast<std::size_t>(mesh.node_count()), -1);
  node = own_node;
  std::vector<bool> placed(static_cast<std::size_t>(node_count), false);
  const auto blocks = mesh.blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const CellBlock& block = blocks[b];
    const ReferenceElement& element = elements.at(block.kind);
    const std::size_t n = element.nodes.size(), m = static_cast<std::size_t>(traits(block.kind).node_count);
    const std::vector<double> mesh_map = interpolation(cell_element(block.kind), element.nodes);
    const auto mesh_places = reference_nodes(block.kind);
    std::vector<int> at_mesh_node(m, -1);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t a = 0; a < n; ++a) {
        const Point &p = mesh_places[i], &q = element.nodes[a];
        if (std::abs(p[0] - q[0]) + std::abs(p[1] - q[1]) + std::abs(p[2] - q[2]) < 1e-9)
          at_mesh_node[i] = static_cast<int>(a);
      }
    std::vector<double> own_map;  // as `geometry`, of cells with a map of their own
    if (!block.curved.empty()) own_map = interpolation(element_of(block.curved.functions), element.nodes);
    for (Index position = 0; position < block.cell_count(); ++position) {
      const std::span<const Node> mesh_nodes = block.cell(position);
      const std::span<const Point> own = block.curved.of(position);
      const Node* nodes = cell_nodes.data() + block_begin[b] + position * static_cast<Index>(n);
      for (std::size_t a = 0; a < n; ++a) {
        if (placed[static_cast<std::size_t>(nodes[a])]) continue;
        placed[static_cast<std::size_t>(nodes[a])] = true;
        double* x = host_coordinates.data() + static_cast<std::size_t>(nodes[a]) * dimension;
        for (std::size_t d = 0; d < dimension; ++d) {
          double sum = 0;
          if (own.empty())
            for (std::size_t i = 0; i < m; ++i) sum += mesh_map[a * m + i] * mesh.point(mesh_nodes[i])[d];
          else
            for (std::size_t i = 0; i < own.size(); ++i) sum += own_map[a * own.size() + i] * own[i][d];
          x[d] = sum;
        }
      }
      for (std::size_t i = 0; i < m; ++i)
        if (at_mesh_node[i] >= 0) own_node[static_cast<std::size_t>(mesh_nodes[i])] = nodes[at_mesh_node[i]];
    }
  }
}

const Vector& FunctionSpace::geometry_coordinates() const {
  const Geometry& geometry = *contents_->geometry;
  if (geometry.coordinates.empty())
    geometry.coordinates = points_of(contents_->mesh, geometry.mesh_node, contents_->device);
  return geometry.coordinates;
}

const Vector& FunctionSpace::coordinates() const {
  if (contents_->isoparametric) return geometry_coordinates();
  if (contents_->coordinates.size() != static_cast<Index>(contents_->host_coordinates.size()))
    contents_->coordinates = Vector(contents_->device, std::span<const double>(contents_->host_coordinates), "space");
  return contents_->coordinates;
}

void FunctionSpace::CellNodes::enter(Index cell) {
  const auto blocks = space_->mesh.blocks();
  const CellBlock& block = block_holding(blocks, cell);
  first_ = block.first_cell;
  last_ = first_ + block.cell_count();
  width_ = space_->isoparametric ? traits(block.kind).node_count : space_->elements.at(block.kind).node_count();
  begin_ = space_->isoparametric
               ? block.nodes.data()
               : space_->cell_nodes.data() + space_->block_begin[static_cast<std::size_t>(&block - blocks.data())];
}

void FunctionSpace::nodes_of(Index cell, std::vector<Node>& nodes) const {
  CellNodes cells(*this);  // holds what it returns
  const std::span<const Node> found = cells(cell);
  nodes.assign(found.begin(), found.end());
}

Point FunctionSpace::point(Node node) const {
  Point x{};
  if (contents_->isoparametric) {
    std::ranges::copy(contents_->mesh.point(mesh_node_of(node)), x.begin());
  } else {
    const auto dimension = static_cast<std::size_t>(contents_->mesh.dimension());
    for (std::size_t d = 0; d < dimension; ++d)
      x[d] = contents_->host_coordinates[static_cast<std::size_t>(node) * dimension + d];
  }
  return x;
}

std::string FunctionSpace::component_name(int component) const {
  constexpr const char* names[] = {"x", "y", "z", "rx", "ry", "rz"};
  return contents_->components == 4 || contents_->components == 5 ? std::to_string(component) : names[component];
}

std::string FunctionSpace::name_of(Node node) const {
  if (const FunctionSpace whole = part_of()) return whole.name_of(static_cast<Node>(ghosts()->global(node)));
  const Point x = point(node);
  const std::string number = contents_->isoparametric ? fmt::format(" {}", mesh_node_of(node)) : "";
  return fmt::format("node{} ({:g}, {:g}, {:g})", number, x[0], x[1], x[2]);
}

namespace {

// On the segment between two corners: its distances to both make up the length.
bool on_edge(const Point& x, const Point& a, const Point& b) {
  const auto distance = [](const Point& p, const Point& q) {
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  };
  return distance(x, a) + distance(x, b) - distance(a, b) < 1e-12;
}

}  // namespace

void FunctionSpace::add_nodes_between(Index cell, const std::vector<bool>& chosen, std::vector<Node>& result) const {
  const std::span<const Node> mesh_nodes = contents_->mesh.nodes_of(cell);
  const auto is_chosen = [&](std::size_t i) { return chosen[static_cast<std::size_t>(mesh_nodes[i])]; };
  const CellKind kind = contents_->mesh.kind_of(cell);
  const CellTraits& t = traits(kind);
  std::vector<Node> nodes;
  nodes_of(cell, nodes);
  for (int f = 0; f < static_cast<int>(t.facets.size()); ++f)
    if (std::ranges::all_of(t.facets[static_cast<std::size_t>(f)].nodes,
                            [&](int i) { return is_chosen(static_cast<std::size_t>(i)); }))
      for (const int a : facet_element(kind, f).nodes) result.push_back(nodes[static_cast<std::size_t>(a)]);
  if (t.dimension < 3) return;
  const ReferenceElement& element = contents_->elements.at(kind);
  for (std::size_t e = 0; e < t.edges.size(); ++e) {
    const auto p = static_cast<std::size_t>(t.edges[e][0]), q = static_cast<std::size_t>(t.edges[e][1]);
    const bool middle_chosen = t.order == 1 || is_chosen(static_cast<std::size_t>(t.corner_count) + e);
    if (!is_chosen(p) || !is_chosen(q) || !middle_chosen) continue;
    for (std::size_t i = 0; i < element.nodes.size(); ++i)
      if (on_edge(element.nodes[i], reference_nodes(kind)[p], reference_nodes(kind)[q])) result.push_back(nodes[i]);
  }
}

std::vector<Node> FunctionSpace::nodes_in(const Region& region) const {
  std::vector<Node> result, nodes;
  const auto finish = [&] {
    std::ranges::sort(result);
    result.erase(std::ranges::unique(result).begin(), result.end());
    return result;
  };
  if (contents_->isoparametric) {
    for (const Node mesh_node : ritz::nodes_in(contents_->mesh, region))
      if (node_of(mesh_node) >= 0) result.push_back(node_of(mesh_node));
    return finish();
  }
  for (const Index cell : region.cells) {
    nodes_of(cell, nodes);
    result.insert(result.end(), nodes.begin(), nodes.end());
  }
  for (const FacetOfCell& f : region.facets) {
    nodes_of(f.cell, nodes);
    for (const int a : facet_element(contents_->mesh.kind_of(f.cell), f.facet).nodes)
      result.push_back(nodes[static_cast<std::size_t>(a)]);
  }
  if (region.kind != RegionKind::nodes) return finish();
  std::vector<bool> chosen(static_cast<std::size_t>(contents_->mesh.node_count()), false);
  for (const Node mesh_node : region.nodes) {
    chosen[static_cast<std::size_t>(mesh_node)] = true;
    if (node_of(mesh_node) >= 0) result.push_back(node_of(mesh_node));
  }
  for (Index cell = 0; cell < contents_->mesh.cell_count(); ++cell)
    if (std::ranges::any_of(contents_->mesh.nodes_of(cell),
                            [&](Node n) { return chosen[static_cast<std::size_t>(n)]; }))
      add_nodes_between(cell, chosen, result);
  return finish();
}

Error no_node_for(const std::string& what, const FunctionSpace& space, Node mesh_node) {
  const auto x = space.mesh().point(mesh_node);
  const std::string node = fmt::format("{} ({:g}, {:g}, {:g})", mesh_node, x[0], x[1], x[2]);
  if (space.geometry_node_of(mesh_node) < 0)
    return Error(ErrorKind::load_on_nothing, fmt::format("{} on node {}, which no cell of the mesh uses", what, node),
                 {}, "name nodes that belong to cells");
  return Error(ErrorKind::load_on_nothing,
               fmt::format("{} on node {}, a mid node of the mesh, where elements of order {} have no node", what, node,
                           space.order()),
               {}, "omit [space] order or give an even one; or name corners of cells, or facets");
}

Vector FunctionSpace::zeros(const char* tag) const {
  Vector u(contents_->device, unknown_count(), tag);
  u.fill_zero();
  return u;
}

std::vector<double> FunctionSpace::to_mesh(const Vector& u) const { return to_mesh(u.host(), contents_->components); }

std::vector<double> FunctionSpace::to_mesh(std::span<const double> values, int components) const {
  const auto c = static_cast<std::size_t>(components);
  std::vector<double> result(contents_->geometry->node.size() * c, 0.0);
  std::vector<bool> done(contents_->geometry->node.size(), false);
  for (std::size_t n = 0; n < contents_->node.size(); ++n) {
    if (contents_->node[n] < 0) continue;
    done[n] = true;
    for (std::size_t i = 0; i < c; ++i)
      result[n * c + i] = values[static_cast<std::size_t>(contents_->node[n]) * c + i];
  }
  if (contents_->isoparametric) return result;
  // Nodes of the mesh that are no nodes of the space: evaluated in the first cell around them.
  for_each_cell(*this, Evaluated::at_mesh_nodes,
                [&](std::span<const Node> mesh_nodes, std::span<const Node> nodes, std::span<const double> shape) {
                  for (std::size_t m = 0; m < mesh_nodes.size(); ++m) {
                    const auto target = static_cast<std::size_t>(mesh_nodes[m]);
                    if (done[target]) continue;
                    done[target] = true;
                    for (std::size_t a = 0; a < nodes.size(); ++a)
                      for (std::size_t i = 0; i < c; ++i)
                        result[target * c + i] +=
                            shape[m * nodes.size() + a] * values[static_cast<std::size_t>(nodes[a]) * c + i];
                  }
                });
  return result;
}

std::vector<double> FunctionSpace::forces_to_mesh(const Vector& f) const {
  if (contents_->isoparametric) return to_mesh(f);
  const std::vector<double> forces = f.host();
  const auto c = static_cast<std::size_t>(contents_->components);
  std::vector<double> result(contents_->geometry->node.size() * c, 0.0);
  std::vector<bool> done(static_cast<std::size_t>(contents_->node_count), false);
  for_each_cell(*this, Evaluated::at_space_nodes,
                [&](std::span<const Node> mesh_nodes, std::span<const Node> nodes, std::span<const double> shape) {
                  for (std::size_t a = 0; a < nodes.size(); ++a) {
                    const auto node = static_cast<std::size_t>(nodes[a]);
                    if (done[node]) continue;
                    done[node] = true;
                    for (std::size_t m = 0; m < mesh_nodes.size(); ++m)
                      for (std::size_t i = 0; i < c; ++i)
                        result[static_cast<std::size_t>(mesh_nodes[m]) * c + i] +=
                            shape[a * mesh_nodes.size() + m] * forces[node * c + i];
                  }
                });
  return result;
}

Vector FunctionSpace::from_mesh(std::span<const double> values, const char* tag) const {
  const auto c = static_cast<std::size_t>(contents_->components);
  if (values.size() != contents_->geometry->node.size() * c)
    throw_size_mismatch(static_cast<Index>(contents_->geometry->node.size() * c), Index(values.size()));
  std::vector<double> ordered(static_cast<std::size_t>(contents_->node_count) * c, 0.0);
  if (contents_->isoparametric) {
    for (std::size_t n = 0; n < contents_->geometry->mesh_node.size(); ++n)
      for (std::size_t i = 0; i < c; ++i)
        ordered[n * c + i] = values[static_cast<std::size_t>(contents_->geometry->mesh_node[n]) * c + i];
    return Vector(contents_->device, std::span<const double>(ordered), tag);
  }
  for_each_cell(*this, Evaluated::at_space_nodes,
                [&](std::span<const Node> mesh_nodes, std::span<const Node> nodes, std::span<const double> shape) {
                  for (std::size_t a = 0; a < nodes.size(); ++a)
                    for (std::size_t i = 0; i < c; ++i) {
                      double sum = 0;
                      for (std::size_t m = 0; m < mesh_nodes.size(); ++m)
                        sum +=
                            shape[a * mesh_nodes.size() + m] * values[static_cast<std::size_t>(mesh_nodes[m]) * c + i];
                      ordered[static_cast<std::size_t>(nodes[a]) * c + i] = sum;
                    }
                });
  return Vector(contents_->device, std::span<const double>(ordered), tag);
}

FunctionSpace::HostPattern FunctionSpace::host_pattern() const {
  const SparsityPattern& own = *pattern();
  if (!contents_->device.machine().is_apart())
    return {{own.offsets().data(), static_cast<std::size_t>(own.offsets().size())},
            {own.columns().data(), static_cast<std::size_t>(own.columns().size())}};
  if (contents_->host_offsets.empty()) {
    contents_->host_columns = own.columns().host();
    contents_->host_offsets = own.offsets().host();
  }
  return {contents_->host_offsets, contents_->host_columns};
}

void FunctionSpace::forget_host_pattern() const {
  contents_->host_offsets = {};
  contents_->host_columns = {};
}

void FunctionSpace::forget_pattern() const {
  contents_->pattern.reset();
  forget_host_pattern();
}

void FunctionSpace::couple(std::shared_ptr<const NodeCouplings> couplings) const {
  const bool same =
      couplings && contents_->couplings ? *couplings == *contents_->couplings : couplings == contents_->couplings;
  if (same) return;
  forget_pattern();
  contents_->couplings = std::move(couplings);
}

void FunctionSpace::join(std::vector<std::pair<FunctionSpace, NodePairs>> joined) const {
  const bool same = std::ranges::equal(joined, contents_->joined, [](const auto& a, const auto& b) {
    return a.first.contents_ == b.first.lock() && a.second == b.second;
  });
  if (same) return;
  forget_pattern();
  contents_->joined.clear();
  for (auto& [space, pairs] : joined) contents_->joined.emplace_back(space.contents_, std::move(pairs));
}

const NodePairs* FunctionSpace::joined_with(const FunctionSpace& other) const {
  const auto found =
      std::ranges::find_if(contents_->joined, [&](const auto& each) { return each.first.lock() == other.contents_; });
  return found == contents_->joined.end() ? nullptr : &found->second;
}

namespace {

// Adds pairs of nodes, ascending, to a pattern.
void add_pairs(std::span<const std::pair<Node, Node>> pairs, std::vector<Index>& offsets,
               std::vector<std::int32_t>& columns) {
  std::vector<std::int32_t> merged, more;
  merged.reserve(columns.size() + pairs.size());
  auto next = pairs.begin();
  Index begin = 0;
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    const auto first = columns.begin() + begin, last = columns.begin() + offsets[row + 1];
    begin = offsets[row + 1];
    more.clear();
    for (; next != pairs.end() && next->first == static_cast<Node>(row); ++next) more.push_back(next->second);
    std::set_union(first, last, more.begin(), more.end(), std::back_inserter(merged));
    offsets[row + 1] = std::ssize(merged);
  }
  columns = std::move(merged);
}

}  // namespace

std::shared_ptr<const SparsityPattern> FunctionSpace::pattern(std::span<const Node> cell_nodes) const {
  if (contents_->pattern) return contents_->pattern;
  const LongWork here;
  if (std::optional<NodePattern> made = pattern_of_gpu(*this, cell_nodes)) {
    contents_->pattern =
        std::make_shared<SparsityPattern>(std::move(made->offsets), std::move(made->columns), made->full_diagonal);
    return contents_->pattern;
  }
  const bool apart = contents_->device.machine().is_apart();
  NodeGraph graph(*this, apart ? std::span<const Node>() : cell_nodes);
  if (const auto* const pairs = joined_with(*this)) {
    std::vector<Index> all = graph.offsets();
    std::vector<std::int32_t> of_rows(static_cast<std::size_t>(graph.pair_count()));
    graph.write_columns(of_rows);
    add_pairs(*pairs, all, of_rows);
    contents_->pattern = std::make_shared<SparsityPattern>(contents_->device, all, of_rows);
    return contents_->pattern;
  }
  Array<std::int32_t> columns(contents_->device, graph.pair_count(), "pattern");
  if (apart) {
    contents_->host_columns.resize(static_cast<std::size_t>(graph.pair_count()));
    graph.write_columns(contents_->host_columns);
    columns.upload(contents_->host_columns);
    contents_->host_offsets = graph.offsets();
  } else {
    graph.write_columns({columns.data(), static_cast<std::size_t>(columns.size())});
  }
  Array<Index> offsets(contents_->device, graph.offsets(), "pattern");
  contents_->pattern =
      std::make_shared<SparsityPattern>(std::move(offsets), std::move(columns), graph.has_full_diagonal());
  return contents_->pattern;
}

Layout::Field field_of(const FunctionSpace& space) {
  const std::shared_ptr<const Ghosts>& ghosts = space.ghosts();
  return {ghosts != nullptr ? ghosts->owned() : space.node_count(), space.components(), ghosts};
}

Layout layout_of(const Spaces& spaces) {
  std::vector<Layout::Field> fields;
  for (const FunctionSpace& space : spaces) fields.push_back(field_of(space));
  return Layout(std::move(fields));
}

std::string name_of(const Spaces& spaces, Index unknown) {
  std::size_t k = 0;
  while (unknown >= spaces[k].unknown_count()) unknown -= spaces[k++].unknown_count();
  const FunctionSpace& space = spaces[k];
  const int width = space.components();
  const std::string node = space.name_of(static_cast<Node>(unknown / width));
  if (width == 1) return node;
  return fmt::format("component {} at {}", space.component_name(static_cast<int>(unknown % width)), node);
}

}  // namespace ritz
