// The data of a call of a case: its program, its tables as text, a mesh from arrays, numbers in cells and at nodes.
#pragma once

#include "apps/cases/case_model.hpp"
#include "python/bind/caller_numbering.hpp"
#include "python/bind/guest.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ritz::python {

struct Program {
  AppInfo info;
  CaseModel (*read)(Run&);
};
Program program_named(const std::string& name);

// Blocks of cells by the names of their kinds, and groups of those cells and of nodes.
struct MeshArrays {
  std::vector<double> points;  // [node][3]
  std::vector<std::pair<CellKind, std::vector<Node>>> blocks;
  struct Group {
    std::string name;
    std::vector<std::pair<CellKind, std::vector<Index>>> cells;
    std::vector<Node> nodes;
  };
  std::vector<Group> groups;
  std::vector<Index> order;  // [cell of the body, block after block] -> row of the caller; empty: that order

  Mesh mesh(bool structural, double scale, std::vector<std::string>& notices) const;
  CallerCells cells(bool structural) const;                              // of mesh()
  bool has_kinds_of(const Mesh& mesh) const;                             // as many cells of each shape
  static MeshArrays of(const Mesh& mesh, const CallerCells& rows = {});  // facets of regions become cells
};

// Numbers of the case in place of formulas: their names, where they stand, values.
using Arrays = std::vector<std::tuple<std::string, bool, Doubles>>;

struct CaseCall {
  std::string program, file;
  std::optional<std::string> text;
  std::vector<std::string> overrides;
  const MeshArrays* mesh;  // null: the case names a file; it outlives the run
  std::shared_ptr<const GivenArrays> arrays;
  std::string device;
  int threads;
  bool log;

  CaseCall(std::string program_name, std::string file_name, std::optional<std::string> case_text,
           std::vector<std::string> settings, const MeshArrays* given, const Arrays& numbers, std::string device_name,
           int thread_count, bool logs);
  RunOptions options() const;
  CallerCells cells(const Mesh& of_the_run) const;
};

}  // namespace ritz::python
