// Loads of a deck, step by step. A step keeps the loads of the one before; a value of the same place and direction
// replaces that of an earlier step, values of one step add up. OP=NEW of the first card of its kind in a step removes
// what earlier steps gave, as in CalculiX.
#pragma once

#include "io/decks/deck_cards.hpp"
#include "mesh/mesh.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

struct DeckLoad {
  std::string table;                     // of the case: "pressure"
  const Region* region = nullptr;        // of [gravity], once the weights of a step are known, none
  std::vector<double> values;            // of a force: [x, y, z, rx, ry, rz] of each node
  std::vector<std::string> others = {};  // lines that do not add up
  std::string family = {};               // what OP=NEW removes together
  std::vector<int> steps = {};           // [value] the step that gave it; 0: none
  std::vector<double> direction = {};    // unit vector of a weight: in other directions others act
  const DeckCard* card = nullptr;
};

struct DeckStep {
  int number = 1;
  const DeckCard* card = nullptr;  // *STEP; none for what comes before the first
  bool modal = false;
  bool creeps = false;    // *VISCO
  double duration = 1;    // of *STATIC and *VISCO
  bool ramps = false;     // AMPLITUDE=RAMP
  bool perturbs = false;  // PERTURBATION
  std::vector<DeckLoad> loads = {};
  std::set<std::string> begun = {};  // families of cards that the step has
};

class DeckSteps {
 public:
  void begin(const DeckCard& step);
  DeckStep& now();  // loads before the first *STEP are those of the first step
  bool has_begun() const { return !steps_.empty() && steps_.back().card != nullptr; }
  bool is_first(const std::string& family) { return now().begun.insert(family).second; }  // card of the step
  void remove_earlier(const std::string& family);
  // `given` says which values the card has; empty: all. False when other lines took the place of those of this step.
  bool add(DeckLoad load, const std::vector<bool>& given = {});
  // Regions of nodes with a force of an earlier step, which this load replaces in the deck: name and count of nodes.
  std::vector<std::pair<std::string, std::size_t>> replaced(const DeckLoad& force, const std::vector<bool>& given,
                                                            const Mesh& mesh) const;
  // The region of an earlier step's load of this table that shares facets with this load's; empty: there is none.
  std::string covered(const DeckLoad& load) const;
  // Whether an earlier step has a weight of this region in another direction.
  bool turns(const DeckLoad& load) const;
  // Steps with PERTURBATION that have loads of earlier ones, as in CalculiX.
  std::vector<const DeckStep*> perturbed() const;
  const std::vector<DeckStep>& all() const { return steps_; }

 private:
  std::vector<DeckStep> steps_;
};

struct DeckCase {
  std::string name;  // empty: the only one
  std::vector<DeckLoad> loads;
};

struct DeckStepNote {
  const DeckCard* card = nullptr;
  std::string what;
};

// [[load_case]] of the steps with loads. Convection and radiation are part of the matrix: `common` to all.
struct DeckCases {
  std::vector<DeckLoad> common;
  std::vector<DeckCase> cases;
  std::vector<DeckStepNote> unloaded;  // steps without loads
  std::vector<DeckStepNote> left_out;  // steps that cannot be among them
};

DeckCases load_cases_of(const std::vector<DeckStep>& steps);

}  // namespace ritz
