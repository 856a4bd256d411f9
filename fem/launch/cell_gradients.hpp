// Assumed gradients of linear hexahedra and quadrilaterals (fem/materials/from_cell_law.hpp), the same text on every
// machine: G at a point from the cell's own gradients H at all points, and from the law's P(G) and its moduli what is
// conjugate to H. A method has three functions of the numbers of one cell:
//   means(cell, large)                       sums over the points that the others share
//   assume(cell, means, q, large, G)         G at point q, rows as of fem/materials/kinematics.hpp
//   finish(cell, means, large, with_moduli)  P and A of the law in place to those of H, vectors and their coupling
#pragma once

#include "fem/launch/element_points.hpp"
#include "fem/materials/from_cell_law.hpp"

namespace ritz::RITZ_BACKEND {

// Numbers of one cell. record(i): its own gradient and weight at each point, of incompatible modes also their slopes,
// then their amplitudes; left(i): what the law leaves, as FormFacts::from_cell counts it.
template <class F, class Record, class Left>
struct CellNumbers {
  static constexpr int R = F::rows, slopes = F::modes > 0 ? F::dimension *F::dimension : 0;
  static constexpr int at_point = R + 1 + slopes;
  static constexpr int recorded(int points) { return points * at_point + F::modes; }
  Record record;
  Left left;
  int points;
  constexpr auto& gradient(int q, int r) const { return record(q * at_point + r); }
  constexpr auto& weight(int q) const { return record(q * at_point + R); }
  constexpr auto& slope(int q, int k, int d) const { return record(q * at_point + R + 1 + k * F::dimension + d); }
  constexpr auto& amplitude(int mode) const { return record(points * at_point + mode); }
  constexpr auto& force(int q, int r) const { return left(q * F::from_law + r); }
  constexpr auto& modulus(int q, int row, int column) const {
    return left(q * F::from_law + R + modulus_at(F::space, F::symmetric, row, column));
  }
  constexpr auto& vector(int k, int q, int r) const { return left(points * F::from_law + (k * points + q) * R + r); }
  constexpr auto& coupling(int k, int l) const {
    return left(points * (F::from_law + F::coupled * R) + k * F::coupled + l);
  }
};
template <class F, class Record, class Left>
constexpr CellNumbers<F, Record, Left> cell_numbers(const Record& record, const Left& left, int points) {
  return {record, left, points};
}
// Numbers of a record.
template <class F>
constexpr int recorded(int points) {
  return CellNumbers<F, int, int>::recorded(points);
}

template <class F>
constexpr double on_diagonal(int row) {
  return component_of(F::space, row) == direction_of(F::space, row) ? 1.0 : 0.0;
}

// The change of volume is the mean of the cell, that of shape the point's own. Small displacements:
// G = H + (mean tr H - tr H) / n I (Hughes, Int. J. Num. Meth. Engng 15 (1980) 1413). Large ones:
// 1 + G = (v / J)^(1/n) (1 + H), v the mean of J = det(1 + H), weighted by undeformed volume (Simo, Taylor and Pister,
// Comput. Methods Appl. Mech. Engrg. 51 (1985) 177); P and the tangent are derivatives of the energy W(G), so that the
// tangent is symmetric. n = 3; in the plane 2, where the strain across remains zero.
template <class F>
struct MeanDilatation {
  static constexpr int R = F::rows, n = F::space == Space::plane ? 2 : 3;

  template <class T>
  struct Means {
    T volume, weight;  // mean of J, or of tr H; sum of the weights
  };
  // J or tr H, and its derivative J C; C = (1 + H)^-T or 1
  template <class T>
  struct Volume {
    T value, deformation[R];  // rows of 1 + H, or of 1
    Tensor<T> C;
  };
  template <class T, class Cell>
  static constexpr Volume<T> volume_of(const Cell& cell, int q, bool large) {
    Volume<T> v;
    T H[R];
    for (int r = 0; r < R; ++r) H[r] = cell.gradient(q, r);
    const Tensor<T> one_and_H = deformation(gradient_tensor<F::space>(H));
    v.value = 0.0;
    v.C = Tensor<T>::identity();
    for (int r = 0; r < R; ++r) {
      v.deformation[r] = on_diagonal<F>(r);
      v.value += on_diagonal<F>(r) * H[r];
      if (large) v.deformation[r] += H[r];
    }
    if (large) {
      v.value = det(one_and_H);
      v.C = transposed(inverse(one_and_H));
    }
    return v;
  }

