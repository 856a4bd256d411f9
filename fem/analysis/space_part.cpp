#include "fem/analysis/space_part.hpp"

#include "device/error.hpp"
#include "device/ranks/packed.hpp"
#include "fem/forms/diffusion.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

// A function of the whole mesh, called with points in cells of a part.
struct OnWholeMesh {
  std::function<void(const EvaluationPoints&, double, std::span<double>)> evaluate;
  std::shared_ptr<const std::vector<Index>> cells;  // [cell of the part]
  bool varies;
  bool depends_on_time() const { return varies; }
  void operator()(const EvaluationPoints& points, double t, std::span<double> values) const {
    if (points.mesh == nullptr) return evaluate(points, t, values);
    std::vector<Index> holding;
    holding.reserve(points.cells.size());
    for (const Index cell : points.cells) holding.push_back((*cells)[static_cast<std::size_t>(cell)]);
    evaluate(EvaluationPoints(points.x, *points.mesh, holding, points.xi), t, values);
  }
};

void add(Packed& to, const CurvedCells& curved) {
  to.add(curved.cells).add(curved.points).add(curved.functions != nullptr);
  if (curved.functions == nullptr) return;
  const std::span<const Point> nodes = curved.functions->nodes();
  to.add(curved.functions->shape()).add(curved.functions->order()).add(std::vector<Point>(nodes.begin(), nodes.end()));
}

CurvedCells curved_cells(Unpacked& from) {
  CurvedCells curved{.functions = nullptr, .cells = from.list<std::int64_t>(), .points = from.list<Point>()};
  if (!from.get<bool>()) return curved;
  const auto shape = from.get<CellKind>();
  const int order = from.get<int>();
  curved.functions = std::make_shared<const LagrangePolynomials>(shape, order, from.list<Point>());
  return curved;
}

void add(Packed& to, const FormValue& form) {
  to.add(form.name).add(form.module).add(form.bytes).add(form.state_start);
  for (const int number : {form.components, form.dimension, form.codimension, form.derived, form.extra_degree,
                           form.cell, form.given_count, form.state_points})
    to.add(number);
  for (const bool fact : {form.uses_value, form.has_matrix, form.symmetric, form.linear, form.reads_time}) to.add(fact);
  std::vector<std::uint8_t> varies;
  for (const PointFunction& each : form.given) varies.push_back(each.varies_in_time() ? 1 : 0);
  to.add(varies);
}

FormValue form_value(Unpacked& from, std::size_t integral, const std::shared_ptr<const std::vector<Index>>& cells,
                     const FunctionElsewhere& functions) {
  FormValue form(Diffusion<3>{});  // any one: all of its facts are replaced
  form.name = from.text();
  form.module = from.text();
  from.get(form.bytes);
  form.state_start = from.list<double>();
  for (int* const number : {&form.components, &form.dimension, &form.codimension, &form.derived, &form.extra_degree,
                            &form.cell, &form.given_count, &form.state_points})
    from.get(*number);
  for (bool* const fact : {&form.uses_value, &form.has_matrix, &form.symmetric, &form.linear, &form.reads_time})
    from.get(*fact);
  form.given.clear();
  for (const std::uint8_t varies : from.list<std::uint8_t>())
    form.given.emplace_back(OnWholeMesh{[functions, integral, function = form.given.size()](
                                            const EvaluationPoints& points, double t, std::span<double> values) {
                                          functions(integral, function, points, t, values);
                                        },
                                        cells, varies != 0});
  return form;
}

}  // namespace

std::string packed(const PartData& part) {
  Packed to;
  to.add(part.mesh.dimension).add(part.mesh.structural).add(part.mesh.points).add(part.mesh.source);
  to.add(part.mesh.blocks.size());
  for (const CellBlock& block : part.mesh.blocks) {
    to.add(block.kind).add(block.nodes);
    add(to, block.curved);
  }
  to.add(part.components).add(part.order).add(part.first).add(part.last);
  to.add(part.cells).add(part.cell_nodes).add(part.nodes).add(part.held).add(part.integral_of);
  const DependentNodeRows& relations = part.relations;
  to.add(part.related).add(relations.node).add(relations.begin).add(relations.followed).add(relations.block);
  to.add(relations.dependent);
  for (const Integral& each : part.integrals) {
    to.add(each.everywhere).add(each.cells).add(each.facets).add(each.nodes).add(each.factor);
    add(to, each.form);
  }
  return to.take();
}

