// Common parts of forecasts of solutions on a space: existing data, and the future memory of its pattern and of a
// matrix.
#pragma once

#include "device/memory_needs.hpp"
#include "fem/operator/operator.hpp"
#include "fem/space/pattern_size.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

namespace ritz {

struct SpaceNeeds {
  PatternSize size;
  int block = 1;         // unknowns per node
  MemoryNeeds standing;  // live memory of the device's pool, and future constraints
  MemoryNeeds pattern;   // zero if it exists
  // of the space's own nodes, which solvers with a matrix need first (solver_geometry in fem/space/nested_nodes.hpp)
  MemoryNeeds coordinates;
  Index host_of_pattern = 0;  // [bytes] until the matrix's lists exist
  MemoryNeeds matrix() const { return MemoryNeeds().array<double>("matrix", size.pairs * block * block); }
  MemoryNeeds vectors(Index count) const { return MemoryNeeds().array<double>("vectors", size.nodes * block, count); }
};

// A share of them.
MemoryNeeds scaled(const MemoryNeeds& needs, double factor);

// Ordered pairs of nodes that share a cell, each node with itself: from the pattern if it exists, else counted around
// some thousand nodes. Exact for up to 4000 nodes.
Index pairs_of_nodes(const FunctionSpace& space);
// Those of them that equations between unknowns add; 0 without any.
Index coupled_pairs(const FunctionSpace& space);

// supports: sets of constraints. counted: pairs of nodes are counted in the pattern, which is made.
SpaceNeeds needs_of(const FunctionSpace& space, int supports, bool counted);

// Unknowns of the first level over nested nodes that is small enough for a dense inverse, from these nodes themselves.
// 0: none, or too many nodes for the inverse to matter.
inline constexpr Index largest_with_counted_inverse = 20'000;  // [nodes]
Index unknowns_of_inverse(const FunctionSpace& space, Nesting nesting);

// Shape of the matrix of equations on the space, for its hierarchy.
HierarchyShape hierarchy_shape(const Operator& equations, const SpaceNeeds& needs);

// Numbers at nodes and means of cells on the device while fields are derived, in addition to the lists of
// Operator::Task::evaluate.
int derived_numbers(const std::vector<Integral>& integrals);
MemoryNeeds needs_of_results(const FunctionSpace& space, const std::vector<Integral>& integrals);

// [bytes] While assembly lists are copied to the device the longest of them are on the host twice: chunk by chunk and
// together.
Index host_of_lists(const MemoryNeeds& task);

}  // namespace ritz
