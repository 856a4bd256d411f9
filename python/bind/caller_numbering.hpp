// Values at the nodes of the caller: those of the mesh where the field stands on them, else those of the field. Values
// in cells in the order of the caller, who may give blocks of several kinds in any order.
#pragma once

#include "fem/space/function_space.hpp"
#include "python/bind/guest.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

#include <span>
#include <utility>
#include <vector>

namespace ritz::python {

class CallerNumbering {
 public:
  explicit CallerNumbering(const FunctionSpace& space);

  std::size_t size() const { return node_.size(); }    // nodes of the caller
  Node node(std::size_t i) const { return node_[i]; }  // of the space; -1: no cell has it
  Vector in(std::span<const double> values) const;     // [node of the caller][component]
  std::vector<double> out(const Vector& x) const;      // 0 at nodes without cells
  // [node][component] of another field at the nodes.
  std::vector<double> nodal_in(std::span<const double> values, int components) const;
  std::vector<double> nodal_out(std::span<const double> values, int components) const;

  // offsets [row], columns [block], values [block][b][b]. Nodes without cells have `pivot` on their diagonal; 0:
  // nothing.
  void export_matrix(const SparseMatrix& K, double pivot, std::vector<Index>& offsets,
                     std::vector<std::int32_t>& columns, std::vector<double>& values) const;

 private:
  const FunctionSpace& space_;
  std::vector<Node> node_;
};

// [row][component] of the caller, and [cell][component] of the mesh. Of another number of rows, such as those of a mesh
// that was refined, they stay as they are.
class CallerCells {
 public:
  CallerCells() = default;  // in the order of the mesh
  explicit CallerCells(std::vector<Index> row) : row_(std::move(row)) {}

  Index size() const { return static_cast<Index>(row_.size()); }
  Index row(Index cell) const { return row_.empty() ? cell : row_[static_cast<std::size_t>(cell)]; }
  std::vector<double> in(std::span<const double> values, int components = 1) const;
  std::vector<double> out(std::span<const double> values, int components = 1) const;

 private:
  std::vector<Index> row_;  // [cell of the mesh]
};

}  // namespace ritz::python
