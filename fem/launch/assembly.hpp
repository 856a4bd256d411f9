// The loop over all elements of an operator: element kernels, then sums. One call assembles a matrix, a residual or
// nodal averages; which one depends on the element kernels and on the scatter lists that it is given.
#pragma once

#include "fem/launch/element_arguments.hpp"
#include "fem/launch/scatter_view.hpp"

namespace ritz {

struct AssemblyTerm {
  ElementKernel kernel, single_kernel;
  ElementArguments arguments;  // first_batch, batch_count, elements, accumulate and sums are set by the loop
  // the only term of its group, whose kernels sum a chunk's results themselves (ElementArguments::sums)
  bool sums_chunks = false;
};

struct AssemblyGroup {
  const AssemblyTerm* terms;
  int term_count;
  Index batch_count, chunk_batches, first_chunk;
  int items;            // per element: nodes, or pairs of nodes
  bool halves = false;  // of pairs: those of a symmetric matrix with a <= b; the lists' sources are halved (`halve`)
  Index chunk_count() const { return (batch_count + chunk_batches - 1) / chunk_batches; }
};

// Real: float for actions in single precision, double for all else.
template <class Real>
struct AssemblyJob {
  const char* name;
  const AssemblyGroup* groups;
  int group_count;
  ScatterView scatter;
  int block;             // numbers per item
  Real* target;          // [item][block], overwritten
  Real* extension;       // [shared][block]
  Real* workspace;       // device memory for element results; unused on a CPU, where threads have their own
  Index workspace_size;  // numbers
  // The range of chunks to be run, of those of all groups; last < 0: all. A CPU's loop reads it.
  Index first_chunk = 0, last_chunk = -1;
};

inline void set_elements(ElementArguments& arguments, double* elements) { arguments.elements = elements; }
inline void set_elements(ElementArguments& arguments, float* elements) { arguments.single_elements = elements; }

// How the elements of a group are cut into chunks.
struct ChunkLimits {
  Index bytes;        // of a chunk's element results in double precision, at most
  Index least_count;  // chunks that keep the whole machine at work
};

struct AssemblyKernels {
  void (*run)(const Device&, const AssemblyJob<double>&);
  void (*run_single)(const Device&, const AssemblyJob<float>&);  // blocks of up to 6
  ChunkLimits vectors, matrices;                                 // matrices whose kernels sum them are cut like vectors
  // for element results, unless kernels sum them (AssemblyTerm::sums_chunks)
  bool needs_workspace;
  // Sources of a matrix on elements of so many nodes, of all pairs, become those of halves. GPUs only.
  void (*halve)(const Device&, std::uint16_t* sources, Index count, int nodes);
};

}  // namespace ritz
