#include "apps/ritz/deck_reader.hpp"

#include "apps/ritz/deck_keywords.hpp"
#include "apps/ritz/deck_materials.hpp"
#include "apps/ritz/deck_names.hpp"
#include "apps/ritz/deck_numbers.hpp"
#include "apps/ritz/deck_sections.hpp"
#include "apps/ritz/deck_steps.hpp"
#include "apps/ritz/deck_supports.hpp"
#include "io/decks/deck_cards.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/text_case.hpp"
#include "io/meshes/mesh_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include <unistd.h>

namespace ritz {
namespace {

bool is_identity(const DeckCard& transform) {
  const std::string type = upper(transform.parameter("TYPE"));
  const auto is_along = [&](std::size_t first, std::array<bool, 3> positive) {
    for (std::size_t i = 0; i < 3; ++i)
      if ((transform.number(0, first + i) > 0) != positive[i] || transform.number(0, first + i) < 0) return false;
    return true;
  };
  return (type.empty() || type == "R") && is_along(0, {true, false, false}) && is_along(3, {false, true, false});
}

bool is_large(const DeckCard& step) {
  return step.parameters.contains("NLGEOM") && upper(step.parameter("NLGEOM")) != "NO";
}

// Decides on the program and the kind of plane.
void survey(const DeckCard& card, DeckFacts& facts) {
  if (card.keyword == "HEAT TRANSFER") facts.physics = DeckPhysics::heat;
  if (card.keyword.ends_with("SHELL SECTION") || card.keyword.starts_with("BEAM ")) facts.physics = DeckPhysics::frame;
  if (card.keyword == "TRANSFORM" && !is_identity(card)) facts.turned.push_back(&card);
  if (card.keyword == "STEP" && is_large(card)) facts.large = true;
  if (card.keyword == "PLASTIC" || card.keyword == "HYPERELASTIC") facts.has_laws = true;
  if (card.keyword == "FREQUENCY") facts.modes = std::max(1, unknown_in(card.number(0, 0)));
  if (card.keyword != "ELEMENT" && card.keyword != "NODE") return;
  const std::string type = upper(card.parameter("TYPE"));
  const auto is_one_of = [&](std::initializer_list<const char*> starts) {
    return std::ranges::any_of(starts, [&](const char* start) { return type.starts_with(start); });
  };
  if (const std::string integration = integration_of(type); !integration.empty())
    facts.integrations.emplace(integration, type);
  if (is_one_of({"T2D", "T3D"})) facts.has_trusses = true;
  else if (!type.empty() && !is_one_of({"SPRING", "MASS", "DASHPOT", "GAP", "CONN"})) facts.has_others = true;
  for (const auto& [start, model] : {std::pair{"CPS", "plane_stress"},
                                     {"CPE", "plane_strain"},
                                     {"CAX", "axisymmetric"},
                                     {"DCAX", "axisymmetric"},
                                     {"DC2D", "plane"}})
    if (type.starts_with(start)) facts.plane = model;
}

DeckFacts facts_of(const std::vector<DeckCard>& cards) {
  DeckFacts facts;
  for (const DeckCard& card : cards) survey(card, facts);
  const auto has = [&](const char* keyword) {
    return std::ranges::find(cards, keyword, &DeckCard::keyword) != cards.end();
  };
  facts.creeps = has("CREEP") && has("VISCO");
  facts.has_laws = facts.has_laws || facts.creeps;
  if (facts.has_trusses && !facts.has_others) facts.physics = DeckPhysics::frame;
  return facts;
}

// With the sets of what cards name by number.
MeshData mesh_of_deck(const std::string& path, const DeckNumbers& numbers, bool structural) {
  if (numbers.empty()) return read_mesh_data(path, nullptr, structural);
  namespace fs = std::filesystem;
  const std::string with_sets = (fs::temp_directory_path() / fmt::format("ritz-{}.inp", ::getpid())).string();
  write_named_file(with_sets, numbers.text(fs::absolute(path).string()));
  MeshData mesh;
  try {
    mesh = read_mesh_data(with_sets, nullptr, structural);
  } catch (...) {
    fs::remove(with_sets);
    throw;
  }
  fs::remove(with_sets);
  mesh.source = path;
  return mesh;
}

std::vector<const DeckCard*> cards_named(const std::string& keyword, const Deck& deck) {
  std::vector<const DeckCard*> cards;
  for (const DeckCard& card : deck.cards)
    if (card.keyword == keyword) cards.push_back(&card);
  return cards;
}

// Whether this physics has the numbers of the card.
bool counts(const DeckCard& card, const DeckFacts& facts) {
  const bool thermal = card.keyword == "CONDUCTIVITY" || card.keyword == "SPECIFIC HEAT";
  return card.keyword == "DENSITY" ? !facts.is_heat() : thermal == facts.is_heat();
}

void take_law(const DeckCard& card, const Deck& deck, std::vector<DeckMaterial>& materials) {
  if (materials.empty()) return deck.notes.lack(card, "it belongs to no *MATERIAL");
  if (deck.facts.is_heat()) return;
  if (card.keyword == "CREEP" && !deck.facts.creeps)
    return deck.notes.note(card, "no step of the deck is *VISCO, and in others nothing creeps: it was left out");
  if (deck.facts.is_frame()) return deck.notes.lack(card, "beams and shells of Ritz are linear elastic");
  const DeckLaw law = law_of(card);
  if (!law.lack.empty()) return deck.notes.lack(card, law.lack);
  if (!materials.back().law.empty())
    return deck.notes.lack(card, "the material has a law from another card, and laws of both are not in Ritz");
  if (!law.note.empty()) deck.notes.note(card, law.note);
  materials.back().law = law.lines;
}

void directed_property(const DeckCard& card, const Deck& deck, DeckMaterial& material) {
  const std::optional<DirectedNumbers> directed = directed_numbers(card);
  if (!directed)
    return deck.notes.lack(card,
                           fmt::format("its numbers of TYPE={} are not translated: docs/thermal.md has materials with "
                                       "directions",
                                       upper(card.parameter("TYPE"))));
  if (directed->varies)
    deck.notes.lack(card, "its values depend on the temperature, and those of its first row alone are translated");
  material.directed[card.keyword] = directed->lines;
}

void property(const DeckCard& card, const Deck& deck, std::vector<DeckMaterial>& materials) {
  if (materials.empty()) return deck.notes.lack(card, "it belongs to no *MATERIAL");
  if (card.keyword == "EXPANSION") return materials.back().expansions.push_back(&card);
  const std::string type = upper(card.parameter("TYPE"));
  if (!type.empty() && type != "ISO" && type != "ISOTROPIC") return directed_property(card, deck, materials.back());
  static const std::map<std::string, std::vector<const char*>> keys{{"ELASTIC", {"young", "poisson"}},
                                                                    {"DENSITY", {"density"}},
                                                                    {"CONDUCTIVITY", {"conductivity"}},
                                                                    {"SPECIFIC HEAT", {"specific_heat"}}};
  const std::vector<const char*>& names = keys.at(card.keyword);
  for (std::size_t i = 0; i < names.size(); ++i) materials.back().numbers[names[i]] = card.number(0, i);
  for (std::size_t line = 1; line < card.data.size() && counts(card, deck.facts); ++line)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (card.number(line, i) != card.number(0, i))
        return deck.notes.lack(card,
                               "its values depend on the temperature, and those of its first row alone are translated: "
                               "write a [[table]] (docs/thermal.md)");
}

// Hexahedra of which opposite edges differ by more than the digits of a deck.
Index bent_hexahedra(const Mesh& mesh, const Region& region) {
  return std::ranges::count_if(region.cells, [&](Index cell) {
    if (mesh.kind_of(cell) != CellKind::hex8) return false;
    const std::span<const Node> n = mesh.nodes_of(cell);
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto edge = [&](std::size_t from, std::size_t to) { return mesh.point(n[to])[i] - mesh.point(n[from])[i]; };
      constexpr std::size_t edges[3][4][2] = {
          {{0, 1}, {3, 2}, {4, 5}, {7, 6}}, {{0, 3}, {1, 2}, {4, 7}, {5, 6}}, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}};
      for (const auto& along : edges)
        for (const auto& each : along) {
          difference = std::max(difference, std::abs(edge(each[0], each[1]) - edge(along[0][0], along[0][1])));
          size = std::max(size, std::abs(edge(each[0], each[1])));
        }
    }
    return difference > 1e-5 * size;
  });
}

