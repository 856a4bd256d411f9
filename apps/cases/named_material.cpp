#include "apps/cases/named_material.hpp"

namespace ritz {

const LibraryMaterial* named_material(const Case::Table& table, std::string_view key) {
  if (!table.has(key)) return nullptr;
  const std::string name =
      table.text(key, "of a material of the library, 'ritz materials': for the constants that are not given");
  if (table.units() != UnitSystem::si)
    table.error(ErrorKind::output_options, key, "a material of the library in a case that is not in SI",
                "its constants are those in SI, and [output] units names another system", "give its constants instead");
  const LibraryMaterial* const found = find_material(name);
  if (found != nullptr) return found;
  if (const Error error = unknown_material(name); !name.empty()) table.error(key, error);
  return &material_library().front();  // its constants are not missing as well; a survey asks for them, too
}

NumberRule with_constant(NumberRule rule, const LibraryMaterial* material, double LibraryMaterial::*constant) {
  if (material != nullptr) rule.fallback = material->*constant;
  return rule;
}

}  // namespace ritz
