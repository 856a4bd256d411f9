// From displacement gradients to the strain of a law, and from its stress to forces: each written once, for any law. A
// kinematics is a space (the numbers of the gradient that the unknowns have) and a measure of strain:
//   Space::solid 9 rows, plane 4, revolution 5 (the four of the plane about the y axis, then u_r / r = zz)
//   small: linear strain, Cauchy's stress; large: Green and Lagrange's or logarithmic strain, total Lagrange
// The first Piola-Kirchhoff stress P = F S is conjugate to the gradient, and its moduli are
//   A_iJkL = delta_ik S_JL + F_iM D_MJNL F_kN                 (Holzapfel, Nonlinear Solid Mechanics, 2000, section 8.4)
// Logarithmic strain E0 = 1/2 log C has the stress T: S = D log(C)[T], in the eigenvectors' frame by divided
// differences, which are safe at equal stretches (Miehe and Lambrecht, Commun. Numer. Meth. Engng 17 (2001) 337).
// Plane stress lives in the law's kernel: it finds the strain zz without stress and condenses the moduli.
#pragma once

#include "fem/forms/space.hpp"
#include "fem/materials/law.hpp"

namespace ritz {

constexpr int rows_of(Space space) { return space == Space::solid ? 9 : space == Space::plane ? 4 : 5; }
// Component and direction of a row.
constexpr int component_of(Space space, int row) { return space == Space::solid ? row / 3 : row < 4 ? row / 2 : 2; }
constexpr int direction_of(Space space, int row) { return space == Space::solid ? row % 3 : row < 4 ? row % 2 : 2; }
// Count of moduli by rows: the lower triangle where they are symmetric.
constexpr int moduli_of(Space space, bool symmetric) {
  const int rows = rows_of(space);
  return symmetric ? rows * (rows + 1) / 2 : rows * rows;
}
constexpr int modulus_at(Space space, bool symmetric, int row, int column) {
  if (!symmetric) return row * rows_of(space) + column;
  return row < column ? column * (column + 1) / 2 + row : row * (row + 1) / 2 + column;
}

template <Space space, class T>
constexpr Tensor<T> gradient_tensor(const T (&rows)[rows_of(space)]) {
  Tensor<T> H;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) H(i, j) = 0.0;
  for (int r = 0; r < rows_of(space); ++r) H(component_of(space, r), direction_of(space, r)) = rows[r];
  return H;
}
template <class T>
constexpr Tensor<T> deformation(Tensor<T> H) {
  for (int i = 0; i < 3; ++i) H(i, i) += 1.0;
  return H;
}

template <class T>
constexpr Symmetric<T> strain_of(const Tensor<T>& H, Strain measure) {
  if (measure == Strain::small) return symmetric_part(H);
  const Symmetric<T> E = green_lagrange(H);
  if (measure == Strain::green_lagrange) return E;
  return 0.5 * log(Symmetric<T>::identity() + 2.0 * E);
}
// In plane stress: where the search for the strain zz begins, that of constant volume where displacements are large.
template <class T>
constexpr T first_strain_across(const Symmetric<T>& strain, Strain measure) {
  if (measure == Strain::small) return 0.0;
  if (measure == Strain::logarithmic) return -0.5 * (strain[0] + strain[1]);
  const T area = (1.0 + 2.0 * strain[0]) * (1.0 + 2.0 * strain[1]) - 4.0 * (strain[3] * strain[3]);
  return 0.5 * (T(1.0) / area - 1.0);
}
// The gradient zz of a strain zz without shear.
template <class T>
constexpr T gradient_across(const T& strain, Strain measure) {
  using std::sqrt, std::exp;
  if (measure == Strain::small) return strain;
  if (measure == Strain::logarithmic) return exp(strain) - 1.0;
  return sqrt(1.0 + 2.0 * strain) - 1.0;
}

// D of stresses that turn as q s q^T.
template <class T>
constexpr void turn_moduli(const Tensor<T>& q, T (&D)[6][6]) {
  T R[6][6], half[6][6];
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) {
      const int i = voigt_row(a), j = voigt_column(a), k = voigt_row(b), l = voigt_column(b);
      R[a][b] = q(i, k) * q(j, l);
      if (k != l) R[a][b] += q(i, l) * q(j, k);
    }
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) {
      half[a][b] = R[a][0] * D[0][b];
      for (int c = 1; c < 6; ++c) half[a][b] += R[a][c] * D[c][b];
    }
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) {
      D[a][b] = half[a][0] * R[b][0];
      for (int c = 1; c < 6; ++c) D[a][b] += half[a][c] * R[b][c];
    }
}