void solid_section(const DeckCard& card, const Region& region, const Deck& deck, DeckModel& model) {
  std::vector<std::string> lines;
  if (const std::string integration = deck.facts.integration(); integration != "full" && !deck.facts.is_heat()) {
    lines.push_back(fmt::format("integration = \"{}\"", integration));
    if (const Index bent = bent_hexahedra(deck.regions.mesh(), region); bent > 0)
      deck.notes.lack(card, fmt::format("{} hexahedra of '{}' are no parallelepipeds: there C3D8I and C3D8R fail patch "
                                        "tests, which the cells of Ritz hold, and displacements differ by about 1 %",
                                        bent, region.name));
  }
  model.sections.push_back(
      {true, &region, card.parameter("MATERIAL"), lines, upper(card.parameter("ORIENTATION")), false, &card});
  const double thickness = card.number(0, 0);
  if (deck.regions.mesh().dimension() != 2 || thickness <= 0) return;
  if (model.thickness > 0 && thickness != model.thickness)
    deck.notes.lack(card, fmt::format("thickness {} of '{}': [model] has one for the whole plane, and {} was taken",
                                      thickness, region.name, model.thickness));
  else model.thickness = thickness;
}

void section_of(const DeckCard& card, const Region* region, const Deck& deck, DeckModel& model) {
  for (const auto& [name, value] : card.parameters)
    if (name.starts_with("OFFSET") && value != "0" && value != "0.")
      deck.notes.lack(card, fmt::format("{}={} of '{}': nodes are taken in the middle; {}", name, value, region->name,
                                        card.keyword == "SHELL SECTION"
                                            ? "shells with an offset are not in Ritz: place their nodes there"
                                            : "give [[section]] an offset (docs/structures.md)"));
  const std::set<CellKind> kinds = deck.regions.cell_kinds(*region);
  if (card.keyword == "SOLID SECTION" && deck.facts.is_frame() && kinds == std::set{CellKind::line2})
    return model.sections.push_back({false, region, card.parameter("MATERIAL"), bar_lines(card), {}, true, &card});
  if (card.keyword == "SOLID SECTION" && deck.facts.is_frame())
    return deck.notes.lack(
        card, fmt::format("section of '{}': solids next to shells and beams are not in Ritz yet", region->name));
  if (card.keyword == "SOLID SECTION") return solid_section(card, *region, deck, model);
  if (const std::string why = lacks_element(card, kinds); !why.empty())
    return deck.notes.lack(card, fmt::format("section of '{}': {}", region->name, why));
  if (card.keyword == "BEAM SECTION") {
    model.sections.push_back({false, region, card.parameter("MATERIAL"), beam_lines(card), {}, false, &card});
    if (const std::string doubt = doubtful_size(card); !doubt.empty()) deck.notes.lack(card, doubt);
  } else if (const std::optional<DeckShell> shell = shell_of(card)) {
    model.sections.push_back({false, region, shell->material, shell_lines(*shell, kinds), {}, false, &card});
  } else {
    deck.notes.lack(card,
                    fmt::format("section of '{}': layers of several materials or along axes are not in Ritz: write a "
                                "[[section]] with one thickness and material (docs/structures.md)",
                                region->name));
  }
}