  template <class T, class Cell>
  static constexpr Means<T> means(const Cell& cell, bool large) {
    Means<T> m{0.0, 0.0};
    for (int q = 0; q < cell.points; ++q) {
      m.volume += cell.weight(q) * volume_of<T>(cell, q, large).value;
      m.weight += cell.weight(q);
    }
    m.volume = m.volume / m.weight;
    return m;
  }
  template <class T>
  static constexpr T scale_of(const Means<T>& m, const T& J) {
    using std::exp, std::log;
    return exp((1.0 / n) * log(m.volume / J));
  }

  template <class T, class Cell>
  static constexpr void assume(const Cell& cell, const Means<T>& m, int q, bool large, T (&G)[R]) {
    const Volume<T> v = volume_of<T>(cell, q, large);
    T scale = 1.0;
    if (large) scale = scale_of(m, v.value);
    for (int r = 0; r < R; ++r)
      G[r] = large ? scale * v.deformation[r] - on_diagonal<F>(r)
                   : cell.gradient(q, r) + on_diagonal<F>(r) * (1.0 / n) * (m.volume - v.value);
  }

  // s = (v / J)^(1/n), a = P : (1 + H). P of H is s (P - a/n C) + p J C with p, the mean of s a / (n v). Derivatives by
  // H and v of W(s (1 + H)), and dC_iJ/dH_kL = -C_iL C_kJ, give A, vectors and coupling.
  template <class T, class Cell>
  static constexpr void finish(const Cell& cell, const Means<T>& m, bool large, bool with_moduli) {
    T mean = 0.0, second = 0.0;  // dW/dv and d2W/dv2
    for (int q = 0; q < cell.points; ++q) {
      const Volume<T> v = volume_of<T>(cell, q, large);
      const T share = share_of(m, v.value, large);
      T along = 0.0;
      for (int r = 0; r < R; ++r) along += cell.force(q, r) * v.deformation[r];
      mean += cell.weight(q) * share * along;
    }
    mean = mean / m.weight;
    for (int q = 0; q < cell.points; ++q) {
      const Volume<T> v = volume_of<T>(cell, q, large);
      if (with_moduli) second += cell.weight(q) * finish_moduli<T>(cell, m, v, mean, q, large);
      T scale = 1.0, J = 1.0, along = 0.0;
      if (large) {
        scale = scale_of(m, v.value);
        J = v.value;
      }
      for (int r = 0; r < R; ++r) along += cell.force(q, r) * v.deformation[r];
      for (int r = 0; r < R; ++r) {
        const T C = v.C(component_of(F::space, r), direction_of(F::space, r));
        cell.force(q, r) = scale * (cell.force(q, r) - (1.0 / n) * along * C) + mean * J * C;
      }
    }
    if (!with_moduli) return;
    for (int k = 0; k < F::coupled; ++k)
      for (int l = 0; l < F::coupled; ++l) cell.coupling(k, l) = 0.0;
    cell.coupling(0, 0) = second;
    cell.coupling(0, F::coupled - 1) = cell.coupling(1, 0) = 1.0;
  }

 private:
  // s / (n v), or 1 / n
  template <class T>
  static constexpr T share_of(const Means<T>& m, const T& J, bool large) {
    if (!large) return 1.0 / n;
    return scale_of(m, J) / (n * m.volume);
  }

