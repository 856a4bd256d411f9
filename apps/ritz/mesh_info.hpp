// `ritz mesh info FILE`: contents of a mesh file, its quality, and its faults.
#pragma once

#include "mesh/mesh.hpp"
#include "mesh/quality/quality.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct MeshInfo {
  std::string file;
  double scale = 1;
  double read_seconds = 0;  // without the checks
  double file_bytes = 0;
  int dimension = 0;
  Index nodes = 0, cells = 0;
  std::map<std::string, Index> cells_by_kind;  // "tet10" -> count

  // The rest needs a mesh that passes its checks.
  struct RegionInfo {
    std::string name, kind;  // "cells", "facets", "nodes"
    Index entries;
    double size;    // volume, area or length; of nodes: 0
    int dimension;  // of its entities
  };
  struct Geometry {
    BoundingBox box;
    double volume;       // area in two dimensions, length in one; of shells and beams the area, else the length
    int size_dimension;  // of that
    Quality quality;
    Index parts;  // that share no node
    std::vector<RegionInfo> regions;
  };
  std::optional<Geometry> geometry;
  std::vector<std::string> notices;  // odd, but possibly meant
  std::vector<Error> errors;         // Exit::mesh; a simulation would stop or give wrong answers
};

// The same for data that were read already; `notices` are those of the reader.
MeshInfo inspect_mesh(const std::string& file, double scale, MeshData data, std::vector<std::string> notices);

// Errors of the mesh are part of the answer; only a file that cannot be read throws.
MeshInfo inspect_mesh(const std::string& file, double scale);
// read(structural) of a mesh file as a body or, where its surfaces lie in space, as shells, as ritz-structure does.
template <class Read>
auto read_bodies_or_shells(const Read& read, std::vector<std::string>& notices) {
  try {
    return read(false);
  } catch (const Error& error) {
    if (error.message().find("holds surface cells only") == std::string::npos) throw;
  }
  notices = {"its surfaces lie in space and are read as shells, as ritz-structure does"};
  return read(true);
}

std::string text_of(const MeshInfo& info);
std::string json_of(const MeshInfo& info);

}  // namespace ritz
