// Files that are given as the case of a program and are not: a case of another program, a mesh, a deck, another text.
#pragma once

#include "device/error.hpp"
#include "io/case/case_value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ritz {

// The error for a case all of whose tables another program reads, and `program` does not. nullopt: it is none.
std::optional<Error> other_program_error(const CaseValue& root, const std::string& path, const std::string& program);

// "a Gmsh mesh", "an Abaqus or CalculiX deck", ... by the first bytes or the ending of the name; empty: it may be a
// case.
std::string foreign_content(std::string_view text, const std::string& path);
Error foreign_content_error(const std::string& what, const std::string& path);

}  // namespace ritz
