#include "fem/operator/fields_at_points.hpp"

#include "device/parallel_errors.hpp"
#include "mesh/functions/field_places.hpp"

#include <algorithm>

namespace ritz {
namespace {

// Do the elements say in which cells of the field's mesh they are?
bool is_known(const Mesh& mesh, const ElementGroup& group, const MeshField& field) {
  return field.mesh() == mesh && PlacesInCells::known(group);
}

// Points of a piece that the kernel has left: outside, or in cells whose map takes more than Newton's method.
void find_on_host(const QuadraturePoints& points, const FieldPlaces& places, const Vector& x, Index count,
                  const FoundPoints& found) {
  const auto size = static_cast<std::size_t>(count);
  std::vector<std::int32_t> cells(size);
  std::vector<Point> xi(found.xi == nullptr ? 0 : size), positions(size);
  const Device& device = points.device();
  copy_to_host(device, positions.data(), x.data(), count * Index{sizeof(Point)});
  copy_to_host(device, cells.data(), found.cells, count * Index{sizeof(std::int32_t)});
  if (!xi.empty()) copy_to_host(device, xi.data(), found.xi, count * Index{sizeof(Point)});
  ParallelErrors errors;
#pragma omp parallel for schedule(dynamic, 64)
  for (std::size_t i = 0; i < size; ++i) {
    if (cells[i] >= 0) continue;
    errors.run([&] {
      const PointLocator::Place place = places.of(positions[i]);
      cells[i] = static_cast<std::int32_t>(place.cell);
      if (!xi.empty()) xi[i] = place.xi;
    });
  }
  errors.rethrow();
  copy_to_device(device, found.cells, cells.data(), count * Index{sizeof(std::int32_t)});
  if (!xi.empty()) copy_to_device(device, found.xi, xi.data(), count * Index{sizeof(Point)});
}

template <class Use>
void each_field(const FormValue& form, const Use& use) {
  for (const PointFunction& number : form.given)
    for (const auto& input : number.code().inputs())
      if (input->field) use(*input->field);
}

}  // namespace

FieldsAtPoints::CellsOnDevice::CellsOnDevice(const Device& device, const Mesh& mesh) : blocks(CellBlocks(mesh).views) {
  for (const CellBlockView& block : blocks) functions.push_back(*block.functions);
  functions_there = Readable<CellFunctions>(device, functions);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const CellBlock& block = mesh.block_of(blocks[b].first_cell);
    blocks[b].nodes = nodes.emplace_back(device, std::span<const Node>(block.nodes)).data();
    blocks[b].functions = functions_there.data() + b;
  }
  blocks_there = Readable<CellBlockView>(device, blocks);
}

FieldsAtPoints::SearchOnDevice::SearchOnDevice(const Device& device, const PointLocator& locator, const Mesh& mesh)
    : coordinates(device, mesh.points()), boxes(device, locator.boxes()), cells(device, locator.cells()) {}

const double* FieldsAtPoints::values_of(const Device& device, const MeshField& field) {
  auto known = std::ranges::find_if(values_, [&](const Values& each) { return each.field.is_same(field); });
  if (known == values_.end()) {
    values_.push_back({field, field.revision(), {device, field.values()}});
    known = values_.end() - 1;
  } else if (known->revision != field.revision()) {
    known->values = {};
    known->values = Readable<double>(device, field.values());
    known->revision = field.revision();
  }
  return known->values.data();
}

const FieldsAtPoints::CellsOnDevice& FieldsAtPoints::cells_of(const Device& device, const Mesh& mesh) {
  return cells_.try_emplace(mesh, device, mesh).first->second;
}

CellSearch FieldsAtPoints::search_of(const Device& device, const MeshField& field) {
  const PointLocator& locator = field.places().locator();
  const Mesh& mesh = field.mesh();
  const SearchOnDevice& there = searches_.try_emplace(mesh, device, locator, mesh).first->second;
  CellSearch search = locator.search();
  search.mesh = cells_of(device, mesh).view();
  search.coordinates = there.coordinates.data();
  search.boxes = there.boxes.data();
  search.cells = there.cells.data();
  return search;
}

FieldsAtPoints::Located FieldsAtPoints::known(const QuadraturePoints& points, const MeshField& field) const {
  const Device& device = points.device();
  const PlacesInCells& in = points.in_cells();
  const auto count = static_cast<std::size_t>(points.group().element_count);
  std::vector<std::int32_t> cells(count), tables(field.at_nodes() && in.tables().size() > 1 ? count : 0);
#pragma omp parallel for schedule(static)
  for (std::size_t e = 0; e < count; ++e) {
    cells[e] = static_cast<std::int32_t>(in.cell(e));
    if (!tables.empty()) tables[e] = in.table(e);
  }
  std::vector<Point> xi;
  for (const PlacesInCells::Table& table : in.tables())
    if (field.at_nodes()) xi.insert(xi.end(), table.points.begin(), table.points.end());
  return {field,
          {device, std::span<const std::int32_t>(cells), "coefficients"},
          {device, std::span<const std::int32_t>(tables), "coefficients"},
          {device, std::span<const Point>(xi), "coefficients"},
          points.group().element_count};
}

