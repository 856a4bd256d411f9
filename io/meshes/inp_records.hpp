// The long data blocks of a deck, *NODE and *ELEMENT, parsed by all threads. Private to io.
#pragma once

#include "io/files/text_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ritz {

struct InpBlock {  // data lines, without the keyword's line
  const TextFile* file;
  const char *begin, *end;
};

// label, x, y, z; missing numbers are 0. Additional ones must be a unit vector (the normal). Throws Error: Exit::mesh.
void parse_inp_nodes(const InpBlock& block, std::vector<std::int64_t>& labels, std::vector<double>& points);

// label, node, node, ... A record continues in the next line until it has all its nodes, and ends at the end of a line.
// Beams may name one node more, which is omitted.
void parse_inp_elements(const InpBlock& block, int node_count, bool extra_node, std::vector<std::int64_t>& labels,
                        std::vector<std::int64_t>& nodes);

// Skips blank lines and comments (**); the start of a line with data, or `end`.
const char* inp_data_line(const char* position, const char* end);

// A real number, also with Fortran's D exponent; returns its end or nullptr. Ends at a blank, a comma or `end`.
const char* parse_inp_real(const char* position, const char* end, double& value);
const char* parse_inp_integer(const char* position, const char* end, std::int64_t& value);

}  // namespace ritz
