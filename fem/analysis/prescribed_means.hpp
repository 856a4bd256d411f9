// Statics with prescribed mean motions. Each has a load of unknown size, and the sizes follow from a superposition of
// static solutions: with u_0 of what acts without them and u_j with load j beside, sum_j s_j (m_i(u_j) - m_i(u_0)) =
// value_i - m_i(u_0). So the matrix stays as sparse as it was, however many nodes a mean has. Private to fem/analysis.
#pragma once

#include "fem/analysis/setup.hpp"

#include <span>

namespace ritz {

// Linear equations that are held without the means. Throws Error(Exit::model) where supports, or other means, determine
// a prescribed one; Error(Exit::not_converged) as solve_static() does.
StaticSolution solve_with_means(const Setup& setup, std::span<const PrescribedMean> means,
                                const LinearSolverOptions& options, const Observer& observer, SystemCache* cache);

}  // namespace ritz
