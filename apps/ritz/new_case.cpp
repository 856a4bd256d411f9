#include "apps/ritz/new_case.hpp"

#include "apps/run/named_outputs.hpp"
#include "io/case/foreign_case.hpp"
#include "io/case/material_library.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/shell_word.hpp"
#include "io/meshes/mesh_reader.hpp"
#include "mesh/quality/quality.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace ritz {
namespace {

namespace fs = std::filesystem;

constexpr const char* blank = "\"FILL IN\"";

// With lines and surfaces as bodies of their own where the program is one of frames, or the mesh has lines or surfaces
// in space alone.
Mesh mesh_of(const NewCase& question) {
  const ReadOptions frames{.structural = true};
  if (question.program == "structure") return read_mesh(question.mesh, frames);
  std::optional<Error> refused;
  try {
    Mesh mesh = read_mesh(question.mesh);
    if (mesh.dimension() > 1) return mesh;
  } catch (const Error& error) {
    if (!question.program.empty() && question.program != "modal") throw;
    refused = error;
  }
  try {
    return read_mesh(question.mesh, frames);
  } catch (const Error& error) { throw Error(refused ? *refused : error); }
}

// Facts of a mesh and of the question from which a case follows.
struct CaseFacts {
  std::string program;  // "elasticity"
  bool structural;      // lines and surfaces are bodies
  int dimension;
  std::vector<std::string> bodies;  // regions of cells
  std::vector<std::string> places;  // regions that supports and loads may have
  std::string place;                // one of them for a load
  std::string material;             // of all bodies
};

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + ritz::quoted(name);
  return text;
}

std::vector<std::string> names_of(const Mesh& mesh, std::initializer_list<RegionKind> kinds) {
  std::vector<std::string> names;
  for (const Region& region : mesh.regions())
    if (std::ranges::find(kinds, region.kind) != kinds.end() && region.size() > 0 &&
        std::ranges::find(names, region.name) == names.end())
      names.push_back(region.name);
  return names;
}

// Regions of cells that share none, the first ones first; "all" where they are not the whole body.
std::vector<std::string> bodies_of(const Mesh& mesh) {
  std::vector<char> taken(static_cast<std::size_t>(mesh.cell_count()), 0);
  std::vector<std::string> names;
  Index count = 0;
  for (const Region& region : mesh.regions()) {
    if (region.kind != RegionKind::cells || region.name == "all" || region.cells.empty()) continue;
    if (std::ranges::any_of(region.cells, [&](Index cell) { return taken[static_cast<std::size_t>(cell)] != 0; }))
      continue;
    for (const Index cell : region.cells) taken[static_cast<std::size_t>(cell)] = 1;
    count += region.size();
    names.push_back(region.name);
  }
  return count == mesh.cell_count() ? names : std::vector<std::string>{"all"};
}

CaseFacts facts_of(const NewCase& question, const Mesh& mesh) {
  CaseFacts of{!question.program.empty() ? question.program
               : mesh.structural()       ? "structure"
                                         : "elasticity",
               mesh.structural(),
               mesh.dimension(),
               bodies_of(mesh),
               {},
               {},
               {}};
  of.places = of.structural ? names_of(mesh, {RegionKind::nodes, RegionKind::cells})
                            : names_of(mesh, {RegionKind::facets, RegionKind::nodes});
  const std::vector<std::string> loaded = of.structural ? of.places : names_of(mesh, {RegionKind::facets});
  of.place = loaded.empty() ? blank : ritz::quoted(loaded.back());
  of.material = question.material.empty() ? blank : ritz::quoted(question.material);
  return of;
}

// The kinds of cells of a region: lines, triangles or quadrilaterals.
std::string element_of(const Mesh& mesh, const std::string& name) {
  std::set<CellKind> kinds;
  for (const Region& region : mesh.regions())
    if (region.kind == RegionKind::cells && region.name == name)
      for (const Index cell : region.cells) kinds.insert(mesh.kind_of(cell));
  if (kinds.size() != 1) return blank;
  const CellKind kind = *kinds.begin();
  return kind == CellKind::line2   ? "\"beam\""
         : kind == CellKind::quad4 ? "\"shell\""
         : kind == CellKind::tri3  ? "\"shell3\""
                                   : blank;
}

