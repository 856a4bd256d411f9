// The elastic ground of a case: [[foundation]] under facets and [[spring]] at nodes of a body, and the forces of what
// holds a body or a structure elastically, which results count among the reactions.
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/physics/elastic_body.hpp"

#include <vector>

namespace ritz {

// Errors are added to the case.
void read_ground(Case& input, const Mesh& mesh, ElasticBody& body);
void read_foundations(Case& input, const Mesh& mesh, ElasticBody& body);  // [[foundation]] alone

// Forces of a solution: those of the ground on the body, and what is left as its loads.
struct GroundForces {
  std::vector<double> reaction;  // [mesh node][component] of supports, foundations and springs
  std::vector<double> applied;   // [component] sums of the loads; empty where they are not summed
  bool complete = true;          // no springs are left out
};
// Springs that keep a state, of plugins, are left out with a notice. So are all where memory is short.
GroundForces ground_forces(Run& run, const CaseModel& read, const SolutionView& s);

// The force of each foundation and region of springs, damping included, in the log and among the facts.
void print_ground(Run& run, const CaseModel& read, const SolutionView& s);

}  // namespace ritz