void section(const DeckCard& card, const Deck& deck, DeckModel& model) {
  const std::vector<const Region*> parts = deck.regions.elements_of(card.parameter("ELSET"));
  for (const Region* region : parts) section_of(card, region, deck, model);
  if (parts.empty()) deck.region_named(card, card.parameter("ELSET"), element_sets);
}

// Materials that the deck lacks, and directions that the case lacks.
void check_sections(const DeckModel& model, const Deck& deck) {
  const std::string needed = deck.facts.is_heat() ? "CONDUCTIVITY" : "ELASTIC",
                    key = deck.facts.is_heat() ? "conductivity" : "young";
  for (const DeckSection& section : model.sections) {
    const DeckMaterial* material = material_of(section, model.materials);
    const bool directed = material != nullptr && material->directed.contains(needed);
    if (material == nullptr)
      deck.notes.lack(*section.card, fmt::format("the deck has no material '{}'", section.material));
    else if (directed && !section.solid)
      deck.notes.lack(
          *section.card,
          fmt::format("the material '{}' has directions, which shells and beams of Ritz do not have", material->name));
    else if (directed && !section.orientation.empty() && !model.orientations.contains(upper(section.orientation)))
      deck.notes.lack(*section.card,
                      fmt::format("the material of '{}' would lie along x, y, z: the axes of *ORIENTATION '{}' are not "
                                  "translated; write an [[orientation]] (docs/thermal.md)",
                                  section.region->name, section.orientation));
    else if (!directed && !material->numbers.contains(key) && material->law.empty())
      deck.notes.lack(*section.card,
                      fmt::format("the material '{}' has no *{} that is translated", material->name, needed));
  }
}

