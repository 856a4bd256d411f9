// Card by card through an Abaqus or CalculiX deck: materials, sections, supports and loads for a case of Ritz.
#pragma once

#include "apps/ritz/deck_model.hpp"

namespace ritz {

// Reads the mesh too. Throws Error: Exit::input and Error: Exit::mesh with file and line.
DeckModel read_deck_model(const std::string& path);

}  // namespace ritz
