// The blocks of two neighbouring levels as template arguments: C unknowns per node of the finer one, K of the coarser.
#pragma once

#include "device/error.hpp"

#include <string>

namespace ritz::RITZ_BACKEND {

// Calls F<C, K>::run().
template <template <int, int> class F, class... Args>
auto with_blocks(int C, int K, Args&&... args) {
  if (C == 1 && K == 1) return F<1, 1>::run(args...);
  if (C == 2 && K == 2) return F<2, 2>::run(args...);
  if (C == 2 && K == 3) return F<2, 3>::run(args...);
  if (C == 3 && K == 6) return F<3, 6>::run(args...);
  if (C == 3 && K == 3) return F<3, 3>::run(args...);
  if (C == 4 && K == 4) return F<4, 4>::run(args...);
  if (C == 5 && K == 5) return F<5, 5>::run(args...);
  if (C == 6 && K == 6) return F<6, 6>::run(args...);
  throw Error(ErrorKind::internal, "multigrid with blocks of " + std::to_string(C) + " x " + std::to_string(K));
}

}  // namespace ritz::RITZ_BACKEND
