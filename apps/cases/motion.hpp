// [time], [initial] and [damping] of a case whose evolution is of second order: what moves, by its inertia.
//
//   if (goes_through_time(run)) read.time = read_motion(run, dimension, 0);   ...   read_damping(run, read.model);
#pragma once

#include "apps/cases/case_model.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

// Keys of [initial] for components of the unknown, and for their velocities.
struct MotionKeys {
  std::string key;
  const char* about;
  std::string rate;
  const char* about_rate;
  int first = 0, count = 1;  // components
};

// [time], and [initial] with values and velocities, or the static equilibrium of the loads at t = 0.
TransientInput read_motion(Run& run, std::span<const MotionKeys> parts);
// The same of displacements, and of rotations after them, which have separate keys.
TransientInput read_motion(Run& run, int displacements, int rotations);
// [initial] equilibrium. keys: those that it takes the place of.
bool read_equilibrium(const Case::Table& initial, std::span<const std::string> keys);

void read_damping(Case& input, Model& model);         // [damping]
Case::Table damping_table(Case& input);               // the same, unread
RayleighDamping read_rayleigh(const Case::Table& t);  // `rayleigh`, or `ratios` at `frequencies`

// [modal] preload: the body vibrates about its static equilibrium under the loads of the case.
bool has_preload(Run& run);
// [modal] nodal_diameters: modes with waves around an axis.
bool has_nodal_diameters(Run& run);

// Steps and energies, in the log and among the facts.
void report_motion(Run& run, const State& state, const Transient& method);

// A column of the table of probes for each energy [J].
std::vector<std::pair<std::string, std::vector<double>>> energies_of(const SolutionView& s);

}  // namespace ritz