// The stress S of the stress T that belongs to the logarithmic strain, in the frame of C's eigenvectors and back.
template <class T>
constexpr Symmetric<T> from_logarithmic(const Spectrum<T>& C, const Symmetric<T>& stress) {
  const SpectralValues<Logarithm, T> logarithm({}, C);
  Symmetric<T> t = turned(transposed(C.vectors), stress);
  for (int k = 0; k < 6; ++k) t[k] *= logarithm.differences[k];
  return turned(C.vectors, t);
}
// The same with moduli dS/dE, E Green and Lagrange's:
// dS_ij = f_ij f_kl D_ijkl dE_kl + 2 sum_k f_ikj (dE_ik T_kj + T_ik dE_kj)
template <class T>
constexpr void from_logarithmic(const Spectrum<T>& C, Response<T>& r) {
  const Tensor<T> back = transposed(C.vectors);
  const Symmetric<T> t = turned(back, r.stress);
  const SpectralValues<Logarithm, T> logarithm({}, C);
  const auto& [values, first] = logarithm;
  T second[3][3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      for (int k = j; k < 3; ++k)
        second[i][j][k] = second[i][k][j] = second[j][i][k] = second[j][k][i] = second[k][i][j] = second[k][j][i] =
            second_difference_of_log(C.values[i], values[i], C.values[j], values[j], C.values[k], values[k]);
  turn_moduli(back, r.moduli);
  for (int b = 0; b < 6; ++b) {
    double twice[3][3] = {};  // the direction's strain, doubled
    twice[voigt_row(b)][voigt_column(b)] = twice[voigt_column(b)][voigt_row(b)] = b < 3 ? 2 : 1;
    for (int a = 0; a < 6; ++a) {
      const int i = voigt_row(a), j = voigt_column(a);
      r.moduli[a][b] *= first[a] * first[b];
      for (int k = 0; k < 3; ++k) r.moduli[a][b] += second[i][k][j] * (twice[i][k] * t(k, j) + twice[k][j] * t(i, k));
    }
  }
  turn_moduli(C.vectors, r.moduli);
  Symmetric<T> s = t;
  for (int k = 0; k < 6; ++k) s[k] *= first[k];
  r.stress = turned(C.vectors, s);
}

// Rows of P.
template <Space space, class T>
constexpr void nominal_stress(const Tensor<T>& H, Strain measure, Symmetric<T> stress, T (&P)[rows_of(space)]) {
  Tensor<T> product = full(stress);
  if (measure != Strain::small) {
    const Tensor<T> F = deformation(H);
    if (measure == Strain::logarithmic) stress = from_logarithmic(spectrum(right_cauchy_green(F)), stress);
    product = F * full(stress);
  }
  for (int r = 0; r < rows_of(space); ++r) P[r] = product(component_of(space, r), direction_of(space, r));
}

// And its moduli, as modulus_at() numbers them.
template <Space space, bool symmetric, class T>
constexpr void nominal_response(const Tensor<T>& H, Strain measure, Response<T> r, T (&P)[rows_of(space)],
                                T (&A)[moduli_of(space, symmetric)]) {
  constexpr int R = rows_of(space);
  const bool large = measure != Strain::small;
  const Tensor<T> F = deformation(H);
  if (measure == Strain::logarithmic) from_logarithmic(spectrum(right_cauchy_green(F)), r);
  nominal_stress<space>(H, large ? Strain::green_lagrange : Strain::small, r.stress, P);
  for (int column = 0; column < R; ++column) {
    const int k = component_of(space, column), L = direction_of(space, column);
    Symmetric<T> along;  // of S
    for (int a = 0; a < 6; ++a) {
      along[a] = r.moduli[a][voigt(k, L)];
      if (large) {
        along[a] = r.moduli[a][voigt(0, L)] * F(k, 0);
        for (int N = 1; N < 3; ++N) along[a] += r.moduli[a][voigt(N, L)] * F(k, N);
      }
    }
    for (int row = symmetric ? column : 0; row < R; ++row) {
      const int i = component_of(space, row), J = direction_of(space, row);
      T sum = along(i, J);
      if (large) {
        sum = F(i, 0) * along(0, J) + F(i, 1) * along(1, J) + F(i, 2) * along(2, J);
        if (i == k) sum += r.stress(J, L);
      }
      A[modulus_at(space, symmetric, row, column)] = sum;
    }
  }
}

// Cauchy's stress.
template <class T>
constexpr Symmetric<T> cauchy_stress(const Tensor<T>& H, Strain measure, const Symmetric<T>& stress) {
  if (measure == Strain::small) return stress;
  const Tensor<T> F = deformation(H);
  const Symmetric<T> S =
      measure == Strain::logarithmic ? from_logarithmic(spectrum(right_cauchy_green(F)), stress) : stress;
  return (T(1.0) / det(F)) * turned(F, S);
}

}  // namespace ritz
