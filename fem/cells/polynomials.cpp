#include "fem/cells/polynomials.hpp"

#include "fem/numbers/dual.hpp"

namespace ritz {
void LineLagrange::evaluate(double x, double* values, double* derivatives) const {
  using Number = Dual<double>;
  const Number at(x, 1.0);
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    Number product(1.0);
    for (std::size_t b = 0; b < nodes.size(); ++b)
      if (b != a) product *= (at - nodes[b]) / (nodes[a] - nodes[b]);
    values[a] = product.value;
    derivatives[a] = product.derivative;
  }
}

}  // namespace ritz
