// Kernels of the set-up of preconditioners of several fields and of edges (module ritz_fem_kernels, table "field
// parts").
#pragma once

#include "device/kernels.hpp"
#include "solvers/algebra/block_matrix.hpp"

namespace ritz {

// Edges between corners on a device.
struct EdgesView {
  Index edges = 0, corners = 0;
  int dimension = 3;
  const std::int32_t* ends = nullptr;       // [edge][2] from, to; negative: the edge has none
  const std::uint8_t* is_held = nullptr;    // [edge] prescribed
  const std::uint8_t* held_ends = nullptr;  // [corner] has no column
  const double* points = nullptr;           // [corner][dimension]
};

struct FieldPartKernels {
  // update_i -= sum over m of B_im C_mi / diagonal_m, of scalar matrices with ascending columns
  void (*subtract_schur_diagonal)(const Device&, const BlockMatrixView<double>& B, const BlockMatrixView<double>& C,
                                  const double* diagonal, double* update);
  // x_i = max(factor x_i, least)
  void (*at_least)(const Device&, Index n, double factor, double least, double* x);
  // x_i = max(factor x_i / y_i, 0)
  void (*positive_ratio)(const Device&, Index n, double factor, const double* y, double* x);
  // x_i = sqrt(x_i > 1e-8 mean ? x_i : mean)
  void (*root)(const Device&, Index n, double mean, double* x);
  // Diagonal entries of a scalar matrix, whose largest one is `most`, by raised_entry().
  void (*raise_diagonal)(const Device&, const BlockMatrixView<double>& A, double most, double* values);
  // Rows of the first `rows` edges, with the ends as columns: half of a component of the edge at either, or for
  // gradients, which are component -1, the difference.
  void (*prolongation)(const Device&, const EdgesView& edges, Index rows, int component, BlockMatrix& P);
};

inline const FieldPartKernels& field_part_kernels(const Device& device) {
  return kernels<FieldPartKernels>(device, "ritz_fem_kernels", "field parts");
}

// Values that change their sign along every edge have no mean there: the matrix maps them to zero, and its dense
// inverse would be lost in them. The share is that of a wave over ten thousand cells.
constexpr double raised_entry(double entry, double most) {
  constexpr double share_of_diagonal = 1e-8;
  if (entry <= 1e-14 * most) return most > 0 ? most : 1;
  return entry * (1 + share_of_diagonal);
}

}  // namespace ritz
