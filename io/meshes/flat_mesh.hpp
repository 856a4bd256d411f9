// Steps of all mesh readers after the cells are read: block numbers, plane meshes, regions. Private to io.
#pragma once

#include "mesh/mesh.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace ritz {

// Surface cells (lines in two dimensions) and the names of the regions that they are in.
struct NamedCells {
  std::vector<std::string> names;
  CellBlock cells;
};

template <class T>
void sort_unique(std::vector<T>& values) {
  if (!std::is_sorted(values.begin(), values.end())) std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void number_blocks(MeshData& data);

// Do cells of this kind become cells of the mesh? Others name facets and nodes.
bool is_body(const MeshData& data, CellKind kind);  // first_cell of every block
Index cell_count(const MeshData& data);

// A mesh of surface cells must be plane, z = constant; its z becomes 0. Throws Error: Exit::mesh.
void flatten_plane_mesh(MeshData& data, std::vector<std::string>& notices);

// The region of this name and kind, made when it is not there yet.
Region& region_named(MeshData& data, const std::string& name, RegionKind kind);

// Facet regions. A region none of whose cells is a facet becomes a node region, with a notice; one that fits partly
// is an Error: Exit::mesh.
void add_facet_regions(MeshData& data, const std::vector<NamedCells>& surfaces, std::vector<std::string>& notices);

// Region "all" with every cell, in front. Throws Error: Exit::mesh when the file means something else by "all".
void add_region_all(MeshData& data);

}  // namespace ritz
