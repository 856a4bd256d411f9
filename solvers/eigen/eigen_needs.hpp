// Memory of the device's pool that eigenvalue methods take in addition to K, M and their pattern: derived from the code
// of both methods, and compared with measured values by tests/memory.
//
//   const EigenNeeds needs = lanczos_needs(shape, options);   needs.peak.total(), needs.moment
#pragma once

#include "device/memory_needs.hpp"
#include "solvers/eigen/eigen_solver.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

namespace ritz {

struct EigenNeeds {
  MemoryNeeds peak;
  const char* moment;  // "iteration", "measuring the modes", "set-up"
  int width = 0;       // vectors that are worked on together
};

// shape: of K. The factor is not included. The number of modes of a band is not known before it is counted:
// options.count takes its place.
EigenNeeds lanczos_needs(const HierarchyShape& shape, const EigenOptions& options);
// X, P and W of LOBPCG: without its cycle, and without the shifted matrix.
EigenNeeds lobpcg_needs(Index unknowns, const EigenOptions& options, bool in_lanes);

// How many vectors: with Lanczos in the basis at most, with LOBPCG in each of X, W and P. in_lanes: products of up to
// eight vectors cost as much as one, so that lanes are filled.
int lanczos_basis(int nearby, Index mass_count);
int lobpcg_width(int count, Index mass_count, bool in_lanes);

}  // namespace ritz
