// Steps of a deck with their loads, from *STEP, *CLOAD, *DLOAD and the like, and the load cases that they become.
#pragma once

#include "apps/ritz/deck_names.hpp"

namespace ritz {

// Takes cards of steps and loads; false for others.
bool take_step_card(const DeckCard& card, const Deck& deck, DeckSteps& steps);

// The path of a deck with *VISCO after at most one step of *STATIC. *VISCO puts its loads on at once, but for
// AMPLITUDE=RAMP, as in Abaqus and CalculiX. Empty: nothing creeps.
std::optional<DeckPath> path_of(const DeckSteps& steps, const DeckModel& model, const Deck& deck);

// Load cases of the steps, with the sections, materials and supports of the model.
DeckCases cases_of(const DeckSteps& steps, const DeckModel& model, const Deck& deck);

}  // namespace ritz
