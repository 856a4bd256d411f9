// The loop over all elements of an operator: element kernels, then sums. One call assembles a matrix, a residual or
// nodal averages; which one depends on the element kernels and on the scatter lists that it is given.
#pragma once

#include "fem/launch/element_arguments.hpp"
#include "fem/launch/scatter_view.hpp"

namespace ritz {

struct AssemblyTerm {
  ElementKernel kernel;
  ElementArguments arguments;  // first_batch, batch_count, elements and accumulate are set by the loop
};

struct AssemblyGroup {
  const AssemblyTerm* terms;
  int term_count;
  Index batch_count, chunk_batches, first_chunk;
  int items;                   // per element: nodes, or pairs of nodes
  Index chunk_count() const { return (batch_count + chunk_batches - 1) / chunk_batches; }
};

struct AssemblyJob {
  const char* name;
  const AssemblyGroup* groups;
  int group_count;
  ScatterView scatter;
  int block;                   // numbers per item
  double* target;              // [item][block], overwritten
  double* extension;           // [shared][block]
  double* workspace;           // device memory for element results; unused on a CPU, where threads have their own
  Index workspace_size;        // numbers
};

struct AssemblyKernels {
  void (*run)(const Device&, const AssemblyJob&);
  bool needs_workspace;
};

}  // namespace ritz
