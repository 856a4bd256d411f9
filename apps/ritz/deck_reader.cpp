#include "apps/ritz/deck_reader.hpp"

#include "apps/ritz/deck_keywords.hpp"
#include "apps/ritz/deck_materials.hpp"
#include "apps/ritz/deck_sections.hpp"
#include "apps/ritz/deck_supports.hpp"
#include "io/decks/deck_cards.hpp"
#include "io/files/text_case.hpp"
#include "io/meshes/mesh_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// Supports, forces: sets of nodes first, whatever else has the name.
constexpr std::initializer_list<RegionKind> node_sets{RegionKind::nodes, RegionKind::facets, RegionKind::cells};
constexpr std::initializer_list<RegionKind> element_sets{RegionKind::cells};
constexpr std::initializer_list<RegionKind> surfaces{RegionKind::facets};

bool is_identity(const DeckCard& transform) {
  const std::string type = upper(transform.parameter("TYPE"));
  const auto is_along = [&](std::size_t first, std::array<bool, 3> positive) {
    for (std::size_t i = 0; i < 3; ++i)
      if ((transform.number(0, first + i) > 0) != positive[i] || transform.number(0, first + i) < 0) return false;
    return true;
  };
  return (type.empty() || type == "R") && is_along(0, {true, false, false}) && is_along(3, {false, true, false});
}

const char* noun(RegionKind kind) {
  return kind == RegionKind::cells ? "elements" : kind == RegionKind::facets ? "faces" : "nodes";
}

class DeckReader {
 public:
  explicit DeckReader(const std::string& path) : path_(path), cards_(read_cards(path)) {
    for (const DeckCard& card : cards_) survey(card);
    if (has_trusses_ && !has_others_) model_.physics = DeckPhysics::frame;
    model_.regions = std::make_unique<const DeckRegions>(read_mesh_data(path, nullptr, is_frame()), cards_);
  }

  DeckModel read() {
    for (const DeckCard& card : cards_) take(card);
    for (std::string& conflict : conflicts_of(model_.supports, regions().mesh()))
      model_.notes.push_back(std::move(conflict));
    note_axes();
    note_steps();
    return std::move(model_);
  }

 private:
  // Decides on the program and the kind of plane.
  void survey(const DeckCard& card) {
    if (card.keyword == "HEAT TRANSFER") model_.physics = DeckPhysics::heat;
    if (card.keyword.ends_with("SHELL SECTION") || card.keyword.starts_with("BEAM "))
      model_.physics = DeckPhysics::frame;
    if (card.keyword == "TRANSFORM" && !is_identity(card)) turned_.push_back(&card);
    if (card.keyword == "FREQUENCY") model_.modes = std::max(1, unknown_in(card.number(0, 0)));
    if (card.keyword != "ELEMENT" && card.keyword != "NODE") return;
    const std::string type = upper(card.parameter("TYPE"));
    const auto is_one_of = [&](std::initializer_list<const char*> starts) {
      return std::ranges::any_of(starts, [&](const char* start) { return type.starts_with(start); });
    };
    if (is_one_of({"T2D", "T3D"})) has_trusses_ = true;
    else if (!type.empty() && !is_one_of({"SPRING", "MASS", "DASHPOT", "GAP", "CONN"})) has_others_ = true;
    for (const auto& [start, model] : {std::pair{"CPS", "plane_stress"},
                                       {"CPE", "plane_strain"},
                                       {"CAX", "axisymmetric"},
                                       {"DCAX", "axisymmetric"},
                                       {"DC2D", "plane"}})
      if (type.starts_with(start)) model_.plane = model;
  }

