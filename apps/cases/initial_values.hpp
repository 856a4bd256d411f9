// [initial]: the unknown at the start of an evolution in time, as a number or formula for each component, or as a field
// of another run on the same mesh:
//
//   [initial]                     [initial]
//   temperature = "20 + 5*x"      file = "results/steady.pvd"
#pragma once

#include "apps/cases/run.hpp"
#include "fem/space/function_space.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ritz {

// `key` holds the values; `field` is the name of the unknown in results. What is wrong is added to the case. The
// function gives the values at the nodes of a space. [unknown]
std::function<std::vector<double>(const FunctionSpace&)> read_initial(Run& run, const std::string& key,
                                                                      const std::string& field, int components);

}  // namespace ritz
