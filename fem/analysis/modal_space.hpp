// The motions of a linear model that a few columns span: modes of free vibration, and residual vectors, which are the
// static answers to loads and base motions that the modes lack (Dickens, Nakagawa and Wittbrodt, Computers & Structures
// 62, 1997). Stiffness and masses are diagonal on it, so that analyses of vibration are small sums on the host:
// fem/analysis/harmonic_response.hpp, random_response.hpp, response_spectrum.hpp.
//
//   const ModalSpace space = solve(model, ModalBasis{.modal = {{.count = 20}}});
//   const HarmonicMotion m = harmonic_response(space, {.damping = {.ratio = 0.02}, .excitations = {{.load = 0}}}, 42);
#pragma once

#include "fem/analysis/analysis.hpp"
#include "fem/analysis/forecast.hpp"
#include "fem/analysis/frequency_table.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

class OwnModel;  // fem/analysis/own_model.hpp

struct ModalBasis {
  Modal modal = {};
  bool loads_excite = true;                           // loads outside of load cases: else they are those of modal.begin
  bool residual_vectors = true;                       // of each load and each direction
  LinearSolverOptions linear = {};                    // of their static solutions
  std::vector<std::vector<double>> more_forces = {};  // [force][unknown] that have residual vectors, too
};

// Method of static answers to forces. Several fields take a factor where none is named, since an iteration would be
// asked for 1e-10 of each answer.
LinearMethod method_of_answers(LinearMethod asked, const Model& model);

struct ModalSpace {
  VibrationModes modes;                         // the first columns
  std::optional<MultiVector> residual_vectors;  // the columns after them; M-orthogonal to the modes
  std::vector<double> mass, stiffness;          // [column] phi^T M phi, phi^T K phi
  std::vector<std::string> load_names;          // the load cases of the model, or "loads" without any
  std::vector<std::vector<double>> loads;       // [load][column] phi^T f
  std::vector<std::vector<double>> base;        // [direction of modes.directions][column] phi^T M t
  std::vector<Vector> translations;             // [direction] t: the body moved by 1 along an axis
  // Over ranks columns and translations have the unknowns that a rank owns.
  std::shared_ptr<const OwnModel> model;

  int columns() const { return static_cast<int>(mass.size()); }
  int mode_count() const { return static_cast<int>(modes.frequencies.size()); }
  double frequency(int column) const;                // [Hz]
  double missing_mass(std::size_t direction) const;  // part of the mass that no mode moves
  // [unknown] sum of columns times q, and of translations times `carried` [direction], where it is given. Over ranks
  // all of them call it; own_motion() has the unknowns of this rank.
  Vector motion(const std::vector<double>& q, const std::vector<double>& carried = {}) const;
  Vector own_motion(const std::vector<double>& q, const std::vector<double>& carried = {}) const;
};

// Damping of a column: a viscous force, and a part of the stiffness in phase with the velocity (structural).
struct ModalDamping {
  FrequencyTable ratio = 0.0;  // of the critical damping, over the frequency of a mode
  RayleighDamping rayleigh = {};
  double structural = 0;  // loss factor

  double viscous(const ModalSpace& space, int column) const;
  double ratio_of(const ModalSpace& space, int column) const;  // of the critical one, at its resonance
};

// A load of the space, or a motion of its base, with its size over the frequency. Results of a base motion are
// relative to the base.
struct Excitation {
  enum class Motion { acceleration, velocity, displacement };
  int load = -1;                         // of ModalSpace::loads; -1: the base moves
  std::array<double, 3> direction = {};  // of the base
  Motion motion = Motion::acceleration;  // that `size` gives
  FrequencyTable size = 1.0;             // amplitude; a spectral density; the acceleration of a response spectrum
  double phase = 0;                      // [rad]
};

// A number that is linear in the motion: a sum of weights times coordinates, or times their accelerations.
struct ModalQuantity {
  std::vector<double> columns;       // [column]
  std::vector<double> carried = {};  // [direction] of the base, of accelerations
  bool is_acceleration = false;      // absolute; else relative to the base
};

// [column] forces of an excitation of size 1, of the base by the acceleration 1. Throws Error: Exit::model for a load
// or a direction that the space lacks.
std::vector<double> forces_of(const ModalSpace& space, const Excitation& excitation);
// [direction of the space] the acceleration of the base.
std::vector<double> carried_by(const ModalSpace& space, const Excitation& excitation);

// Throws Error: Exit::model: nonlinear equations without a state, several fields on one mesh that are free to move, a
// free body with fewer modes than rigid motions, motions that a spring at a reference point holds; and what the modes
// throw.
void check(const Model& model, const ModalBasis& basis);
ModalSpace solve(const Model& model, const ModalBasis& basis, const Observer& observer = {},
                 const Prepared& prepared = {});
// Modes, or the static solutions next to them, whichever takes more.
Forecast forecast(const Model& model, const ModalBasis& basis, const Prepared& prepared = {});

}  // namespace ritz
