// [solver] and [newton] of the case, read at the first use: analyses that have another solver leave them unread.
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/analysis/nonlinear_solution.hpp"

#include <optional>

namespace ritz {

// Vectors of Newton's method, of a model that has fields.
MemoryNeeds newton_vector_needs(Index unknowns);

class CaseSolvers {
 public:
  CaseSolvers(Run& run, const CaseModel& read) : run_(run), read_(read) {}

  const Nonlinear& newton();
  const LinearSolverOptions& linear() { return newton().linear; }

 private:
  Run& run_;
  const CaseModel& read_;
  std::optional<Nonlinear> newton_;
};

}  // namespace ritz
