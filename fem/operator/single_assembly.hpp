// Assembly of a matrix or a vector on a CPU without lists: each chunk finds the places of its entries when it adds
// them. Slower than with the lists of a ScatterPlan, but much faster than making them; the sums have the same bits.
#pragma once

#include "fem/launch/assembly.hpp"
#include "fem/operator/element_groups.hpp"

#include <span>

namespace ritz {

struct SingleAssembly {
  const char* name;
  std::span<const AssemblyGroup> groups;
  std::span<const ElementGroup* const> elements;  // of each of them
  const FunctionSpace* space;
  int block;       // numbers per entry of the pattern, or per node
  double* values;  // [entry of the space's pattern, or node][block], overwritten
};

// Threads take equal shares of consecutive chunks. Rows that lower shares touch, too, are added after them in the
// order of the chunks: the sum of chunks, each the sum of its elements, whatever the number of threads.
void assemble_without_lists(const SingleAssembly& job);  // a matrix
void sum_without_lists(const SingleAssembly& job);       // a vector, or means at nodes

}  // namespace ritz
