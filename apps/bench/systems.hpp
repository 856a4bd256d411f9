// Linear systems of every sort that simulations make, for tables that compare solvers: easy and hard, definite and not,
// symmetric and not.
#pragma once

#include "device/device.hpp"
#include "solvers/algebra/sparse_matrix.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

struct BenchSystem {
  std::shared_ptr<void> keeps = {};  // what the matrix came from
  SparseMatrix A;
  Vector b;
  Vector coordinates;  // [block row][dimension]
  int dimension;
  MakeNested nested = {};
};

struct SystemRecipe {
  std::string name;
  std::string traits;                                      // "definite", "indefinite" or "unsymmetric"
  BenchSystem (*make)(const Device& device, double size);  // size: factor on the cells per edge
};

const std::vector<SystemRecipe>& auto_table_systems();
const std::vector<SystemRecipe>& direct_table_systems();

}  // namespace ritz
