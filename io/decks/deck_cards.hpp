// The keyword lines of an Abaqus or CalculiX deck with their parameters and data, in order: what the deck says besides
// its mesh. The data of nodes, elements and sets are skipped; io/meshes/inp_reader.hpp reads those.
//
//   for (const DeckCard& card : read_cards("job.inp")) if (card.keyword == "ELASTIC") ...
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ritz {

struct DeckCard {
  std::string keyword;                            // in capitals: "SOLID SECTION"
  std::map<std::string, std::string> parameters;  // names in capitals, values as written; "" without one
  std::vector<std::vector<std::string>> data;     // [line][field], trimmed
  std::string file;
  int line = 0;

  std::string parameter(const std::string& name) const;         // empty when it is not given
  std::string text(std::size_t line, std::size_t field) const;  // empty when it is not given
  double number(std::size_t line, std::size_t field) const;     // 0 when it is not given; throws Error: Exit::input
};

// Follows *INCLUDE and INPUT=, as if the text of the file stood in their place. Throws Error: Exit::input for a file
// that cannot be read or includes itself.
std::vector<DeckCard> read_cards(const std::string& path);

}  // namespace ritz
