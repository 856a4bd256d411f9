// Materials of the library in cases: name = "steel S235" in [[material]] gives the constants that are not given.
#pragma once

#include "io/case/case.hpp"
#include "io/case/material_library.hpp"

namespace ritz {

// The material that `key` of the table names; nullptr: the key is not given. An unknown name is added to the errors.
const LibraryMaterial* named_material(const Case::Table& table, std::string_view key = "name");

// The rule with the constant of the material as its fallback.
NumberRule with_constant(NumberRule rule, const LibraryMaterial* material, double LibraryMaterial::*constant);

}  // namespace ritz