  void take(const DeckCard& card) {
    static const std::map<std::string, void (DeckReader::*)(const DeckCard&)> readers{
        {"MATERIAL", &DeckReader::material},       {"ELASTIC", &DeckReader::property},
        {"DENSITY", &DeckReader::property},        {"CONDUCTIVITY", &DeckReader::property},
        {"SPECIFIC HEAT", &DeckReader::property},  {"SOLID SECTION", &DeckReader::section},
        {"SHELL SECTION", &DeckReader::section},   {"BEAM SECTION", &DeckReader::section},
        {"BOUNDARY", &DeckReader::boundary},       {"STEP", &DeckReader::step},
        {"FREQUENCY", &DeckReader::frequency},     {"STATIC", &DeckReader::pass},
        {"HEAT TRANSFER", &DeckReader::heat_step}, {"CLOAD", &DeckReader::nodal_load},
        {"DLOAD", &DeckReader::distributed_load},  {"DSLOAD", &DeckReader::surface_load},
        {"DFLUX", &DeckReader::heat_load},         {"DSFLUX", &DeckReader::heat_load},
        {"SFILM", &DeckReader::heat_load},         {"SRADIATE", &DeckReader::heat_load},
        {"FOUNDATION", &DeckReader::foundation},   {"SPRING", &DeckReader::springs},
        {"EXPANSION", &DeckReader::expansion},     {"ORIENTATION", &DeckReader::orientation},
    };
    // Keywords of the mesh, of output, and ends of blocks.
    static const std::set<std::string> silent{
        "NODE",         "ELEMENT",        "NSET",     "ELSET",         "SURFACE",      "HEADING",
        "PART",         "END PART",       "ASSEMBLY", "INSTANCE",      "END INSTANCE", "END ASSEMBLY",
        "END STEP",     "NODE FILE",      "EL FILE",  "NODE PRINT",    "EL PRINT",     "OUTPUT",
        "NODE OUTPUT",  "ELEMENT OUTPUT", "RESTART",  "PREPRINT",      "FILE FORMAT",  "FIELD",
        "CONTACT FILE", "NODE RESPONSE",  "MONITOR",  "SECTION PRINT", "END LOAD CASE"};
    if (const auto reader = readers.find(card.keyword); reader != readers.end()) (this->*reader->second)(card);
    else if (!silent.contains(card.keyword)) note(card, reason_without(card.keyword));
  }

  void pass(const DeckCard&) {}

  void material(const DeckCard& card) { model_.materials.push_back({card.parameter("NAME"), {}}); }

  void property(const DeckCard& card) {
    if (model_.materials.empty()) return note(card, "it belongs to no *MATERIAL");
    const std::string type = upper(card.parameter("TYPE"));
    if (!type.empty() && type != "ISO" && type != "ISOTROPIC") return directed_property(card);
    if (card.data.size() > 1) note(card, "its values depend on the temperature; those of its first line were taken");
    static const std::map<std::string, std::vector<const char*>> keys{{"ELASTIC", {"young", "poisson"}},
                                                                      {"DENSITY", {"density"}},
                                                                      {"CONDUCTIVITY", {"conductivity"}},
                                                                      {"SPECIFIC HEAT", {"specific_heat"}}};
    const std::vector<const char*>& names = keys.at(card.keyword);
    for (std::size_t i = 0; i < names.size(); ++i) model_.materials.back().numbers[names[i]] = card.number(0, i);
  }

  void directed_property(const DeckCard& card) {
    const std::optional<DirectedNumbers> directed = directed_numbers(card);
    if (!directed)
      return note(card, fmt::format("its numbers of TYPE={} are not translated: docs/thermal.md has materials with "
                                    "directions",
                                    upper(card.parameter("TYPE"))));
    if (directed->varies) note(card, "its values depend on the temperature; those of its first row were taken");
    model_.materials.back().directed[card.keyword] = directed->lines;
  }

  void orientation(const DeckCard& card) {
    const std::vector<std::string> lines = orientation_lines(card);
    if (lines.empty() || model_.dimension() != 3)
      return note(card, "it is not translated: write an [[orientation]] (docs/thermal.md)");
    model_.orientations[upper(card.parameter("NAME"))] = lines;
  }

