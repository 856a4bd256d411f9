// What host code hands to an element kernel, and the table of kernels that a form registers for a shape of cell.
// All pointers are to memory of the device. Elements are processed in batches of lane_count; in every array the lane
// is the fastest index, and the last batch is padded by repeating its last element.
#pragma once

#include "device/device.hpp"
#include "fem/numbers/pack.hpp"

#include <cstdint>
#include <string>

namespace ritz {

// A reference cell tabulated at the points of a quadrature rule.
struct ReferenceTable {
  int node_count, dimension, point_count;
  const double* weights;        // [point]
  const double* values;         // [point][node]
  const double* gradients;      // [point][node][dimension], with respect to reference coordinates
  const double* extrapolation;  // [node][point]: values at the nodes of the least-squares fit through the points
};

struct ElementArguments {
  const void* form;                // host memory; copied into the kernel
  ReferenceTable table;
  const std::int32_t* nodes;       // [batch][node][lane]
  const double* coordinates;       // [node][dimension of space]
  const double* u;                 // [node][component]; nullptr: zero
  Index first_batch, batch_count;  // of `nodes`
  double* elements;                // result, [batch - first_batch][entry][lane]
  bool accumulate;                 // add to `elements` instead of overwriting
  double* cell_values = nullptr;   // evaluate only: [batch][derived][lane], mean over each cell
};

// entry = [node a][node b][component i][component j] of the element matrices; [node][component] of the residuals;
// [node][derived] of the evaluation.
using ElementKernel = void (*)(const Device&, const ElementArguments&);

struct FormKernels {
  ElementKernel matrices, residuals, evaluate;  // nullptr where the form has none
};

// The name under which a form's kernels for cells of `node_count` nodes and reference dimension are registered.
inline std::string form_kernel_name(const char* form, int node_count, int reference_dimension) {
  return std::string(form) + "/" + std::to_string(node_count) + "/" + std::to_string(reference_dimension);
}

}  // namespace ritz