PartData unpacked(std::string_view message, const FunctionElsewhere& functions) {
  Unpacked from(message);
  PartData part;
  from.get(part.mesh.dimension);
  from.get(part.mesh.structural);
  part.mesh.points = from.list<double>();
  part.mesh.source = from.text();
  for (auto blocks = from.get<std::size_t>(); blocks > 0; --blocks) {
    CellBlock& block = part.mesh.blocks.emplace_back();
    from.get(block.kind);
    block.nodes = from.list<Node>();
    block.curved = curved_cells(from);
  }
  from.get(part.components);
  from.get(part.order);
  from.get(part.first);
  from.get(part.last);
  part.cells = from.list<Index>();
  part.cell_nodes = from.list<Node>();
  part.nodes = from.list<Node>();
  part.held = from.list<std::uint8_t>();
  part.integral_of = from.list<std::size_t>();
  from.get(part.related);
  part.relations.node = from.list<Index>();
  part.relations.begin = from.list<Index>();
  part.relations.followed = from.list<Index>();
  part.relations.block = from.list<double>();
  part.relations.dependent = from.list<std::uint8_t>();
  const auto all_cells = std::make_shared<const std::vector<Index>>(part.cells);
  for (const std::size_t number : part.integral_of) {
    const auto everywhere = from.get<bool>();
    const std::vector<Index> cells = from.list<Index>();
    const std::vector<FacetOfCell> facets = from.list<FacetOfCell>();
    const std::vector<Node> nodes = from.list<Node>();
    const auto factor = from.get<double>();
    part.integrals.push_back(
        {form_value(from, number, all_cells, functions), everywhere, cells, facets, nodes, factor});
  }
  return part;
}

SpaceCutter::SpaceCutter(const FunctionSpace& whole, int ranks)
    : whole_(whole),
      ranks_(ranks),
      cells_(static_cast<std::size_t>(ranks)),
      cell_place_(static_cast<std::size_t>(whole.mesh().cell_count()), -1),
      mesh_place_(static_cast<std::size_t>(whole.mesh().node_count()), -1) {
  std::vector<Index> begin;
  for (int rank = 1; rank < ranks; ++rank) begin.push_back(first(rank));
  FunctionSpace::CellNodes nodes(whole);
  std::vector<std::size_t> around;
  for (Index cell = 0; cell < whole.mesh().cell_count(); ++cell) {
    around.clear();
    for (const Node node : nodes(cell)) {
      const auto owner = static_cast<std::size_t>(std::ranges::upper_bound(begin, Index{node}) - begin.begin());
      if (std::ranges::find(around, owner) == around.end()) around.push_back(owner);
    }
    for (const std::size_t rank : around) cells_[rank].push_back(cell);
  }
}

PartData SpaceCutter::part(int rank, const std::vector<Integral>& integrals, const Constraints& constraints) {
  PartData part{.components = whole_.components(),
                .order = whole_.isoparametric() ? 0 : whole_.order(),
                .first = first(rank),
                .last = first(rank + 1),
                .cells = std::move(cells_[static_cast<std::size_t>(rank)])};
  FunctionSpace::CellNodes of_whole(whole_);
  for (const Index cell : part.cells) {
    const std::span<const Node> nodes = of_whole(cell);
    part.cell_nodes.insert(part.cell_nodes.end(), nodes.begin(), nodes.end());
  }
  part.nodes = part.cell_nodes;
  std::ranges::sort(part.nodes);
  part.nodes.erase(std::ranges::unique(part.nodes).begin(), part.nodes.end());
  for (const Node node : part.nodes)
    for (int c = 0; c < part.components; ++c) part.held.push_back(constraints.is_prescribed(node, c) ? 1 : 0);
  part.related = constraints.dependent() != nullptr;
  part.relations =
      relations_of(constraints, part.first, part.last, std::vector<Index>(part.nodes.begin(), part.nodes.end()));
  take_mesh(part);
  take_integrals(integrals, part);
  for (const Index cell : part.cells) {
    cell_place_[static_cast<std::size_t>(cell)] = -1;
    for (const Node node : whole_.mesh().nodes_of(cell)) mesh_place_[static_cast<std::size_t>(node)] = -1;
  }
  return part;
}

// Nodes and cells in their order in the whole mesh.
void SpaceCutter::take_mesh(PartData& part) {
  const Mesh& whole = whole_.mesh();
  part.mesh = {.dimension = whole.dimension(),
               .structural = whole.structural(),
               .points = {},
               .blocks = {},
               .regions = {},
               .source = whole.source()};
  std::vector<Node> taken;
  for (const Index cell : part.cells)
    for (const Node node : whole.nodes_of(cell))
      if (std::exchange(mesh_place_[static_cast<std::size_t>(node)], 0) < 0) taken.push_back(node);
  std::ranges::sort(taken);
  for (const Node node : taken) {
    mesh_place_[static_cast<std::size_t>(node)] = static_cast<Node>(part.mesh.points.size() / 3);
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
      cell_place_[static_cast<std::size_t>(*cell)] = cell - part.cells.begin();
    }
    if (!here.nodes.empty()) part.mesh.blocks.push_back(std::move(here));
  }
}