  // Materials with directions along axes that the case lacks.
  void note_axes() {
    for (const DeckSection& section : model_.sections) {
      const bool lacks_axes = !section.orientation.empty() && !model_.directed_lines(section).empty() &&
                              !model_.orientations.contains(upper(section.orientation));
      if (lacks_axes)
        model_.notes.push_back(
            fmt::format("*SOLID SECTION of '{}': its material is taken along x, y, z, not along '{}'",
                        section.region->name, section.orientation));
    }
  }

  void expansion(const DeckCard& card) {
    const std::string into =
        model_.materials.empty() ? "" : fmt::format(" into the material '{}'", model_.materials.back().name);
    note(card, fmt::format("it is not translated: write expansion = {}{}, and [thermal] (docs/thermal.md)",
                           card.number(0, 0), into));
  }

  // Faces of elements, which are no region of the mesh.
  void foundation(const DeckCard& card) {
    for (std::size_t line = 0; line < card.data.size(); ++line)
      note(card,
           fmt::format("elastic ground under the faces '{}' of '{}': write a [[foundation]] with stiffness = {} on "
                       "a region of these facets (docs/joining.md)",
                       card.text(line, 1), card.text(line, 0), card.number(line, 2)));
  }

  // The first line has the unknowns, one for each end; an axial spring has none.
  void springs(const DeckCard& card) {
    if (card.data.empty()) return note(card, "it has no stiffness");
    const std::size_t last = card.data.size() - 1;
    const std::string elements = card.parameter("ELSET"), stiffness = fmt::format("{}", card.number(last, 0));
    const int unknown = last > 0 ? unknown_in(card.number(0, 0)) : 0;
    if (unknown >= 1 && unknown <= 3 && card.text(0, 1).empty()) {
      std::vector<std::string> along(3, "0");
      along[static_cast<std::size_t>(unknown - 1)] = stiffness;
      return note(card,
                  fmt::format("springs '{}' to the ground: write a [[spring]] with stiffness = [{}], each = true on "
                              "a region of their nodes (docs/joining.md)",
                              elements, fmt::join(along, ", ")));
    }
    note(card, fmt::format("springs '{}' between nodes, {} each: ritz-structure has springs as sections "
                           "(docs/structures.md)",
                           elements, stiffness));
  }

  void section(const DeckCard& card) {
    const std::vector<const Region*> parts = regions().elements_of(card.parameter("ELSET"));
    for (const Region* region : parts) section_of(card, region);
    if (parts.empty()) region_named(card, card.parameter("ELSET"), element_sets);
  }

  void section_of(const DeckCard& card, const Region* region) {
    for (const auto& [name, value] : card.parameters)
      if (name.starts_with("OFFSET") && value != "0" && value != "0.")
        note(card, fmt::format("{}={} of '{}': nodes are taken in the middle; {}", name, value, region->name,
                               card.keyword == "SHELL SECTION"
                                   ? "shells with an offset are not in Ritz: place their nodes there"
                                   : "give [[section]] an offset (docs/structures.md)"));
    const std::set<CellKind> kinds = regions().cell_kinds(*region);
    if (card.keyword == "SOLID SECTION" && is_frame() && kinds == std::set{CellKind::line2})
      return model_.sections.push_back({false, region, card.parameter("MATERIAL"), bar_lines(card), {}, true});
    if (card.keyword == "SOLID SECTION") return solid_section(card, *region);
    if (const std::string why = lacks_element(card, kinds); !why.empty())
      return note(card, fmt::format("section of '{}': {}", region->name, why));
    if (card.keyword == "BEAM SECTION") {
      model_.sections.push_back({false, region, card.parameter("MATERIAL"), beam_lines(card)});
      if (const std::string doubt = doubtful_size(card); !doubt.empty()) note(card, doubt);
    } else if (const std::optional<DeckShell> shell = shell_of(card)) {
      model_.sections.push_back({false, region, shell->material, shell_lines(*shell, kinds)});
    } else {
      note(card, fmt::format("section of '{}': layers of several materials or along axes are not in Ritz: write a "
                             "[[section]] with one thickness and material (docs/structures.md)",
                             region->name));
    }
  }

