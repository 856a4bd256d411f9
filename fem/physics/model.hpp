// The equations of one body, whatever is asked of them: what the builders of this folder make of materials, loads and
// supports (HeatConduction, ElasticBody), and what analyses take. Nothing in it knows where its numbers came from.
//
//   const Model model = heat.model(space);
//   const Operator equations(*model.space, model.equations);
//   const Constraints supports = make_constraints(model);
//   StaticSolution s = solve_static(equations, supports, {});
#pragma once

#include "fem/operator/integral.hpp"
#include "fem/physics/place.hpp"
#include "fem/space/constraints.hpp"
#include "fem/space/rigid_motion.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct PrescribedValue {
  const Region* region;
  int component;
  Coefficient value;
  std::string origin = {};
};

// Loads and prescribed values that act in one load case only. The same unknowns are prescribed in all of them.
struct ModelLoadCase {
  std::string name;
  std::vector<Integral> loads = {};
  std::vector<PrescribedValue> prescribed = {};  // instead of those outside, on the same region and component
};

// A surface that exchanges heat with its surroundings.
struct Exchange {
  std::string kind;  // "convection", "radiation"
  const Region* region;
  Integral integral;
};

// The values of the unknown for which a table of a material has rows. Beyond them it is constant.
struct ValidRange {
  const Region* region;  // cells
  double lowest, highest;
  std::string origin = {};
};

struct Model {
  std::shared_ptr<const FunctionSpace> space;
  std::vector<Integral> equations;  // residual = internal - external: stiffness, and loads outside of load cases
  std::vector<Integral> capacity;   // stored quantity of evolutions of first order; empty: it is not known
  std::vector<Integral> inertia;    // mass of free vibration; empty: it is not known
  std::vector<PrescribedValue> supports;
  std::vector<Node> held_on_axis = {};  // nodes of the space whose component 0 is zero: an axis of revolution
  std::vector<ModelLoadCase> load_cases = {};
  double start = 0;                       // where Newton's method may begin: radiation has no tangent at absolute zero
  bool linear = true, definite = true;    // definite: symmetric and positive, once it is held
  RigidModes rigid = RigidModes::scalar;  // the motions that supports must prevent
  std::vector<Node> held = {};            // nodes of the space that the equations hold: by convection, say
  std::vector<Exchange> exchanges = {};   // among the equations, too
  std::vector<ValidRange> ranges = {};    // asked for by tables that are not to be continued
  std::vector<std::string> notices = {};  // what a user may want to know: sentences
};

// Without a load case, or with one of them. Finished, and checked: throws Error(Exit::model) where two sources
// disagree, and where the body can move freely.
Constraints make_constraints(const Model& model, const ModelLoadCase* load_case = nullptr);

// Throws Error(Exit::model) where the solution leaves a range of the model, naming the first one, the value and the
// node.
void check_ranges(const Model& model, const Vector& u);

// A space that the model may keep: of the mesh's order, or with the options.
std::shared_ptr<const FunctionSpace> make_space(const Mesh& mesh, int components, const Device& device,
                                                const SpaceOptions& options = {});
// One that somebody else keeps.
inline std::shared_ptr<const FunctionSpace> borrowed(const FunctionSpace& space) {
  return {std::shared_ptr<void>(), &space};
}

}  // namespace ritz
