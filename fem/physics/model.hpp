// The equations of one body, whatever is asked of them: what the builders of this folder make of materials, loads and
// supports (HeatConduction, ElasticBody), and what analyses take. Nothing in it knows where its numbers came from.
//
//   const Model model = heat.model(space);
//   const StaticSolution s = solve(model, Static{});      // fem/analysis/analysis.hpp
#pragma once

#include "fem/space/fields_constraints.hpp"
#include "fem/operator/fields_operator.hpp"
#include "fem/physics/periodic_region.hpp"
#include "fem/physics/place.hpp"
#include "fem/physics/rayleigh_damping.hpp"
#include "fem/physics/rotation.hpp"
#include "fem/space/constraints.hpp"
#include "fem/space/linear_equations.hpp"
#include "fem/space/rigid_motion.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

struct PrescribedValue {
  const Region* region;
  int component;
  Coefficient value;
  std::string origin = {};
  int field = 0;
  // In place of component and value, of a field of facets or edges: a vector, of which the normal or the tangential
  // component counts.
  std::vector<PointFunction> vector = {};
};

// Loads and prescribed values that act in one load case only. The same unknowns are prescribed in all of them.
struct ModelLoadCase {
  std::string name;
  std::vector<Integral> loads = {};
  std::vector<MixedIntegral> loads_of_fields = {};  // that are forms of several fields, or of facets or edges
  std::vector<PrescribedValue> prescribed = {};     // instead of those outside, on the same region and component
};

// Nodes of the space that the equations hold elastically.
struct HeldNodes {
  std::vector<Node> nodes;
  int component = -1;  // -1: all
  int field = 0;
};

// A place that exchanges heat with its surroundings, or forces with the ground.
struct Exchange {
  std::string kind;  // "convection", "radiation", "foundation", "spring"
  const Region* region;
  Integral integral;
};

// The values of the unknown for which a table of a material has rows. Beyond them it is constant.
struct ValidRange {
  const Region* region;  // cells
  double lowest, highest;
  std::string origin = {};
};

// The mean motion of a surface that stays free to deform is a value, or a spring holds it there. A load does work on
// it, and its size is unknown.
struct PrescribedMean {
  Integral load;                   // of size 1, on one field
  std::vector<UnknownTerm> terms;  // of this field, whose sum is the mean: the work of that load
  double prescribed;
  double compliance = 0;  // of a spring between the motion and the prescribed one, per size of the load; 0: it is stiff
  std::string origin = {};
};

// A motion of a reference point, which a surface follows in the mean, or a rigid region: a sum of weights times
// unknowns. A spring to the ground and a mass act on it.
struct AttachedMotion {
  std::vector<UnknownTerm> terms;  // of one field
  double stiffness = 0;            // of the spring; infinite: the motion is held
  double mass = 0;                 // of a rotation its moment of inertia
  int field = 0;
};

// A node of beams, bars or shells that follows a solid (fem/physics/frame_joints.cpp).
struct Joint {
  enum class Kind {
    point,         // its displacements, that of a point of the solid
    section,       // and its rotations, the mean motion of the solid over the footprint of a beam
    edge,          // likewise of the edge of a shell
    surface,       // written by hand: likewise over facets
    rigid_surface  // written by hand: the facets, which are rigid, follow the node
  };
  Kind kind;
  std::string region = {};       // cells of the section; empty: no region has them
  std::string onto = {};         // cells of the solid there, or the facets
  Point at = {};                 // the node
  double width = 0, height = 0;  // of the footprint; of an edge its thickness
};

// The two sides of a sector, of which a rotation moves one onto the other.
struct CyclicSides {
  std::size_t relations;      // number among the relations of the model: those of motions that all sectors share
  std::vector<Node> on_axis;  // the last ones of them are of these nodes
  RotationAbout rotation;
};

// Forms of several fields, and those of facets or edges.
struct FormsOfFields {
  std::vector<MixedIntegral> equations, capacity, inertia;
};