  void solid_section(const DeckCard& card, const Region& region) {
    model_.sections.push_back(
        {true, &region, card.parameter("MATERIAL"), {}, upper(card.parameter("ORIENTATION")), false});
    const double thickness = card.number(0, 0);
    if (model_.dimension() != 2 || thickness <= 0) return;
    if (model_.thickness > 0 && thickness != model_.thickness)
      note(card, fmt::format("thickness {} of '{}': [model] has one for the whole plane, and {} was taken", thickness,
                             region.name, model_.thickness));
    else model_.thickness = thickness;
  }

  void boundary(const DeckCard& card) {
    const std::string type = upper(card.parameter("TYPE"));
    if (!type.empty() && type != "DISPLACEMENT")
      return note(card, fmt::format("TYPE={}: a case prescribes displacements and temperatures", type));
    const bool later = steps_.all().size() > 1, renews = upper(card.parameter("OP")) == "NEW";
    if (renews && later) note(card, "OP=NEW: the case keeps the supports of the earlier steps");
    if (renews && !later && !std::exchange(renewed_, true)) model_.supports.clear();
    std::map<std::string, bool> held;
    for (std::size_t line = 0; line < card.data.size(); ++line)
      if (const Region* region = node_set(card, card.text(line, 0)))
        held[region->name] = hold(card, line, *region) || held[region->name];
    for (const auto& [name, is_held] : held)
      if (!is_held) note(card, fmt::format("nothing of it moves or heats '{}'", name));
    if (later) note(card, "supports of this step are in all of the case");
  }

  // False when the line has no unknown of the case.
  bool hold(const DeckCard& card, std::size_t line, const Region& region) {
    const int last = !is_frame() ? model_.dimension() : turns() ? 6 : 3;
    bool any = false;
    for (const int unknown : unknowns_of(card, line)) {
      if (is_heat() ? unknown != 11 : unknown < 1 || unknown > last) continue;
      double value = card.number(line, 3);
      if (model_.modes > 0 && value != 0) {
        note(card, fmt::format("'{}' moves by {}: modes vibrate about the state of rest, and 0 was taken", region.name,
                               value));
        value = 0;
      }
      hold_at(model_.supports, region, unknown, value);
      any = true;
    }
    return any;
  }

  void step(const DeckCard& card) {
    steps_.begin(card.line);
    steps_.now().perturbs = card.parameters.contains("PERTURBATION");
    if (card.parameters.contains("NLGEOM") && upper(card.parameter("NLGEOM")) != "NO")
      note(card, "NLGEOM: displacements are taken as small");
  }

  void frequency(const DeckCard& card) {
    steps_.now().modal = true;
    std::vector<int> loaded;
    for (const DeckStep& each : steps_.all())
      if (!each.modal && !each.loads.empty()) loaded.push_back(each.number);
    if (!loaded.empty())
      note(card, fmt::format("the loads of step {} are not in the case of the modes", fmt::join(loaded, ", ")));
  }

  void heat_step(const DeckCard& card) {
    if (card.parameters.contains("STEADY STATE")) return;
    const std::string end = card.data.empty() ? "" : fmt::format(" to {}", card.number(0, 1));
    note(card, fmt::format("it evolves in time{}: the case is steady; [time] would follow it (docs/time.md)", end));
  }

