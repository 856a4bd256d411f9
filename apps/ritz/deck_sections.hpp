// Lines of a [[section]] from *SHELL SECTION, *BEAM SECTION and *SOLID SECTION (Abaqus Keywords Guide; CalculiX
// CrunchiX manual).
#pragma once

#include "io/decks/deck_cards.hpp"
#include "mesh/cell_kind.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ritz {

struct DeckShell {
  double thickness = 0;
  std::string material;
};

// Empty for layers of several materials or with an orientation. Layers of one material are one shell.
std::optional<DeckShell> shell_of(const DeckCard& card);

std::vector<std::string> shell_lines(const DeckShell& shell, const std::set<CellKind>& kinds);
std::vector<std::string> beam_lines(const DeckCard& card);
std::vector<std::string> bar_lines(const DeckCard& card);  // *SOLID SECTION of trusses

// How a size was read that Abaqus and CalculiX read differently; empty: there is none.
std::string doubtful_size(const DeckCard& card);

// The reason that no element of Ritz has cells of these kinds; empty: one has.
std::string lacks_element(const DeckCard& card, const std::set<CellKind>& kinds);

}  // namespace ritz
