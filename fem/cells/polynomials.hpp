#pragma once

#include <vector>

namespace ritz {

// Lagrange polynomials through nodes on a line: values and derivatives at x, [node].
struct LineLagrange {
  std::vector<double> nodes;
  void evaluate(double x, double* values, double* derivatives) const;
};

}  // namespace ritz
