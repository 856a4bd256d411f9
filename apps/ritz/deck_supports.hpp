// Supports of a deck, from the lines of *BOUNDARY.
#pragma once

#include "apps/ritz/deck_model.hpp"
#include "io/decks/deck_cards.hpp"

#include <string>
#include <vector>

namespace ritz {

// The number of an unknown, which counts from 1; -1 for numbers that are none.
int unknown_in(double value);

// First to last unknown of a line, by number or by the name of a kind of support.
std::vector<int> unknowns_of(const DeckCard& card, std::size_t line);

// A later value of the same region and unknown replaces an earlier one.
void hold_at(std::vector<DeckSupport>& supports, const Region& region, int unknown, double value);

// Conflicts of nodes that two regions hold at different values: the deck takes the later, a case refuses both.
std::vector<std::string> conflicts_of(const std::vector<DeckSupport>& supports, const Mesh& mesh);

}  // namespace ritz
