#include "mesh/checks.hpp"

#include "mesh/facets.hpp"
#include "mesh/hash.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cmath>
#include <limits>

namespace ritz {
namespace {

// Collects offenders in ascending order: their count and the first ten.
struct Offenders {
  Index count = 0;
  std::vector<Index> first;
  void add(Index id) {
    if (count++ < 10) first.push_back(id);
  }
};

constexpr double too_far = 1e100;  // of a coordinate: its cube is still a number

void check_blocks(const MeshData& data, ErrorList& errors) {
  Index cell_count = 0;
  for (std::size_t b = 0; b < data.blocks.size(); ++b) {
    const CellBlock& block = data.blocks[b];
    const CellTraits& t = traits(block.kind);
    cell_count += block.cell_count();
    if (data.structural ? t.dimension < 1 || t.dimension > data.dimension : t.dimension != data.dimension)
      errors.add(Error(ErrorKind::mesh_contents,
                       fmt::format("block {} of {} holds {} {} cells of dimension {}, but the mesh has dimension {}", b,
                                   data.source, block.cell_count(), t.name, t.dimension, data.dimension),
                       "cells of a lower dimension serve to name facets only",
                       "keep cells of one dimension, or name facets through regions"));
    if (block.nodes.size() % static_cast<std::size_t>(t.node_count) != 0)
      errors.add(Error(ErrorKind::mesh_contents,
                       fmt::format("block {} of {} holds {} node numbers, which is no multiple of the {} of a {}", b,
                                   data.source, block.nodes.size(), t.node_count, t.name),
                       "the connectivity is cut off or of another kind", ""));
  }
  if (cell_count == 0)
    errors.add(Error(ErrorKind::mesh_without_cells,
                     fmt::format("{} holds no cells of dimension {}", data.source, data.dimension),
                     "there is nothing to compute on", "export the volume (in 2-D: surface) mesh too"));
}

void check_points(const MeshData& data, ErrorList& errors) {
  if (data.points.size() % 3 != 0)
    errors.add(Error(ErrorKind::mesh_contents,
                     fmt::format("{} holds {} coordinates, which is no multiple of 3", data.source, data.points.size()),
                     "every point has x, y and z", ""));
  const auto count = static_cast<Index>(data.points.size() / 3);
  if (count > std::numeric_limits<Node>::max())
    errors.add(Error(ErrorKind::mesh_too_large,
                     fmt::format("{} holds {} points, more than the {} that node numbers can count", data.source, count,
                                 std::numeric_limits<Node>::max()),
                     "", "split the mesh"));
  const double* const x = data.points.data();
  const auto usable = [x](Index i) { return std::abs(x[i]) < too_far; };  // false for NaN, too
  bool all = true;
#pragma omp parallel for schedule(static) reduction(&& : all)
  for (Index i = 0; i < 3 * count; ++i) all = all && usable(i);
  if (all) return;
  Offenders bad;
  for (Index i = 0; i < count; ++i)
    if (!usable(3 * i) || !usable(3 * i + 1) || !usable(3 * i + 2)) bad.add(i);
  const Index i = bad.first[0];
  errors.add(
      Error(ErrorKind::mesh_contents,
            fmt::format("{} of {} without usable coordinates; the first is ({}, {}, {})",
                        counted("node", bad.count, bad.first), data.source, x[3 * i], x[3 * i + 1], x[3 * i + 2]),
            fmt::format("the file holds NaN, an overflowed number, or one beyond {:g}, whose volumes would overflow",
                        too_far),
            "write the mesh again"));
}

void check_node_numbers(const MeshData& data, ErrorList& errors) {
  const auto node_count = static_cast<Index>(data.points.size() / 3);
  const auto outside = [node_count](Node node) { return node < 0 || node >= node_count; };
  for (const CellBlock& block : data.blocks) {
    const auto size = static_cast<Index>(block.nodes.size());
    const Node* const nodes = block.nodes.data();
    Index count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (Index i = 0; i < size; ++i) count += outside(nodes[i]);
    if (count == 0) continue;
    Offenders bad;
    Node example = 0;
    for (Index c = 0; c < block.cell_count(); ++c)
      for (const Node node : block.cell(c))
        if (outside(node)) {
          if (bad.count == 0) example = node;
          bad.add(block.first_cell + c);
          break;
        }
    errors.add(Error(ErrorKind::mesh_contents,
                     fmt::format("{} of kind {} in {} with a node number outside 0..{}; the first names node {}",
                                 counted("cell", bad.count, bad.first), traits(block.kind).name, data.source,
                                 node_count - 1, example),
                     "the connectivity refers to points that do not exist", "write the mesh again"));
  }
}

std::vector<std::uint8_t> used_nodes(const MeshData& data) {
  std::vector<std::uint8_t> used(data.points.size() / 3);
  for (const CellBlock& block : data.blocks) {
    const auto size = static_cast<Index>(block.nodes.size());
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < size; ++i)
      std::atomic_ref(used[static_cast<std::size_t>(block.nodes[static_cast<std::size_t>(i)])])
          .store(1, std::memory_order_relaxed);
  }
  return used;
}

void check_flat(const MeshData& data, ErrorList& errors) {
  if (data.dimension != 2) return;
  const Node first = [&] {
    for (const CellBlock& block : data.blocks)
      if (!block.nodes.empty()) return block.nodes[0];
    return Node{0};
  }();
  const double z = data.points[3 * static_cast<std::size_t>(first) + 2];
  double size = 0;
  for (const double x : data.points) size = std::max(size, std::abs(x));
  const std::vector<std::uint8_t> used = used_nodes(data);
  Offenders bad;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] != 0 && std::abs(data.points[3 * i + 2] - z) > 1e-12 * size) bad.add(static_cast<Index>(i));
  if (bad.count > 0)
    errors.add(Error(ErrorKind::mesh_contents,
                     fmt::format("{} of the two-dimensional mesh {} outside the plane z = {}; the first has z = {}",
                                 counted("node", bad.count, bad.first), data.source, z,
                                 data.points[3 * static_cast<std::size_t>(bad.first[0]) + 2]),
                     "plane models live in the x-y plane", "turn the geometry into the x-y plane"));
}

