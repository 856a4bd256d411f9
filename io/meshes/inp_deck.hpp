// Contents of an Abaqus or CalculiX deck, before it becomes a mesh: nodes, elements, sets, surfaces, parts and
// instances, all by their labels. Private to io: inp_deck.cpp fills it, inp_mesh.cpp turns labels into a mesh.
#pragma once

#include "io/files/text_file.hpp"
#include "io/meshes/inp_types.hpp"
#include "io/meshes/raw_mesh.hpp"

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ritz {

// A place in one of the files that the deck is made of.
struct InpPlace {
  const TextFile* file = nullptr;
  const char* position = nullptr;
};

struct InpElements {  // of one *ELEMENT
  InpType type;
  std::vector<std::int64_t> labels;  // [element]
  std::vector<std::int64_t> nodes;   // [element][node] by label, in the deck's order
};

struct InpLabelRange {
  std::int64_t first, last, step;
};

struct InpMember {  // the name of another set, or a label of another instance ("Part-1-1.Set-1", "Part-1-1.12")
  std::string instance, name;
  std::int64_t label;  // when the name is empty
  InpPlace place;
};

// Addition to a set by one *NSET, *ELSET, *NODE or *ELEMENT.
struct InpPiece {
  std::string instance;  // INSTANCE=: whose labels these are
  std::vector<std::int64_t> labels;
  std::vector<InpLabelRange> ranges;
  std::vector<InpMember> members;
  std::size_t first = 0, last = 0;  // nodes of the scope; or blocks of elements
  std::string nodes_of_elements;    // *NSET, ELSET=
  InpPlace place;
};

struct InpSet {
  std::string name;       // as written first
  bool internal = false;  // made by Abaqus/CAE for itself: resolved, but no region
  std::vector<InpPiece> pieces;
};

struct InpSurfaceEntry {
  InpMember member;  // element or set of elements; of node surfaces: node or set of nodes
  std::string face;  // "S1"; empty: all free faces
};

struct InpSurface {
  std::string name;
  bool internal = false, of_nodes = false;
  std::vector<InpSurfaceEntry> entries;
};

// The whole model, a part, or what an instance adds to its part.
struct InpScope {
  std::string name;
  std::vector<std::int64_t> node_labels;
  std::vector<double> points;  // [node][3]
  std::list<InpElements> elements;
  std::vector<InpSet> node_sets, element_sets;
  std::vector<InpSurface> surfaces;
  std::map<std::string, std::size_t> node_set_number, element_set_number;  // by the name in capitals
  bool empty() const { return node_labels.empty() && elements.empty(); }
};

struct InpInstance {
  std::string name, part;
  InpScope own;
  std::vector<double> motion;  // translation (3), then two points of an axis and an angle in degrees (7)
  InpPlace place;
};

struct InpDeck {
  std::list<TextFile> files;
  InpScope model;
  std::list<InpScope> parts;
  std::list<InpInstance> instances;
  std::map<std::string, Index> left_out;  // element type -> count
  std::set<std::string> passed_over;      // keywords of physics, output, ...
};

// Throws Error: Exit::mesh with file and line.
InpDeck read_deck(const std::string& path, std::vector<std::string>& notices);

// In capitals, as decks compare names.
std::string inp_upper(std::string_view text);

// Labels become numbers, sets and surfaces become groups.
RawMesh raw_mesh_of(InpDeck deck, const std::string& path, std::vector<std::string>& notices);

}  // namespace ritz
