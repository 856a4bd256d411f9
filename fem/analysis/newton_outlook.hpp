// The outlook of Newton's method, by the norms of the residual: the reason to give up early and take a shorter
// increment. Steps that only just converge cost more than two shorter increments.
#pragma once

#include <span>
#include <string>

namespace ritz {

// norms [step], the last one at hand. Empty: it may converge.
std::string hopeless(std::span<const double> norms);

}  // namespace ritz
