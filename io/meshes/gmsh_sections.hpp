// The parsers of the big sections, $Nodes and $Elements, one pair per file version. Private to io.
#pragma once

#include "io/meshes/gmsh_contents.hpp"
#include "io/meshes/gmsh_cursor.hpp"
#include "io/meshes/gmsh_kinds.hpp"
#include "io/meshes/node_numbers.hpp"

namespace ritz {

// Fills points and returns the tags in file order.
std::vector<std::int64_t> read_nodes_2(GmshCursor cursor, GmshContents& contents);
// Mesh.SaveParametric: an entity, and its parameters on curves and surfaces, follow the coordinates.
std::vector<std::int64_t> read_parametric_nodes_2(GmshCursor cursor, GmshContents& contents);
std::vector<std::int64_t> read_nodes_4(GmshCursor cursor, GmshContents& contents);

// Fills nodes, runs and unsupported.
void read_elements_2(GmshCursor cursor, const NodeNumbers& numbers, GmshContents& contents);
void read_elements_4(GmshCursor cursor, const NodeNumbers& numbers, GmshContents& contents);

// Fills groups_of_entity.
void read_entities(GmshCursor cursor, GmshContents& contents);
void read_partitioned_entities(GmshCursor cursor, GmshContents& contents);

// Fills group_names.
void read_physical_names(GmshCursor cursor, GmshContents& contents);

// Throws when `node_count` does not fit 32 bits.
void check_node_count(const GmshCursor& cursor, std::int64_t node_count);

}  // namespace ritz
