// Arguments from host code to an element kernel, and the table of kernels that a form registers for a shape of cell.
// All pointers are to memory of the device. Elements are processed in batches of lane_count; in every array the lane is
// the fastest index, and the last batch is padded by repeating its last element.
#pragma once

#include "device/device.hpp"
#include "device/pack.hpp"
#include "fem/forms/time.hpp"
#include "fem/launch/law_arguments.hpp"
#include "fem/launch/scatter_view.hpp"

#include <cstdint>
#include <string>

namespace ritz {

// Numbers of a reference element and of the cell's geometry at the points of a quadrature rule. Where the field varies
// like the geometry, both are one.
template <class Real>
struct Tabulated {
  const Real* weights;             // [point]
  const Real* values;              // [point][node]
  const Real* gradients;           // [point][node][dimension], with respect to reference coordinates
  const Real* geometry_values;     // [point][geometry node]
  const Real* geometry_gradients;  // [point][geometry node][dimension]
  const Real* extrapolation;       // [node][point]: values at the nodes of the least-squares fit through the points
  // One-dimensional tables of tensor elements (LineTables in tensor_engine.hpp, then SquareTables in
  // tensor_diagonals.hpp), nullptr for others. Host memory; copied into the kernel.
  const Real* line;
};

struct ReferenceTable : Tabulated<double> {
  Tabulated<float> single;
  int node_count, geometry_node_count, dimension, point_count;
};

struct ElementArguments {
  const void* form;  // host memory; copied into the kernel
  ReferenceTable table;
  const std::int32_t* nodes;           // [batch][node][lane]
  const std::int32_t* geometry_nodes;  // [batch][geometry node][lane]
  const double* coordinates;           // [geometry node][dimension of space]
  const double* u;                     // [node][component]; nullptr: zero
  Index first_batch, batch_count;      // of `nodes`
  double* elements;                    // result, [batch - first_batch][entry][lane]
  bool accumulate;                     // add to `elements` instead of overwriting
  double* cell_values = nullptr;       // evaluate only: [batch][derived][lane], mean over each cell
  // Actions only: the vector that the tangent at u is applied to. A node stored as ~n has prescribed components, which
  // count as zero: prescribed [node][component] is their mask.
  const double* direction = nullptr;
  const std::uint8_t* prescribed = nullptr;
  // Geometry of curved tensor cells: [batch][point][entry][lane], inverse Jacobian, weight * determinant, position.
  const double* point_geometry = nullptr;
  // The numbers that the form's list `given` names: [batch][point][number][lane], or [number][lane] of those that are
  // the same at all points. Numbers from one point to the next: as many as the form has, or 0.
  const double* given = nullptr;
  int given_stride = 0;
  double* state = nullptr;    // internal variables of the form, in the same layout; commits write them
  float* tangents = nullptr;  // tangents kept at points: fem/launch/tangent_engine.hpp
  // Actions in single precision use these instead of direction and elements.
  const float* single_direction = nullptr;
  float* single_elements = nullptr;
  int components = 0;               // unknowns per node of the space; whole elements may know fewer
  const ChunkSums* sums = nullptr;  // host memory: results are summed where they arise, not stored in `elements`
  double factor = 1;  // of the integral: multiplies residuals, tangents and what these act on; not `tangents`
  Time time = {};
  // Forms of a law: the law, in host memory, and what it left at the points of the batches from first_of_law on.
  const PointLaw* law = nullptr;
  const double* from_law = nullptr;  // [batch - first_of_law][point][number][lane]
  Index first_of_law = 0;
  int law_results = 0;  // numbers of results at a point
  // Matrices of symmetric forms on a GPU: `elements` has blocks of nodes a <= b only, [batch][half_of(a, b)].
  bool halves = false;
};

// entry = [node a][node b][component i][component j] of the element matrices, or [half][i][j]; [node][component] of
// residuals, actions and diagonals; [node][derived] of the evaluation.
using ElementKernel = void (*)(const Device&, const ElementArguments&);

struct FormKernels {
  // nullptr where there is none: those for any element do
  ElementKernel matrices, residuals, evaluate, actions, diagonals, single_actions;
  // Kernels over all batches at once: commits update the state at each point by u; tangents write the tangent at each
  // point to `tangents`.
  ElementKernel commits = nullptr, tangents = nullptr;
  // Can do as ElementArguments::sums says: actions, and matrices with one quadrature point.
  bool sums_actions = false, sums_matrices = false;
};

// The name under which a form's kernels for elements of `node_count` nodes and reference dimension are registered;
// those for linear cells want a geometry of as many nodes. node_count 0: kernels for any element.
inline std::string tensor_kernel_name(const char* form, int order, int reference_dimension) {
  return std::string(form) + "/tensor" + std::to_string(order) + "/" + std::to_string(reference_dimension);
}
inline std::string form_kernel_name(const char* form, int node_count, int reference_dimension) {
  return std::string(form) + "/" + std::to_string(node_count) + "/" + std::to_string(reference_dimension);
}
// Name of the kernels that use tangents at points, for any form (fem/launch/tangent_engine.hpp).
inline std::string tangent_kernel_name(int components, int node_count, int dimension) {
  return "tangents of " + std::to_string(components) + "/" + std::to_string(node_count) + "/" +
         std::to_string(dimension);
}
inline std::string whole_kernel_name(const char* element) { return std::string(element) + "/whole"; }
// And the one under which its FormRecord is found.
inline std::string form_record_name(const char* form) { return std::string(form) + "/record"; }
inline std::string element_record_name(const char* element) { return "element/" + std::string(element); }

}  // namespace ritz