  // Returns d2W/dv2 at the point. Vectors: dv/dH; d2W/dH dv as rows; the same as columns.
  template <class T, class Cell>
  static constexpr T finish_moduli(const Cell& cell, const Means<T>& m, const Volume<T>& v, const T& mean, int q,
                                   bool large) {
    T scale = 1.0, J = 1.0;
    if (large) {
      scale = scale_of(m, v.value);
      J = v.value;
    }
    const T share = share_of(m, v.value, large);
    T P[R], C[R], rows[R], columns[R], both = 0.0, along = 0.0;  // A F, F A, F A F
    for (int r = 0; r < R; ++r) {
      P[r] = large ? cell.force(q, r) : T(0.0);
      C[r] = v.C(component_of(F::space, r), direction_of(F::space, r));
      along += P[r] * v.deformation[r];
      rows[r] = columns[r] = 0.0;
      for (int c = 0; c < R; ++c) {
        rows[r] += cell.modulus(q, r, c) * v.deformation[c];
        columns[r] += cell.modulus(q, c, r) * v.deformation[c];
      }
    }
    for (int r = 0; r < R; ++r) both += rows[r] * v.deformation[r];
    for (int r = 0; r < R; ++r) {
      const T geometric = P[r] - (1.0 / n) * along * C[r];
      cell.vector(0, q, r) = J * C[r] / m.weight;
      cell.vector(1, q, r) = share * (scale * (rows[r] - (1.0 / n) * both * C[r]) + geometric);
      if constexpr (!F::symmetric)
        cell.vector(2, q, r) = share * (scale * (columns[r] - (1.0 / n) * both * C[r]) + geometric);
    }
    for (int c = 0; c < R; ++c)
      for (int r = F::symmetric ? c : 0; r < R; ++r) {
        T entry = scale * scale *
                  (cell.modulus(q, r, c) - (1.0 / n) * (C[r] * columns[c] + rows[r] * C[c]) +
                   (1.0 / (n * n)) * both * C[r] * C[c]);
        if (large) {
          const T turned = v.C(component_of(F::space, r), direction_of(F::space, c)) *
                           v.C(component_of(F::space, c), direction_of(F::space, r));
          entry += mean * J * (C[r] * C[c] - turned) -
                   (1.0 / n) * scale * (P[r] * C[c] + C[r] * P[c] - along * ((1.0 / n) * C[r] * C[c] + turned));
        }
        cell.modulus(q, r, c) = entry;
      }
    T second = share * share * both;
    if (large) second += (1.0 / n - 1.0) * share * along / m.volume;
    return second;
  }
};

// One gradient, the mean over the cell's volume (Flanagan and Belytschko, Int. J. Num. Meth. Engng 17 (1981) 679). Its
// motions without energy need a stiffness of their own (fem/elements/hourglass.hpp).
template <class F>
struct UniformGradient {
  static constexpr int R = F::rows;

  template <class T>
  struct Means {
    T gradient[R], weight;
  };
  template <class T, class Cell>
  static constexpr Means<T> means(const Cell& cell, bool) {
    Means<T> m;
    m.weight = 0.0;
    for (int r = 0; r < R; ++r) m.gradient[r] = 0.0;
    for (int q = 0; q < cell.points; ++q) {
      m.weight += cell.weight(q);
      for (int r = 0; r < R; ++r) m.gradient[r] += cell.weight(q) * cell.gradient(q, r);
    }
    for (int r = 0; r < R; ++r) m.gradient[r] = m.gradient[r] / m.weight;
    return m;
  }
  template <class T, class Cell>
  static constexpr void assume(const Cell&, const Means<T>& m, int, bool, T (&G)[R]) {
    for (int r = 0; r < R; ++r) G[r] = m.gradient[r];
  }
  // Vectors: dG/dH by rows, which the mean moduli couple.
  template <class T, class Cell>
  static constexpr void finish(const Cell& cell, const Means<T>& m, bool, bool with_moduli) {
    if (!with_moduli) return;
    for (int r = 0; r < R; ++r)
      for (int c = 0; c <= r; ++c) {
        T sum = 0.0;
        for (int q = 0; q < cell.points; ++q) {
          sum += cell.weight(q) * cell.modulus(q, r, c);
          cell.modulus(q, r, c) = 0.0;
        }
        cell.coupling(r, c) = cell.coupling(c, r) = sum;
      }
    for (int k = 0; k < R; ++k)
      for (int q = 0; q < cell.points; ++q)
        for (int r = 0; r < R; ++r) cell.vector(k, q, r) = r == k ? T(1.0) / m.weight : T(0.0);
  }
};

// Quadratic displacements xi_k^2 of each direction k of the cell, whose amplitudes a make no work: G = H + a_k (x) g_k
// with g_k = xi_k j0 / j grad xi_k at the centre, of which the integral vanishes, so that patch tests hold (Taylor,
// Beresford and Wilson, Int. J. Num. Meth. Engng 10 (1976) 1211). For linear laws of small displacements: a follows
// from the forces and moduli at a = 0.
template <class F>
struct IncompatibleModes {
  static constexpr int R = F::rows, D = F::dimension, modes = F::modes;

