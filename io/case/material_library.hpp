// Constants of common materials at room temperature, each with its published source. They stand in for the keys that a
// case does not give: name = "steel S235".
//
//   const LibraryMaterial* steel = find_material("steel S235");   // nullptr: unknown_material() says what there is
#pragma once

#include "device/error.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ritz {

struct LibraryMaterial {
  const char* name;
  double density;        // [kg/m^3]
  double young;          // [Pa]
  double poisson;        // [1]
  double expansion;      // [1/K], mean from room temperature to 100 degrees Celsius where the source has it
  double conductivity;   // [W/(m K)]
  double specific_heat;  // [J/(kg K)]
  const char* source;
  // Constants that were not found in a text of the source, or "all"; empty: each was compared with it.
  const char* unconfirmed = "";

  // By the key of a case: "young"; nullopt: no constant of the library.
  std::optional<double> constant(std::string_view key) const;
};

std::span<const LibraryMaterial> material_library();

// Letters may be large or small. nullptr: there is none of this name.
const LibraryMaterial* find_material(std::string_view name);

// The error of a name that find_material() does not know, with those near it.
Error unknown_material(const std::string& name);

// All as a table; one as TOML with its source. Throws Error: Exit::input for an unknown name.
std::string materials_as_text();
std::string materials_as_json();
std::string material_as_toml(const std::string& name);

}  // namespace ritz
