// Shared by the readers of Exodus II, MED and CGNS: connectivity tables with nodes counted from 1, in orders of their
// own. Private to io.
#pragma once

#include "mesh/mesh.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ritz {

// [VTK's local node] -> position in a format that lists the mid nodes of the vertical edges before those of the top
// (Exodus II, CGNS); empty: the same. hex27 has its face nodes in an order of its own in each format.
std::span<const int> verticals_before_top(CellKind kind);

// A node number counted from 1; what no mesh can hold becomes -1, which mesh_of refuses with the place.
inline Node node_of_number(std::int64_t number) {
  return number >= 1 && number <= std::numeric_limits<Node>::max() ? static_cast<Node>(number - 1) : Node{-1};
}

// Appends cells whose nodes are listed one cell after the other in `numbers`; `order` as above.
void append_cells(std::vector<Node>& nodes, std::span<const std::int64_t> numbers, int node_count,
                  std::span<const int> order);

// Blocks of a file repeat the points between them: of those in the same place the first stays. Takes the others out of
// `points` [point][3], adds how many they were to `joined`, and returns the new number of each point.
std::vector<Node> join_points(std::vector<double>& points, Index& joined);

// A notice where a file gives its unit of length and that is not the metre: lengths are taken as they are.
void report_unit_of_length(const std::string& path, std::string unit, std::vector<std::string>& notices);

}  // namespace ritz
