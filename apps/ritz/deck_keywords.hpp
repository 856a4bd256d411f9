// Facts about keywords of decks: which change no result, which parameters are translated, why a case lacks a card, and
// which loads OP=NEW removes together.
#pragma once

#include "apps/ritz/deck_model.hpp"
#include "apps/ritz/deck_names.hpp"
#include "io/decks/deck_cards.hpp"

#include <string>

namespace ritz {

// Cards of the mesh, of output and of increments, ends of blocks, and data that act through other cards alone.
bool is_harmless(const std::string& keyword);

// Parameters of a translated card that are neither translated nor harmless; empty: none.
std::string unknown_parameters(const DeckCard& card);

const char* reason_without(const std::string& keyword);

// The reason that elements of this type give other numbers than the cells of Ritz; empty: they give the same.
std::string reason_against(const std::string& type, const DeckFacts& facts);
// [[material]] integration of a hexahedron or quadrilateral; empty: of others, which have one, or of none in Ritz.
std::string integration_of(const std::string& type);

// "DLOAD" of *DSLOAD.
std::string family_of(const std::string& keyword);

}  // namespace ritz
