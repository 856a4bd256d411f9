#include "apps/ritz/deck_steps.hpp"

#include "apps/ritz/deck_keywords.hpp"
#include "apps/ritz/deck_sections.hpp"
#include "apps/ritz/deck_supports.hpp"
#include "io/files/text_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ritz {
namespace {

std::vector<double> unit_vector(std::vector<double> v) {
  double square = 0;
  for (const double each : v) square += each * each;
  for (double& each : v) each /= std::sqrt(square);
  return v;
}

// Before the lines of a card: OP=NEW acts even where there are none.
void open(const DeckCard& card, const Deck& deck, DeckSteps& steps) {
  if (card.parameters.contains("LOAD CASE") && card.parameter("LOAD CASE") != "1")
    deck.notes.lack(card, "its parameter LOAD CASE is not translated");
  if (card.parameters.contains("FOLLOWER") && upper(card.parameter("FOLLOWER")) != "NO")
    deck.notes.lack(card, "its parameter FOLLOWER is not translated");
  const bool is_first = steps.is_first(family_of(card.keyword));
  if (upper(card.parameter("OP")) != "NEW") return;
  if (is_first) steps.remove_earlier(family_of(card.keyword));
  else
    deck.notes.note(card,
                    "OP=NEW: ignored, as in CalculiX, since another card of its kind comes before it in the step");
}

void add_load(const Deck& deck, DeckSteps& steps, const DeckCard& card, DeckLoad load,
              const std::vector<bool>& given = {}) {
  load.family = family_of(card.keyword);
  load.card = &card;
  // A node of two regions: the deck replaces the force of an earlier step there, and the case adds.
  if (load.table == "force")
    for (const auto& [other, nodes] : steps.replaced(load, given, deck.regions.mesh()))
      deck.notes.lack(
          card,
          fmt::format("{} nodes of '{}' have a force of an earlier step as nodes of '{}', which the deck replaces "
                      "and the case would add",
                      nodes, load.region->name, other));
  if (load.table == "gravity" && steps.turns(load))
    deck.notes.note(
        card, "weight of an earlier step in another direction acts, too, as in CalculiX; Abaqus would replace it");
  if (const std::string other = steps.covered(load); !other.empty())
    deck.notes.lack(
        card,
        fmt::format("faces of '{}' have this load of an earlier step as faces of '{}', which the deck replaces and the "
                    "case would add",
                    load.region->name, other));
  const std::string what = fmt::format("[[{}]] of '{}'", load.table, load.region != nullptr ? load.region->name : "");
  if (!steps.add(std::move(load), given))
    deck.notes.lack(card, fmt::format("a second {} in this step takes the place of the first", what));
}

void nodal_load(const DeckCard& card, const Deck& deck, DeckSteps& steps) {
  open(card, deck, steps);
  std::vector<const Region*> order;
  std::map<const Region*, std::array<double, 6>> forces;
  std::map<const Region*, std::vector<bool>> given;
  for (std::size_t line = 0; line < card.data.size(); ++line) {
    const Region* region = deck.node_set(card, line);
    if (region == nullptr) continue;
    const int unknown = unknown_in(card.number(line, 1));
    if (unknown < 1 || unknown > (deck.facts.turns() ? 6 : 3)) {
      deck.notes.lack(card, fmt::format("load {} on the unknown {} of '{}': its nodes have no such unknown",
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
    const bool at_nodes = deck.regions.mesh().dimension() == 3 && region->kind == RegionKind::nodes;
    if (deck.facts.is_frame() || (deck.facts.physics == DeckPhysics::solid && at_nodes)) {
      add_load(deck, steps, card, {"force", region, {f.begin(), f.end()}}, given[region]);
      continue;
    }
    const auto nodes = static_cast<double>(nodes_in(deck.regions.mesh(), *region).size());
    deck.notes.lack(card, fmt::format("forces on the nodes of '{}', in total ({}, {}, {}): give them on a surface",
                                      region->name, nodes * f[0], nodes * f[1], nodes * f[2]));
  }
}

// Size times the unit vector of fields 3 to 5; empty with a note without a direction.
std::vector<double> vector_of(const Deck& deck, const DeckCard& card, std::size_t line) {
  const double size = card.number(line, 2);
  const double x = card.number(line, 3), y = card.number(line, 4), z = card.number(line, 5);
  const double length = std::hypot(x, y, z);
  if (!(length > 0)) {
    deck.notes.lack(card, fmt::format("load '{}' of '{}' has no direction", card.text(line, 1), card.text(line, 0)));
    return {};
  }
  std::vector<double> v{size * x / length, size * y / length, size * z / length};
  v.resize(static_cast<std::size_t>(deck.regions.mesh().dimension()));
  return v;
}

void distributed_load(const DeckCard& card, const Deck& deck, DeckSteps& steps) {
  open(card, deck, steps);
  std::set<std::string> unknown;
  for (std::size_t line = 0; line < card.data.size(); ++line) {
    const std::string kind = upper(card.text(line, 1));
    if (kind == "GRAV") {
      if (const Region* region = deck.region_named(card, card.text(line, 0), element_sets))
        if (std::vector<double> acceleration = vector_of(deck, card, line); !acceleration.empty())
          add_load(
              deck, steps, card,
              {.table = "gravity", .region = region, .values = acceleration, .direction = unit_vector(acceleration)});
    } else if (kind == "P" && deck.facts.is_frame()) {
      if (const Region* region = deck.region_named(card, card.text(line, 0), element_sets))
        add_load(deck, steps, card, {"pressure", region, {-card.number(line, 2)}});
    } else if (const std::string* faces = deck.numbers.set_for(card, line);
               faces != nullptr && deck.facts.physics == DeckPhysics::solid) {
      if (const Region* region = faces->empty() ? nullptr : deck.region_named(card, *faces, surfaces))
        add_load(deck, steps, card, {"pressure", region, {card.number(line, 2)}});
    } else if (kind == "CENTRIF") {
      deck.notes.lack(card, "CENTRIF: give it as [rotation]");
    } else unknown.insert(kind);
  }
  for (const std::string& kind : unknown) deck.notes.lack(card, fmt::format("loads '{}' are not translated", kind));
}

// Into the surface; of shells, against the normal on the side SPOS and along it on SNEG.
void add_pressure(const Deck& deck, DeckSteps& steps, const DeckCard& card, const Region& region, double value) {
  const int side = deck.facts.is_frame() ? deck.regions.side_of(region) : 1;
  if (side == 0)
    return deck.notes.lack(
        card, fmt::format("pressure {} on '{}', which names no side of its shells or both: give SPOS or SNEG", value,
                          region.name));
  add_load(deck, steps, card, {"pressure", &region, {side * value}});
}

void surface_load(const DeckCard& card, const Deck& deck, DeckSteps& steps) {
  open(card, deck, steps);
  for (std::size_t line = 0; line < card.data.size(); ++line) {
    const Region* region = deck.region_named(card, card.text(line, 0), deck.facts.is_frame() ? element_sets : surfaces);
    const std::string kind = upper(card.text(line, 1));
    if (region == nullptr) continue;
    if (kind == "P") add_pressure(deck, steps, card, *region, card.number(line, 2));
    else if (kind != "TRVEC") deck.notes.lack(card, fmt::format("loads '{}' on surfaces are not read", kind));
    else if (const std::vector<double> v = vector_of(deck, card, line); !v.empty())
      add_load(deck, steps, card, {deck.facts.is_frame() ? "surface_load" : "traction", region, v});
  }
}

void heat_load(const DeckCard& card, const Deck& deck, DeckSteps& steps) {
  open(card, deck, steps);
  for (std::size_t line = 0; line < card.data.size(); ++line) {
    const std::string kind = upper(card.text(line, 1));
    const std::string* faces = deck.numbers.set_for(card, line);
    if (faces != nullptr && faces->empty()) continue;
    const bool on_cells = card.keyword == "DFLUX" && kind == "BF";
    const bool of_surface = card.keyword == "DSFLUX" || card.keyword == "SFILM" || card.keyword == "SRADIATE";
    if (!on_cells && faces == nullptr && !(of_surface && kind.size() == 1)) {
      deck.notes.lack(card, fmt::format("loads '{}' are not translated", kind));
      continue;
    }
    const Region* region =
        deck.region_named(card, faces != nullptr ? *faces : card.text(line, 0), on_cells ? element_sets : surfaces);
    if (region == nullptr) continue;
    const double a = card.number(line, 2), b = card.number(line, 3);
    const std::string ambient = fmt::format("ambient = {}", a);
    if (card.keyword.ends_with("FILM")) add_load(deck, steps, card, {"convection", region, {b}, {ambient}});
    else if (card.keyword.ends_with("RADIATE")) add_load(deck, steps, card, {"radiation", region, {b}, {ambient}});
    else add_load(deck, steps, card, {on_cells ? "source" : "flux", region, {a}});
  }
}

// Faces of elements, which are no region of the mesh.
void foundation(const DeckCard& card, const Deck& deck) {
  for (std::size_t line = 0; line < card.data.size(); ++line)
    deck.notes.lack(
        card, fmt::format("elastic ground under the faces '{}' of '{}': write a [[foundation]] with stiffness = {} on "
                          "a region of these facets (docs/joining.md)",
                          card.text(line, 1), card.text(line, 0), card.number(line, 2)));
}

// The first line has the unknowns, one for each end; an axial spring has none.
void springs(const DeckCard& card, const Deck& deck) {
  if (card.data.empty()) return deck.notes.lack(card, "it has no stiffness");
  const std::size_t last = card.data.size() - 1;
  const std::string elements = card.parameter("ELSET"), stiffness = fmt::format("{}", card.number(last, 0));
  const int unknown = last > 0 ? unknown_in(card.number(0, 0)) : 0;
  if (unknown >= 1 && unknown <= 3 && card.text(0, 1).empty()) {
    std::vector<std::string> along(3, "0");
    along[static_cast<std::size_t>(unknown - 1)] = stiffness;
    return deck.notes.lack(
        card, fmt::format("springs '{}' to the ground: write a [[spring]] with stiffness = [{}], each = true on "
                          "a region of their nodes (docs/joining.md)",
                          elements, fmt::join(along, ", ")));
  }
  deck.notes.lack(card, fmt::format("springs '{}' between nodes, {} each: ritz-structure has springs as sections "
                                    "(docs/structures.md)",
                                    elements, stiffness));
}

void step(const DeckCard& card, const Deck& deck, DeckSteps& steps) {
  steps.begin(card);
  steps.now().perturbs = card.parameters.contains("PERTURBATION");
  steps.now().ramps = upper(card.parameter("AMPLITUDE")) == "RAMP";
  if (deck.facts.is_frame() && card.parameters.contains("NLGEOM") && upper(card.parameter("NLGEOM")) != "NO")
    deck.notes.lack(card, "NLGEOM: beams and shells take displacements as small");
}

void frequency(const DeckCard& card, const Deck& deck, DeckSteps& steps) {
  steps.now().modal = true;
  if (deck.facts.is_heat()) deck.notes.lack(card, "modes next to steps of heat: a case has one of them");
  if (std::ranges::count(steps.all(), true, &DeckStep::modal) > 1)
    deck.notes.lack(card, "a second step of modes: a case has one");
  if (card.text(0, 0).empty())
    deck.notes.lack(card, "it gives no number of modes: write [modal] with a count or a band");
  if (!card.text(0, 1).empty() || !card.text(0, 2).empty())
    deck.notes.lack(card, "its limits of the frequency are not translated: write them into [modal] (docs/modal.md)");
}

void static_step(const DeckCard& card, const Deck& deck, DeckSteps& steps) {
  if (deck.facts.is_heat()) deck.notes.lack(card, "a step of statics next to steps of heat: a case has one of them");
  steps.now().creeps = card.keyword == "VISCO" && deck.facts.creeps;
  if (card.number(0, 1) > 0) steps.now().duration = card.number(0, 1);
}

void heat_step(const DeckCard& card, const Deck& deck) {
  if (card.parameters.contains("STEADY STATE")) return;
  const std::string end = card.data.empty() ? "" : fmt::format(" to {}", card.number(0, 1));
  deck.notes.lack(card,
                  fmt::format("it evolves in time{}: the case is steady; [time] would follow it (docs/time.md)", end));
}

// Density of all cells of this region; 0: it has none, or several.
double density_of(const Region& region, const std::vector<DeckSection>& sections,
                  const std::vector<DeckMaterial>& materials) {
  std::set<double> densities;
  const std::set<Index> cells(region.cells.begin(), region.cells.end());
  std::size_t count = 0;
  for (const DeckSection& section : sections) {
    const auto inside = std::ranges::count_if(section.region->cells, [&](Index cell) { return cells.contains(cell); });
    const DeckMaterial* material = material_of(section, materials);
    if (inside == 0 || material == nullptr) continue;
    count += static_cast<std::size_t>(inside);
    const auto found = material->numbers.find("density");
    densities.insert(found != material->numbers.end() ? found->second : 0);
  }
  return densities.size() == 1 && count == cells.size() ? *densities.begin() : 0;
}

// Weights of one acceleration on all cells are [gravity]; others are forces per volume, which need a density.
void weigh(DeckStep& step, const std::vector<DeckSection>& sections, const std::vector<DeckMaterial>& materials,
           const Deck& deck) {
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
  if (is_even && count == cells.size() && static_cast<Index>(count) == deck.regions.mesh().cell_count())
    return step.loads.push_back({"gravity", nullptr, first});
  for (const auto& [region, weight] : weights) {
    const double density = density_of(*region, sections, materials);
    std::vector<double> force = weight.values;
    for (double& each : force) each *= density;
    if (deck.facts.physics == DeckPhysics::solid && density > 0) step.loads.push_back({"body_force", region, force});
    else
      deck.notes.lack(
          *weight.card,
          fmt::format("GRAV of '{}', a part of the cells, with the acceleration [{}]: [gravity] is that of all",
                      region->name, fmt::join(weight.values, ", ")));
  }
}

void check_modal_steps(const DeckSteps& steps, const Deck& deck) {
  for (const DeckStep& step : steps.all())
    if (!step.modal && step.card != nullptr && !step.loads.empty())
      deck.notes.lack(*step.card, fmt::format("the loads of step {} are not in the case of the modes", step.number));
}

bool moves(const std::vector<DeckSupport>& supports) {
  return std::ranges::any_of(supports, [](const DeckSupport& support) {
    return std::ranges::any_of(support.values, [](const auto& held) { return held.second != 0; });
  });
}

}  // namespace

bool take_step_card(const DeckCard& card, const Deck& deck, DeckSteps& steps) {
  const std::string& keyword = card.keyword;
  if (keyword == "STEP") step(card, deck, steps);
  else if (keyword == "FREQUENCY") frequency(card, deck, steps);
  else if (keyword == "HEAT TRANSFER") heat_step(card, deck);
  else if (keyword == "CLOAD") nodal_load(card, deck, steps);
  else if (keyword == "DLOAD") distributed_load(card, deck, steps);
  else if (keyword == "DSLOAD") surface_load(card, deck, steps);
  else if (keyword == "DFLUX" || keyword == "DSFLUX" || keyword.ends_with("FILM") || keyword.ends_with("RADIATE"))
    heat_load(card, deck, steps);
  else if (keyword == "FOUNDATION") foundation(card, deck);
  else if (keyword == "SPRING") springs(card, deck);
  else if (keyword == "STATIC" || keyword == "VISCO") static_step(card, deck, steps);
  else return false;
  return true;
}

std::optional<DeckPath> path_of(const DeckSteps& of, const DeckModel& model, const Deck& deck) {
  const std::vector<DeckStep>& steps = of.all();
  if (!deck.facts.creeps || deck.facts.modes > 0 || steps.empty() || !steps.back().creeps) return {};
  const DeckStep& last = steps.back();
  const bool hardens = std::ranges::any_of(model.materials, [](const DeckMaterial& each) {
    return std::ranges::find(each.law, "law = \"norton\"") != each.law.end() &&
           std::ranges::find(each.law, "m = 0") == each.law.end();
  });
  if (steps.size() > 1 && hardens)
    deck.notes.lack(*last.card, fmt::format("time hardening counts from the begin of the step before, which takes {}, "
                                            "and in the case from *VISCO: give all loads in the step of *VISCO",
                                            steps.front().duration));
  if (steps.size() == 1 && last.ramps) return DeckPath{{last.duration}};
  return DeckPath{{0, last.duration}};
}

DeckCases cases_of(const DeckSteps& of, const DeckModel& model, const Deck& deck) {
  for (const DeckStep* step : of.perturbed())
    deck.notes.note(*step->card,
                    fmt::format("PERTURBATION: step {} keeps the loads of the steps before, as in CalculiX; in "
                                "Abaqus it has its own alone: remove theirs from its [[load_case]]",
                                step->number));
  if (deck.facts.modes > 0) {
    check_modal_steps(of, deck);
    return {};
  }
  std::vector<DeckStep> steps = of.all();
  // Loads that were put on without creep, then held.
  if (steps.size() == 2 && model.path && !steps.front().creeps && steps.back().begun.empty())
    steps.erase(steps.begin());
  for (std::size_t i = 1; i < steps.size() && deck.facts.is_nonlinear(); ++i)
    deck.notes.lack(*steps[i].card, "a further step of a nonlinear deck: write [[step]] (docs/steps.md)");
  for (DeckStep& step : steps) weigh(step, model.sections, model.materials, deck);
  DeckCases cases = load_cases_of(steps);
  for (const DeckStepNote& each : cases.left_out) deck.notes.lack(*each.card, each.what);
  for (const DeckStepNote& each : cases.unloaded)
    if (moves(model.supports)) deck.notes.lack(*each.card, each.what + ", although its supports move");
    else if (each.card != nullptr) deck.notes.note(*each.card, each.what);
  return cases;
}

}  // namespace ritz
