#include "apps/ritz/case_from.hpp"

#include "io/decks/deck_cards.hpp"
#include "io/files/atomic_file.hpp"
#include "io/meshes/mesh_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ritz {
namespace {

std::string upper_word(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string toml_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string toml_number(double value) { return fmt::format("{}", value); }

struct DeckMaterial {
  std::string name;
  std::map<std::string, double> numbers;  // keys of the case
};

struct DeckSection {
  std::string keyword, region, material;
  DeckCard card;
};

struct DeckTable {  // a table of the case to be: [[pressure]], its lines
  std::string table;
  bool single = false;  // [gravity]
  std::vector<std::string> lines;
};

// A load of a region. Values of one step add up; those of a later step replace them, one by one.
struct DeckLoad {
  std::string table, region;             // of [gravity] no region
  std::vector<double> values;            // of a force: [x, y, z, rx, ry, rz] of each node
  std::vector<std::string> others = {};  // lines that do not add up
  std::vector<std::size_t> steps = {};   // [value] of which it is; 0: none
  std::string family = {};               // what OP=NEW removes
};

struct DeckStep {
  std::string procedure;
  int modes = 0;
  std::vector<DeckLoad> loads;
};

enum class Physics { solid, heat, frame };

class DeckTranslation {
 public:
  explicit DeckTranslation(const std::string& path) : path_(path), cards_(read_cards(path)) {
    for (const DeckCard& card : cards_) survey(card);
    MeshData data = read_mesh_data(path, nullptr, physics_ == Physics::frame);
    dimension_ = data.dimension;
    mesh_.emplace(std::move(data));
    for (const DeckCard& card : cards_) take(card);
  }

  std::string text(const std::string& mesh_file) const {
    std::string t = fmt::format(
        "# What {} says, written by ritz case from. Numbers are those of the deck: they must be in one system of "
        "units.\n"
        "# Run it: {} THIS_FILE\n\n[mesh]\nfile = {}\n",
        std::filesystem::path(path_).filename().string(), program(), toml_text(mesh_file));
    t += model_text();
    for (const DeckSection& section : sections_) t += section_text(section);
    for (const DeckTable& support : supports_) t += table_text(support, "");
    t += steps_text();
    if (modal_ > 0) t += fmt::format("\n[modal]\ncount = {}\n", modal_);
    t += probes_text();
    if (!notes_.empty()) t += "\n# Of the deck, these lines are not in this case:\n";
    for (const std::string& note : notes_) t += "# - " + note + "\n";
    return t;
  }
  std::size_t note_count() const { return notes_.size(); }
  std::string program() const {
    if (modal_ > 0) return "ritz-modal";
    return physics_ == Physics::heat ? "ritz-heat" : physics_ == Physics::frame ? "ritz-structure" : "ritz-elasticity";
  }

 private:
  // Which program, and which kind of plane.
  void survey(const DeckCard& card) {
    if (card.keyword == "HEAT TRANSFER") physics_ = Physics::heat;
    if (card.keyword.ends_with("SHELL SECTION") || card.keyword.starts_with("BEAM ")) physics_ = Physics::frame;
    if (card.keyword == "SECTION PRINT") return;
    const std::string type = upper_word(card.parameter("TYPE"));
    if (card.keyword != "ELEMENT" && card.keyword != "NODE") return;
    for (const auto& [start, model] : {std::pair{"CPS", "plane_stress"},
                                       {"CPE", "plane_strain"},
                                       {"CAX", "axisymmetric"},
                                       {"DCAX", "axisymmetric"},
                                       {"DC2D", "plane"}})
      if (type.starts_with(start)) plane_ = model;
  }

  void note(const DeckCard& card, const std::string& what) {
    notes_.push_back(fmt::format("*{} (line {}): {}", card.keyword, card.line, what));
  }

  void take(const DeckCard& card) {
    static const std::map<std::string, void (DeckTranslation::*)(const DeckCard&)> readers{
        {"MATERIAL", &DeckTranslation::material},       {"ELASTIC", &DeckTranslation::property},
        {"DENSITY", &DeckTranslation::property},        {"CONDUCTIVITY", &DeckTranslation::property},
        {"SPECIFIC HEAT", &DeckTranslation::property},  {"SOLID SECTION", &DeckTranslation::section},
        {"SHELL SECTION", &DeckTranslation::section},   {"BEAM SECTION", &DeckTranslation::section},
        {"BOUNDARY", &DeckTranslation::boundary},       {"STEP", &DeckTranslation::step},
        {"FREQUENCY", &DeckTranslation::procedure},     {"STATIC", &DeckTranslation::procedure},
        {"HEAT TRANSFER", &DeckTranslation::procedure}, {"CLOAD", &DeckTranslation::nodal_load},
        {"DLOAD", &DeckTranslation::distributed_load},  {"DSLOAD", &DeckTranslation::surface_load},
        {"DFLUX", &DeckTranslation::heat_load},         {"DSFLUX", &DeckTranslation::heat_load},
        {"SFILM", &DeckTranslation::heat_load},         {"SRADIATE", &DeckTranslation::heat_load},
        {"FOUNDATION", &DeckTranslation::foundation},   {"SPRING", &DeckTranslation::springs},
        {"EXPANSION", &DeckTranslation::expansion},
    };
    // Keywords of the mesh, of output, and ends of blocks.
    static const std::set<std::string> silent{
        "NODE",     "ELEMENT",     "NSET",     "ELSET",        "SURFACE",       "HEADING",        "PART",
        "END PART", "ASSEMBLY",    "INSTANCE", "END INSTANCE", "END ASSEMBLY",  "END STEP",       "NODE FILE",
        "EL FILE",  "NODE PRINT",  "EL PRINT", "OUTPUT",       "NODE OUTPUT",   "ELEMENT OUTPUT", "RESTART",
        "PREPRINT", "FILE FORMAT", "FIELD",    "CONTACT FILE", "NODE RESPONSE", "MONITOR"};
    if (const auto reader = readers.find(card.keyword); reader != readers.end()) (this->*reader->second)(card);
    else if (!silent.contains(card.keyword)) note(card, reason(card.keyword));
  }

  static std::string reason(const std::string& keyword) {
    for (const auto& [word, why] : std::initializer_list<std::pair<const char*, const char*>>{
             {"CONTACT", "contact is not in Ritz yet"},
             {"FRICTION", "contact is not in Ritz yet"},
             {"TIE", "it is not translated: write a [[tie]] (docs/joining.md)"},
             {"PLASTIC", "plasticity is in ritz-solve: form = \"von_mises_plasticity\""},
             {"HYPERELASTIC", "rubber is a form by its energy in ritz-solve"},
             {"EQUATION", "it is not translated: write an [[equation]] (docs/joining.md)"},
             {"MPC", "it is not translated: [[equation]] and [[rigid]] relate nodes (docs/joining.md)"},
             {"COUPLING",
              "it is not translated: write a [[rigid]], or a [[force]] with 'at' and 'moment' (docs/joining.md)"},
             {"RIGID BODY", "it is not translated: write a [[rigid]] (docs/joining.md)"},
             {"DYNAMIC", "the case is static; [time] would follow the motion (docs/motion.md)"},
             {"BUCKLE", "buckling is not in Ritz yet"},
             {"AMPLITUDE", "loads are taken at their full value"},
             {"TEMPERATURE", "it is not translated: write a [thermal] with this temperature (docs/thermal.md)"}})
      if (keyword.find(word) != std::string::npos) return why;
    return "not read";
  }

  void material(const DeckCard& card) { materials_.push_back({card.parameter("NAME"), {}}); }

  void property(const DeckCard& card) {
    if (materials_.empty()) return note(card, "it belongs to no *MATERIAL");
    const std::string type = upper_word(card.parameter("TYPE"));
    if (!type.empty() && type != "ISO" && type != "ISOTROPIC")
      return note(card, fmt::format("TYPE={} is not in Ritz yet: isotropic materials only", type));
    if (card.data.size() > 1) note(card, "its values depend on the temperature; those of its first line were taken");
    static const std::map<std::string, std::vector<const char*>> keys{{"ELASTIC", {"young", "poisson"}},
                                                                      {"DENSITY", {"density"}},
                                                                      {"CONDUCTIVITY", {"conductivity"}},
                                                                      {"SPECIFIC HEAT", {"specific_heat"}}};
    const std::vector<const char*>& names = keys.at(card.keyword);
    for (std::size_t i = 0; i < names.size(); ++i) materials_.back().numbers[names[i]] = card.number(0, i);
  }

  void expansion(const DeckCard& card) {
    const std::string of = materials_.empty() ? "" : fmt::format(" into the material '{}'", materials_.back().name);
    note(card, fmt::format("it is not translated: write expansion = {}{}, and [thermal] (docs/thermal.md)",
                           toml_number(card.number(0, 0)), of));
  }

  // Faces of elements, which are no region of the mesh.
  void foundation(const DeckCard& card) {
    for (std::size_t line = 0; line < card.data.size(); ++line)
      note(card,
           fmt::format("elastic ground under the faces '{}' of '{}': write a [[foundation]] with stiffness = {} on "
                       "a region of these facets (docs/joining.md)",
                       card.text(line, 1), card.text(line, 0), toml_number(card.number(line, 2))));
  }

  // The first line has the unknowns, one for each end; an axial spring has none.
  void springs(const DeckCard& card) {
    if (card.data.empty()) return note(card, "it has no stiffness");
    const std::size_t last = card.data.size() - 1;
    const bool has_unknowns = last > 0 && card.number(0, 0) > 0;
    const std::string elements = card.parameter("ELSET"), stiffness = toml_number(card.number(last, 0));
    const auto unknown = static_cast<int>(has_unknowns ? card.number(0, 0) : 0);
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
    const std::string region = region_named(card, card.parameter("ELSET"));
    if (region.empty()) return;
    sections_.push_back({card.keyword, region, card.parameter("MATERIAL"), card});
    for (const auto& [name, value] : card.parameters)
      if (name.starts_with("OFFSET") && value != "0" && value != "0.")
        note(card, fmt::format("{}={} of '{}': nodes are taken in the middle; give [[section]] an offset "
                               "(docs/structures.md)",
                               name, value, region));
    if (card.keyword != "SOLID SECTION" || dimension_ != 2 || card.number(0, 0) <= 0) return;
    if (thickness_ > 0 && card.number(0, 0) != thickness_)
      note(card, fmt::format("thickness {} of '{}': [model] has one for the whole plane, and {} was taken",
                             card.number(0, 0), region, thickness_));
    else thickness_ = card.number(0, 0);
  }

  // The mesh's own spelling of a set or surface; empty with a note when it has none.
  std::string region_named(const DeckCard& card, const std::string& name) {
    if (const Region* region = region_of(name)) return region->name;
    const bool is_number = !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); });
    note(card, is_number ? fmt::format("it names the number {}; put it into a set", name)
                         : fmt::format("the mesh has no set or surface '{}'", name));
    return "";
  }

  const Region* region_of(const std::string& name) const {
    for (const Region& region : mesh_->regions())
      if (upper_word(region.name) == upper_word(name)) return &region;
    return nullptr;
  }

  // First and last unknown of a line of *BOUNDARY, by number or by the name of a kind of support.
  std::vector<int> unknowns_of(const DeckCard& card, std::size_t line) const {
    static const std::map<std::string, std::vector<int>> kinds{{"ENCASTRE", {1, 2, 3, 4, 5, 6}},
                                                               {"PINNED", {1, 2, 3}},
                                                               {"XSYMM", {1, 5, 6}},
                                                               {"YSYMM", {2, 4, 6}},
                                                               {"ZSYMM", {3, 4, 5}}};
    if (const auto kind = kinds.find(upper_word(card.text(line, 1))); kind != kinds.end()) return kind->second;
    const int first = static_cast<int>(card.number(line, 1));
    const int last = card.text(line, 2).empty() ? first : static_cast<int>(card.number(line, 2));
    std::vector<int> list;
    for (int i = first; i <= last; ++i) list.push_back(i);
    return list;
  }

  void boundary(const DeckCard& card) {
    std::map<std::string, std::map<int, double>> by_region;
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string region = region_named(card, card.text(line, 0));
      if (region.empty()) continue;
      for (const int unknown : unknowns_of(card, line)) by_region[region][unknown] = card.number(line, 3);
    }
    for (const auto& [region, values] : by_region) add_support(card, region, values);
    if (steps_.size() > 1) note(card, "supports of this step are in all of the case");
  }

  void add_support(const DeckCard& card, const std::string& region, const std::map<int, double>& values) {
    static constexpr std::array names{"x", "y", "z", "rx", "ry", "rz"};
    const bool frame = physics_ == Physics::frame;
    DeckTable table{physics_ == Physics::heat ? "temperature" : frame ? "support" : "displacement", false, {}};
    table.lines.push_back("region = " + toml_text(region));
    for (const auto& [unknown, value] : values) {
      if (physics_ == Physics::heat && unknown == 11) table.lines.push_back("value = " + toml_number(value));
      if (physics_ == Physics::heat || unknown < 1 || unknown > (frame ? 6 : dimension_)) continue;
      table.lines.push_back(fmt::format("{} = {}", names[static_cast<std::size_t>(unknown - 1)], toml_number(value)));
    }
    if (table.lines.size() > 1) supports_.push_back(table);
    else note(card, fmt::format("nothing of it moves or heats '{}'", region));
  }

  void step(const DeckCard& card) {
    if (!steps_.empty() && !steps_.back().loads.empty()) steps_.push_back({"", 0, steps_.back().loads});
    else steps_.push_back({});
    if (card.parameters.contains("NLGEOM") && upper_word(card.parameter("NLGEOM")) != "NO")
      note(card, "NLGEOM: displacements are taken as small");
  }

  void procedure(const DeckCard& card) {
    if (card.keyword == "FREQUENCY") modal_ = std::max(1, static_cast<int>(card.number(0, 0)));
    if (card.keyword == "HEAT TRANSFER" && !card.parameters.contains("STEADY STATE") && !card.data.empty())
      note(card, fmt::format("it evolves in time to {}: the case is steady; [time] would follow it (docs/time.md)",
                             card.number(0, 1)));
  }

  // OP=NEW removes the loads of one kind that earlier steps gave.
  static std::string family_of(const std::string& keyword) {
    if (keyword == "DLOAD" || keyword == "DSLOAD") return "DLOAD";
    if (keyword == "DFLUX" || keyword == "DSFLUX") return "DFLUX";
    return keyword;
  }

  // A table of the region has the loads of its kind: `given` says which values the card has; empty: all.
  void add_load(const DeckCard& card, DeckLoad load, const std::vector<bool>& given = {}) {
    if (steps_.empty()) steps_.push_back({});
    const std::size_t now = steps_.size();
    std::vector<DeckLoad>& loads = steps_.back().loads;
    load.family = family_of(card.keyword);
    load.steps.assign(load.values.size(), 0);
    const auto is_given = [&](std::size_t i) { return given.empty() || given[i]; };
    for (std::size_t i = 0; i < load.values.size(); ++i)
      if (is_given(i)) load.steps[i] = now;
    if (upper_word(card.parameter("OP")) == "NEW")
      std::erase_if(loads, [&](const DeckLoad& other) {
        return other.family == load.family && std::ranges::count(other.steps, now) == 0;
      });
    note_overlap(card, load, loads);
    const auto same = std::ranges::find_if(
        loads, [&](const DeckLoad& other) { return other.table == load.table && other.region == load.region; });
    if (same == loads.end()) return loads.push_back(std::move(load));
    if (!load.others.empty() && same->others != load.others && std::ranges::count(same->steps, now) > 0)
      note(card, fmt::format("a second [[{}]] of '{}' in this step: it was taken in place of the first", load.table,
                             load.region));
    same->others = load.others;
    for (std::size_t i = 0; i < load.values.size(); ++i) {
      if (!is_given(i)) continue;
      same->values[i] =
          same->steps[i] == now && load.others.empty() ? same->values[i] + load.values[i] : load.values[i];
      same->steps[i] = now;
    }
  }

  // A node of two regions: the deck replaces the force of an earlier step there, and the case adds.
  void note_overlap(const DeckCard& card, const DeckLoad& load, const std::vector<DeckLoad>& loads) {
    if (load.table != "force") return;
    const std::vector<Node> nodes = nodes_in(*mesh_, *region_of(load.region));
    for (const DeckLoad& other : loads) {
      if (other.table != "force" || other.region == load.region) continue;
      bool replaces = false;
      for (std::size_t i = 0; i < load.values.size(); ++i)
        replaces = replaces || (load.steps[i] > 0 && other.values[i] != 0 && other.steps[i] < load.steps[i]);
      std::vector<Node> both;
      std::ranges::set_intersection(nodes, nodes_in(*mesh_, *region_of(other.region)), std::back_inserter(both));
      if (replaces && !both.empty())
        note(card,
             fmt::format("{} nodes of '{}' have a force of an earlier step as nodes of '{}': it is replaced in the "
                         "deck, and added here",
                         both.size(), load.region, other.region));
    }
  }

  void nodal_load(const DeckCard& card) {
    std::map<std::string, std::array<double, 6>> forces;
    std::map<std::string, std::vector<bool>> given;
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string region = region_named(card, card.text(line, 0));
      const int unknown = static_cast<int>(card.number(line, 1));
      if (region.empty() || unknown < 1 || unknown > 6) continue;
      forces[region][static_cast<std::size_t>(unknown - 1)] += card.number(line, 2);
      given[region].resize(6);
      given[region][static_cast<std::size_t>(unknown - 1)] = true;
    }
    for (const auto& [region, f] : forces) {
      const bool at_nodes = dimension_ == 3 && region_of(region)->kind == RegionKind::nodes;
      if (physics_ == Physics::frame || (physics_ == Physics::solid && at_nodes)) {
        add_load(card, {"force", region, {f.begin(), f.end()}}, given[region]);
        continue;
      }
      const auto nodes = static_cast<double>(nodes_in(*mesh_, *region_of(region)).size());
      note(card, fmt::format("forces on the nodes of '{}', in total ({}, {}, {}): give them on a surface", region,
                             nodes * f[0], nodes * f[1], nodes * f[2]));
    }
  }

  std::vector<double> vector_of(double size, const DeckCard& card, std::size_t line) const {
    const double x = card.number(line, 3), y = card.number(line, 4), z = card.number(line, 5);
    const double length = std::hypot(x, y, z);
    std::vector<double> v{size * x / length, size * y / length, size * z / length};
    v.resize(static_cast<std::size_t>(dimension_));
    return v;
  }

  void distributed_load(const DeckCard& card) {
    std::set<std::string> by_face;
    std::map<std::vector<double>, std::vector<std::string>> weights;  // [acceleration] regions
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string kind = upper_word(card.text(line, 1));
      if (kind == "GRAV") {
        if (const std::string region = region_named(card, card.text(line, 0)); !region.empty())
          weights[vector_of(card.number(line, 2), card, line)].push_back(region);
      } else if (kind == "P" && physics_ == Physics::frame) {
        if (const std::string region = region_named(card, card.text(line, 0)); !region.empty())
          add_load(card, {"pressure", region, {-card.number(line, 2)}});
      } else if (kind == "CENTRIF") {
        note(card, "CENTRIF: give it as [[body_force]] with formulas of the position");
      } else by_face.insert(kind);
    }
    for (const auto& [acceleration, regions] : weights) add_weight(card, acceleration, regions);
    for (const std::string& kind : by_face)
      note(card, fmt::format("loads '{}' on faces of elements: put the faces into a *SURFACE, TYPE=ELEMENT, and use "
                             "*DSLOAD",
                             kind));
  }

  // [gravity] is that of all cells; a part of them has a force per volume, where its density is known.
  void add_weight(const DeckCard& card, const std::vector<double>& acceleration,
                  const std::vector<std::string>& regions) {
    std::set<Index> cells;
    for (const std::string& region : regions)
      cells.insert(region_of(region)->cells.begin(), region_of(region)->cells.end());
    if (static_cast<Index>(cells.size()) == mesh_->cell_count()) return add_load(card, {"gravity", "", acceleration});
    for (const std::string& region : regions) {
      const double density = density_of(region);
      std::vector<double> force = acceleration;
      for (double& each : force) each *= density;
      if (physics_ == Physics::solid && density > 0) add_load(card, {"body_force", region, force});
      else
        note(card,
             fmt::format("GRAV of '{}', a part of the cells, with the acceleration [{}]: [gravity] is that of all",
                         region, fmt::join(acceleration, ", ")));
    }
  }

  // Density of the section of this region; 0: none.
  double density_of(const std::string& region) const {
    for (const DeckSection& section : sections_)
      for (const DeckMaterial& material : materials_)
        if (section.region == region && upper_word(material.name) == upper_word(section.material))
          if (const auto found = material.numbers.find("density"); found != material.numbers.end())
            return found->second;
    return 0;
  }

  void surface_load(const DeckCard& card) {
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string region = region_named(card, card.text(line, 0)), kind = upper_word(card.text(line, 1));
      if (region.empty()) continue;
      if (kind == "P") add_load(card, {"pressure", region, {card.number(line, 2)}});
      else if (kind == "TRVEC") add_load(card, {"traction", region, vector_of(card.number(line, 2), card, line)});
      else note(card, fmt::format("loads '{}' on surfaces are not read", kind));
    }
  }

  void heat_load(const DeckCard& card) {
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string region = region_named(card, card.text(line, 0));
      const std::string kind = upper_word(card.text(line, 1));
      if (region.empty()) continue;
      const double a = card.number(line, 2), b = card.number(line, 3);
      const std::string ambient = fmt::format("ambient = {}", a);
      if (card.keyword == "SFILM") add_load(card, {"convection", region, {b}, {ambient}});
      else if (card.keyword == "SRADIATE") add_load(card, {"radiation", region, {b}, {ambient}});
      else if (card.keyword == "DSFLUX") add_load(card, {"flux", region, {a}});
      else if (kind == "BF") add_load(card, {"source", region, {a}});
      else note(card, fmt::format("loads '{}' on faces of elements: use *SURFACE and *DSFLUX", kind));
    }
  }

  DeckTable table_of(const DeckLoad& load) const {
    DeckTable t{load.table, load.region.empty(), {}};
    if (!t.single) t.lines.push_back("region = " + toml_text(load.region));
    std::vector<double> v = load.values;
    if (load.table == "force") {
      const bool frame = physics_ == Physics::frame;
      const auto nodes = static_cast<double>(nodes_in(*mesh_, *region_of(load.region)).size());
      for (double& each : v) each *= frame ? nodes : 1;
      t.lines.push_back(fmt::format("value = [{}, {}, {}]{}", v[0], v[1], v[2], frame ? "  # in total" : ""));
      if (!frame) t.lines.emplace_back("each = true");
      else if (v[3] != 0 || v[4] != 0 || v[5] != 0)
        t.lines.push_back(fmt::format("moment = [{}, {}, {}]", v[3], v[4], v[5]));
      return t;
    }
    const char* key = load.table == "gravity"      ? "acceleration"
                      : load.table == "convection" ? "coefficient"
                      : load.table == "radiation"  ? "emissivity"
                                                   : "value";
    const bool is_vector = load.table == "gravity" || load.table == "traction" || load.table == "body_force";
    t.lines.push_back(is_vector ? fmt::format("{} = [{}]", key, fmt::join(v, ", "))
                                : fmt::format("{} = {}", key, toml_number(v[0])));
    t.lines.insert(t.lines.end(), load.others.begin(), load.others.end());
    return t;
  }

  std::string model_text() const {
    if (dimension_ != 2 || plane_.empty()) return "";
    std::string text = fmt::format("\n[model]\ntype = {}\n", toml_text(plane_));
    if (thickness_ > 0 && plane_ == "plane_stress") text += fmt::format("thickness = {}\n", thickness_);
    return text;
  }

  std::string section_text(const DeckSection& section) const {
    const bool solid = section.keyword == "SOLID SECTION";
    std::string text = fmt::format("\n[[{}]]\nregion = {}", solid ? "material" : "section", toml_text(section.region));
    text += section.material.empty() ? "\n" : fmt::format("   # {}\n", section.material);
    const DeckCard& card = section.card;
    if (section.keyword == "SHELL SECTION")
      text += fmt::format("element = \"shell\"\nthickness = {}\n", card.number(0, 0));
    if (section.keyword == "BEAM SECTION") text += beam_text(card);
    for (const DeckMaterial& each : materials_)
      if (upper_word(each.name) == upper_word(section.material))
        for (const auto& [key, value] : each.numbers)
          if (belongs(key)) text += fmt::format("{} = {}\n", key, toml_number(value));
    return text;
  }

  bool belongs(const std::string& key) const {
    const bool of_heat = key == "conductivity" || key == "specific_heat";
    return key == "density" ? physics_ != Physics::heat || modal_ > 0
                            : of_heat == (physics_ == Physics::heat) && key != "specific_heat";
  }

  // The local direction 1 of the deck is Ritz's local y.
  static std::string beam_text(const DeckCard& card) {
    const std::string shape = upper_word(card.parameter("SECTION"));
    std::string text = "element = \"beam\"\n";
    if (shape == "RECT")
      text += fmt::format("profile = \"rectangle\"\nheight = {}\nwidth = {}\n", card.number(0, 0), card.number(0, 1));
    else if (shape == "CIRC") text += fmt::format("profile = \"circle\"\ndiameter = {}\n", 2 * card.number(0, 0));
    else if (shape == "PIPE")
      text += fmt::format("profile = \"tube\"\ndiameter = {}\nwall = {}\n", 2 * card.number(0, 0), card.number(0, 1));
    else text += fmt::format("# SECTION={}: give its profile, docs/structures.md\n", shape);
    if (!card.text(1, 0).empty())
      text += fmt::format("orientation = [{}, {}, {}]\n", card.number(1, 0), card.number(1, 1), card.number(1, 2));
    return text;
  }

  static std::string table_text(const DeckTable& table, const std::string& inside) {
    std::string text =
        fmt::format(table.single ? fmt::runtime("\n[{}{}]\n") : fmt::runtime("\n[[{}{}]]\n"), inside, table.table);
    for (const std::string& line : table.lines) text += line + "\n";
    return text;
  }

  std::string steps_text() const {
    std::vector<const DeckStep*> loaded;
    for (const DeckStep& each : steps_)
      if (!each.loads.empty()) loaded.push_back(&each);
    std::string text;
    for (std::size_t i = 0; i < loaded.size() && modal_ == 0; ++i) {
      if (loaded.size() > 1) text += fmt::format("\n[[load_case]]\nname = \"step {}\"\n", i + 1);
      for (const DeckLoad& load : loaded[i]->loads)
        text += table_text(table_of(load), loaded.size() > 1 ? "load_case." : "");
    }
    return text;
  }

  std::string probes_text() const {
    if (modal_ > 0 || sections_.empty()) return "";
    const std::string field = physics_ == Physics::heat ? "temperature" : "displacement";
    return fmt::format("\n[[probe]]\nname = \"largest_{0}\"\nfield = \"{0}\"\n{1}region = {2}\nmeasure = \"max\"\n",
                       field, physics_ == Physics::heat ? "" : "component = \"magnitude\"\n",
                       toml_text(sections_.front().region));
  }

  std::string path_;
  std::vector<DeckCard> cards_;
  std::optional<Mesh> mesh_;
  Physics physics_ = Physics::solid;
  int dimension_ = 3, modal_ = 0;
  double thickness_ = 0;
  std::string plane_;
  std::vector<DeckMaterial> materials_;
  std::vector<DeckSection> sections_;
  std::vector<DeckTable> supports_;
  std::vector<DeckStep> steps_;
  std::vector<std::string> notes_;
};

}  // namespace

std::string case_from(const CaseFrom& question) {
  namespace fs = std::filesystem;
  const DeckTranslation deck(question.deck);
  if (question.to.empty()) return deck.text(question.deck);
  if (fs::exists(question.to) && !question.overwrite)
    throw Error(Exit::output, fmt::format("'{}' exists already", question.to), "files are not overwritten unless asked",
                "choose another name, or add --force");
  const fs::path folder = fs::absolute(question.to).parent_path();
  write_file(question.to, deck.text(fs::proximate(fs::absolute(question.deck), folder).string()));
  return fmt::format("{}: a case for {}, from {}{}\n", question.to, deck.program(), question.deck,
                     deck.note_count() > 0
                         ? fmt::format("; {} lines of the deck are not in it, named at its end", deck.note_count())
                         : "");
}

}  // namespace ritz