  void note_steps() {
    for (const DeckStep* step : steps_.perturbed())
      model_.notes.push_back(
          fmt::format("*STEP (line {}): PERTURBATION: step {} keeps the loads of the steps before, as in CalculiX; in "
                      "Abaqus it has its own alone: remove theirs from its [[load_case]]",
                      step->line, step->number));
    if (model_.modes == 0) model_.loads = load_cases_of(steps_.all());
    model_.notes.insert(model_.notes.end(), model_.loads.notes.begin(), model_.loads.notes.end());
  }

  // Before the lines of a card: OP=NEW acts even where there are none.
  void open(const DeckCard& card) {
    for (const char* parameter : {"LOAD CASE", "SECTOR", "SUBMODEL", "USER", "REAL", "IMAGINARY", "FOLLOWER"})
      if (card.parameters.contains(parameter) && card.parameter(parameter) != "1")
        note(card,
             fmt::format("its parameter {} was not read: its loads were taken as if it were not there", parameter));
    if (upper(card.parameter("OP")) == "NEW") steps_.remove_earlier(family_of(card.keyword));
  }

  void add_load(const DeckCard& card, DeckLoad load, const std::vector<bool>& given = {}) {
    load.family = family_of(card.keyword);
    // A node of two regions: the deck replaces the force of an earlier step there, and the case adds.
    if (load.table == "force")
      for (const auto& [other, nodes] : steps_.replaced(load, given, regions().mesh()))
        note(card,
             fmt::format("{} nodes of '{}' have a force of an earlier step as nodes of '{}': it is replaced in the "
                         "deck, and added here",
                         nodes, load.region->name, other));
    if (load.table == "gravity" && steps_.turns(load))
      note(card, "gravity of an earlier step has another direction: it is replaced, and CalculiX would add both");
    const std::string what = fmt::format("[[{}]] of '{}'", load.table, load.region != nullptr ? load.region->name : "");
    if (!steps_.add(std::move(load), given))
      note(card, fmt::format("a second {} in this step: it was taken in place of the first", what));
  }