// Temperatures act where something expands; else they change nothing, as constants over them are not translated.
void check_temperatures(const DeckModel& model, const Deck& deck) {
  const std::vector<const DeckCard*> temperatures = cards_named("TEMPERATURE", deck);
  if (deck.facts.is_heat() || deck.facts.modes > 0 || temperatures.empty()) return;
  std::vector<const DeckCard*> expansions;
  for (const DeckSection& section : model.sections)
    if (const DeckMaterial* material = material_of(section, model.materials); material != nullptr)
      expansions.insert(expansions.end(), material->expansions.begin(), material->expansions.end());
  if (expansions.empty()) return;
  for (const DeckCard* card : temperatures)
    deck.notes.lack(
        *card, "write a [thermal] with this temperature, and 'reference' from *INITIAL CONDITIONS (docs/thermal.md)");
  for (const DeckCard* card : cards_named("INITIAL CONDITIONS", deck))
    if (upper(card->parameter("TYPE")) == "TEMPERATURE")
      deck.notes.lack(*card,
                      "at this temperature the body is free of thermal strain: write it as 'reference' of [thermal]");
  for (const DeckCard* card : expansions)
    deck.notes.lack(*card,
                    card->data.size() > 1
                        ? "write a [[table]] of its rows, expansion = \"NAME(T)\" and expansion_zero = " +
                              (card->parameter("ZERO").empty() ? "0" : card->parameter("ZERO")) +
                              " into the material (docs/thermal.md)"
                        : fmt::format("write expansion = {} into the material (docs/thermal.md)", card->number(0, 0)));
}

void constants(const DeckCard& card, const Deck& deck) {
  const bool radiates =
      std::ranges::any_of(deck.cards, [](const DeckCard& each) { return each.keyword.ends_with("RADIATE"); });
  if (deck.facts.is_heat() && radiates)
    deck.notes.lack(card, "write [model] absolute_zero and stefan_boltzmann (docs/heat.md)");
}

// Takes cards of materials, sections and elements; false for others.
bool take_body_card(const DeckCard& card, const Deck& deck, DeckModel& model) {
  const std::string& keyword = card.keyword;
  if (keyword == "MATERIAL") model.materials.push_back({card.parameter("NAME"), {}});
  else if (keyword == "ELASTIC" || keyword == "DENSITY" || keyword == "CONDUCTIVITY" || keyword == "SPECIFIC HEAT" ||
           keyword == "EXPANSION")
    property(card, deck, model.materials);
  else if (keyword == "PLASTIC" || keyword == "HYPERELASTIC" || keyword == "CREEP")
    take_law(card, deck, model.materials);
  else if (keyword == "SOLID SECTION" || keyword == "SHELL SECTION" || keyword == "BEAM SECTION")
    section(card, deck, model);
  else if (keyword == "ORIENTATION") {
    // Those that are not translated are reported where a material needs them.
    if (const std::vector<std::string> lines = orientation_lines(card); !lines.empty() && model.dimension() == 3)
      model.orientations[upper(card.parameter("NAME"))] = lines;
  } else if (keyword == "ELEMENT") {
    if (const std::string why = reason_against(upper(card.parameter("TYPE")), deck.facts); !why.empty())
      deck.notes.lack(card, why);
  } else if (keyword == "INITIAL CONDITIONS") {
    if (upper(card.parameter("TYPE")) != "TEMPERATURE")
      deck.notes.lack(card,
                      fmt::format("states at the begin of TYPE={} are not translated", upper(card.parameter("TYPE"))));
  } else if (keyword == "PHYSICAL CONSTANTS") constants(card, deck);
  else return keyword == "TEMPERATURE";
  return true;
}