struct Model {
  FunctionSpace space;  // of the first field
  Spaces others = {};   // of further fields, on the mesh of the first or their own
  FormsOfFields of_fields = {};
  std::vector<Integral> equations;  // residual = internal - external: stiffness, and loads outside of load cases
  std::vector<Integral> capacity;   // stored quantity of evolutions of first order; empty: it is not known
  std::vector<Integral> inertia;    // mass of free vibration and of evolutions of second order; empty: it is not known
  std::vector<PrescribedValue> supports;
  RayleighDamping damping = {};                 // of evolutions of second order
  std::optional<Turning> turning = {};          // of vibration about the state of a body that turns
  std::vector<LinearEquations> relations = {};  // between unknowns, in all load cases: ties, rigid regions, equations
  std::vector<CyclicSides> cyclic = {};         // sides of a sector (fem/analysis/sector_modes.hpp)
  std::vector<PrescribedMean> means = {};       // of statics and evolutions of second order, in all load cases
  std::vector<AttachedMotion> attached = {};    // of free vibration; in time their masses
  std::vector<Node> held_on_axis = {};  // nodes of the space on an axis of revolution: their radial component is 0
  // Around a body of revolution, whose displacements have the components r, y and hoop (fem/forms/with_waves.hpp).
  // Nodes on the axis are held so that a motion in space is smooth there.
  std::optional<int> waves = {};
  std::shared_ptr<const Model> without_waves = {};  // the same body with the components r and y, and its loads
  bool sparse = false;                  // elements do not act on all unknowns: those without any are held at zero
  std::vector<std::uint8_t> gone = {};  // [cell] 1: it is not there (fem/physics/removed_cells.hpp); empty: all are
  std::vector<ModelLoadCase> load_cases = {};
  double start = 0;                     // where Newton's method may begin: radiation has no tangent at absolute zero
  bool linear = true, definite = true;  // definite: symmetric and positive, once it is held
  bool ill_conditioned = false;         // beams and thin shells: factorised, where no method is named
  bool structural = false;              // lines and surfaces in space
  bool copies = false;                  // of one part, in several fields: their rigid motions are counted together
  double tolerance = 1e-8;              // of linear solvers, where none is named: what double precision leaves
  // The motions that supports must prevent; none: bodies may be free.
  std::optional<RigidModes> rigid = RigidModes::scalar;
  std::vector<HeldNodes> held = {};              // by the equations: convection, springs
  std::vector<LinearEquations> held_along = {};  // sums of unknowns that the equations hold: normal to a foundation
  std::vector<Exchange> exchanges = {};          // among the equations, too
  std::vector<Joint> joints = {};                // whose equations are among the relations
  std::vector<ValidRange> ranges = {};           // asked for by tables that are not to be continued
  std::vector<std::string> notices = {};         // what a user may want to know: sentences

  // More than one field, or one with unknowns at facets or edges.
  bool has_fields() const { return !others.empty() || !of_fields.equations.empty(); }
  Spaces spaces() const;
};

// Another space with the same nodes: spaces know what equations join in their patterns.
FunctionSpace own_space(const FunctionSpace& space, int components);

// Models of one field each as one of several fields, which the first comes first in. Load cases are those of the same
// name. Relations between their unknowns are added to it (fem/physics/frames.hpp).
Model joined(Model first, Model second);

std::vector<Integral> of_field(const std::vector<Integral>& integrals, int field);  // those of one of several

// [unknown of the field] 1: an element or an equation acts on it. Empty where the model is not sparse.
std::vector<std::uint8_t> touched_in(const Model& model, int field = 0);

// Without a load case, or with one of them. Finished, and checked: throws Error: Exit::model where two sources
// disagree, and where the body can move freely.
Constraints make_constraints(const Model& model, const ModelLoadCase* load_case = nullptr);

// The rigid motions of each part of the body that these constraints and the equations leave free; none where the model
// does not ask.
std::vector<FreePart> free_parts(const Model& model, const Constraints& constraints);
// Throws Error: Exit::model where there are any.
void check_held(const Model& model, const Constraints& constraints);

// [motion][unknown] Rigid motions that these constraints leave free, and the ground holds: springs, foundations,
// convection. Their stiffness may be 1e-9 of the body's. None where there are more than 60, as of many loose parts.
GroundMotions motions_held_by_ground(const Model& model, const Constraints& constraints);

// The prescribed values of a model and of its load cases, not finished yet. Load cases without values of their own
// share one set.
class ModelSupports {
 public:
  explicit ModelSupports(const Model& model);

  std::vector<Constraints*> all() const;                        // each once
  const Constraints& common() const { return *sets_.front(); }  // without any load case
  const Constraints& of(std::size_t load_case) const { return *sets_[set_of_[load_case]]; }
  // u as supports and equations alone prescribe it, free unknowns at zero: without any load case; or the sum over load
  // cases with these factors, where what is left of 1 is without any.
  Vector prescribed(std::span<const double> factors = {}) const;
  Index untouched() const { return untouched_; }  // unknowns on which no element acts, held at zero
  // [motion][unknown] rigid motions that prescribed means alone hold. As many unknowns are held at zero in their place,
  // and no force may act there.
  const std::vector<std::vector<double>>& floating() const { return floating_; }
  const std::vector<Index>& stops() const { return stops_; }  // these unknowns
  // motions_held_by_ground()
  const GroundMotions& on_ground() const { return on_ground_; }

 private:
  void find_floating(const Model& model);

  std::vector<std::unique_ptr<Constraints>> sets_;
  std::vector<std::size_t> set_of_;  // [load case]
  Index untouched_ = 0;
  std::vector<std::vector<double>> floating_;
  std::vector<Index> stops_;
  GroundMotions on_ground_;
};

// The sum of terms of u [unknown].
double value_of(std::span<const UnknownTerm> terms, std::span<const double> u, int components);

// Throws Error: Exit::model where the solution leaves a range of the model, naming the first one, the value and the
// node.
void check_ranges(const Model& model, const Vector& u);

}  // namespace ritz