  void nodal_load(const DeckCard& card) {
    open(card);
    std::vector<const Region*> order;
    std::map<const Region*, std::array<double, 6>> forces;
    std::map<const Region*, std::vector<bool>> given;
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const Region* region = node_set(card, card.text(line, 0));
      if (region == nullptr) continue;
      const int unknown = unknown_in(card.number(line, 1));
      if (unknown < 1 || unknown > (turns() ? 6 : 3)) {
        note(card, fmt::format("load {} on the unknown {} of '{}': its nodes have no such unknown",
                               card.number(line, 2), card.text(line, 1), region->name));
        continue;
      }
      if (!forces.contains(region)) order.push_back(region);
      forces[region][static_cast<std::size_t>(unknown - 1)] += card.number(line, 2);
      given[region].resize(6);
      given[region][static_cast<std::size_t>(unknown - 1)] = true;
    }
    for (const Region* region : order) {
      const std::array<double, 6>& f = forces[region];
      const bool at_nodes = model_.dimension() == 3 && region->kind == RegionKind::nodes;
      if (is_frame() || (model_.physics == DeckPhysics::solid && at_nodes)) {
        add_load(card, {"force", region, {f.begin(), f.end()}}, given[region]);
        continue;
      }
      const auto nodes = static_cast<double>(nodes_in(regions().mesh(), *region).size());
      note(card, fmt::format("forces on the nodes of '{}', in total ({}, {}, {}): give them on a surface", region->name,
                             nodes * f[0], nodes * f[1], nodes * f[2]));
    }
  }

  // Size times the unit vector of fields 3 to 5; empty with a note without a direction.
  std::vector<double> vector_of(const DeckCard& card, std::size_t line) {
    const double size = card.number(line, 2);
    const double x = card.number(line, 3), y = card.number(line, 4), z = card.number(line, 5);
    const double length = std::hypot(x, y, z);
    if (!(length > 0)) {
      note(card, fmt::format("load '{}' of '{}' has no direction", card.text(line, 1), card.text(line, 0)));
      return {};
    }
    std::vector<double> v{size * x / length, size * y / length, size * z / length};
    v.resize(static_cast<std::size_t>(model_.dimension()));
    return v;
  }

  void distributed_load(const DeckCard& card) {
    open(card);
    std::set<std::string> by_face;
    std::map<std::vector<double>, std::vector<const Region*>> weights;  // [acceleration]
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string kind = upper(card.text(line, 1));
      if (kind == "GRAV") {
        if (const Region* region = region_named(card, card.text(line, 0), element_sets))
          if (const std::vector<double> acceleration = vector_of(card, line); !acceleration.empty())
            weights[acceleration].push_back(region);
      } else if (kind == "P" && is_frame()) {
        if (const Region* region = region_named(card, card.text(line, 0), element_sets))
          add_load(card, {"pressure", region, {-card.number(line, 2)}});
      } else if (kind == "CENTRIF") {
        note(card, "CENTRIF: give it as [[body_force]] with formulas of the position");
      } else by_face.insert(kind);
    }
    for (const auto& [acceleration, parts] : weights) add_weight(card, acceleration, parts);
    for (const std::string& kind : by_face)
      note(card, fmt::format("loads '{}' on faces of elements: put the faces into a *SURFACE, TYPE=ELEMENT, and use "
                             "*DSLOAD",
                             kind));
  }

  // [gravity] is that of all cells; a part of them has a force per volume, where its density is known.
  void add_weight(const DeckCard& card, const std::vector<double>& acceleration,
                  const std::vector<const Region*>& parts) {
    std::set<Index> cells;
    std::size_t count = 0;
    for (const Region* region : parts) {
      cells.insert(region->cells.begin(), region->cells.end());
      count += region->cells.size();
    }
    if (count > cells.size())
      note(card,
           fmt::format("{} cells are in several of the sets with GRAV: [gravity] weighs each once, [[body_force]] "
                       "once for each set",
                       count - cells.size()));
    if (static_cast<Index>(cells.size()) == regions().mesh().cell_count())
      return add_load(card, {"gravity", nullptr, acceleration});
    for (const Region* region : parts) {
      const double density = density_of(region);
      std::vector<double> force = acceleration;
      for (double& each : force) each *= density;
      if (model_.physics == DeckPhysics::solid && density > 0) add_load(card, {"body_force", region, force});
      else
        note(card,
             fmt::format("GRAV of '{}', a part of the cells, with the acceleration [{}]: [gravity] is that of all",
                         region->name, fmt::join(acceleration, ", ")));
    }
  }

  // Density of the section of this region; 0: none.
  double density_of(const Region* region) const {
    for (const DeckSection& section : model_.sections)
      for (const DeckMaterial& material : model_.materials)
        if (section.region == region && upper(material.name) == upper(section.material))
          if (const auto found = material.numbers.find("density"); found != material.numbers.end())
            return found->second;
    return 0;
  }

  void surface_load(const DeckCard& card) {
    open(card);
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const Region* region = region_named(card, card.text(line, 0), is_frame() ? element_sets : surfaces);
      const std::string kind = upper(card.text(line, 1));
      if (region == nullptr) continue;
      if (kind == "P") add_pressure(card, *region, card.number(line, 2));
      else if (kind != "TRVEC") note(card, fmt::format("loads '{}' on surfaces are not read", kind));
      else if (const std::vector<double> v = vector_of(card, line); !v.empty())
        add_load(card, {is_frame() ? "surface_load" : "traction", region, v});
    }
  }

  // Into the surface; of shells, against the normal on the side SPOS and along it on SNEG.
  void add_pressure(const DeckCard& card, const Region& region, double value) {
    const int side = is_frame() ? regions().side_of(region) : 1;
    if (side == 0)
      return note(card, fmt::format("pressure {} on '{}', which names no side of its shells or both: give SPOS or SNEG",
                                    value, region.name));
    add_load(card, {"pressure", &region, {side * value}});
  }

  void heat_load(const DeckCard& card) {
    open(card);
    const bool on_cells = card.keyword == "DFLUX";
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string kind = upper(card.text(line, 1));
      if (on_cells && kind != "BF") {
        note(card, fmt::format("loads '{}' on faces of elements: use *SURFACE and *DSFLUX", kind));
        continue;
      }
      const Region* region = region_named(card, card.text(line, 0), on_cells ? element_sets : surfaces);
      if (region == nullptr) continue;
      const double a = card.number(line, 2), b = card.number(line, 3);
      const std::string ambient = fmt::format("ambient = {}", a);
      if (card.keyword == "SFILM") add_load(card, {"convection", region, {b}, {ambient}});
      else if (card.keyword == "SRADIATE") add_load(card, {"radiation", region, {b}, {ambient}});
      else add_load(card, {on_cells ? "source" : "flux", region, {a}});
    }
  }

  // Empty with a note where the mesh has none of these kinds.
  const Region* region_named(const DeckCard& card, const std::string& name, std::initializer_list<RegionKind> kinds) {
    if (const Region* region = regions().find(name, kinds)) return region;
    const bool is_number = !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); });
    const Region* other = regions().find(name, node_sets);
    note(card, is_number ? fmt::format("it names the number {}; put it into a set", name)
               : other != nullptr
                   ? fmt::format("'{}' is a set of {}, not of {}", name, noun(other->kind), noun(*kinds.begin()))
                   : fmt::format("the mesh has no set or surface '{}'", name));
    return nullptr;
  }

  const Region* node_set(const DeckCard& card, const std::string& name) {
    const Region* region = region_named(card, name, node_sets);
    if (region == nullptr || is_turned(card, *region)) return nullptr;
    if (is_frame() || !regions().hidden_by_facets(*region)) return region;
    note(card,
         fmt::format("'{}' is a set of nodes and a surface in another place: give one of them another name", name));
    return nullptr;
  }

  // With a note: *TRANSFORM gives nodes of this region other axes than x, y, z.
  bool is_turned(const DeckCard& card, const Region& region) {
    if (is_heat()) return false;
    const std::vector<Node> nodes = nodes_in(regions().mesh(), region);
    for (const DeckCard* transform : turned_) {
      const Region* turned = regions().find(transform->parameter("NSET"), node_sets);
      if (turned == nullptr) continue;
      std::vector<Node> both;
      std::ranges::set_intersection(nodes, nodes_in(regions().mesh(), *turned), std::back_inserter(both));
      if (both.empty()) continue;
      note(card, fmt::format("{} nodes of '{}' have axes of their own by *TRANSFORM (line {}): left out", both.size(),
                             region.name, transform->line));
      return true;
    }
    return false;
  }

  void note(const DeckCard& card, const std::string& what) {
    const std::string file =
        card.file == path_ ? "" : fmt::format(" of {}", std::filesystem::path(card.file).filename().string());
    model_.notes.push_back(fmt::format("*{} (line {}{}): {}", card.keyword, card.line, file, what));
  }

  const DeckRegions& regions() const { return *model_.regions; }
  bool is_frame() const { return model_.physics == DeckPhysics::frame; }
  bool is_heat() const { return model_.physics == DeckPhysics::heat; }
  bool turns() const { return is_frame() && has_others_; }  // nodes of trusses have no rotations

  std::string path_;
  std::vector<DeckCard> cards_;
  DeckModel model_;
  DeckSteps steps_;
  std::vector<const DeckCard*> turned_;  // *TRANSFORM
  bool has_trusses_ = false, has_others_ = false;
  bool renewed_ = false;  // OP=NEW has removed the supports before the first step
};

}  // namespace

DeckModel read_deck_model(const std::string& path) { return DeckReader(path).read(); }

}  // namespace ritz
