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

class CaseText {
 public:
  CaseText(const NewCase& question, Mesh mesh)
      : question_(question),
        mesh_(std::move(mesh)),
        program_(!question.program.empty() ? question.program
                 : mesh_.structural()      ? "structure"
                                           : "elasticity") {}

  std::string program() const { return "ritz-" + program_; }

  std::string text(const std::string& mesh_file, const std::string& case_file) const {
    std::string t = fmt::format(
        "# A case for {0} with the regions of a mesh, written by ritz new. Replace each \"FILL IN\", take the # from "
        "the\n# tables that apply, then:\n#   {0} {1} --check      what is missing or wrong; solves nothing\n"
        "#   {0} {1}              solves\n#   {0} {1} --describe   all keys, with units and defaults\n\n",
        program(), shell_word(case_file));
    t += mesh_text(mesh_file) + regions_text() + model_text();
    t += mesh_.structural() ? sections_text() : materials_text();
    if (program_ == "heat") return t + heat_text() + probe_text("temperature");
    if (program_ == "modal") return t + modal_text();
    return t + loads_text() + probe_text(mesh_.structural() ? "displacement" : "von_mises");
  }

 private:
  static std::string list_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + ritz::quoted(name);
    return text;
  }
  std::vector<std::string> names_of(std::initializer_list<RegionKind> kinds) const {
    std::vector<std::string> names;
    for (const Region& region : mesh_.regions())
      if (std::ranges::find(kinds, region.kind) != kinds.end() && region.size() > 0 &&
          std::ranges::find(names, region.name) == names.end())
        names.push_back(region.name);
    return names;
  }
  // Names of regions that supports and loads may have.
  std::vector<std::string> places() const {
    return mesh_.structural() ? names_of({RegionKind::nodes, RegionKind::cells})
                              : names_of({RegionKind::facets, RegionKind::nodes});
  }
  std::string a_place() const {
    std::vector<std::string> facets = mesh_.structural() ? places() : names_of({RegionKind::facets});
    return facets.empty() ? blank : ritz::quoted(facets.back());
  }
  static bool is_whole(const Region& region) { return region.name == "all"; }

  // Regions of cells that share none, the first ones first; "all" where they are not the whole body.
  std::vector<std::string> bodies() const {
    std::vector<char> taken(static_cast<std::size_t>(mesh_.cell_count()), 0);
    std::vector<std::string> names;
    Index count = 0;
    for (const Region& region : mesh_.regions()) {
      if (region.kind != RegionKind::cells || is_whole(region) || region.cells.empty()) continue;
      if (std::ranges::any_of(region.cells, [&](Index cell) { return taken[static_cast<std::size_t>(cell)] != 0; }))
        continue;
      for (const Index cell : region.cells) taken[static_cast<std::size_t>(cell)] = 1;
      count += region.size();
      names.push_back(region.name);
    }
    return count == mesh_.cell_count() ? names : std::vector<std::string>{"all"};
  }

  std::string mesh_text(const std::string& file) const {
    const BoundingBox box = bounding_box(mesh_);
    const double scale = question_.scale > 0 ? question_.scale : 1;
    std::string t = fmt::format("[mesh]\nfile = {}\n", ritz::quoted(file));
    t += question_.scale > 0 ? fmt::format("scale = {}\n", question_.scale)
                             : "# scale = 0.001               # if it is drawn in mm: lengths are in m\n";
    return t + fmt::format("# It measures {:.4g} x {:.4g} x {:.4g}{}.\n", scale * (box.high[0] - box.low[0]),
                           scale * (box.high[1] - box.low[1]), scale * (box.high[2] - box.low[2]),
                           question_.scale > 0 ? " m" : " in the unit of the file");
  }

  std::string regions_text() const {
    std::string t = "\n# Regions, and the box around each in the unit of the file:\n";
    for (const Region& region : mesh_.regions()) {
      if (region.size() == 0) continue;
      Point low, high;
      low.fill(std::numeric_limits<double>::infinity());
      high.fill(-std::numeric_limits<double>::infinity());
      for (const Node node : nodes_in(mesh_, region))
        for (std::size_t d = 0; d < 3; ++d) {
          low[d] = std::min(low[d], mesh_.point(node)[d]);
          high[d] = std::max(high[d], mesh_.point(node)[d]);
        }
      const char* kind = region.kind == RegionKind::cells    ? "cells"
                         : region.kind == RegionKind::facets ? "facets"
                                                             : "nodes";
      t +=
          fmt::format("#   {:<24}{:>9} {:<7} {:.4g} {:.4g} {:.4g} .. {:.4g} {:.4g} {:.4g}\n", ritz::quoted(region.name),
                      region.size(), kind, low[0], low[1], low[2], high[0], high[1], high[2]);
    }
    if (places().empty())
      t += "# None names a place for supports and loads; geometry does, with the numbers of the box above:\n"
           "# [[region]]\n# name = \"bottom\"\n# kind = \"facets\"\n"
           "# plane = {point = [0, 0, 0], normal = [0, 0, 1]}\n";
    return t;
  }

  std::string model_text() const {
    if (mesh_.dimension() != 2) return {};
    const bool heat = program_ == "heat";
    return fmt::format(
        "\n[model]\ntype = {}        # {}\nthickness = 1                   # m; not of {}\n", blank,
        heat ? "\"plane\" or \"axisymmetric\"" : "\"plane_strain\", \"plane_stress\" or \"axisymmetric\"",
        "axisymmetric bodies: remove it there");
  }

  std::string name_of_material() const { return question_.material.empty() ? blank : ritz::quoted(question_.material); }

  std::string materials_text() const {
    std::string t;
    for (const std::string& body : bodies())
      t += fmt::format(
          "\n[[material]]\nregion = {}\nname = {}        # such as \"steel S235\": 'ritz materials' lists "
          "them; or without it:\n# {}\n",
          ritz::quoted(body), name_of_material(),
          program_ == "heat" ? "conductivity = 50             # W/(m K)"
                             : "young = 210e9                 # Pa\n# poisson = 0.3\n# density = 7850      "
                               "          # kg/m^3");
    return t;
  }

  // The kinds of cells of a region: lines, triangles or quadrilaterals.
  std::string element_of(const std::string& name) const {
    std::set<CellKind> kinds;
    for (const Region& region : mesh_.regions())
      if (region.kind == RegionKind::cells && region.name == name)
        for (const Index cell : region.cells) kinds.insert(mesh_.kind_of(cell));
    if (kinds.size() != 1) return blank;
    const CellKind kind = *kinds.begin();
    return kind == CellKind::line2   ? "\"beam\""
           : kind == CellKind::quad4 ? "\"shell\""
           : kind == CellKind::tri3  ? "\"shell3\""
                                     : blank;
  }

  std::string sections_text() const {
    std::string t;
    for (const std::string& body : bodies()) {
      const std::string element = element_of(body);
      t += fmt::format(
          "\n[[section]]\nregion = {}\nelement = {}      # beam, bar, spring, shell, shell3\nmaterial = {}  "
          "  # such as \"steel S235\": 'ritz materials' lists them; or young, poisson, density\n",
          ritz::quoted(body), element, name_of_material());
      if (element == "\"beam\"")
        t += fmt::format(
            "profile = \"rectangle\" # or circle, tube, box, i, each with its lengths [m]:\nheight = {0}     "
            "# along local y: orientation = [1, 0, 0] says where that is\nwidth = {0}\n",
            blank);
      else t += fmt::format("thickness = {}  # m\n", blank);
    }
    return t;
  }

  std::string support_text(const char* table, const char* comment, const char* lines) const {
    const std::string names = list_of(places());
    return fmt::format("\n[[{}]]\nregion = {}      # {}{}\n{}", table, blank, comment,
                       names.empty() ? "" : ": " + names, lines);
  }

  std::string loads_text() const {
    const std::string place = a_place();
    std::string t = mesh_.structural()
                        ? support_text("support", "what is held",
                                       "fixed = true        # or pinned = true, or some of "
                                       "x, y, z, rx, ry, rz\n")
                        : support_text("displacement", "what is held",
                                       mesh_.dimension() == 3
                                           ? "fixed = true                  # or x = 0, y = 0, z = 0 one by one\n"
                                           : "fixed = true                  # or x = 0, y = 0 one by one\n");
    t += fmt::format("\n# [[force]]\n# region = {}\n# value = {}        # N in total\n", place,
                     mesh_.dimension() == 3 ? "[0, 0, -1000]" : "[0, -1000]");
    if (!mesh_.structural())
      t += fmt::format("\n# [[pressure]]\n# region = {}\n# value = 1e5                 # Pa, against the surface\n",
                       place);
    return t + fmt::format("\n# [gravity]\n# acceleration = {}  # m/s^2\n",
                           mesh_.dimension() == 3 ? "[0, 0, -9.81]" : "[0, -9.81]");
  }

  std::string heat_text() const {
    const std::string place = a_place();
    return support_text("temperature", "where the temperature is known", "value = 20                    # degrees\n") +
           fmt::format(
               "\n# [[convection]]\n# region = {0}\n# coefficient = 10            # W/(m^2 K)\n# ambient = 20\n"
               "\n# [[flux]]\n# region = {0}\n# value = 1000                # W/m^2 into the body\n"
               "\n# [[power]]\n# region = {0}\n# value = 50                  # W in total\n",
               place);
  }

  std::string modal_text() const {
    const std::string names = list_of(places());
    return fmt::format(
        "\n# [[{}]]\n# region = {}        # what is held{}; without it the body is free\n# fixed = true\n"
        "\n[modal]\ncount = 6                     # lowest modes; or band = [0, 500], in Hz\n",
        mesh_.structural() ? "support" : "displacement", a_place(), names.empty() ? "" : ", one of " + names);
  }

  std::string probe_text(const char* field) const {
    return fmt::format("\n[[probe]]\nname = \"largest\"\nfield = \"{}\"\n{}region = {}\nmeasure = \"max\"\n", field,
                       std::string_view(field) == "displacement" ? "component = \"magnitude\"\n" : "",
                       ritz::quoted(bodies().front()));
  }

  const NewCase& question_;
  const Mesh mesh_;
  const std::string program_;
};

}  // namespace

