// How a task of an operator is divided: which elements take part, and in which chunks their results are summed.
// Private to fem/operator.
#pragma once

#include "fem/operator/element_terms.hpp"

#include <string>
#include <tuple>
#include <vector>

namespace ritz {

struct AssemblyKernels;
const AssemblyKernels& assembly_kernels(const FunctionSpace& space);

// A task of all forms that have it; evaluations may be those of one form.
struct TaskJob {
  OperatorTask task;
  std::string form = {};
  auto operator<=>(const TaskJob&) const = default;
  bool takes_part(const FormValue& form) const;
};

struct TaskOutline {
  std::vector<int> groups;                           // positions in the operator's
  std::vector<std::vector<int>> integrals;           // of each of them
  std::vector<Index> chunk_batches, first_chunk{0};  // of each of them; first_chunk ends with the number of all
  std::vector<bool> sums_chunks;                     // of each of them: kernels sum the results of a chunk
  std::vector<bool> halves;                          // of each of them: element results are half of the matrix
  int block = 0;                                     // numbers per item
  // numbers of element results that kernels do not sum: of a chunk, of a group
  Index widest = 0, largest = 0;
  Index slab() const;  // of as many chunks as a GPU's kernels fill at a time
};

// Groups, their chunks, of a matrix: tasks with equal keys share lists.
using ListKey = std::tuple<std::vector<int>, std::vector<Index>, bool>;
ListKey list_key(const TaskOutline& outline, OperatorTask task);

TaskOutline outline_of(const ElementTerms& terms, const TaskJob& job);
// One for each form whose results have another size.
std::vector<TaskJob> jobs_of(const ElementTerms& terms, OperatorTask task);
int results_of(const ElementTerms& terms, const TaskJob& job);  // numbers at a point
// Numbers of the buffer for element results; 0 where threads have their own.
Index workspace_size(const ElementTerms& terms, const TaskOutline& outline);

}  // namespace ritz
