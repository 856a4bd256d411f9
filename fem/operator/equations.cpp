#include "fem/operator/equations.hpp"

#include "fem/space/function_space.hpp"

namespace ritz {

Layout::Field field_of(const FunctionSpace& space) {
  const std::shared_ptr<const Ghosts>& ghosts = space.ghosts();
  return {ghosts != nullptr ? ghosts->owned() : space.node_count(), space.components(), ghosts};
}

Vector Equations::zeros(const char* tag) const {
  Vector u(device_, layout_.total(), tag);
  u.fill_zero();
  return u;
}

}  // namespace ritz