std::vector<std::string> programs_of_new_cases() { return {"elasticity", "heat", "modal", "structure"}; }

std::string new_case(const NewCase& question) {
  NewCase asked = question;
  if (!std::isfinite(asked.scale) || asked.scale < 0)
    throw Error(Exit::input, fmt::format("--scale is {}", asked.scale), "lengths are multiplied by it",
                "give a positive number, 0.001 for a mesh drawn in millimetres");
  if (!asked.material.empty()) {
    const LibraryMaterial* const found = find_material(asked.material);
    if (found == nullptr) throw Error(unknown_material(asked.material));
    asked.material = found->name;
  }
  if (asked.to.empty()) asked.to = fs::path(asked.mesh).replace_extension(".toml").string();
  if (is_same_file(asked.to, asked.mesh))
    throw Error(Exit::input, fmt::format("the name '{}' is taken", asked.to), "the mesh has it", "name another file");
  std::error_code ignored;
  if (fs::exists(asked.to, ignored) && !asked.overwrite)
    throw Error(Exit::output, fmt::format("'{}' exists already", asked.to), "files are not overwritten unless asked",
                "choose another name, or add --force");
  const CaseText text(asked, mesh_of(asked));
  const fs::path folder = fs::absolute(asked.to).parent_path();
  write_named_file(asked.to, text.text(fs::proximate(fs::absolute(asked.mesh), folder).string(),
                                       fs::path(asked.to).filename().string()));
  return fmt::format("{}: a case for {}. Fill in what it asks for, then: {} {} --check\n", asked.to, text.program(),
                     text.program(), shell_word(asked.to));
}

}  // namespace ritz
