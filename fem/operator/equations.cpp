#include "fem/operator/equations.hpp"

namespace ritz {

Vector Equations::zeros(const char* tag) const {
  Vector u(device_, layout_.total(), tag);
  u.fill_zero();
  return u;
}

}  // namespace ritz
