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

struct DeckStep {
  std::string procedure;
  int modes = 0;
  std::vector<DeckTable> loads;
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
    if (card.keyword == "SOLID SECTION" && dimension_ == 2 && card.number(0, 0) > 0) thickness_ = card.number(0, 0);
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

  void add_load(const DeckCard& card, const std::string& table, const std::string& region,
                std::vector<std::string> lines, bool single = false) {
    if (steps_.empty()) steps_.push_back({});
    DeckTable load{table, single, {}};
    if (!single) load.lines.push_back("region = " + toml_text(region));
    load.lines.insert(load.lines.end(), lines.begin(), lines.end());
    std::vector<DeckTable>& loads = steps_.back().loads;
    if (upper_word(card.parameter("OP")) == "NEW" && opened_ != &card) loads.clear();
    opened_ = &card;
    std::erase_if(loads, [&](const DeckTable& other) {  // of an earlier step, which this line changes
      return other.table == load.table && other.lines.front() == load.lines.front() && table != "force";
    });
    loads.push_back(std::move(load));
  }

  void nodal_load(const DeckCard& card) {
    std::map<std::string, std::array<double, 6>> totals;
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string region = region_named(card, card.text(line, 0));
      const int unknown = static_cast<int>(card.number(line, 1));
      if (region.empty() || unknown < 1 || unknown > 6) continue;
      const auto nodes = static_cast<double>(nodes_in(*mesh_, *region_of(region)).size());
      totals[region][static_cast<std::size_t>(unknown - 1)] += nodes * card.number(line, 2);
    }
    for (const auto& [region, f] : totals) {
      const std::string force = fmt::format("value = [{}, {}, {}]", f[0], f[1], f[2]);
      if (physics_ == Physics::solid && dimension_ == 3 && region_of(region)->kind == RegionKind::nodes) {
        const auto nodes = static_cast<double>(region_of(region)->nodes.size());
        add_load(card, "force", region,
                 {fmt::format("value = [{}, {}, {}]", f[0] / nodes, f[1] / nodes, f[2] / nodes), "each = true"});
        continue;
      }
      if (physics_ != Physics::frame) {
        note(card, fmt::format("forces on the nodes of '{}', in total ({}, {}, {}): give them on a surface", region,
                               f[0], f[1], f[2]));
        continue;
      }
      std::vector<std::string> lines{force + "  # in total"};
      if (f[3] != 0 || f[4] != 0 || f[5] != 0) lines.push_back(fmt::format("moment = [{}, {}, {}]", f[3], f[4], f[5]));
      add_load(card, "force", region, lines);
    }
  }

  std::string vector_text(double size, const DeckCard& card, std::size_t line) const {
    const double x = card.number(line, 3), y = card.number(line, 4), z = card.number(line, 5);
    const double length = std::hypot(x, y, z);
    if (dimension_ == 2) return fmt::format("[{}, {}]", size * x / length, size * y / length);
    return fmt::format("[{}, {}, {}]", size * x / length, size * y / length, size * z / length);
  }

  void distributed_load(const DeckCard& card) {
    std::set<std::string> by_face;
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string kind = upper_word(card.text(line, 1));
      if (kind == "GRAV") {
        add_load(card, "gravity", "", {"acceleration = " + vector_text(card.number(line, 2), card, line)}, true);
      } else if (kind == "P" && physics_ == Physics::frame) {
        if (const std::string region = region_named(card, card.text(line, 0)); !region.empty())
          add_load(card, "pressure", region, {"value = " + toml_number(-card.number(line, 2))});
      } else if (kind == "CENTRIF") {
        note(card, "CENTRIF: give it as [[body_force]] with formulas of the position");
      } else by_face.insert(kind);
    }
    for (const std::string& kind : by_face)
      note(card, fmt::format("loads '{}' on faces of elements: put the faces into a *SURFACE, TYPE=ELEMENT, and use "
                             "*DSLOAD",
                             kind));
  }

  void surface_load(const DeckCard& card) {
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string region = region_named(card, card.text(line, 0)), kind = upper_word(card.text(line, 1));
      if (region.empty()) continue;
      if (kind == "P") add_load(card, "pressure", region, {"value = " + toml_number(card.number(line, 2))});
      else if (kind == "TRVEC")
        add_load(card, "traction", region, {"value = " + vector_text(card.number(line, 2), card, line)});
      else note(card, fmt::format("loads '{}' on surfaces are not read", kind));
    }
  }

  void heat_load(const DeckCard& card) {
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string region = region_named(card, card.text(line, 0));
      const std::string kind = upper_word(card.text(line, 1));
      if (region.empty()) continue;
      const double a = card.number(line, 2), b = card.number(line, 3);
      if (card.keyword == "SFILM")
        add_load(card, "convection", region, {fmt::format("coefficient = {}", b), fmt::format("ambient = {}", a)});
      else if (card.keyword == "SRADIATE")
        add_load(card, "radiation", region, {fmt::format("emissivity = {}", b), fmt::format("ambient = {}", a)});
      else if (card.keyword == "DSFLUX") add_load(card, "flux", region, {fmt::format("value = {}", a)});
      else if (kind == "BF") add_load(card, "source", region, {fmt::format("value = {}", a)});
      else note(card, fmt::format("loads '{}' on faces of elements: use *SURFACE and *DSFLUX", kind));
    }
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
      for (const DeckTable& load : loaded[i]->loads) text += table_text(load, loaded.size() > 1 ? "load_case." : "");
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
  const DeckCard* opened_ = nullptr;
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