std::string mesh_text(const Mesh& mesh, double given_scale, const std::string& file) {
  const BoundingBox box = bounding_box(mesh);
  const double scale = given_scale > 0 ? given_scale : 1;
  std::string t = fmt::format("[mesh]\nfile = {}\n", ritz::quoted(file));
  t += given_scale > 0 ? fmt::format("scale = {}\n", given_scale)
                       : "# scale = 0.001               # if it is drawn in mm: lengths are in m\n";
  return t + fmt::format("# It measures {:.4g} x {:.4g} x {:.4g}{}.\n", scale * (box.high[0] - box.low[0]),
                         scale * (box.high[1] - box.low[1]), scale * (box.high[2] - box.low[2]),
                         given_scale > 0 ? " m" : " in the unit of the file");
}

std::string regions_text(const Mesh& mesh, bool has_places) {
  std::string t = "\n# Regions, and the box around each in the unit of the file:\n";
  for (const Region& region : mesh.regions()) {
    if (region.size() == 0) continue;
    Point low, high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (const Node node : nodes_in(mesh, region))
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], mesh.point(node)[d]);
        high[d] = std::max(high[d], mesh.point(node)[d]);
      }
    const char* kind = region.kind == RegionKind::cells    ? "cells"
                       : region.kind == RegionKind::facets ? "facets"
                                                           : "nodes";
    t += fmt::format("#   {:<24}{:>9} {:<7} {:.4g} {:.4g} {:.4g} .. {:.4g} {:.4g} {:.4g}\n", ritz::quoted(region.name),
                     region.size(), kind, low[0], low[1], low[2], high[0], high[1], high[2]);
  }
  if (!has_places)
    t += "# None names a place for supports and loads; geometry does, with the numbers of the box above:\n"
         "# [[region]]\n# name = \"bottom\"\n# kind = \"facets\"\n"
         "# plane = {point = [0, 0, 0], normal = [0, 0, 1]}\n";
  return t;
}

std::string model_text(const CaseFacts& of) {
  if (of.dimension != 2) return {};
  const bool heat = of.program == "heat";
  return fmt::format("\n[model]\ntype = {}        # {}\nthickness = 1                   # m; not of {}\n", blank,
                     heat ? "\"plane\" or \"axisymmetric\"" : "\"plane_strain\", \"plane_stress\" or \"axisymmetric\"",
                     "axisymmetric bodies: remove it there");
}

std::string materials_text(const CaseFacts& of) {
  std::string t;
  for (const std::string& body : of.bodies)
    t += fmt::format(
        "\n[[material]]\nregion = {}\nname = {}        # such as \"steel S235\": 'ritz materials' lists "
        "them; or without it:\n# {}\n",
        ritz::quoted(body), of.material,
        of.program == "heat" ? "conductivity = 50             # W/(m K)"
                             : "young = 210e9                 # Pa\n# poisson = 0.3\n# density = 7850      "
                               "          # kg/m^3");
  return t;
}

std::string sections_text(const CaseFacts& of, const Mesh& mesh) {
  std::string t;
  for (const std::string& body : of.bodies) {
    const std::string element = element_of(mesh, body);
    t += fmt::format(
        "\n[[section]]\nregion = {}\nelement = {}      # beam, bar, spring, shell, shell3\nmaterial = {}  "
        "  # such as \"steel S235\": 'ritz materials' lists them; or young, poisson, density\n",
        ritz::quoted(body), element, of.material);
    if (element == "\"beam\"")
      t += fmt::format(
          "profile = \"rectangle\" # or circle, tube, box, i, each with its lengths [m]:\nheight = {0}     "
          "# along local y, which orientation = [1, 0, 0] chooses\nwidth = {0}\n",
          blank);
    else t += fmt::format("thickness = {}  # m\n", blank);
  }
  return t;
}

std::string support_text(const CaseFacts& of, const char* table, const char* comment, const char* lines) {
  const std::string names = list_of(of.places);
  return fmt::format("\n[[{}]]\nregion = {}      # {}{}\n{}", table, blank, comment, names.empty() ? "" : ": " + names,
                     lines);
}

std::string loads_text(const CaseFacts& of) {
  const std::string place = of.place;
  std::string t =
      of.structural
          ? support_text(of, "support", "what is held",
                         "fixed = true        # or pinned = true, or some of "
                         "x, y, z, rx, ry, rz\n")
          : support_text(of, "displacement", "what is held",
                         of.dimension == 3 ? "fixed = true                  # or x = 0, y = 0, z = 0 one by one\n"
                                           : "fixed = true                  # or x = 0, y = 0 one by one\n");
  t += fmt::format("\n# [[force]]\n# region = {}\n# value = {}        # N in total\n", place,
                   of.dimension == 3 ? "[0, 0, -1000]" : "[0, -1000]");
  if (!of.structural)
    t += fmt::format("\n# [[pressure]]\n# region = {}\n# value = 1e5                 # Pa, against the surface\n",
                     place);
  return t + fmt::format("\n# [gravity]\n# acceleration = {}  # m/s^2\n",
                         of.dimension == 3 ? "[0, 0, -9.81]" : "[0, -9.81]");
}