FieldsAtPoints::Located FieldsAtPoints::find(const QuadraturePoints& points, const MeshField& field) {
  const Device& device = points.device();
  const FieldPlaces& places = field.places();
  const CellSearch search = search_of(device, field);
  Located located{field,
                  {device, points.entries(), "coefficients"},
                  {},
                  {device, field.at_nodes() ? points.entries() : 0, "coefficients"},
                  0};
  Vector x(device, 3 * points.entries_of_piece(), "coefficients");
  Vector left(device, 1, "coefficients");
  points.each_piece([&](const PointPlaces& piece, Index first) {
    const FoundPoints found{located.cells.data() + first, field.at_nodes() ? located.xi.data() + first : nullptr};
    points.kernels().positions(device, piece, x.data());
    points.kernels().locate(device, piece, x.data(), search, places.rounding(), found);
    points.kernels().left(device, piece.count, found.cells, left.data());
    if (left.host().front() > 0) find_on_host(points, places, x, piece.count, found);
  });
  return located;
}

FieldsAtPoints::Source FieldsAtPoints::source(const QuadraturePoints& points, const MeshField& field) {
  const Device& device = points.device();
  const Places key{&points.group(), points.count(), field.mesh(), field.at_nodes()};
  auto known = places_.find(key);
  if (known == places_.end())
    known = places_
                .emplace(key, is_known(points.mesh(), points.group(), field) ? this->known(points, field)
                                                                             : find(points, field))
                .first;
  const Located& located = known->second;
  return {{field.at_nodes() ? cells_of(device, field.mesh()).view() : CellsView{}, values_of(device, field),
           field.at_nodes()},
          {located.cells.data(), located.xi.data(), located.tables.data(), located.element_count}};
}

void FieldsAtPoints::forget_others(const std::vector<FormValue>& forms) {
  std::vector<MeshField> used;
  std::set<Mesh> meshes;
  for (const FormValue& form : forms)
    each_field(form, [&](const MeshField& field) {
      used.push_back(field);
      meshes.insert(field.mesh());
    });
  std::erase_if(places_, [&](const auto& entry) { return !meshes.contains(std::get<2>(entry.first)); });
  std::erase_if(cells_, [&](const auto& entry) { return !meshes.contains(entry.first); });
  std::erase_if(searches_, [&](const auto& entry) { return !meshes.contains(entry.first); });
  std::erase_if(values_, [&](const Values& each) {
    return std::ranges::none_of(used, [&](const MeshField& field) { return field.is_same(each.field); });
  });
}

void FieldsAtPoints::add_needs(const FunctionSpace& space, const ElementGroup& group, Index points,
                               const FormValue& form, Foreseen& foreseen, MemoryNeeds& needs) const {
  const bool apart = space.device().machine().is_apart();
  const char* tag = "coefficients";
  const Index entries = group.batch_count() * points * lane_count;
  const auto add_cells = [&](const Mesh& mesh) {
    if (!apart || cells_.contains(mesh) || !foreseen.cells.insert(mesh).second) return;
    for (const CellBlock& block : mesh.blocks()) needs.array<Node>(tag, static_cast<Index>(block.nodes.size()));
    needs.array<CellFunctions>(tag, static_cast<Index>(mesh.blocks().size()));
    needs.array<CellBlockView>(tag, static_cast<Index>(mesh.blocks().size()));
  };
  const auto add_search = [&](const Mesh& mesh) {
    add_cells(mesh);
    if (!apart || searches_.contains(mesh) || !foreseen.searches.insert(mesh).second) return;
    needs.array<double>(tag, 3 * mesh.node_count()).array<std::int32_t>(tag, mesh.cell_count());
    needs.array<CellBox>(tag, PointLocator::box_count(mesh));
  };
  Index inputs = 0;
  bool positions = false, searches = false;
  for (const PointFunction& number : form.given) {
    inputs += static_cast<Index>(number.code().inputs().size());
    positions = positions || number.code().reads_position();
    for (const auto& input : number.code().inputs()) positions = positions || !input->field;
  }
  each_field(form, [&](const MeshField& field) {
    const bool known = is_known(space.mesh(), group, field);
    const Places key{&group, points, field.mesh(), field.at_nodes()};
    if (!places_.contains(key) && foreseen.places.insert(key).second) {
      needs.array<std::int32_t>(tag, known ? group.element_count : entries);
      if (field.at_nodes()) needs.array<Point>(tag, known ? points : entries);
      if (!known) add_search(field.mesh());
      searches = searches || !known;
    }
    if (field.at_nodes()) add_cells(field.mesh());
    const auto is_same = [&](const MeshField& other) { return other.is_same(field); };
    if (!apart || std::ranges::any_of(values_, is_same, &Values::field) ||
        std::ranges::any_of(foreseen.fields, is_same))
      return;
    foreseen.fields.push_back(field);
    needs.array<double>(tag, static_cast<Index>(field.values().size()));
  });
  // Positions and inputs of one piece at a time, of all forms in turn; points are found before.
  MemoryNeeds piece, search;
  const Index of_piece = QuadraturePoints::entries_of_piece(group, points);
  piece.array<double>(tag, positions ? 3 * of_piece : 0).array<double>(tag, inputs * of_piece);
  search.array<double>(tag, searches ? 3 * of_piece : 0);
  const Index most = std::max(piece.total(), search.total());
  needs.bytes(tag, std::max<Index>(0, most - foreseen.piece));
  foreseen.piece = std::max(foreseen.piece, most);
}

}  // namespace ritz
