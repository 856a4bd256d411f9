// [[step]]: analyses in sequence, each of which begins at the state in which the one before ended. Tables of a step
// join those of the case and of earlier steps, or take their place (Case::enter_step), so that readers of physics know
// nothing of steps: they read what acts. A case without [[step]] is its own one step.
//
//   for (CaseStep step : steps_of(run.input(), false)) { run.enter(step); reader(run); ... }
#pragma once

#include "fem/physics/model.hpp"
#include "io/case/case.hpp"

#include <string>
#include <vector>

namespace ritz {

class Run;

struct CaseStep {
  std::string name = {};  // empty: of a case without [[step]]
  std::size_t number = 0, count = 1;
  double begin = 0;                // on the time line of the run
  double duration = 0;             // without [time]
  bool writes_fields = true;       // else numbers alone
  bool has_removed_parts = false;  // in it, or before

  bool is_of_steps() const { return !name.empty(); }
  bool continues() const { return number > 0; }  // from the state of the one before
  bool is_last() const { return number + 1 == count; }
};

// Errors are added to the case. A survey for the schema has one step, whatever it asks.
std::vector<CaseStep> steps_of(Case& input, bool survey);
// From here on the case is what acts in this step.
void enter(Case& input, const CaseStep& step);

// Takes the parts out of the model that this step or earlier ones remove: their elements, what acts on them, and
// relations to nodes that only they had, which are held at zero. Errors are added to the case.
void remove_parts(Run& run, Model& model);

}  // namespace ritz