  template <class T>
  struct Means {};
  template <class T, class Cell>
  static constexpr Means<T> means(const Cell&, bool) {
    return {};
  }
  template <class T, class Cell>
  static constexpr void assume(const Cell& cell, const Means<T>&, int q, bool, T (&G)[R]) {
    for (int r = 0; r < R; ++r) {
      G[r] = cell.gradient(q, r);
      for (int k = 0; k < D; ++k) G[r] += cell.amplitude(k * D + r / D) * cell.slope(q, k, r % D);
    }
  }

  // a = -S^-1 sum_q w P : dG/da
  template <class T, class Cell>
  static constexpr void solve(const Cell& cell) {
    T S[modes][modes], a[modes];
    stiffness(cell, S);
    for (int m = 0; m < modes; ++m) {
      a[m] = 0.0;
      for (int q = 0; q < cell.points; ++q)
        for (int d = 0; d < D; ++d) a[m] -= cell.weight(q) * cell.force(q, m % D * D + d) * cell.slope(q, m / D, d);
    }
    factorise(S);
    solve_with(S, a);
    for (int m = 0; m < modes; ++m) cell.amplitude(m) = a[m];
  }

  // Vectors: A : dG/da, which -S^-1 couples.
  template <class T, class Cell>
  static constexpr void finish(const Cell& cell, const Means<T>&, bool, bool with_moduli) {
    if (!with_moduli) return;
    T S[modes][modes];
    stiffness(cell, S);
    factorise(S);
    for (int m = 0; m < modes; ++m) {
      T column[modes];
      for (int l = 0; l < modes; ++l) column[l] = l == m ? -1.0 : 0.0;
      solve_with(S, column);
      for (int l = 0; l < modes; ++l) cell.coupling(l, m) = column[l];
      for (int q = 0; q < cell.points; ++q)
        for (int r = 0; r < R; ++r) {
          T sum = 0.0;
          for (int d = 0; d < D; ++d) sum += cell.modulus(q, r, m % D * D + d) * cell.slope(q, m / D, d);
          cell.vector(m, q, r) = sum;
        }
    }
  }

