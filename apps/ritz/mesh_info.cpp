#include "apps/ritz/mesh_info.hpp"

#include "io/meshes/mesh_reader.hpp"
#include "mesh/quality/conformity.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>

namespace ritz {
namespace {

const char* name_of(RegionKind kind) {
  return kind == RegionKind::cells ? "cells" : kind == RegionKind::facets ? "facets" : "nodes";
}

std::vector<MeshInfo::RegionInfo> region_infos(const Mesh& mesh, const std::vector<double>& volumes) {
  std::vector<MeshInfo::RegionInfo> infos;
  for (const Region& region : mesh.regions()) {
    int highest = 0;  // of structures, whose regions may have lines and surfaces
    for (const Index cell : region.cells) highest = std::max(highest, traits(mesh.kind_of(cell)).dimension);
    double size = 0;
    for (const Index cell : region.cells)
      if (traits(mesh.kind_of(cell)).dimension == highest) size += volumes[static_cast<std::size_t>(cell)];
    if (region.kind == RegionKind::facets && mesh.dimension() > 1) size = area(mesh, region);
    const int dimension = region.kind == RegionKind::cells ? highest : mesh.dimension() - 1;
    infos.push_back({region.name, name_of(region.kind), region.size(), size, dimension});
  }
  return infos;
}

void add_error(const Error& error, std::vector<Error>& list) {
  if (const auto* several = dynamic_cast<const Errors*>(&error))
    list.insert(list.end(), several->list().begin(), several->list().end());
  else list.push_back(error);
}

// Size of the cells of the highest dimension, and that dimension.
std::pair<double, int> size_of(const Mesh& mesh, const std::vector<double>& volumes) {
  if (!mesh.structural()) return {total_volume(mesh), mesh.dimension()};
  int highest = 0;
  double sum = 0;
  for (const CellBlock& block : mesh.blocks()) highest = std::max(highest, traits(block.kind).dimension);
  for (const CellBlock& block : mesh.blocks())
    for (Index c = 0; c < block.cell_count() && traits(block.kind).dimension == highest; ++c)
      sum += volumes[static_cast<std::size_t>(block.first_cell + c)];
  return {sum, highest};
}

const char* noun_of_size(int dimension) { return dimension == 3 ? "volume" : dimension == 2 ? "area" : "length"; }

std::string point_text(const Point& x) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]); }

std::string geometry_text(const MeshInfo& info) {
  const MeshInfo::Geometry& g = *info.geometry;
  std::string text = fmt::format("box      {} .. {}\n", point_text(g.box.low), point_text(g.box.high));
  text += fmt::format("{:<9}{:.9g}\n", noun_of_size(g.size_dimension), g.volume);
  text += fmt::format("parts    {}\nregions\n", g.parts);
  for (const MeshInfo::RegionInfo& region : g.regions) {
    text += fmt::format(
        "  {:<24}{:>10} {:<7}{}\n", region.name, region.entries, region.kind,
        region.kind == "nodes" ? "" : fmt::format("{} {:.6g}", noun_of_size(region.dimension), region.size));
  }
  std::string quality = g.quality.summary();
  for (std::size_t at = 0; (at = quality.find('\n', at)) != std::string::npos; at += 3) quality.replace(at, 1, "\n  ");
  return text + "quality\n  " + quality + "\n";
}

}  // namespace

MeshInfo inspect_mesh(const std::string& file, double scale) {
  if (!std::isfinite(scale) || scale <= 0)
    throw Error(ErrorKind::command_line, fmt::format("--scale is {}", scale), "lengths are multiplied by it",
                "give a positive number, 0.001 for a mesh drawn in millimetres");
  std::vector<std::string> notices;
  const auto start = std::chrono::steady_clock::now();
  MeshData data =
      read_bodies_or_shells([&](bool structural) { return read_mesh_data(file, &notices, structural); }, notices);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  for (double& coordinate : data.points) coordinate *= scale;
  MeshInfo info = inspect_mesh(file, scale, std::move(data), std::move(notices));
  info.read_seconds = passed.count();
  std::error_code unknown;
  info.file_bytes = static_cast<double>(std::filesystem::file_size(file, unknown));
  return info;
}

