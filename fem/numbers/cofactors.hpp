// Cofactors of a Jacobian J [reference direction][direction]: with gradients g in the reference cell, those in space
// are sum_d g_d m[d][i] / determinant.
#pragma once

namespace ritz {

// Returns the determinant.
template <class T>
constexpr T cofactors(const T (&J)[3][3], T (&m)[3][3]) {
  for (int d = 0; d < 3; ++d)
    for (int i = 0; i < 3; ++i) {
      const int e = (d + 1) % 3, f = (d + 2) % 3, j = (i + 1) % 3, k = (i + 2) % 3;
      m[d][i] = J[e][j] * J[f][k] - J[e][k] * J[f][j];
    }
  return J[0][0] * m[0][0] + J[0][1] * m[0][1] + J[0][2] * m[0][2];
}

template <class T>
constexpr T cofactors(const T (&J)[2][2], T (&m)[2][2]) {
  m[0][0] = J[1][1];
  m[0][1] = -J[1][0];
  m[1][0] = -J[0][1];
  m[1][1] = J[0][0];
  return J[0][0] * J[1][1] - J[0][1] * J[1][0];
}

}  // namespace ritz
