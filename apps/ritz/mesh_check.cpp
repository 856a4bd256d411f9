#include "apps/ritz/mesh_check.hpp"

#include "io/meshes/mesh_reader.hpp"
#include "io/vtk/vtu_writer.hpp"
#include "mesh/checks.hpp"
#include "mesh/quality/conformity.hpp"
#include "mesh/facets.hpp"
#include "mesh/hash.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

namespace ritz {
namespace {

// The numbers in the picture's field "problem".
enum class Problem {
  none,
  inside_out,
  without_volume,
  folded,
  repeated,
  crowded,
  mismatched,
  hanging_node,
  split_face,
  crack,
  poor_shape
};
constexpr std::array problem_names{"none",
                                   "inside out",
                                   "without volume",
                                   "folded",
                                   "repeated",
                                   "facet in several cells",
                                   "nodes between the corners differ",
                                   "hanging node",
                                   "quadrilateral meets triangles",
                                   "crack",
                                   "poor shape"};

class Offenders {
 public:
  explicit Offenders(Index cell_count) : problem_(static_cast<std::size_t>(cell_count)) {}
  void add(Index cell, Problem problem) {  // the first problem of a cell is shown
    Problem& known = problem_[static_cast<std::size_t>(cell)];
    if (known == Problem::none) known = problem;
  }
  Problem operator[](Index cell) const { return problem_[static_cast<std::size_t>(cell)]; }
  Index count() const {
    return static_cast<Index>(problem_.size()) - std::count(problem_.begin(), problem_.end(), Problem::none);
  }

 private:
  std::vector<Problem> problem_;
};

// A block that is inside out throughout is turned by Mesh and no offender.
void add_bad_shapes(const MeshData& data, Offenders& offenders) {
  const std::vector<CellStatus> statuses = cell_statuses(data);
  for (const CellBlock& block : data.blocks) {
    const auto first = statuses.begin() + block.first_cell, last = first + block.cell_count();
    if (std::all_of(first, last, [](CellStatus s) { return s == CellStatus::reversed; })) continue;
    for (auto status = first; status != last; ++status)
      if (*status != CellStatus::positive) offenders.add(status - statuses.begin(), static_cast<Problem>(*status));
  }
}

void add_bad_facets(const MeshData& data, Offenders& offenders) {
  for (const auto& [first, second] : duplicate_cells(data)) {
    offenders.add(first, Problem::repeated);
    offenders.add(second, Problem::repeated);
  }
  if (data.structural) return;  // shells meet at edges, as in a T
  const FacetSurvey survey = survey_facets(data);
  for (const auto& [a, b] : survey.crowded)
    for (const Index cell : {a.cell, b.cell}) offenders.add(cell, Problem::crowded);
  for (const auto& [a, b] : survey.mismatched)
    for (const Index cell : {a.cell, b.cell}) offenders.add(cell, Problem::mismatched);
}

void add_tears(const Mesh& mesh, Offenders& offenders) {
  for (const HangingNode& hanging : find_hanging_nodes(mesh)) offenders.add(hanging.facet.cell, Problem::hanging_node);
  for (const auto& [a, b] : find_split_faces(mesh))
    for (const Index cell : {a.cell, b.cell}) offenders.add(cell, Problem::split_face);
  for (const auto& [a, b] : find_cracks(mesh).facets)
    for (const Index cell : {a.cell, b.cell}) offenders.add(cell, Problem::crack);
}

// Poor cells are shown; those below `least` are errors.
void add_poor_shapes(const Mesh& mesh, double least, Offenders& offenders, MeshInfo& info) {
  if (mesh.dimension() < 2) return;
  const std::vector<CellShape> shapes = shapes_of_cells(mesh);
  std::vector<Index> first;
  Index count = 0;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const double jacobian = shapes[static_cast<std::size_t>(cell)].scaled_jacobian;
    if (jacobian < std::max(least, poor_jacobian)) offenders.add(cell, Problem::poor_shape);
    if (jacobian < least && count++ < 10) first.push_back(cell);
  }
  if (count > 0)
    info.errors.emplace_back(
        ErrorKind::mesh_contents,
        fmt::format("{} of {} with a scaled Jacobian below {}", counted("cell", count, first), info.file, least),
        fmt::format("the worst has {:.3g}", quality(mesh).worst_jacobian),
        "improve the mesh there, or lower --min-jacobian");
}

// Gaps that are too wide for a crack by its tolerance, and too narrow to be meant.
void report_narrow_gaps(const Mesh& mesh, MeshInfo& info) {
  if (mesh.structural() || !info.geometry) return;
  const Cracks wide = find_cracks(mesh, 1e-2 * info.geometry->quality.shortest_edge), tight = find_cracks(mesh);
  const auto gaps = std::ssize(wide.nodes) - std::ssize(tight.nodes);
  if (gaps <= 0) return;
  const auto first = std::ranges::find_if(
      wide.nodes, [&](const auto& pair) { return !std::ranges::binary_search(tight.nodes, pair); });
  const auto x = mesh.point(first->first), y = mesh.point(first->second);
  info.notices.push_back(fmt::format(
      "{} pairs of free nodes lie almost on each other, first {} and {} at ({:.6g}, {:.6g}, {:.6g}), {:.3g} apart: a "
      "gap below a hundredth of the shortest edge; no force or heat crosses it",
      gaps, first->first, first->second, x[0], x[1], x[2], std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2])));
}

