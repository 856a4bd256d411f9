#include "io/case/foreign_case.hpp"

#include "io/files/input_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ritz {
namespace {

struct Program {
  std::string_view name;
  std::vector<std::string_view> tables, material;  // of the root; keys of [[material]]
};

constexpr std::array common_tables{"title", "field", "mesh",   "model", "output", "step",
                                   "probe", "path",  "region", "space", "sweep",  "table"};

const std::vector<Program>& programs() {
  static const std::vector<std::string_view> of_elastic_solids{
      "name",        "region",    "young",           "poisson",        "density",     "orthotropic", "anisotropic",
      "orientation", "expansion", "expansion_along", "expansion_zero", "formulation", "integration", "law",
      "umat",        "constants", "states",          "symmetric",      "in_time",     "hardening_at"};
  static const std::vector<Program> list{
      {"ritz-elasticity",
       {"gradient",     "material", "buckling",    "solver",   "newton",       "combination",    "load_case",
        "displacement", "traction", "force",       "pressure", "gravity",      "body_force",     "time",
        "initial",      "damping",  "orientation", "thermal",  "foundation",   "spring",         "coupling",
        "equation",     "periodic", "rigid",       "tie",      "gap",          "modal",          "harmonic",
        "random",       "spectrum", "history",     "complex",  "substructure", "inertia_relief", "rotation"},
       of_elastic_solids},
      {"ritz-heat",
       {"gradient", "material", "solver", "newton", "combination", "load_case", "time", "initial", "temperature",
        "convection", "flux", "power", "radiation", "source", "orientation", "equation", "periodic", "tie"},
       {"name", "region", "conductivity", "conductivity_along", "orientation", "specific_heat", "density"}},
      {"ritz-modal",
       {"material",  "modal",        "displacement", "section",     "support",  "spring",   "mass",     "foundation",
        "plugin",    "orientation",  "thermal",      "coupling",    "equation", "periodic", "rigid",    "tie",
        "gap",       "solver",       "newton",       "traction",    "force",    "pressure", "gravity",  "body_force",
        "line_load", "surface_load", "load_case",    "combination", "harmonic", "random",   "spectrum", "damping",
        "history",   "complex",      "substructure", "rotation"},
       of_elastic_solids},
      {"ritz-structure",
       {"section",    "buckling",     "solver",   "newton",     "combination",  "load_case",      "support",
        "spring",     "mass",         "force",    "line_load",  "surface_load", "pressure",       "gravity",
        "plugin",     "time",         "initial",  "damping",    "equation",     "rigid",          "tie",
        "gap",        "material",     "traction", "body_force", "orientation",  "modal",          "coupling",
        "foundation", "thermal",      "harmonic", "random",     "spectrum",     "inertia_relief", "history",
        "complex",    "substructure", "rotation", "periodic"},
       of_elastic_solids},
      {"ritz-solve",
       {"buckling", "gradient", "material", "solver",   "newton",  "combination", "load_case", "time",
        "initial",  "plugin",   "boundary", "capacity", "inertia", "load",        "modal",     "prescribe",
        "coupling", "equation", "periodic", "rigid",    "tie",     "gap",         "damping"},
       {"*"}},
  };
  return list;
}

// Written in the case: a table that a program's reader added for its defaults does not count.
bool has(const CaseValue& table, std::string_view key) {
  const auto member = std::ranges::find(table.members, key, &CaseMember::key);
  return member != table.members.end() && !member->value.implicit;
}

// Answers of modes to what excites them, such as load cases.
bool has_answers(const CaseValue& root) {
  return has(root, "harmonic") || has(root, "random") || has(root, "spectrum") || has(root, "history") ||
         has(root, "complex") || has(root, "substructure");
}

// Tables and keys of [[material]] that the program does not read, as a reader of the message knows them.
std::vector<std::string> unread(const CaseValue& root, const Program& program) {
  std::vector<std::string> names;
  const auto has = [](const auto& list, std::string_view key) { return std::ranges::find(list, key) != list.end(); };
  const bool without_answers = program.name == "ritz-modal" && !has_answers(root);
  for (const CaseMember& member : root.members) {
    if (member.value.implicit) continue;
    const bool reads = has(program.tables, member.key) && !(without_answers && member.key == "load_case");
    if (!has(common_tables, member.key) && !reads) {
      names.push_back(
          fmt::format(member.value.is_array_of_tables() ? fmt::runtime("[[{}]]") : fmt::runtime("[{}]"), member.key));
      continue;
    }
    if (member.key != "material" || has(program.material, "*")) continue;
    for (const CaseValue& material : member.value.items) {
      const bool names_a_law = std::ranges::find(material.members, "law", &CaseMember::key) != material.members.end();
      if (names_a_law && has(program.material, "law")) continue;  // the law declares the other keys
      for (const CaseMember& key : material.members)
        if (!key.value.implicit && !has(program.material, key.key) && !has(names, "material." + key.key))
          names.push_back("material." + key.key);
    }
  }
  return names;
}

// ritz-solve reads [[material]] of any form, but only when the case names one, or a plugin with one.
bool names_a_form(const CaseValue& root) {
  return std::ranges::any_of(
      root.members, [](const CaseMember& member) { return member.key == "model" && has(member.value, "form"); });
}

// Apart from what it does not read. ritz-modal reads what ritz-elasticity does, ritz-structure materials next to
// sections. Modes outside of steps are of ritz-modal.
bool may_read(const CaseValue& root, const Program& program) {
  const bool of_forms = program.name == "ritz-solve";
  if (names_a_form(root) ? !of_forms : of_forms && !has(root, "plugin")) return false;
  if (program.name == "ritz-structure" && has(root, "material") && !has(root, "section")) return false;
  const bool has_modes = has(root, "modal");
  return program.name == "ritz-modal" ? has_modes : of_forms || !has_modes;
}

std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Error foreign_content_error(const std::string& what, const std::string& path) {
  const bool deck = what.find("deck") != std::string::npos || path.ends_with(".inp");
  const std::string stem = std::filesystem::path(path).stem().string();
  return Error(
      ErrorKind::not_a_case, fmt::format("'{}' is not a case file: it is {}", path, what),
      "a case file is a text in TOML that has the mesh, materials, supports and loads",
      deck ? fmt::format("ritz case from {} {}.toml writes a case from the deck; --help shows an example", path, stem)
           : fmt::format("write [mesh] file = \"{}\" into a case file; --help shows an example", path));
}

}  // namespace

