// Statics with prescribed mean motions, or springs that hold them. Each has a load of unknown size, and the sizes
// follow from a superposition of static solutions. With u_b of what else acts and u_j of load j alone:
//
//   sum_j s_j m_i(u_j) + compliance_i s_i = value_i - m_i(u_b)
//
// So the matrix stays as sparse as it was, however many nodes a mean has. Rigid motions that means alone hold are
// unknowns, too: the work of all loads on them is zero. Bodies of several fields are held without means. Private to
// fem/analysis.
#pragma once

#include "fem/analysis/setup.hpp"

#include <memory>
#include <vector>

namespace ritz {

// Linear equations that are held without the means. The model and the set-up must outlive it.
class SolutionsWithMeans {
 public:
  // Solves for the load cases of the model and for each mean. Throws Error: Exit::model where supports, or other means,
  // determine a prescribed one; Error: Exit::not_converged as solve_static() does.
  SolutionsWithMeans(const Setup& setup, const Model& model, const LinearSolverOptions& options,
                     const Observer& observer, SystemCache* cache);
  ~SolutionsWithMeans();

  // The sum of load cases with these factors, whose means are the prescribed ones; without load cases what acts.
  StaticSolution of(const std::vector<double>& factors);

 private:
  class Superposition;
  std::unique_ptr<Superposition> superposition_;
  const Setup& setup_;
  bool keeps_memory_;
};

}  // namespace ritz
