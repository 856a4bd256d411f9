#include "apps/ritz/deck_reader.hpp"

#include "apps/ritz/deck_keywords.hpp"
#include "apps/ritz/deck_materials.hpp"
#include "apps/ritz/deck_numbers.hpp"
#include "apps/ritz/deck_sections.hpp"
#include "apps/ritz/deck_supports.hpp"
#include "io/decks/deck_cards.hpp"
#include "io/files/atomic_file.hpp"
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
#include <ranges>
#include <utility>

#include <unistd.h>

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

std::vector<double> unit_vector(std::vector<double> v) {
  double square = 0;
  for (const double each : v) square += each * each;
  for (double& each : v) each /= std::sqrt(square);
  return v;
}

const char* noun(RegionKind kind) {
  return kind == RegionKind::cells ? "elements" : kind == RegionKind::facets ? "faces" : "nodes";
}

class DeckReader {
 public:
  explicit DeckReader(const std::string& path) {
    model_.cards = read_cards(path);
    for (const DeckCard& card : model_.cards) survey(card);
    if (has_trusses_ && !has_others_) model_.physics = DeckPhysics::frame;
    by_number_ = std::make_unique<const DeckNumbers>(model_.cards);
    model_.by_number = !by_number_->empty();
    model_.regions = std::make_unique<const DeckRegions>(read_mesh(path), model_.cards);
  }

  DeckModel read() {
    for (const DeckCard& card : model_.cards) take(card);
    end_supports();
    if (const std::vector<std::string> conflicts = conflicts_of(model_.supports, regions().mesh()); !conflicts.empty())
      for (const std::string& conflict : conflicts) lack(*last_boundary_, conflict);
    check_sections();
    check_temperatures();
    check_steps();
    std::ranges::sort(model_.gaps, {}, [](const DeckGap& gap) { return std::pair(gap.file, gap.line); });
    return std::move(model_);
  }

