// Free vibration of an elastic body: frequencies, mode shapes, and how much of the mass each mode moves.
//
//   VibrationModes modes = solve_vibration(stiffness, masses, supports, {}, {.count = 10});
//   modes.frequencies[0]   // [Hz]
#pragma once

#include "fem/analysis/fields_of_model.hpp"
#include "fem/operator/operator.hpp"
#include "fem/physics/model.hpp"
#include "fem/space/constraints.hpp"
#include "solvers/eigen/eigen_solver.hpp"

#include <array>
#include <span>

namespace ritz {

struct VibrationModes {
  EigenSolution eigen;  // values omega^2 [1/s^2]; vectors with unit modal mass, over ranks those of the owned unknowns
  std::vector<double> frequencies;  // [mode] omega / (2 pi) [Hz]; 0 for a rigid motion
  int rigid_count = 0;              // the first modes that are rigid motions
  int rigid_motions = 0;            // that the supports leave
  // Translations along the axes; of a body of revolution along its axis alone (Clough and Penzien, Dynamics of
  // Structures, 1993, section 26-2).
  std::vector<int> directions;                      // of space
  std::vector<std::vector<double>> participation;   // [mode][direction] phi^T M t, for unit modal mass
  std::vector<std::vector<double>> effective_mass;  // [mode][direction] its square: [kg]
  std::vector<double> total_mass;                   // [direction] t^T M t [kg], over supported nodes too
};

inline constexpr const char* modes_under_preload = "modes under preload";

struct VibrationModel {
  int rigid_motions = 0;   // that neither supports nor springs of attached motions hold
  int spring_motions = 0;  // rigid motions that such springs hold alone
  std::span<const AttachedMotion> attached = {};
  bool axisymmetric = false;
  bool lists_stay = false;  // of the assembly: another solution with these operators follows
  // The stiffness is that of this state, of `stressed` with that of its stress (stiffness_at); null: at rest.
  const Vector* state = nullptr;
  const Model* stressed = nullptr;
};

// Stiffness and masses are operators of one space, over ranks of the whole model. Bodies may be free: their rigid
// motions are counted from the supports. One mode beyond the rigid ones is always solved for, since it sets the scale
// of zero. The sign of a mode makes its largest component positive. Throws Error: Exit::not_converged with advice when
// modes are missing, and the errors of solve_eigen.
VibrationModes solve_vibration(const Operator& stiffness, const Operator& masses, const Constraints& supports,
                               const VibrationModel& model, EigenOptions options);

// The same of several fields, each of which has an inertia: with their matrices joined, by Lanczos. Rigid motions of
// bodies on several meshes are counted; fields on one mesh must be held. Translations are those of the fields
// "displacement", and of beams and shells. Throws Error: Exit::model for a field without inertia and for motions that
// are free, and what the other throws.
// model: springs and masses of reference points, its state, and what is stressed.
VibrationModes solve_vibration(const FieldsOfModel& fields, const VibrationModel& model, EigenOptions options);

// Completes the solution in modes.eigen, of which `asked` modes stay: throws where some are missing; rigid motions,
// frequencies, signs, and the part of the mass that each moves. forces: M t of each translation. Private to
// fem/analysis.
void finish_modes(int asked, const EigenOptions& options, const Supports& supports, std::span<const Vector> forces,
                  VibrationModes& modes);

// The entry of largest size, with its sign, of all ranks together.
double largest_entry(const Vector& x);

// Throws Error: Exit::model where the lowest eigenvalue of a loaded state is negative.
void throw_if_unstable(const EigenSolution& s);

// Can LOBPCG go without matrices? On fields of order 2 and above whose forms have actions: products with K and M
// recompute the elements, and p-multigrid replaces the multigrid of a matrix.
bool modes_need_no_matrix(const Operator& stiffness, const Operator& masses);
// Does it, in one process? As options.operator_kind says; if it says nothing where no matrix can be assembled, on a
// GPU, where elements act by sum factorisation, and where matrices would take more than a quarter of the memory. A
// matrix is read once for eight vectors, so that it is faster elsewhere.
bool modes_take_no_matrix(const Operator& stiffness, const Operator& masses, const EigenOptions& options);

// Is there a motion that a spring or nothing but a force holds? It needs a factor.
bool has_springs(const VibrationModel& model);
// One mode beyond the rigid ones, too.
int modes_to_solve(const EigenOptions& options, const VibrationModel& model);

}  // namespace ritz