std::vector<std::string> programs_of(const CaseValue& root) {
  std::vector<std::string> names;
  for (const Program& program : programs())
    if (may_read(root, program) && unread(root, program).empty()) names.emplace_back(program.name);
  return names;
}

std::string closest_program(const CaseValue& root) {
  std::vector<std::pair<std::size_t, std::string_view>> left;  // how much each does not read
  for (const Program& program : programs())
    if (may_read(root, program)) left.emplace_back(unread(root, program).size(), program.name);
  return std::string(std::ranges::min_element(left, {}, [](const auto& each) { return each.first; })->second);
}

std::optional<Error> other_program_error(const CaseValue& root, const std::string& path, const std::string& program) {
  const auto own = std::ranges::find(programs(), program, &Program::name);
  if (own == programs().end()) return std::nullopt;
  const std::vector<std::string> missing = unread(root, *own);
  if (missing.empty() && !(names_a_form(root) && program != "ritz-solve")) return std::nullopt;
  const std::vector<std::string> others = programs_of(root);
  if (others.empty()) return std::nullopt;
  return Error(ErrorKind::other_program,
               fmt::format("'{}' is a case for {}, and {} was called", path, fmt::join(others, " or "), program),
               missing.empty() ? "it names a form"
                               : fmt::format("{} does not read {}; {} reads all of it", program,
                                             fmt::join(missing, ", "), others.front()),
               fmt::format("run: {} {}", others.front(), path));
}

std::string foreign_content(std::string_view text, const std::string& path) {
  struct Start {
    std::string_view bytes, what;
  };
  static constexpr std::array starts{
      Start{"$MeshFormat", "a Gmsh mesh"},
      Start{"*heading", "an Abaqus or CalculiX deck"},
      Start{"*node", "an Abaqus or CalculiX deck"},
      Start{"*part", "an Abaqus or CalculiX deck"},
      Start{"*include", "an Abaqus or CalculiX deck"},
      Start{"**", "an Abaqus or CalculiX deck"},
      Start{"# vtk DataFile", "a VTK file"},
      Start{"<?xml", "an XML file, such as the VTK files .vtu and .pvd"},
      Start{"<VTKFile", "a VTK file"},
      Start{"MeshVersionFormatted", "a MEDIT mesh"},
      Start{"MFEM ", "an MFEM mesh"},
      Start{"\x89HDF", "an HDF5 file, such as .med, .cgns and .exo"},
      Start{"CDF", "an Exodus file"},
      Start{"SOL 1", "a Nastran deck"},
      Start{"BEGIN BULK", "a Nastran deck"},
      Start{"ISO-10303", "a STEP file: geometry, not a mesh"},
      Start{"solid ", "an STL surface"},
      Start{"{", "a JSON file"},
  };
  const std::string ending = in_small_letters(std::filesystem::path(path).extension().string());
  std::size_t begin = 0;
  while (begin < text.size() && std::isspace(static_cast<unsigned char>(text[begin]))) ++begin;
  const std::string head = in_small_letters(std::string(text.substr(begin, 32)));
  for (const Start& start : starts)
    if (head.starts_with(in_small_letters(std::string(start.bytes)))) return std::string(start.what);
  static constexpr std::array endings{".msh", ".inp", ".vtu", ".pvtu", ".vtk",  ".mesh", ".meshb", ".bdf", ".nas",
                                      ".dat", ".exo", ".e",   ".med",  ".cgns", ".stl",  ".step",  ".stp", ".geo"};
  if (std::ranges::find(endings, ending) != endings.end())
    return fmt::format("a file with the ending {} of a mesh or a deck", ending);
  return {};
}

std::string text_of_case(const std::string& path) {
  std::optional<std::string> text = text_of_input(path);
  if (!text)
    throw Error(ErrorKind::case_unreadable, fmt::format("cannot read the case file '{}'", path),
                errno == ENXIO ? "it is a pipe or a device" : std::strerror(errno),
                "check the name, and that it is a file that may be read");
  if (const std::string what = foreign_content(std::string_view(*text).substr(0, 256), path); !what.empty())
    throw foreign_content_error(what, path);
  return *std::move(text);
}

}  // namespace ritz