 private:
  // S = sum_q w dG/da : A : dG/da
  template <class T, class Cell>
  static constexpr void stiffness(const Cell& cell, T (&S)[modes][modes]) {
    for (int m = 0; m < modes; ++m)
      for (int l = 0; l <= m; ++l) {
        T sum = 0.0;
        for (int q = 0; q < cell.points; ++q)
          for (int d = 0; d < D; ++d) {
            T along = 0.0;
            for (int e = 0; e < D; ++e)
              along += cell.modulus(q, m % D * D + d, l % D * D + e) * cell.slope(q, l / D, e);
            sum += cell.weight(q) * cell.slope(q, m / D, d) * along;
          }
        S[m][l] = S[l][m] = sum;
      }
  }
  // S = L D L^T, in the lower triangle; S is positive definite.
  template <class T>
  static constexpr void factorise(T (&S)[modes][modes]) {
    for (int k = 0; k < modes; ++k)
      for (int i = k + 1; i < modes; ++i) {
        const T factor = S[i][k] / S[k][k];
        for (int j = k + 1; j <= i; ++j) S[i][j] -= factor * S[j][k];
      }
  }
  template <class T>
  static constexpr void solve_with(const T (&S)[modes][modes], T (&x)[modes]) {
    for (int k = 0; k < modes; ++k)
      for (int i = k + 1; i < modes; ++i) x[i] -= S[i][k] / S[k][k] * x[k];
    for (int k = modes - 1; k >= 0; --k) {
      for (int i = k + 1; i < modes; ++i) x[k] -= S[i][k] * x[i];
      x[k] = x[k] / S[k][k];
    }
  }
};

template <class F>
struct MethodOf;
template <Space space, bool symmetric>
struct MethodOf<FromCellLaw<space, CellGradient::mean_dilatation, symmetric>>
    : MeanDilatation<FromCellLaw<space, CellGradient::mean_dilatation, symmetric>> {};
template <Space space>
struct MethodOf<FromCellLaw<space, CellGradient::incompatible_modes>>
    : IncompatibleModes<FromCellLaw<space, CellGradient::incompatible_modes>> {};
template <Space space>
struct MethodOf<FromCellLaw<space, CellGradient::uniform>>
    : UniformGradient<FromCellLaw<space, CellGradient::uniform>> {};
template <class F>
concept SolvesForModes = FormFacts<F>::coupled >
0 && F::modes > 0;

// Gradient, weight and slopes at point q of a cell.
template <class F, class Sh, class T, class U, class Cell>
constexpr void record_point(const Geometry<Sh, T>& g, const U& u, const ReferenceTable& table, int q,
                            const Cell& cell) {
  T gradient[F::rows];
  F::rows_of_gradient(g.point, interpolate<Sh, true, T>(u, g, table, q), gradient);
  for (int r = 0; r < F::rows; ++r) cell.gradient(q, r) = gradient[r];
  cell.weight(q) = table.weights[q] * g.measure;
  if constexpr (F::of_revolution) { cell.weight(q) = cell.weight(q) * ((2 * std::numbers::pi) * g.point.x[0]); }
}

// xi_k at a point, of the interval from -1 to 1: sum over the corners of their xi_k times their shape function, whose
// derivative along k has the sign of xi_k.
template <int D>
constexpr double reference_coordinate(const ReferenceTable& table, int q, int k) {
  double sum = 0;
  for (int a = 0; a < 1 << D; ++a)
    sum += table.gradients[(q * (1 << D) + a) * D + k] < 0 ? -table.values[q * (1 << D) + a]
                                                           : table.values[q * (1 << D) + a];
  return sum;
}

// g_k at point q, where the Jacobian has the determinant j. The Jacobian at the centre is the mean over the points;
// only directions count, so that its determinant may be left out.
template <class F, class Sh, class T, class X, class Cell>
constexpr void record_slopes(const X& x, const T& j, const ReferenceTable& table, int q, const Cell& cell) {
  constexpr int D = F::dimension, corners = 1 << D;
  T jacobian[D][D];
  for (int i = 0; i < D; ++i)
    for (int d = 0; d < D; ++d) {
      jacobian[i][d] = 0.0;
      for (int a = 0; a < corners; ++a) {
        double slope = 0;
        for (int p = 0; p < cell.points; ++p) slope += table.gradients[(p * corners + a) * D + d];
        jacobian[i][d] += slope * x(a * D + i);
      }
    }
  for (int k = 0; k < D; ++k) {
    const double xi = reference_coordinate<D>(table, q, k);
    for (int i = 0; i < D; ++i) {
      T cofactor;
      if constexpr (D == 3) {
        const int e = (k + 1) % 3, f = (k + 2) % 3, m = (i + 1) % 3, n = (i + 2) % 3;
        cofactor = jacobian[m][e] * jacobian[n][f] - jacobian[n][e] * jacobian[m][f];
      } else {
        cofactor = i == k ? jacobian[1 - i][1 - k] : -jacobian[1 - i][1 - k];
      }
      cell.slope(q, k, i) = xi * cofactor / j;
    }
  }
}

}  // namespace ritz::RITZ_BACKEND