void SpaceCutter::take_integrals(const std::vector<Integral>& integrals, PartData& part) const {
  const auto cells = std::make_shared<const std::vector<Index>>(part.cells);
  for (std::size_t i = 0; i < integrals.size(); ++i) {
    const Integral& each = integrals[i];
    if (!each.form.has_matrix) continue;
    Integral here{each.form, each.everywhere, {}, {}, {}, each.factor};
    for (const Index cell : each.cells)
      if (const Index place = cell_place_[static_cast<std::size_t>(cell)]; place >= 0) here.cells.push_back(place);
    for (const FacetOfCell& facet : each.facets)
      if (const Index place = cell_place_[static_cast<std::size_t>(facet.cell)]; place >= 0)
        here.facets.push_back({place, facet.facet});
    for (const Node node : each.nodes)
      if (const Node place = mesh_place_[static_cast<std::size_t>(node)]; place >= 0) here.nodes.push_back(place);
    if (!here.everywhere && here.cells.empty() && here.facets.empty() && here.nodes.empty()) continue;
    for (PointFunction& given : here.form.given)
      given = OnWholeMesh{[&whole = whole_.mesh(), function = given](const EvaluationPoints& points, double t,
                                                                     std::span<double> values) {
                            EvaluationPoints there = points;
                            if (points.mesh != nullptr) there.mesh = &whole;
                            function(there, t, values);
                          },
                          cells, given.varies_in_time()};
    part.integrals.push_back(std::move(here));
    part.integral_of.push_back(i);
  }
}

SpacePart::SpacePart(PartData data, const Device& device) : data_(std::move(data)), cell_count_(data_.cells.size()) {
  mesh_ = std::make_unique<Mesh>(std::move(data_.mesh), MeshChecks{.fix_inverted = false});
  space_ = std::make_unique<FunctionSpace>(*mesh_, data_.components, device, SpaceOptions{.order = data_.order});
  const auto at = [&](Node node) {  // in [owned | reached]: the owned ones are consecutive
    const auto below = std::ranges::lower_bound(data_.nodes, static_cast<Node>(data_.first)) - data_.nodes.begin();
    const Index place = std::ranges::lower_bound(data_.nodes, node) - data_.nodes.begin();
    if (node >= data_.first && node < data_.last) return node - data_.first;
    return place < below ? owned() + place : place;
  };
  place_.resize(static_cast<std::size_t>(space_->node_count()), -1);
  FunctionSpace::CellNodes of_part(*space_);
  const Node* whole = data_.cell_nodes.data();
  for (Index cell = 0; cell < cell_count(); ++cell)
    for (const Node node : of_part(cell)) {
      std::int32_t& place = place_[static_cast<std::size_t>(node)];
      if (place < 0) place = static_cast<std::int32_t>(at(*whole));
      ++whole;
    }
  data_.cell_nodes = {};
}

std::vector<Index> SpacePart::reached() const {
  std::vector<Index> result;
  for (const Node node : data_.nodes)
    if (node < data_.first || node >= data_.last) result.push_back(node);
  return result;
}

Constraints SpacePart::constraints() const {
  Constraints held(*space_);
  const auto components = static_cast<std::size_t>(data_.components);
  const Index below = std::ranges::lower_bound(data_.nodes, static_cast<Node>(data_.first)) - data_.nodes.begin();
  for (std::size_t c = 0; c < components; ++c) {
    std::vector<Node> prescribed;
    for (std::size_t node = 0; node < place_.size(); ++node) {
      const Index place = place_[node];
      const Index among = place < owned() ? below + place : place - owned() < below ? place - owned() : place;
      if (data_.held[static_cast<std::size_t>(among) * components + c] != 0)
        prescribed.push_back(static_cast<Node>(node));
    }
    held.prescribe_nodes(prescribed, static_cast<int>(c), 0.0, "the whole model");
  }
  held.finish();
  return held;
}

Vector SpacePart::spread(std::span<const double> values) const {
  const auto width = static_cast<std::size_t>(data_.components);
  std::vector<double> result(place_.size() * width);
  for (std::size_t node = 0; node < place_.size(); ++node)
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(place_[node]) * width), width,
                result.begin() + static_cast<std::ptrdiff_t>(node * width));
  return Vector(space_->device(), result, "vectors");
}

}  // namespace ritz
