// The data of a call of a case: its program, its tables as text, a mesh from arrays, numbers in cells and at nodes.
#pragma once

#include "apps/cases/case_model.hpp"
#include "python/bind/guest.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ritz::python {

struct Program {
  AppInfo info;
  CaseModel (*read)(Run&);
  void (*run)(Run&) = nullptr;  // null: the analysis of what `read` returns
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
  std::vector<Index> order;  // [cell, kind after kind] of a mesh; empty: that order

  Mesh mesh(bool structural, double scale, std::vector<std::string>& notices) const;
  static MeshArrays of(const Mesh& mesh);  // facets of regions become cells
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
};

}  // namespace ritz::python