MeshInfo inspect_mesh(const std::string& file, double scale, MeshData data, std::vector<std::string> notices) {
  MeshInfo info{
      .file = file, .scale = scale, .cells_by_kind = {}, .geometry = {}, .notices = std::move(notices), .errors = {}};
  info.dimension = data.dimension;
  info.nodes = static_cast<Index>(data.points.size()) / 3;
  for (const CellBlock& block : data.blocks) {
    info.cells += block.cell_count();
    info.cells_by_kind[std::string(traits(block.kind).name)] += block.cell_count();
  }
  try {
    const Mesh mesh(std::move(data));
    info.notices.insert(info.notices.end(), mesh.notices().begin(), mesh.notices().end());
    std::vector<Index> part_of_cell;
    const Index parts = connected_components(mesh, part_of_cell);
    const std::vector<double> volumes = cell_volumes(mesh);
    const auto [size, dimension] = size_of(mesh, volumes);
    info.geometry = {bounding_box(mesh), size, dimension, quality(mesh), parts, region_infos(mesh, volumes)};
    Conformity conformity = check_conformity(mesh);
    std::ranges::move(conformity.notices, std::back_inserter(info.notices));
    std::ranges::move(conformity.errors, std::back_inserter(info.errors));
  } catch (const Error& error) { add_error(error, info.errors); }
  return info;
}

std::string text_of(const MeshInfo& info) {
  std::string text = fmt::format("mesh     {}{}\nspace    {} dimensions\nnodes    {}\ncells    {}", info.file,
                                 info.scale == 1 ? "" : fmt::format(", scaled by {}", info.scale), info.dimension,
                                 info.nodes, info.cells);
  const char* separator = ": ";
  for (const auto& [kind, count] : info.cells_by_kind) {
    text += fmt::format("{}{} {}", separator, count, kind);
    separator = ", ";
  }
  text += "\n";
  if (info.file_bytes > 1e6)
    text += fmt::format("read     in {:.3g} s, {:.3g} MB/s\n", info.read_seconds,
                        info.file_bytes / info.read_seconds / 1e6);
  if (info.geometry) text += geometry_text(info);
  for (const std::string& notice : info.notices) text += "notice: " + notice + "\n";
  const bool poor = info.geometry && info.geometry->quality.poor_count > 0;
  if (info.errors.empty())
    text += poor ? "no error, but results near its poor cells are doubtful; ritz mesh check shows them\n"
            : info.notices.empty() ? "nothing is wrong with it\n"
                                   : "no error; see the notices\n";
  return text;
}

std::string json_of(const MeshInfo& info) {
  using Json = nlohmann::ordered_json;
  Json json = {{"file", info.file},           {"scale", info.scale}, {"read_seconds", info.read_seconds},
               {"dimension", info.dimension}, {"nodes", info.nodes}, {"cells", info.cells}};
  json["cells_by_kind"] = info.cells_by_kind;
  if (info.geometry) {
    const MeshInfo::Geometry& g = *info.geometry;
    json["box"] = {g.box.low, g.box.high};
    json[noun_of_size(g.size_dimension)] = g.volume;
    json["parts"] = g.parts;
    json["regions"] = Json::array();
    for (const MeshInfo::RegionInfo& r : g.regions)
      json["regions"].push_back({{"name", r.name}, {"kind", r.kind}, {"entries", r.entries}, {"size", r.size}});
    const Quality& q = g.quality;
    json["quality"] = {
        {"shortest_edge", q.shortest_edge}, {"longest_edge", q.longest_edge}, {"worst_jacobian", q.worst_jacobian},
        {"mean_jacobian", q.mean_jacobian}, {"worst_aspect", q.worst_aspect}, {"histogram", q.histogram},
        {"slivers", q.sliver_count},        {"verdict", q.verdict()},         {"poor_cells", q.poor_count},
        {"bad_cells", q.bad_count},         {"worst_cells", Json::array()}};
    for (const Quality::Cell& c : q.worst)
      json["quality"]["worst_cells"].push_back({{"cell", c.cell},
                                                {"scaled_jacobian", c.shape.scaled_jacobian},
                                                {"aspect", c.shape.aspect},
                                                {"centre", c.centre}});
  }
  json["notices"] = info.notices;
  json["errors"] = Json::array();
  for (const Error& error : info.errors)
    json["errors"].push_back({{"what", error.message()}, {"why", error.why()}, {"fix", error.fix()}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ritz
