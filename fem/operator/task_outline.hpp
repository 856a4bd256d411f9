// How a task of an operator is divided: which groups of elements take part, with which fields, and in which chunks
// their results are summed. Private to fem/operator.
#pragma once

#include "fem/operator/element_groups.hpp"

#include <string>
#include <tuple>
#include <vector>

namespace ritz {

struct AssemblyKernels;
const AssemblyKernels& assembly_kernels(const Device& device);

enum class OperatorTask { residual, matrix, action, diagonal, evaluate };

// A task of all forms that have it. An evaluation may be that of one form; a matrix of several fields is one block.
struct TaskJob {
  OperatorTask task;
  std::string form = {};
  int row = 0, column = 0;  // fields of a matrix
  bool is_matrix() const { return task == OperatorTask::matrix; }
  auto operator<=>(const TaskJob&) const = default;
};

// Equations by which the pattern of a matrix joins nodes of its rows and columns; null: none.
struct Joints {
  const NodeCouplings *of_rows = nullptr, *of_columns = nullptr;
  const NodePairs* of_several = nullptr;  // between fields
  bool operator==(const Joints&) const = default;
};
inline Joints joints_of(const FunctionSpace& rows, const FunctionSpace& columns) {
  return {rows.couplings(), columns.couplings(), rows.joined_with(columns)};
}

// A field on the elements of a group: their nodes, and where its unknowns begin in vectors.
struct FieldOfGroup {
  const ElementGroup* elements;
  int field, components;
  Index first;
};

// The part of one group in a task.
struct GroupTask {
  int group;                         // its position in the operator's
  std::vector<FieldOfGroup> fields;  // of its forms, in their order; the first one's elements have the geometry
  std::vector<int> integrals;        // those that take part
  int items;                         // of the results of an element
  int half_items = 0;                // of a matrix whose kernels may store half of it; 0: they do not
  int summed_numbers = 0;  // of an item, that kernels which sum the results of a chunk have at a time; 0: they do not
};

struct TaskOutline {
  TaskJob job;
  int block = 0;                                     // numbers per item
  bool by_nodes = true;                              // items of the target are nodes, or pairs of these; else unknowns
  std::vector<int> groups;                           // positions in the operator's
  std::vector<std::vector<FieldOfGroup>> fields;     // of each of them
  std::vector<std::vector<int>> integrals;           // of each of them, as its terms
  std::vector<int> items;                            // of each of them: of the results of an element
  std::vector<Index> chunk_batches, first_chunk{0};  // of each of them; first_chunk ends with the number of all
  std::vector<bool> sums_chunks;                     // of each of them: kernels sum the results of a chunk
  std::vector<bool> halves;                          // of each of them: element results are half of the matrix
  // numbers of element results that kernels do not sum: of a chunk, of a group
  Index widest = 0, largest = 0;

  // Throws Error where lists cannot count the results of a batch; remedy: of this.
  void add(const Device& device, GroupTask group, const char* remedy);
  const ElementGroup& elements(std::size_t g) const { return *fields[g].front().elements; }
  const FieldOfGroup* field(std::size_t g, int number) const;  // null: its forms have another
  // Number of the group, in this outline, and its elements in a chunk.
  struct Chunk {
    std::size_t group;
    Index first, last;
  };
  Chunk chunk(Index number) const;
  Index slab() const;  // of as many chunks as a GPU's kernels fill at a time
};

// Groups, their chunks, of a matrix, its block: tasks with equal keys share lists.
using ListKey = std::tuple<std::vector<int>, std::vector<Index>, bool, int, int>;
ListKey list_key(const TaskOutline& outline);

// Numbers of the buffer for element results; 0 where threads have their own.
Index workspace_size(const Device& device, const TaskOutline& outline);

}  // namespace ritz