 private:
  // With the sets of what cards name by number.
  MeshData read_mesh(const std::string& path) const {
    if (by_number_->empty()) return read_mesh_data(path, nullptr, is_frame());
    namespace fs = std::filesystem;
    const std::string with_sets = (fs::temp_directory_path() / fmt::format("ritz-{}.inp", ::getpid())).string();
    write_named_file(with_sets, by_number_->text(fs::absolute(path).string()));
    MeshData mesh;
    try {
      mesh = read_mesh_data(with_sets, nullptr, is_frame());
    } catch (...) {
      fs::remove(with_sets);
      throw;
    }
    fs::remove(with_sets);
    mesh.source = path;
    return mesh;
  }

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
        {"MATERIAL", &DeckReader::material},
        {"ELASTIC", &DeckReader::property},
        {"DENSITY", &DeckReader::property},
        {"CONDUCTIVITY", &DeckReader::property},
        {"SPECIFIC HEAT", &DeckReader::property},
        {"SOLID SECTION", &DeckReader::section},
        {"SHELL SECTION", &DeckReader::section},
        {"BEAM SECTION", &DeckReader::section},
        {"BOUNDARY", &DeckReader::boundary},
        {"STEP", &DeckReader::step},
        {"FREQUENCY", &DeckReader::frequency},
        {"STATIC", &DeckReader::static_step},
        {"HEAT TRANSFER", &DeckReader::heat_step},
        {"CLOAD", &DeckReader::nodal_load},
        {"DLOAD", &DeckReader::distributed_load},
        {"DSLOAD", &DeckReader::surface_load},
        {"DFLUX", &DeckReader::heat_load},
        {"DSFLUX", &DeckReader::heat_load},
        {"SFILM", &DeckReader::heat_load},
        {"SRADIATE", &DeckReader::heat_load},
        {"FOUNDATION", &DeckReader::foundation},
        {"SPRING", &DeckReader::springs},
        {"EXPANSION", &DeckReader::property},
        {"ORIENTATION", &DeckReader::orientation},
        {"ELEMENT", &DeckReader::elements},
        {"INITIAL CONDITIONS", &DeckReader::initial_conditions},
        {"TEMPERATURE", &DeckReader::temperature},
        {"PHYSICAL CONSTANTS", &DeckReader::constants},
        {"FILM", &DeckReader::heat_load},
        {"RADIATE", &DeckReader::heat_load},
        {"PLASTIC", &DeckReader::law},
        {"HYPERELASTIC", &DeckReader::law},
    };
    if (const std::string unknown = unknown_parameters(card); !unknown.empty())
      lack(card, fmt::format("its parameter {} is not translated", unknown));
    numbers_.clear();
    if (const auto reader = readers.find(card.keyword); reader != readers.end()) (this->*reader->second)(card);
    else if (!is_harmless(card.keyword)) lack(card, reason_without(card.keyword));
    if (!numbers_.empty())
      lack(card, fmt::format("it names {} node{} or element{} by number ({}{}): put them into a set", numbers_.size(),
                             numbers_.size() > 1 ? "s" : "", numbers_.size() > 1 ? "s" : "",
                             fmt::join(numbers_ | std::views::take(3), ", "), numbers_.size() > 3 ? ", ..." : ""));
  }

  void elements(const DeckCard& card) {
    if (const std::string why = reason_against(upper(card.parameter("TYPE")), model_.physics); !why.empty())
      lack(card, why);
  }

  void static_step(const DeckCard& card) {
    if (is_heat()) lack(card, "a step of statics next to steps of heat: a case has one of them");
  }

  void material(const DeckCard& card) { model_.materials.push_back({card.parameter("NAME"), {}}); }

  // Whether this physics has the numbers of the card.
  bool counts(const DeckCard& card) const {
    const bool thermal = card.keyword == "CONDUCTIVITY" || card.keyword == "SPECIFIC HEAT";
    return card.keyword == "DENSITY" ? !is_heat() : thermal == is_heat();
  }

  void property(const DeckCard& card) {
    if (model_.materials.empty()) return lack(card, "it belongs to no *MATERIAL");
    if (card.keyword == "EXPANSION") return model_.materials.back().expansions.push_back(&card);
    const std::string type = upper(card.parameter("TYPE"));
    if (!type.empty() && type != "ISO" && type != "ISOTROPIC") return directed_property(card);
    static const std::map<std::string, std::vector<const char*>> keys{{"ELASTIC", {"young", "poisson"}},
                                                                      {"DENSITY", {"density"}},
                                                                      {"CONDUCTIVITY", {"conductivity"}},
                                                                      {"SPECIFIC HEAT", {"specific_heat"}}};
    const std::vector<const char*>& names = keys.at(card.keyword);
    for (std::size_t i = 0; i < names.size(); ++i) model_.materials.back().numbers[names[i]] = card.number(0, i);
    for (std::size_t line = 1; line < card.data.size() && counts(card); ++line)
      for (std::size_t i = 0; i < names.size(); ++i)
        if (card.number(line, i) != card.number(0, i))
          return lack(card,
                      "its values depend on the temperature, and those of its first row alone are translated: "
                      "write a [[table]] (docs/thermal.md)");
  }

  void law(const DeckCard& card) {
    if (model_.materials.empty()) return lack(card, "it belongs to no *MATERIAL");
    if (is_heat()) return;
    if (is_frame()) return lack(card, "beams and shells of Ritz are linear elastic");
    const DeckLaw law = law_of(card);
    if (!law.lack.empty()) return lack(card, law.lack);
    model_.materials.back().law = law.lines;
  }

  bool is_nonlinear() const {
    return model_.large ||
           std::ranges::any_of(model_.materials, [](const DeckMaterial& each) { return !each.law.empty(); });
  }

  void directed_property(const DeckCard& card) {
    const std::optional<DirectedNumbers> directed = directed_numbers(card);
    if (!directed)
      return lack(card, fmt::format("its numbers of TYPE={} are not translated: docs/thermal.md has materials with "
                                    "directions",
                                    upper(card.parameter("TYPE"))));
    if (directed->varies)
      lack(card, "its values depend on the temperature, and those of its first row alone are translated");
    model_.materials.back().directed[card.keyword] = directed->lines;
  }

  // Those that are not translated are reported where a material needs them.
  void orientation(const DeckCard& card) {
    if (const std::vector<std::string> lines = orientation_lines(card); !lines.empty() && model_.dimension() == 3)
      model_.orientations[upper(card.parameter("NAME"))] = lines;
  }

  const DeckMaterial* material_of(const DeckSection& section) const {
    const auto found = std::ranges::find_if(
        model_.materials, [&](const DeckMaterial& each) { return upper(each.name) == upper(section.material); });
    return found != model_.materials.end() ? &*found : nullptr;
  }

  // Materials that the deck lacks, and directions that the case lacks.
  void check_sections() {
    const std::string needed = is_heat() ? "CONDUCTIVITY" : "ELASTIC", key = is_heat() ? "conductivity" : "young";
    for (const DeckSection& section : model_.sections) {
      const DeckMaterial* material = material_of(section);
      const bool directed = material != nullptr && material->directed.contains(needed);
      if (material == nullptr) lack(*section.card, fmt::format("the deck has no material '{}'", section.material));
      else if (directed && !section.solid)
        lack(*section.card, fmt::format("the material '{}' has directions, which shells and beams of Ritz do not have",
                                        material->name));
      else if (directed && !section.orientation.empty() && !model_.orientations.contains(upper(section.orientation)))
        lack(*section.card,
             fmt::format("the material of '{}' would lie along x, y, z: the axes of *ORIENTATION '{}' are not "
                         "translated; write an [[orientation]] (docs/thermal.md)",
                         section.region->name, section.orientation));
      else if (!directed && !material->numbers.contains(key) && material->law.empty())
        lack(*section.card, fmt::format("the material '{}' has no *{} that is translated", material->name, needed));
    }
  }

  void initial_conditions(const DeckCard& card) {
    if (upper(card.parameter("TYPE")) == "TEMPERATURE") return initial_temperatures_.push_back(&card);
    lack(card, fmt::format("states at the begin of TYPE={} are not translated", upper(card.parameter("TYPE"))));
  }

  void temperature(const DeckCard& card) { temperatures_.push_back(&card); }

  // Temperatures act where something expands; else they change nothing, as constants over them are not translated.
  void check_temperatures() {
    if (is_heat() || model_.modes > 0 || temperatures_.empty()) return;
    std::vector<const DeckCard*> expansions;
    for (const DeckSection& section : model_.sections)
      if (const DeckMaterial* material = material_of(section); material != nullptr)
        expansions.insert(expansions.end(), material->expansions.begin(), material->expansions.end());
    if (expansions.empty()) return;
    for (const DeckCard* card : temperatures_)
      lack(*card,
           "write a [thermal] with this temperature, and 'reference' from *INITIAL CONDITIONS (docs/thermal.md)");
    for (const DeckCard* card : initial_temperatures_)
      lack(*card, "at this temperature the body is free of thermal strain: write it as 'reference' of [thermal]");
    for (const DeckCard* card : expansions)
      lack(*card, card->data.size() > 1
                      ? "write a [[table]] of its rows, expansion = \"NAME(T)\" and expansion_zero = " +
                            (card->parameter("ZERO").empty() ? "0" : card->parameter("ZERO")) +
                            " into the material (docs/thermal.md)"
                      : fmt::format("write expansion = {} into the material (docs/thermal.md)", card->number(0, 0)));
  }

  void constants(const DeckCard& card) {
    const bool radiates =
        std::ranges::any_of(model_.cards, [](const DeckCard& each) { return each.keyword.ends_with("RADIATE"); });
    if (is_heat() && radiates) lack(card, "write [model] absolute_zero and stefan_boltzmann (docs/heat.md)");
  }

  // Faces of elements, which are no region of the mesh.
  void foundation(const DeckCard& card) {
    for (std::size_t line = 0; line < card.data.size(); ++line)
      lack(card,
           fmt::format("elastic ground under the faces '{}' of '{}': write a [[foundation]] with stiffness = {} on "
                       "a region of these facets (docs/joining.md)",
                       card.text(line, 1), card.text(line, 0), card.number(line, 2)));
  }

  // The first line has the unknowns, one for each end; an axial spring has none.
  void springs(const DeckCard& card) {
    if (card.data.empty()) return lack(card, "it has no stiffness");
    const std::size_t last = card.data.size() - 1;
    const std::string elements = card.parameter("ELSET"), stiffness = fmt::format("{}", card.number(last, 0));
    const int unknown = last > 0 ? unknown_in(card.number(0, 0)) : 0;
    if (unknown >= 1 && unknown <= 3 && card.text(0, 1).empty()) {
      std::vector<std::string> along(3, "0");
      along[static_cast<std::size_t>(unknown - 1)] = stiffness;
      return lack(card,
                  fmt::format("springs '{}' to the ground: write a [[spring]] with stiffness = [{}], each = true on "
                              "a region of their nodes (docs/joining.md)",
                              elements, fmt::join(along, ", ")));
    }
    lack(card, fmt::format("springs '{}' between nodes, {} each: ritz-structure has springs as sections "
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
        lack(card, fmt::format("{}={} of '{}': nodes are taken in the middle; {}", name, value, region->name,
                               card.keyword == "SHELL SECTION"
                                   ? "shells with an offset are not in Ritz: place their nodes there"
                                   : "give [[section]] an offset (docs/structures.md)"));
    const std::set<CellKind> kinds = regions().cell_kinds(*region);
    if (card.keyword == "SOLID SECTION" && is_frame() && kinds == std::set{CellKind::line2})
      return model_.sections.push_back({false, region, card.parameter("MATERIAL"), bar_lines(card), {}, true, &card});
    if (card.keyword == "SOLID SECTION" && is_frame())
      return lack(card,
                  fmt::format("section of '{}': solids next to shells and beams are not in Ritz yet", region->name));
    if (card.keyword == "SOLID SECTION") return solid_section(card, *region);
    if (const std::string why = lacks_element(card, kinds); !why.empty())
      return lack(card, fmt::format("section of '{}': {}", region->name, why));
    if (card.keyword == "BEAM SECTION") {
      model_.sections.push_back({false, region, card.parameter("MATERIAL"), beam_lines(card), {}, false, &card});
      if (const std::string doubt = doubtful_size(card); !doubt.empty()) lack(card, doubt);
    } else if (const std::optional<DeckShell> shell = shell_of(card)) {
      model_.sections.push_back({false, region, shell->material, shell_lines(*shell, kinds), {}, false, &card});
    } else {
      lack(card, fmt::format("section of '{}': layers of several materials or along axes are not in Ritz: write a "
                             "[[section]] with one thickness and material (docs/structures.md)",
                             region->name));
    }
  }

  void solid_section(const DeckCard& card, const Region& region) {
    model_.sections.push_back(
        {true, &region, card.parameter("MATERIAL"), {}, upper(card.parameter("ORIENTATION")), false, &card});
    const double thickness = card.number(0, 0);
    if (model_.dimension() != 2 || thickness <= 0) return;
    if (model_.thickness > 0 && thickness != model_.thickness)
      lack(card, fmt::format("thickness {} of '{}': [model] has one for the whole plane, and {} was taken", thickness,
                             region.name, model_.thickness));
    else model_.thickness = thickness;
  }

  void boundary(const DeckCard& card) {
    last_boundary_ = &card;
    const std::string type = upper(card.parameter("TYPE"));
    if (!type.empty() && type != "DISPLACEMENT")
      return lack(card, fmt::format("TYPE={}: a case prescribes displacements and temperatures", type));
    if (steps_.has_begun() && steps_.is_first("BOUNDARY")) {
      first_boundary_ = &card;
      if (upper(card.parameter("OP")) == "NEW") model_.supports.clear();
    }
    for (std::size_t line = 0; line < card.data.size(); ++line)
      if (const Region* region = node_set(card, line)) hold(card, line, *region);
  }

  void hold(const DeckCard& card, std::size_t line, const Region& region) {
    const int last = !is_frame() ? model_.dimension() : turns() ? 6 : 3;
    for (const int unknown : unknowns_of(card, line)) {
      double value = card.number(line, 3);
      if (is_heat() ? unknown != 11 : unknown < 1 || unknown > last) {
        // Nodes have no such unknown: rotations of solids, the third direction of a plane, displacements in heat.
        if (const bool displaces = unknown >= 1 && unknown <= 6; !displaces || (value != 0 && !is_heat()))
          lack(card, fmt::format("the unknown {} of '{}' is not one of this case", card.text(line, 1), region.name));
        continue;
      }
      if (model_.modes > 0 && value != 0) {
        note(card, fmt::format("'{}' moves by {}: modes vibrate about the state of rest, and 0 was taken", region.name,
                               value));
        value = 0;
      }
      hold_at(model_.supports, region, unknown, value);
    }
  }

  // A case has the same supports in all of its steps.
  void end_supports() {
    const auto by_region = [](const std::vector<DeckSupport>& supports) {
      std::map<const Region*, std::map<int, double>> map;
      for (const DeckSupport& support : supports) map[support.region] = support.values;
      return map;
    };
    const bool later = steps_.all().size() > 1;
    if (later && first_boundary_ != nullptr && by_region(model_.supports) != by_region(earlier_supports_)) {
      lack(*first_boundary_,
           "supports of this step are not those of the steps before: a case has the same in all steps");
      model_.supports = earlier_supports_;
    }
    earlier_supports_ = model_.supports;
    first_boundary_ = nullptr;
  }

  void step(const DeckCard& card) {
    end_supports();
    steps_.begin(card);
    steps_.now().perturbs = card.parameters.contains("PERTURBATION");
    if (is_heat() || !card.parameters.contains("NLGEOM") || upper(card.parameter("NLGEOM")) == "NO") return;
    if (is_frame()) return lack(card, "NLGEOM: beams and shells take displacements as small");
    model_.large = true;
  }

  void frequency(const DeckCard& card) {
    steps_.now().modal = true;
    if (is_heat()) lack(card, "modes next to steps of heat: a case has one of them");
    if (std::exchange(has_modes_, true)) lack(card, "a second step of modes: a case has one");
    if (card.text(0, 0).empty()) lack(card, "it gives no number of modes: write [modal] with a count or a band");
    if (!card.text(0, 1).empty() || !card.text(0, 2).empty())
      lack(card, "its limits of the frequency are not translated: write them into [modal] (docs/modal.md)");
  }

  void heat_step(const DeckCard& card) {
    if (card.parameters.contains("STEADY STATE")) return;
    const std::string end = card.data.empty() ? "" : fmt::format(" to {}", card.number(0, 1));
    lack(card, fmt::format("it evolves in time{}: the case is steady; [time] would follow it (docs/time.md)", end));
  }

  void check_steps() {
    for (const DeckStep* step : steps_.perturbed())
      note(*step->card, fmt::format("PERTURBATION: step {} keeps the loads of the steps before, as in CalculiX; in "
                                    "Abaqus it has its own alone: remove theirs from its [[load_case]]",
                                    step->number));
    if (model_.modes > 0) return check_modal_steps();
    std::vector<DeckStep> steps = steps_.all();
    for (std::size_t i = 1; i < steps.size() && is_nonlinear(); ++i)
      lack(*steps[i].card, "a further step of a nonlinear deck: write [[step]] (docs/steps.md)");
    for (DeckStep& step : steps) weigh(step);
    model_.loads = load_cases_of(steps);
    for (const DeckStepNote& each : model_.loads.left_out) lack(*each.card, each.what);
    for (const DeckStepNote& each : model_.loads.unloaded)
      if (moves()) lack(*each.card, each.what + ", although its supports move");
      else if (each.card != nullptr) note(*each.card, each.what);
  }

  bool moves() const {
    return std::ranges::any_of(model_.supports, [](const DeckSupport& support) {
      return std::ranges::any_of(support.values, [](const auto& held) { return held.second != 0; });
    });
  }

  void check_modal_steps() {
    for (const DeckStep& step : steps_.all())
      if (!step.modal && step.card != nullptr && !step.loads.empty())
        lack(*step.card, fmt::format("the loads of step {} are not in the case of the modes", step.number));
  }

  // Before the lines of a card: OP=NEW acts even where there are none.
  void open(const DeckCard& card) {
    if (card.parameters.contains("LOAD CASE") && card.parameter("LOAD CASE") != "1")
      lack(card, "its parameter LOAD CASE is not translated");
    if (card.parameters.contains("FOLLOWER") && upper(card.parameter("FOLLOWER")) != "NO")
      lack(card, "its parameter FOLLOWER is not translated");
    const bool is_first = steps_.is_first(family_of(card.keyword));
    if (upper(card.parameter("OP")) != "NEW") return;
    if (is_first) steps_.remove_earlier(family_of(card.keyword));
    else note(card, "OP=NEW: ignored, as in CalculiX, since another card of its kind comes before it in the step");
  }

  void add_load(const DeckCard& card, DeckLoad load, const std::vector<bool>& given = {}) {
    load.family = family_of(card.keyword);
    load.card = &card;
    // A node of two regions: the deck replaces the force of an earlier step there, and the case adds.
    if (load.table == "force")
      for (const auto& [other, nodes] : steps_.replaced(load, given, regions().mesh()))
        lack(card,
             fmt::format("{} nodes of '{}' have a force of an earlier step as nodes of '{}', which the deck replaces "
                         "and the case would add",
                         nodes, load.region->name, other));
    if (load.table == "gravity" && steps_.turns(load))
      note(card, "weight of an earlier step in another direction acts, too, as in CalculiX; Abaqus would replace it");
    if (const std::string other = steps_.covered(load); !other.empty())
      lack(card,
           fmt::format(
               "faces of '{}' have this load of an earlier step as faces of '{}', which the deck replaces and the "
               "case would add",
               load.region->name, other));
    const std::string what = fmt::format("[[{}]] of '{}'", load.table, load.region != nullptr ? load.region->name : "");
    if (!steps_.add(std::move(load), given))
      lack(card, fmt::format("a second {} in this step takes the place of the first", what));
  }

  void nodal_load(const DeckCard& card) {
    open(card);
    std::vector<const Region*> order;
    std::map<const Region*, std::array<double, 6>> forces;
    std::map<const Region*, std::vector<bool>> given;
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const Region* region = node_set(card, line);
      if (region == nullptr) continue;
      const int unknown = unknown_in(card.number(line, 1));
      if (unknown < 1 || unknown > (turns() ? 6 : 3)) {
        lack(card, fmt::format("load {} on the unknown {} of '{}': its nodes have no such unknown",
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
      lack(card, fmt::format("forces on the nodes of '{}', in total ({}, {}, {}): give them on a surface", region->name,
                             nodes * f[0], nodes * f[1], nodes * f[2]));
    }
  }

  // Size times the unit vector of fields 3 to 5; empty with a note without a direction.
  std::vector<double> vector_of(const DeckCard& card, std::size_t line) {
    const double size = card.number(line, 2);
    const double x = card.number(line, 3), y = card.number(line, 4), z = card.number(line, 5);
    const double length = std::hypot(x, y, z);
    if (!(length > 0)) {
      lack(card, fmt::format("load '{}' of '{}' has no direction", card.text(line, 1), card.text(line, 0)));
      return {};
    }
    std::vector<double> v{size * x / length, size * y / length, size * z / length};
    v.resize(static_cast<std::size_t>(model_.dimension()));
    return v;
  }

  void distributed_load(const DeckCard& card) {
    open(card);
    if (model_.large && std::ranges::any_of(card.data, [](const auto& line) {
          return line.size() > 1 && upper(line[1]).starts_with("P");
        }))
      lack(card, "NLGEOM: its pressure follows the surface, that of a case does not");
    std::set<std::string> unknown;
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string kind = upper(card.text(line, 1));
      if (kind == "GRAV") {
        if (const Region* region = region_named(card, card.text(line, 0), element_sets))
          if (std::vector<double> acceleration = vector_of(card, line); !acceleration.empty())
            add_load(
                card,
                {.table = "gravity", .region = region, .values = acceleration, .direction = unit_vector(acceleration)});
      } else if (kind == "P" && is_frame()) {
        if (const Region* region = region_named(card, card.text(line, 0), element_sets))
          add_load(card, {"pressure", region, {-card.number(line, 2)}});
      } else if (const std::string* faces = by_number_->set_for(card, line);
                 faces != nullptr && model_.physics == DeckPhysics::solid) {
        if (const Region* region = faces->empty() ? nullptr : region_named(card, *faces, surfaces))
          add_load(card, {"pressure", region, {card.number(line, 2)}});
      } else if (kind == "CENTRIF") {
        lack(card, "CENTRIF: give it as [[body_force]] with formulas of the position");
      } else unknown.insert(kind);
    }
    for (const std::string& kind : unknown) lack(card, fmt::format("loads '{}' are not translated", kind));
  }

  // Weights of one acceleration on all cells are [gravity]; others are forces per volume, which need a density.
  void weigh(DeckStep& step) {
    std::map<const Region*, DeckLoad> weights;
    for (const DeckLoad& load : step.loads) {
      if (load.table != "gravity") continue;
      const auto [at, is_new] = weights.try_emplace(load.region, load);
      for (std::size_t i = 0; !is_new && i < load.values.size(); ++i) at->second.values[i] += load.values[i];
    }
    if (weights.empty()) return;
    std::erase_if(step.loads, [](const DeckLoad& load) { return load.table == "gravity"; });
    const std::vector<double> first = weights.begin()->second.values;
    std::set<Index> cells;
    std::size_t count = 0;
    bool is_even = true;
    for (const auto& [region, weight] : weights) {
      cells.insert(region->cells.begin(), region->cells.end());
      count += region->cells.size();
      is_even = is_even && weight.values == first;
    }
    if (is_even && count == cells.size() && static_cast<Index>(count) == regions().mesh().cell_count())
      return step.loads.push_back({"gravity", nullptr, first});
    for (const auto& [region, weight] : weights) {
      const double density = density_of(*region);
      std::vector<double> force = weight.values;
      for (double& each : force) each *= density;
      if (model_.physics == DeckPhysics::solid && density > 0) step.loads.push_back({"body_force", region, force});
      else
        lack(*weight.card,
             fmt::format("GRAV of '{}', a part of the cells, with the acceleration [{}]: [gravity] is that of all",
                         region->name, fmt::join(weight.values, ", ")));
    }
  }

  // Density of all cells of this region; 0: it has none, or several.
  double density_of(const Region& region) const {
    std::set<double> densities;
    const std::set<Index> cells(region.cells.begin(), region.cells.end());
    std::size_t count = 0;
    for (const DeckSection& section : model_.sections) {
      const auto inside =
          std::ranges::count_if(section.region->cells, [&](Index cell) { return cells.contains(cell); });
      const DeckMaterial* material = material_of(section);
      if (inside == 0 || material == nullptr) continue;
      count += static_cast<std::size_t>(inside);
      const auto found = material->numbers.find("density");
      densities.insert(found != material->numbers.end() ? found->second : 0);
    }
    return densities.size() == 1 && count == cells.size() ? *densities.begin() : 0;
  }

  void surface_load(const DeckCard& card) {
    open(card);
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const Region* region = region_named(card, card.text(line, 0), is_frame() ? element_sets : surfaces);
      const std::string kind = upper(card.text(line, 1));
      if (region == nullptr) continue;
      if (kind == "P" && model_.large) lack(card, "NLGEOM: its pressure follows the surface, that of a case does not");
      else if (kind == "P") add_pressure(card, *region, card.number(line, 2));
      else if (kind != "TRVEC") lack(card, fmt::format("loads '{}' on surfaces are not read", kind));
      else if (const std::vector<double> v = vector_of(card, line); !v.empty())
        add_load(card, {is_frame() ? "surface_load" : "traction", region, v});
    }
  }

  // Into the surface; of shells, against the normal on the side SPOS and along it on SNEG.
  void add_pressure(const DeckCard& card, const Region& region, double value) {
    const int side = is_frame() ? regions().side_of(region) : 1;
    if (side == 0)
      return lack(card, fmt::format("pressure {} on '{}', which names no side of its shells or both: give SPOS or SNEG",
                                    value, region.name));
    add_load(card, {"pressure", &region, {side * value}});
  }

  void heat_load(const DeckCard& card) {
    open(card);
    for (std::size_t line = 0; line < card.data.size(); ++line) {
      const std::string kind = upper(card.text(line, 1));
      const std::string* faces = by_number_->set_for(card, line);
      if (faces != nullptr && faces->empty()) continue;
      const bool on_cells = card.keyword == "DFLUX" && kind == "BF";
      const bool of_surface = card.keyword == "DSFLUX" || card.keyword == "SFILM" || card.keyword == "SRADIATE";
      if (!on_cells && faces == nullptr && !(of_surface && kind.size() == 1)) {
        lack(card, fmt::format("loads '{}' are not translated", kind));
        continue;
      }
      const Region* region =
          region_named(card, faces != nullptr ? *faces : card.text(line, 0), on_cells ? element_sets : surfaces);
      if (region == nullptr) continue;
      const double a = card.number(line, 2), b = card.number(line, 3);
      const std::string ambient = fmt::format("ambient = {}", a);
      if (card.keyword.ends_with("FILM")) add_load(card, {"convection", region, {b}, {ambient}});
      else if (card.keyword.ends_with("RADIATE")) add_load(card, {"radiation", region, {b}, {ambient}});
      else add_load(card, {on_cells ? "source" : "flux", region, {a}});
    }
  }

  // Empty with a note where the mesh has none of these kinds.
  const Region* region_named(const DeckCard& card, const std::string& name, std::initializer_list<RegionKind> kinds) {
    if (const Region* region = regions().find(name, kinds)) return region;
    if (!name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); })) {
      if (std::ranges::find(numbers_, name) == numbers_.end()) numbers_.push_back(name);
      return nullptr;
    }
    const Region* other = regions().find(name, node_sets);
    lack(card, other != nullptr
                   ? fmt::format("'{}' is a set of {}, not of {}", name, noun(other->kind), noun(*kinds.begin()))
                   : fmt::format("the mesh has no set or surface '{}'", name));
    return nullptr;
  }

  const Region* node_set(const DeckCard& card, std::size_t line) {
    const std::string* by_number = by_number_->set_for(card, line);
    if (by_number != nullptr && by_number->empty()) return nullptr;  // a line before this one has its node
    const std::string name = by_number != nullptr ? *by_number : card.text(line, 0);
    const Region* region = region_named(card, name, node_sets);
    if (region == nullptr || is_turned(card, *region)) return nullptr;
    if (is_frame() || !regions().hidden_by_facets(*region)) return region;
    lack(card,
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
      lack(card, fmt::format("{} nodes of '{}' have axes of their own by *TRANSFORM (line {}): left out", both.size(),
                             region.name, transform->line));
      return true;
    }
    return false;
  }

  static std::string place_of(const DeckCard& card) {
    return fmt::format("{}:{}", std::filesystem::path(card.file).filename().string(), card.line);
  }

  // The card changes results and is not in the case.
  void lack(const DeckCard& card, const std::string& why) {
    DeckGap gap{card.file, card.line, "*" + card.keyword, why};
    if (std::ranges::find(model_.gaps, gap) == model_.gaps.end()) model_.gaps.push_back(std::move(gap));
  }

  void note(const DeckCard& card, const std::string& what) {
    model_.notes.push_back(fmt::format("*{} at {}: {}", card.keyword, place_of(card), what));
  }

  const DeckRegions& regions() const { return *model_.regions; }
  bool is_frame() const { return model_.physics == DeckPhysics::frame; }
  bool is_heat() const { return model_.physics == DeckPhysics::heat; }
  bool turns() const { return is_frame() && has_others_; }  // nodes of trusses have no rotations

  DeckModel model_;
  std::unique_ptr<const DeckNumbers> by_number_;
  DeckSteps steps_;
  std::vector<const DeckCard*> turned_;  // *TRANSFORM
  bool has_trusses_ = false, has_others_ = false;
  std::vector<const DeckCard*> temperatures_, initial_temperatures_;
  const DeckCard* last_boundary_ = nullptr;
  const DeckCard* first_boundary_ = nullptr;  // of the step
  std::vector<DeckSupport> earlier_supports_;
  std::vector<std::string> numbers_;  // of nodes and elements that the present card names
  bool has_modes_ = false;
};

}  // namespace

DeckModel read_deck_model(const std::string& path) { return DeckReader(path).read(); }

}  // namespace ritz
