// A case of one physics, ready for any analysis: its equations, supports and load cases, the results to come, and how a
// solution is reported. Each program has a reader that makes one from the case file (heat_case, elastic_case,
// structure_case, form_case); from then on no analysis knows which physics it is.
//
//   run_case(run, read_heat);        // apps/analyses/analyses.hpp
#pragma once

#include "apps/cases/fields_of_motion.hpp"
#include "apps/cases/gradient_input.hpp"
#include "apps/cases/initial_values.hpp"
#include "apps/cases/load_cases.hpp"
#include "apps/cases/moved_region.hpp"
#include "apps/cases/run.hpp"
#include "apps/results/derived_fields.hpp"
#include "apps/results/derived_results.hpp"
#include "fem/analysis/fields_of_model.hpp"
#include "fem/analysis/observer.hpp"
#include "fem/analysis/transient.hpp"
#include "fem/operator/operator.hpp"
#include "fem/physics/model.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

// An evolution in time as the case has it.
struct TransientInput {
  Transient options = {};           // without those of the solvers
  InitialValues initial = {};       // values at the begin, [unknown]
  InitialValues velocity = {};      // likewise, of second order
  bool begins_by_position = false;  // these are formulas of the position
};

// Fields of a motion about the state, for answers on modes.
struct MotionFields {
  EvaluatedFields names = {};                                           // of `derived`, without values
  std::vector<std::string> roots = {};                                  // of quadratic forms; all others are linear
  std::function<std::vector<Field>(Run&, const Vector& u)> moved = {};  // "displacement", and rotations
  FieldsOfMotion derived = {};                                          // stresses, section forces
};

struct CaseModel {
  Model model;
  LoadCaseInputs load_cases = {};
  std::shared_ptr<const ModelSupports> supports = {};        // of the model: make_supports()
  std::vector<Field> nodal_results = {}, cell_results = {};  // names and components of the results to come
  std::vector<std::string> field_names = {};                 // of a form of several fields
  std::vector<DerivedResult> derived_results = {};           // of which gradients know how they follow
  std::vector<Field> model_fields = {};                      // at nodes, beside every solution: which nodes are tied
  std::optional<TransientInput> time = {};                   // of a case with [time]
  std::optional<GradientInput> gradient = {};                // [gradient]
  std::function<void(Run&, const LinearSolverOptions&)> check_solver =
      {};                      // adds errors for methods that it cannot have
  std::string what_acts = {};  // tables without which a static model stays at rest; empty: that cannot be seen
  bool modes = false;          // are asked for: [modal]
  bool relieved = false;       // a free body whose inertia balances the loads: [inertia_relief]
  bool preloaded = false;      // of the state under the loads: [modal] preload
  std::vector<PrescribedMean> preload_means = {};    // what holds that state as the attached motions of the model do
  bool has_energies = false;                         // may load paths ask for them?
  std::string why_no_energies = {};                  // of these materials; empty: they have
  std::function<std::optional<double>()> mass = {};  // [kg] by other means than the mass matrix
  double attached_mass = 0;                          // [kg] at reference points, beside it
  // Log, report, result files of the run that solves it.
  std::function<void(Run&, const CaseModel&, const Operator& equations, const SolutionView&)> show = {};
  std::function<void(Run&, const FieldsOfModel&, const SolutionView&)> show_fields = {};  // of a model that has fields
  std::vector<MovedRegion> moved = {};                              // more in the log and among the facts
  MotionFields motion = {};                                         // where modes answer loads
  std::function<void(Run&, const Vector& shape)> judge_shape = {};  // of the first mode that is not rigid

  CaseModel (*reader)(Run&) = nullptr;  // reads the case of another run

  const FunctionSpace& space() const { return model.space; }
  MatrixPromise promise() const { return model.definite ? MatrixPromise::positive_definite : MatrixPromise::none; }
};

}  // namespace ritz
