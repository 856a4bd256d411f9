// The usual way to assemble, as a yardstick: every element appends (row, column, value) to one list, which is sorted
// and summed into CSR. Plain scalar host code, one thread, nothing of Ritz's kernels; reference values are tabulated.
#pragma once

#include "apps/bench/problems.hpp"

namespace ritz {

struct TripletMatrix {
  std::vector<Index> offsets;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

// The first `cell_count` cells of the mesh; unknown = mesh node * components + component.
TripletMatrix assemble_with_triplets(const Problem& problem, const Mesh& mesh, Index cell_count);

}  // namespace ritz
