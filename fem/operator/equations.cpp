#include "fem/operator/equations.hpp"

#include "fem/space/function_space.hpp"

namespace ritz {

EquationFacts together(const EquationFacts& some, const EquationFacts& others) {
  return {.symmetric = some.symmetric && others.symmetric,
          .linear = some.linear && others.linear,
          .varies_in_time = some.varies_in_time || others.varies_in_time,
          .matrix_varies_in_time = some.matrix_varies_in_time || others.matrix_varies_in_time,
          .has_states = some.has_states || others.has_states};
}

Vector Equations::zeros(const char* tag) const {
  Vector u(device_, layout_.total(), tag);
  u.fill_zero();
  return u;
}

}  // namespace ritz
