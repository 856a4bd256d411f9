// The lists of where a chunk's element entries go (scatter_plan.hpp), for vectors and for matrices.
#pragma once

#include "fem/launch/assembly.hpp"
#include "fem/operator/chunk_rows.hpp"
#include "fem/operator/scatter_plan.hpp"
#include "fem/operator/task_outline.hpp"

#include <span>

namespace ritz {

// Batches of elements in a chunk, for `items` results of `block` numbers per element. A function of the mesh, the form
// and the kind of machine, so that sums do not depend on threads.
Index batches_per_chunk(Index batch_count, int items, int block, const ChunkLimits& limits);

// Can lists say where the entries of a batch of elements go? They have 16 bits for each.
constexpr bool has_lists(int entries) { return entries * lane_count <= 65536; }

// Works through chunks one after the other; every thread has its own.
class ChunkLister {
 public:
  explicit ChunkLister(Index node_count);

  // Elements [first, last) of the group; an entry is (element, node): item = node, destination = node of the space.
  void list_nodes(const ElementGroup& group, Index first, Index last, ChunkSlots& out);
  // An entry is (element, a, b): item = a * node_count + b, destination = position of column b in row a.
  void list_pairs(const ElementGroup& group, const FunctionSpace::HostPattern& pattern, Index first, Index last,
                  ChunkSlots& out);

 private:
  ChunkRows rows_;
  std::vector<std::int32_t> column_;  // [node of the space] position in the row at hand
  std::vector<std::uint16_t> counts_;
  std::vector<std::uint32_t> entries_, next_;
};

// Elements [first, last) of a group of several fields; an entry is (element, field, node, component), its destination
// an unknown of all fields.
void list_unknowns(std::span<const FieldOfGroup> fields, Index first, Index last, ChunkSlots& out);
// The same of a matrix between two fields: (element, row's node, column's node, component, component).
void list_couplings(const FieldOfGroup& rows, const FieldOfGroup& columns, const FunctionSpace::HostPattern& pattern,
                    Index first, Index last, ChunkSlots& out);

}  // namespace ritz
