// Sets and surfaces for what cards of a deck name by number: nodes of *BOUNDARY and *CLOAD, faces of elements of
// *DLOAD, *DFLUX, *FILM and *RADIATE. They stand in a second deck that includes the first.
#pragma once

#include "io/decks/deck_cards.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

class DeckNumbers {
 public:
  explicit DeckNumbers(const std::vector<DeckCard>& cards);

  bool empty() const { return sets_.empty(); }
  // The deck that includes the file `deck` and adds the sets.
  std::string text(const std::string& deck) const;
  // The set that stands for this line; "" where an earlier line of the card stands for it, too. nullptr: it has none.
  const std::string* set_for(const DeckCard& card, std::size_t line) const;

 private:
  using Lines = std::vector<std::string>;
  void add_nodes(const DeckCard& card);
  void add_faces(const DeckCard& card);
  const std::string& named(const std::string& keyword, Lines lines);  // the same set for the same lines

  std::map<std::pair<std::string, Lines>, std::string> sets_;
  std::map<std::pair<const DeckCard*, std::size_t>, std::string> names_;
};

}  // namespace ritz