std::string heat_text(const CaseFacts& of) {
  const std::string place = of.place;
  return support_text(of, "temperature", "where the temperature is known",
                      "value = 20                    # degrees\n") +
         fmt::format(
             "\n# [[convection]]\n# region = {0}\n# coefficient = 10            # W/(m^2 K)\n# ambient = 20\n"
             "\n# [[flux]]\n# region = {0}\n# value = 1000                # W/m^2 into the body\n"
             "\n# [[power]]\n# region = {0}\n# value = 50                  # W in total\n",
             place);
}

std::string modal_text(const CaseFacts& of) {
  const std::string names = list_of(of.places);
  return fmt::format(
      "\n# [[{}]]\n# region = {}        # what is held{}; without it the body is free\n# fixed = true\n"
      "\n[modal]\ncount = 6                     # lowest modes; or band = [0, 500], in Hz\n",
      of.structural ? "support" : "displacement", of.place, names.empty() ? "" : ", one of " + names);
}

std::string probe_text(const CaseFacts& of, const char* field) {
  return fmt::format("\n[[probe]]\nname = \"largest\"\nfield = \"{}\"\n{}region = {}\nmeasure = \"max\"\n", field,
                     std::string_view(field) == "displacement" ? "component = \"magnitude\"\n" : "",
                     ritz::quoted(of.bodies.front()));
}

std::string case_text(const CaseFacts& of, const Mesh& mesh, double scale, const std::string& mesh_file,
                      const std::string& case_file) {
  std::string t = fmt::format(
      "# A case for ritz-{0} with the regions of a mesh, written by ritz new. Replace each \"FILL IN\", take the # "
      "from "
      "the\n# tables that apply, then:\n#   ritz-{0} {1} --check      what is missing or wrong; solves nothing\n"
      "#   ritz-{0} {1}              solves\n#   ritz-{0} {1} --describe   all keys, with units and defaults\n\n",
      of.program, shell_word(case_file));
  t += mesh_text(mesh, scale, mesh_file) + regions_text(mesh, !of.places.empty()) + model_text(of);
  t += of.structural ? sections_text(of, mesh) : materials_text(of);
  if (of.program == "heat") return t + heat_text(of) + probe_text(of, "temperature");
  if (of.program == "modal") return t + modal_text(of);
  return t + loads_text(of) + probe_text(of, of.structural ? "displacement" : "von_mises");
}

}  // namespace

std::vector<std::string> programs_of_new_cases() { return {"elasticity", "heat", "modal", "structure"}; }

std::string new_case(const NewCase& question) {
  NewCase asked = question;
  if (!std::isfinite(asked.scale) || asked.scale < 0)
    throw Error(ErrorKind::command_line, fmt::format("--scale is {}", asked.scale), "lengths are multiplied by it",
                "give a positive number, 0.001 for a mesh drawn in millimetres");
  if (!asked.material.empty()) {
    const LibraryMaterial* const found = find_material(asked.material);
    if (found == nullptr) throw Error(unknown_material(asked.material));
    asked.material = found->name;
  }
  if (asked.to.empty()) asked.to = fs::path(asked.mesh).replace_extension(".toml").string();
  if (is_same_file(asked.to, asked.mesh))
    throw Error(ErrorKind::show, fmt::format("the name '{}' is taken", asked.to), "the mesh has it",
                "name another file");
  std::error_code ignored;
  if (fs::exists(asked.to, ignored) && !asked.overwrite)
    throw Error(ErrorKind::results_exist, fmt::format("'{}' exists already", asked.to),
                "files are not overwritten unless asked", "choose another name, or add --force");
  const Mesh mesh = mesh_of(asked);
  const CaseFacts facts = facts_of(asked, mesh);
  const fs::path folder = fs::absolute(asked.to).parent_path();
  write_named_file(asked.to,
                   case_text(facts, mesh, asked.scale, fs::proximate(fs::absolute(asked.mesh), folder).string(),
                             fs::path(asked.to).filename().string()));
  return fmt::format("{}: a case for {}. Fill in what it asks for, then: {} {} --check\n", asked.to,
                     "ritz-" + facts.program, "ritz-" + facts.program, shell_word(asked.to));
}

}  // namespace ritz
