#include "apps/ritz/mesh_change.hpp"

#include "apps/ritz/mesh_info.hpp"
#include "io/meshes/mesh_reader.hpp"
#include "mesh/order.hpp"
#include "mesh/refinement/refine.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

namespace ritz {
namespace {

void check(const MeshChange& change) {
  check_writable_format(change.to);
  std::error_code ignored;
  if (std::filesystem::exists(change.to, ignored) && !change.overwrite)
    throw Error(ErrorKind::results_exist, fmt::format("'{}' exists already", change.to),
                "files are not overwritten unless asked", "add --force, or give another name");
}

// Serendipity cells of the same geometry: their nodes are those of the full cells without the middles.
Mesh with_mid_nodes(const Mesh& mesh, const MeshChange& change, std::span<const std::string> points) {
  if (change.order == 0 && !change.serendipity) return mesh;
  bool quadratic = change.order == 2;
  for (const CellBlock& block : mesh.blocks())
    quadratic = quadratic || (change.order == 0 && traits(block.kind).order == 2);
  return with_order(mesh, quadratic ? 2 : 1, change.serendipity ? MidNodes::serendipity : MidNodes::full, points);
}

std::string summary(const std::string& path, const Mesh& mesh) {
  std::map<CellKind, Index> counts;
  for (const CellBlock& block : mesh.blocks()) counts[block.kind] += block.cell_count();
  std::string kinds;
  for (const auto& [kind, count] : counts)
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, traits(kind).name);
  return fmt::format("{}: {} nodes, {} cells ({}), {} regions\n", path, mesh.node_count(), mesh.cell_count(), kinds,
                     mesh.regions().size());
}

}  // namespace

std::string change_mesh(const MeshChange& change) {
  check(change);
  std::vector<std::string> notices, points;
  const auto read = [&](bool structural) {
    return read_mesh(change.from,
                     {.scale = change.scale, .structural = structural, .notices = &notices, .points = &points});
  };
  Mesh mesh = read_bodies_or_shells(read, notices);
  notices.insert(notices.end(), mesh.notices().begin(), mesh.notices().end());
  std::string text = summary(change.from, mesh);
  mesh = with_mid_nodes(mesh, change, points);
  for (int i = 0; i < change.refinements; ++i) mesh = refine(mesh, points);
  write_mesh(change.to, mesh, {.text = change.text, .plane_type = change.plane_type, .notices = &notices});
  text += summary(change.to, mesh);
  for (const std::string& notice : notices) text += "notice: " + notice + "\n";
  return text;
}

}  // namespace ritz
