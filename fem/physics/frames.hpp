// Frames, trusses and shells: elements on lines and surfaces in space, springs, point masses, loads and supports in, a
// Model out. SI units stand for any consistent ones.
//
//   Frames frames(mesh);
//   frames.section("columns", {.element = beam, .density = 7850, .size = beam.area});   // Beam, Bar, Shell, your own
//   frames.loads.fix("feet");
//   frames.loads.force("corner", {1e4, 0, 0});
//   const Model model = frames.model(Device::automatic());
#pragma once

#include "fem/elements/beam.hpp"
#include "fem/physics/model.hpp"
#include "fem/physics/rotation.hpp"

#include <array>
#include <deque>

namespace ritz {

using Vector3 = std::array<double, 3>;

// Loads and supports that act together: always, or in one load case.
class FrameLoads {
 public:
  explicit FrameLoads(std::string name = {}) : name_(std::move(name)) {}
  // [N], [N m] in total, in equal parts at the nodes of the region.
  void force(On nodes, Vector3 total, Vector3 moment = {}, std::string origin = {});
  void line_load(On lines, Vector3 density, std::string origin = {});      // [N/m], on beams, bars, edges of shells
  void surface_load(On shells, Vector3 density, std::string origin = {});  // [Pa]
  void pressure(On shells, double value, std::string origin = {});         // against their normals [Pa]
  void gravity(Vector3 acceleration, std::string origin = {});             // [m/s^2] on sections and point masses
  Vector3 acceleration() const { return gravity_ ? gravity_->value : Vector3{}; }
  // Components: displacements, then rotations.
  void support(On nodes, int component, Coefficient value, std::string origin = {});
  void fix(On nodes, std::string origin = {});  // nothing moves or turns
  const std::string& name() const { return name_; }

 private:
  friend class Frames;
  struct Force {
    On place;
    Vector3 total, moment;
    std::string origin;
  };
  struct Entry {
    On place;
    Vector3 value;
    std::string origin;
  };
  struct Support {
    On place;
    int component;  // -1: all
    Coefficient value;
    std::string origin;
  };
  std::string name_;
  std::vector<Force> forces_;
  std::vector<Entry> line_loads_, surface_loads_, pressures_;  // a pressure is the first number
  std::optional<Entry> gravity_;                               // without a place
  std::vector<Support> supports_;
};

class Frames {
 public:
  struct Section {
    FormValue element;   // a whole element with a stiffness
    double density = 0;  // [kg/m^3]
    double size = 0;     // area of lines [m^2], thickness of surfaces [m]: needed with a density
    std::string origin = {};
  };
  struct Spring {                           // from each node to the ground
    Vector3 stiffness{}, rotational{};      // along the axes [N/m], about them [N m/rad]
    std::optional<FormValue> element = {};  // instead: one of a node, which is taken to hold its displacements
    std::string origin = {};
  };
  struct PointMass {
    double total = 0;   // [kg], in equal parts at the nodes of the region
    Vector3 inertia{};  // rotary inertia about the axes, likewise [kg m^2]
    std::string origin = {};
  };

  explicit Frames(const Mesh& mesh) : mesh_(mesh) {}

  // Each surface and volume cell has one; lines without one carry nothing, and name places.
  void section(On cells, Section section);
  void spring(On nodes, Spring spring);
  void mass(On nodes, PointMass mass);
  // A shaft along the axis turns with what is on it, in a frame that stands still: beams of round sections, and point
  // masses with equal moments of inertia across the axis. Gyroscopic forces act in complex modes.
  void rotates(Rotation rotation) { rotation_ = std::move(rotation); }
  FrameLoads loads;  // in all load cases
  FrameLoads& load_case(std::string name) { return load_cases_.emplace_back(std::move(name)); }

  int components() const;  // of the space: 3, or 6 where an element has rotations

  // Throws Error or Errors: what is wrong with the inputs, all of it at once.
  Model model(const Device& device) const;
  // On a space of components(). Adds to `errors` instead, and leaves out what is wrong. Springs are among the exchanges
  // of the model.
  Model model(FunctionSpace space, ErrorList& errors) const;
  // Masses of the sections and point masses. Elements whose mass is not known are errors, and make a model without
  // inertia.
  std::vector<Integral> inertia(ErrorList& errors) const;

  // Equations by which nodes that touch solids follow them, with the numbers that joined(solids, frames) gives to
  // fields: displacements, and rotations where a section ends on a solid, as the mean motion of the solid over its
  // footprint (frame_joints.cpp). by_hand: nodes of the mesh that are joined otherwise, ascending. Adds to `errors`
  // what touches and cannot be joined.
  struct Joints {
    std::vector<LinearEquations> equations;
    std::vector<Joint> list;
  };
  Joints joints(const FunctionSpace& solids, const FunctionSpace& frames, std::span<const Node> by_hand,
                ErrorList& errors) const;
  std::vector<std::uint8_t> turning_nodes() const;  // [mesh node] 1: an element there knows rotations

  // [cell] force per length on beams: `factor` times what acts in all load cases, and each load case times its own.
  // The section forces of a beam are those of its nodes and of the load between. Empty: none.
  std::vector<Vector3> along_beams(double factor = 1, std::span<const double> of_load_case = {}) const;

 private:
  template <class Input>
  struct Placed {
    On place;
    Input input;
  };
  class Parts;
  class Builder;
  friend class FrameJoints;

  Mesh mesh_;
  std::vector<Placed<Section>> sections_;
  std::vector<Placed<Spring>> springs_;
  std::vector<Placed<PointMass>> masses_;
  std::optional<Rotation> rotation_;
  std::deque<FrameLoads> load_cases_;  // references to them stay valid
};

// The beam that an element is; none where it is another.
std::optional<Beam> beam_in(const FormValue& element);

}  // namespace ritz