void write_quality(const std::string& file, const Mesh& mesh) {
  std::vector<Field> fields{{"scaled_jacobian", 1, {}}, {"aspect", 1, {}}};
  for (const CellShape& shape : shapes_of_cells(mesh)) {
    fields[0].values.push_back(shape.scaled_jacobian);
    fields[1].values.push_back(shape.aspect);
  }
  write_vtu(file,
            MeshData{.dimension = mesh.dimension(),
                     .points = {mesh.points().begin(), mesh.points().end()},
                     .blocks = {mesh.blocks().begin(), mesh.blocks().end()},
                     .regions = {},
                     .source = mesh.source()},
            fields);
}

// The offending cells alone, with the nodes that they use.
MeshData selection(const MeshData& data, const Offenders& offenders, std::vector<Field>& fields) {
  MeshData part{.dimension = data.dimension, .points = {}, .blocks = {}, .regions = {}, .source = data.source};
  part.structural = data.structural;
  fields = {{"problem", 1, {}}, {"cell", 1, {}}};
  std::vector<Node> number(data.points.size() / 3, -1);
  for (const CellBlock& block : data.blocks) {
    CellBlock chosen{block.kind, {}, 0};
    for (Index c = 0; c < block.cell_count(); ++c) {
      const Index cell = block.first_cell + c;
      if (offenders[cell] == Problem::none) continue;
      for (const Node node : block.cell(c)) {
        Node& mine = number[static_cast<std::size_t>(node)];
        if (mine < 0) {
          mine = static_cast<Node>(part.points.size() / 3);
          part.points.insert(part.points.end(), data.points.begin() + 3 * Index{node},
                             data.points.begin() + 3 * Index{node} + 3);
        }
        chosen.nodes.push_back(mine);
      }
      fields[0].values.push_back(static_cast<double>(offenders[cell]));
      fields[1].values.push_back(static_cast<double>(cell));
    }
    if (!chosen.nodes.empty()) part.blocks.push_back(std::move(chosen));
  }
  return part;
}

Offenders find_offenders(const MeshData& data, const MeshCheckOptions& options, MeshInfo& info) {
  Index cell_count = 0;
  for (const CellBlock& block : data.blocks) cell_count += block.cell_count();
  Offenders offenders(cell_count);
  try {
    check_arrays(data);
  } catch (const Error&) {
    return offenders;  // no cells that could be shown; `info` has the error
  }
  add_bad_shapes(data, offenders);
  if (offenders.count() == 0) add_bad_facets(data, offenders);
  if (info.geometry) {
    const Mesh mesh(data);
    add_tears(mesh, offenders);
    add_poor_shapes(mesh, options.least_jacobian, offenders, info);
    report_narrow_gaps(mesh, info);
    if (!options.quality.empty()) write_quality(options.quality, mesh);
  }
  return offenders;
}

}  // namespace

MeshCheck check_mesh(const std::string& file, const MeshCheckOptions& options) {
  if (!std::isfinite(options.scale) || options.scale <= 0)
    throw Error(ErrorKind::command_line, fmt::format("--scale is {}", options.scale), "lengths are multiplied by it",
                "give a positive number");
  if (!(options.least_jacobian >= 0 && options.least_jacobian <= 1))
    throw Error(ErrorKind::command_line, fmt::format("--min-jacobian is {}", options.least_jacobian),
                "scaled Jacobians of good cells are between 0 and 1", "give 0.1 or the like");
  std::vector<std::string> notices;
  MeshData data =
      read_bodies_or_shells([&](bool structural) { return read_mesh_data(file, &notices, structural); }, notices);
  for (double& coordinate : data.points) coordinate *= options.scale;
  MeshCheck check{.info = inspect_mesh(file, options.scale, data, std::move(notices)), .picture = {}};
  const Offenders offenders = find_offenders(data, options, check.info);
  check.offender_count = offenders.count();
  if (check.offender_count == 0) return check;
  check.picture =
      options.picture.empty() ? std::filesystem::path(file).stem().string() + "-problems.vtu" : options.picture;
  std::vector<Field> fields;
  const MeshData part = selection(data, offenders, fields);
  write_vtu(check.picture, part, fields);
  return check;
}

std::string text_of(const MeshCheck& check) {
  std::string text = text_of(check.info);
  if (check.picture.empty()) return text;
  text += fmt::format("{} cells with a problem are in {}; its field 'problem' is", check.offender_count, check.picture);
  for (std::size_t i = 1; i < problem_names.size(); ++i)
    text += fmt::format("{} {} {}", i > 1 ? "," : "", i, problem_names[i]);
  return text + "\n";
}

std::string json_of(const MeshCheck& check) {
  auto json = nlohmann::ordered_json::parse(json_of(check.info));
  json["offending_cells"] = check.offender_count;
  json["picture"] = check.picture;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ritz