std::vector<Index> first_cells(std::span<const FacetSurvey::Pair> pairs) {
  std::vector<Index> cells;
  for (const auto& pair : pairs.first(std::min<std::size_t>(pairs.size(), 10))) cells.push_back(pair.first.cell);
  return cells;
}

}  // namespace

std::string counted(std::string_view what, Index count, std::span<const Index> first) {
  std::string text = fmt::format("{} {}{} (", count, what, count == 1 ? "" : "s");
  const std::size_t shown = std::min<std::size_t>(first.size(), 10);
  for (std::size_t i = 0; i < shown; ++i) text += fmt::format("{}{}", i > 0 ? ", " : "", first[i]);
  return text + (static_cast<Index>(shown) < count ? ", ...)" : ")");
}

std::string place_of_cell(const MeshData& data, Index cell) {
  const CellBlock& block = block_holding(data, cell);
  const auto corner_count = static_cast<std::size_t>(traits(block.kind).corner_count);
  std::array<double, 3> centre{};
  for (const Node node : block.cell(cell - block.first_cell).first(corner_count))
    for (std::size_t k = 0; k < 3; ++k)
      centre[k] += data.points[3 * static_cast<std::size_t>(node) + k] / static_cast<double>(corner_count);
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", centre[0], centre[1], centre[2]);
}

void check_arrays(const MeshData& data) {
  if (data.dimension < 1 || data.dimension > 3)
    throw Error(ErrorKind::mesh_contents, fmt::format("{} has dimension {}", data.source, data.dimension), "",
                "it must be 1, 2 or 3");
  if (data.structural && data.dimension != 3)
    throw Error(ErrorKind::mesh_contents,
                fmt::format("{} is structural with dimension {}", data.source, data.dimension),
                "beams and shells stand in space", "make it 3");
  ErrorList errors;
  check_blocks(data, errors);
  check_points(data, errors);
  errors.throw_if_any();
  check_node_numbers(data, errors);
  errors.throw_if_any();
  check_flat(data, errors);
  errors.throw_if_any();
}

std::vector<Node> find_orphan_nodes(const MeshData& data) {
  const std::vector<std::uint8_t> used = used_nodes(data);
  std::vector<Node> orphans;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] == 0) orphans.push_back(static_cast<Node>(i));
  return orphans;
}

std::vector<FacetOfCell> check_facets(const MeshData& data, ErrorList& errors) {
  FacetSurvey survey = survey_facets(data);
  if (!survey.crowded.empty()) {
    const auto duplicates = duplicate_cells(data);
    Offenders bad;
    for (const auto& pair : duplicates) bad.add(pair.second);
    if (bad.count > 0)
      errors.add(Error(ErrorKind::mesh_contents,
                       fmt::format("{} in {} repeated: they have the corners of another cell; the first, at {}, "
                                   "repeats cell {}",
                                   counted("cell", bad.count, bad.first), data.source,
                                   place_of_cell(data, bad.first[0]), duplicates[0].first),
                       "their stiffness would count twice", "write every cell once"));
    else
      errors.add(
          Error(ErrorKind::mesh_contents,
                fmt::format("{} in {} shared by more than two cells, or by two cells on the same side; the "
                            "first is of cells {} and {}, at {}",
                            counted("facet", static_cast<Index>(survey.crowded.size()), first_cells(survey.crowded)),
                            data.source, survey.crowded[0].first.cell, survey.crowded[0].second.cell,
                            place_of_cell(data, survey.crowded[0].first.cell)),
                "cells overlap (the numbers are those of the cells)", "mesh overlapping parts separately"));
  }
  if (!survey.mismatched.empty()) {
    const auto& [a, b] = survey.mismatched[0];
    errors.add(Error(
        ErrorKind::mesh_contents,
        fmt::format("{} in {} with the same corners in both cells but other nodes between them; the "
                    "first is of cells {} ({}) and {} ({}), at {}",
                    counted("facet", static_cast<Index>(survey.mismatched.size()), first_cells(survey.mismatched)),
                    data.source, a.cell, traits(block_holding(data, a.cell).kind).name, b.cell,
                    traits(block_holding(data, b.cell).kind).name, place_of_cell(data, a.cell)),
        "the solution would be discontinuous there (the numbers are those of the cells)",
        "use cells of one order, and nodes in the order of the file's format"));
  }
  return std::move(survey.boundary);
}

}  // namespace ritz
