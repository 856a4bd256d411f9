// Which program a case is for. Files that are given as its case and are not: a case of another program, a mesh, a deck,
// another text.
#pragma once

#include "device/error.hpp"
#include "io/case/case_value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

// The programs that read all tables of a case, and all keys of its materials. A case for ritz-modal has [modal].
std::vector<std::string> programs_of(const CaseValue& root);

// The first of them; where there is none, the program that reads all but the fewest: its messages name what is wrong.
std::string closest_program(const CaseValue& root);

// The error for a case all of whose tables another program reads, and `program` does not. nullopt: it is none.
std::optional<Error> other_program_error(const CaseValue& root, const std::string& path, const std::string& program);

// "a Gmsh mesh", "an Abaqus or CalculiX deck", ... by the first bytes or the ending of the name; empty: it may be a
// case.
std::string foreign_content(std::string_view text, const std::string& path);
// Throws Error: Exit::input: it cannot be read, or it is one of those.
std::string text_of_case(const std::string& path);

}  // namespace ritz
