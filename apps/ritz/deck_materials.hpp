// Numbers of a deck along material axes, from *ELASTIC and *CONDUCTIVITY, the axes, from *ORIENTATION, and laws of
// materials, from *PLASTIC, *HYPERELASTIC and *CREEP (Abaqus Keywords Guide; CalculiX CrunchiX manual).
#pragma once

#include "io/decks/deck_cards.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct DirectedNumbers {
  std::vector<std::string> lines;  // of the [[material]], a table of it included
  bool varies = false;             // the card has rows of further temperatures
};

// Empty for a TYPE that is not known, and for too few numbers.
std::optional<DirectedNumbers> directed_numbers(const DeckCard& card);

// Lines of the law of a *PLASTIC, *HYPERELASTIC or *CREEP card; or else why the case lacks it. note: what Abaqus and
// CalculiX read differently.
struct DeckLaw {
  std::vector<std::string> lines = {};
  std::string lack = {};
  std::string note = {};
};
DeckLaw law_of(const DeckCard& card);

// Lines of an [[orientation]] in space; empty for one by nodes, with an additional rotation or of another system.
std::vector<std::string> orientation_lines(const DeckCard& card);

}  // namespace ritz