void hold(const DeckCard& card, std::size_t line, const Region& region, const Deck& deck,
          std::vector<DeckSupport>& supports) {
  const int last = !deck.facts.is_frame() ? deck.regions.mesh().dimension() : deck.facts.turns() ? 6 : 3;
  for (const int unknown : unknowns_of(card, line)) {
    double value = card.number(line, 3);
    if (deck.facts.is_heat() ? unknown != 11 : unknown < 1 || unknown > last) {
      // Nodes have no such unknown: rotations of solids, the third direction of a plane, displacements in heat.
      if (const bool displaces = unknown >= 1 && unknown <= 6; !displaces || (value != 0 && !deck.facts.is_heat()))
        deck.notes.lack(card,
                        fmt::format("the unknown {} of '{}' is not one of this case", card.text(line, 1), region.name));
      continue;
    }
    if (deck.facts.modes > 0 && value != 0) {
      deck.notes.note(card, fmt::format("'{}' moves by {}: modes vibrate about the state of rest, and 0 was taken",
                                        region.name, value));
      value = 0;
    }
    hold_at(supports, region, unknown, value);
  }
}

std::map<const Region*, std::map<int, double>> by_region(const std::vector<DeckSupport>& supports) {
  std::map<const Region*, std::map<int, double>> map;
  for (const DeckSupport& support : supports) map[support.region] = support.values;
  return map;
}

// A case has the same supports in all of its steps: those of the first one are taken, with what comes before it.
std::vector<DeckSupport> supports_of(const Deck& deck) {
  std::vector<DeckSupport> supports, earlier;
  int steps = 0;
  const DeckCard *last = nullptr, *first_of_step = nullptr;
  const auto end_step = [&] {
    if (steps > 1 && first_of_step != nullptr && by_region(supports) != by_region(earlier)) {
      deck.notes.lack(*first_of_step,
                      "supports of this step are not those of the steps before: a case has the same in all steps");
      supports = earlier;
    }
    earlier = supports;
    first_of_step = nullptr;
  };
  for (const DeckCard& card : deck.cards) {
    if (card.keyword == "STEP") {
      end_step();
      ++steps;
    }
    if (card.keyword != "BOUNDARY") continue;
    last = &card;
    const std::string type = upper(card.parameter("TYPE"));
    if (!type.empty() && type != "DISPLACEMENT") {
      deck.notes.lack(card, fmt::format("TYPE={}: a case prescribes displacements and temperatures", type));
      continue;
    }
    if (steps > 0 && first_of_step == nullptr) {
      first_of_step = &card;
      if (upper(card.parameter("OP")) == "NEW") supports.clear();
    }
    for (std::size_t line = 0; line < card.data.size(); ++line)
      if (const Region* region = deck.node_set(card, line)) hold(card, line, *region, deck, supports);
  }
  end_step();
  for (const std::string& conflict : conflicts_of(supports, deck.regions.mesh())) deck.notes.lack(*last, conflict);
  return supports;
}

}  // namespace

DeckModel read_deck_model(const std::string& path) {
  DeckModel model;
  model.cards = read_cards(path);
  const DeckFacts facts = facts_of(model.cards);
  const DeckNumbers numbers(model.cards);
  model.physics = facts.physics;
  model.plane = facts.plane;
  model.modes = facts.modes;
  model.large = facts.is_large();
  model.by_number = !numbers.empty();
  model.regions = std::make_unique<const DeckRegions>(mesh_of_deck(path, numbers, facts.is_frame()), model.cards);
  DeckNotes notes;
  const Deck deck{model.cards, facts, *model.regions, numbers, notes};
  DeckSteps steps;
  for (const DeckCard& card : model.cards) {
    if (const std::string unknown = unknown_parameters(card); !unknown.empty())
      notes.lack(card, fmt::format("its parameter {} is not translated", unknown));
    if (card.keyword == "BOUNDARY" || take_body_card(card, deck, model) || take_step_card(card, deck, steps)) continue;
    if (!is_harmless(card.keyword)) notes.lack(card, reason_without(card.keyword));
  }
  model.supports = supports_of(deck);
  notes.sort();
  check_sections(model, deck);
  check_temperatures(model, deck);
  model.path = path_of(steps, model, deck);
  model.loads = cases_of(steps, model, deck);
  model.gaps = notes.gaps();
  model.notes = notes.notes();
  return model;
}

}  // namespace ritz
