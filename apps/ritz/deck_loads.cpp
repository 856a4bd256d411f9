#include "apps/ritz/deck_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ritz {
namespace {

bool is_surrounding(const DeckLoad& load) { return load.table == "convection" || load.table == "radiation"; }

std::vector<DeckLoad> part_of_step(const DeckStep& step, bool surroundings) {
  std::vector<DeckLoad> part;
  for (const DeckLoad& load : step.loads)
    if (is_surrounding(load) == surroundings) part.push_back(load);
  return part;
}

bool are_same(const std::vector<DeckLoad>& one, const std::vector<DeckLoad>& other) {
  return std::ranges::equal(one, other, [](const DeckLoad& a, const DeckLoad& b) {
    return a.table == b.table && a.region == b.region && a.values == b.values && a.others == b.others;
  });
}

DeckStepNote note_of(const DeckStep& step, const std::string& why) {
  return {step.card, fmt::format("step {} {}", step.number, why)};
}

bool is_along(const std::vector<double>& one, const std::vector<double>& other) {
  return std::ranges::equal(one, other, [](double a, double b) { return std::abs(a - b) < 1e-10; });
}

}  // namespace

void DeckSteps::begin(const DeckCard& step) {
  if (steps_.empty()) steps_.emplace_back();
  else if (has_begun()) steps_.push_back({.number = steps_.back().number + 1, .loads = steps_.back().loads});
  steps_.back().card = &step;
  steps_.back().begun.clear();
}

DeckStep& DeckSteps::now() {
  if (steps_.empty()) steps_.emplace_back();
  return steps_.back();
}

void DeckSteps::remove_earlier(const std::string& family) {
  DeckStep& step = now();
  for (DeckLoad& load : step.loads)
    for (std::size_t i = 0; load.family == family && i < load.values.size(); ++i)
      if (load.steps[i] != step.number) load.values[i] = load.steps[i] = 0;
  std::erase_if(step.loads, [](const DeckLoad& load) {
    return std::ranges::all_of(load.steps, [](int given) { return given == 0; });
  });
}

bool DeckSteps::add(DeckLoad load, const std::vector<bool>& given) {
  DeckStep& step = now();
  const auto is_given = [&](std::size_t i) { return given.empty() || given[i]; };
  load.steps.assign(load.values.size(), 0);
  for (std::size_t i = 0; i < load.values.size(); ++i)
    if (is_given(i)) load.steps[i] = step.number;
  const auto same = std::ranges::find_if(step.loads, [&](const DeckLoad& other) {
    return other.table == load.table && other.region == load.region && is_along(other.direction, load.direction);
  });
  if (same == step.loads.end()) {
    step.loads.push_back(std::move(load));
    return true;
  }
  const bool takes_place =
      !load.others.empty() && same->others != load.others && std::ranges::count(same->steps, step.number) > 0;
  same->others = load.others;
  for (std::size_t i = 0; i < load.values.size(); ++i) {
    if (!is_given(i)) continue;
    const bool adds = same->steps[i] == step.number && load.others.empty();
    same->values[i] = adds ? same->values[i] + load.values[i] : load.values[i];
    same->steps[i] = step.number;
  }
  return !takes_place;
}

bool DeckSteps::turns(const DeckLoad& load) const {
  return !steps_.empty() && std::ranges::any_of(steps_.back().loads, [&](const DeckLoad& other) {
    return other.table == load.table && other.region == load.region && !is_along(other.direction, load.direction) &&
           std::ranges::count(other.steps, steps_.back().number) == 0;
  });
}

std::vector<std::pair<std::string, std::size_t>> DeckSteps::replaced(const DeckLoad& force,
                                                                     const std::vector<bool>& given,
                                                                     const Mesh& mesh) const {
  std::vector<std::pair<std::string, std::size_t>> found;
  if (steps_.empty()) return found;
  const std::vector<Node> nodes = nodes_in(mesh, *force.region);
  for (const DeckLoad& other : steps_.back().loads) {
    if (other.table != "force" || other.region == force.region) continue;
    bool replaces = false;
    for (std::size_t i = 0; i < given.size(); ++i)
      replaces = replaces || (given[i] && other.values[i] != 0 && other.steps[i] < steps_.back().number);
    std::vector<Node> both;
    std::ranges::set_intersection(nodes, nodes_in(mesh, *other.region), std::back_inserter(both));
    if (replaces && !both.empty()) found.emplace_back(other.region->name, both.size());
  }
  return found;
}

std::string DeckSteps::covered(const DeckLoad& load) const {
  if (steps_.empty() || load.region == nullptr || load.region->kind != RegionKind::facets) return {};
  for (const DeckLoad& other : steps_.back().loads) {
    if (other.table != load.table || other.region == load.region || other.region == nullptr ||
        std::ranges::count(other.steps, steps_.back().number) > 0)
      continue;
    const auto place = [](const FacetOfCell& facet) { return std::pair(facet.cell, facet.facet); };
    const auto is_here = [&](const FacetOfCell& facet) {
      return std::ranges::binary_search(load.region->facets, place(facet), {}, place);
    };
    if (std::ranges::any_of(other.region->facets, is_here)) return other.region->name;
  }
  return {};
}

std::vector<const DeckStep*> DeckSteps::perturbed() const {
  std::vector<const DeckStep*> found;
  for (const DeckStep& step : steps_) {
    const auto is_earlier = [&](int given) { return given != 0 && given < step.number; };
    const bool keeps = std::ranges::any_of(
        step.loads, [&](const DeckLoad& load) { return std::ranges::any_of(load.steps, is_earlier); });
    if (step.perturbs && !step.modal && keeps) found.push_back(&step);
  }
  return found;
}

DeckCases load_cases_of(const std::vector<DeckStep>& steps) {
  DeckCases result;
  std::vector<const DeckStep*> loaded;
  for (const DeckStep& step : steps)
    if (!step.loads.empty() && !step.modal) loaded.push_back(&step);
  if (loaded.empty()) return result;
  for (const DeckStep& step : steps)
    if (step.loads.empty() && !step.modal) result.unloaded.push_back(note_of(step, "has no loads: it is no load case"));
  const DeckStep& last = *loaded.back();
  result.common = part_of_step(last, true);
  const bool radiates =
      std::ranges::any_of(result.common, [](const DeckLoad& load) { return load.table == "radiation"; });
  std::erase_if(loaded, [&](const DeckStep* step) {
    if (step == &last || (!radiates && are_same(part_of_step(*step, true), result.common))) return false;
    result.left_out.push_back(note_of(
        *step, radiates ? fmt::format("is left out: a case with radiation has no load cases, and step {} was taken",
                                      last.number)
                        : fmt::format("is left out: load cases share their convection, and that of step {} was taken",
                                      last.number)));
    return true;
  });
  for (const DeckStep* step : loaded)
    result.cases.push_back({loaded.size() > 1 ? fmt::format("step {}", step->number) : "", part_of_step(*step, false)});
  return result;
}

}  // namespace ritz
