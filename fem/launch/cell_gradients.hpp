// Assumed gradients of linear hexahedra and quadrilaterals (fem/materials/from_cell_law.hpp), the same text on every
// machine: G at a point from the cell's own gradients H at all points, and from the law's P(G) and its moduli what is
// conjugate to H. A method has three functions of the numbers of one cell, and begin() and solve() where G has inner
// unknowns:
//   means(cell, large)                       sums over the points that the others share
//   assume(cell, means, q, large, G)         G at point q, rows as of fem/materials/kinematics.hpp
//   finish(cell, means, large, with_moduli)  P and A of the law in place to those of H, vectors and their coupling
#pragma once

#include "fem/launch/element_points.hpp"
#include "fem/materials/from_cell_law.hpp"

#include <limits>

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
  // While amplitudes are sought, where finish() writes vectors and couplings: above 0 if they must move; the sum of
  // squares that the last step found, and the step.
  constexpr auto& imbalance() const { return coupling(0, 0); }
  constexpr auto& last_square() const { return coupling(0, 1); }
  constexpr auto& last_step(int mode) const { return vector(0, mode / R, mode % R); }
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

// Quadratic displacements xi_k^2 of each direction k of the cell, whose amplitudes b make no work: G = H + f N,
// N = sum_k g_k (x) b_k with g_k = xi_k j0 / j grad xi_k at the centre, of which the integral vanishes, so that patch
// tests hold (Taylor, Beresford and Wilson, Int. J. Num. Meth. Engng 10 (1976) 1211). f = 1 at small displacements,
// whose strains do not know g (x) b from b (x) g. At large ones f is the mean of 1 + H: so G turns with the body while
// b does not, and cells under compression do not buckle into hourglasses (the transposed modes of Glaser and Armero,
// Eng. Comput. 14 (1997) 759). The amplitudes follow from the displacement alone, by Newton's method in each
// evaluation.
template <class F>
struct IncompatibleModes {
  static constexpr int R = F::rows, D = F::dimension, modes = F::modes;
  static constexpr int most_steps = 40;
  // Squares: of the imbalance relative to the terms that cancel, and of a correction of strain at rounding level.
  static constexpr double balanced = 1e-20, unmoved = 1e-26;

  template <class T>
  struct Means {
    T f[D][D], weight;
  };
  template <class T, class Cell>
  static constexpr Means<T> means(const Cell& cell, bool) {
    const auto uniform = UniformGradient<F>::template means<T>(cell, F::large);
    Means<T> m;
    m.weight = uniform.weight;
    for (int i = 0; i < D; ++i)
      for (int M = 0; M < D; ++M) {
        m.f[i][M] = i == M ? 1.0 : 0.0;
        if (F::large) m.f[i][M] += uniform.gradient[i * D + M];
      }
    return m;
  }
  template <class T, class Cell>
  static constexpr void assume(const Cell& cell, const Means<T>& m, int q, bool, T (&G)[R]) {
    for (int r = 0; r < R; ++r) {
      G[r] = cell.gradient(q, r);
      for (int k = 0; k < D; ++k) G[r] += carried(cell, m, q, k, r / D) * cell.amplitude(k * D + r % D);
    }
  }

  // Amplitudes of an elastic law to begin with: from 0 on, Newton's method may find other roots where the volume hardly
  // changes.
  template <class T, class Cell>
  static constexpr void begin(const Cell& cell, bool plane_stress) {
    constexpr int steps = F::large ? 6 : 1;
    for (int mode = 0; mode < modes; ++mode) cell.amplitude(mode) = 0.0;
    const Means<T> m = means<T>(cell, F::large);
    start(cell);
    for (int step = 0; step < steps; ++step) {
      for (int q = 0; q < cell.points; ++q) put_neo_hooke(cell, m, q, plane_stress ? 1.0 : 50.0);
      solve<T>(cell, m);
    }
    start(cell);
  }

  // A step of Newton's method from the law's P and A: b -= S^-1 r, r = sum_q w P : dG/db; half of the last step where
  // that made r larger. Where r vanishes, or the step is rounding, b remains and imbalance() is 0.
  template <class T, class Cell>
  static constexpr void solve(const Cell& cell, const Means<T>& m) {
    T S[modes][modes], r[modes], square = 0.0, terms = 0.0, moved = 0.0;
    stiffness(cell, m, S);
    for (int a = 0; a < modes; ++a) {
      r[a] = 0.0;
      for (int q = 0; q < cell.points; ++q)
        for (int i = 0; i < D; ++i) {
          const T term = cell.weight(q) * cell.force(q, i * D + a % D) * carried(cell, m, q, a / D, i);
          r[a] += term;
          terms += term * term;
        }
      square += r[a] * r[a];
    }
    factorise(S);
    solve_with(S, r);
    for (int a = 0; a < modes; ++a)
      for (int i = 0; i < D; ++i) {
        const T strain = r[a] * cell.slope(0, a / D, i);
        moved += strain * strain;
      }
    const T last = cell.last_square(), worse = square - last;
    const T rest = select(moved - unmoved, square - balanced * terms, T(0.0));
    for (int a = 0; a < modes; ++a) {
      const T half = -0.5 * cell.last_step(a), step = select(worse, half, r[a]);
      cell.last_step(a) = select(worse, T(0.0) - half, r[a]);
      cell.amplitude(a) -= select(rest, step, T(0.0));
    }
    cell.last_square() = select(worse, last, square);
    cell.imbalance() = select(rest, T(1.0), T(0.0));
  }

  // P of H: the law's, and p / V of f, p = sum_q w P N^T. Derivatives of the energy by H, f and b, with b condensed:
  //   vectors b: P by b, and the forces of b by H; -S^-1 couples them
  //   vectors f: 1 / V by rows, P by f, and p by H; 1 and the second derivative by f couple them
  template <class T, class Cell>
  static constexpr void finish(const Cell& cell, const Means<T>& m, bool, bool with_moduli) {
    T p[R];
    for (int r = 0; r < R; ++r) {
      p[r] = select(cell.imbalance(), T(std::numeric_limits<double>::quiet_NaN()), T(0.0));
      for (int q = 0; q < cell.points && F::large; ++q)
        for (int L = 0; L < D; ++L)
          p[r] += cell.weight(q) / m.weight * (cell.force(q, r / D * D + L) * mode_gradient<T>(cell, q, r % D, L));
    }
    if (with_moduli) couple(cell, m);
    for (int q = 0; q < cell.points; ++q)
      for (int r = 0; r < R; ++r) cell.force(q, r) += p[r];
  }

 private:
  static constexpr int of_b = 0, of_b_left = F::symmetric ? 0 : modes, of_mean = of_b_left + modes, of_f = of_mean + R,
                       of_f_left = F::symmetric ? of_f : of_f + R;
  static_assert(F::coupled == (F::large ? of_f_left + R : of_mean));

  template <class Cell>
  static constexpr void start(const Cell& cell) {
    cell.imbalance() = 1.0;
    cell.last_square() = std::numeric_limits<double>::max();
  }
  // P and A of W = 1/2 (tr F^T F - 3 - 2 ln J) + bulk/2 (J - 1)^2, at small displacements from those of G = 0
  template <class T, class Cell>
  static constexpr void put_neo_hooke(const Cell& cell, const Means<T>& m, int q, double bulk) {
    T G[R], small[R];
    assume(cell, m, q, true, G);
    for (int r = 0; r < R && !F::large; ++r) {
      small[r] = G[r];
      G[r] = 0.0;
    }
    const Tensor<T> deformed = deformation(gradient_tensor<F::space>(G)), C = transposed(inverse(deformed));
    const T J = det(deformed), slope = bulk * J * (J - 1.0), curvature = bulk * J * (2.0 * J - 1.0);
    for (int r = 0; r < R; ++r) {
      const int i = r / D, K = r % D;
      cell.force(q, r) = deformed(i, K) + (slope - 1.0) * C(i, K);
      for (int c = 0; c <= (F::symmetric ? r : R - 1); ++c) {
        const int l = c / D, L = c % D;
        T sum = (1.0 - slope) * (C(i, L) * C(l, K)) + curvature * (C(i, K) * C(l, L));
        if (r == c) sum += 1.0;
        cell.modulus(q, r, c) = sum;
      }
    }
    for (int r = 0; r < R && !F::large; ++r)
      for (int c = 0; c < R; ++c) cell.force(q, r) += cell.modulus(q, r, c) * small[c];
  }
  // f g_k
  template <class T, class Cell>
  static constexpr T carried(const Cell& cell, const Means<T>& m, int q, int k, int i) {
    T sum = m.f[i][0] * cell.slope(q, k, 0);
    for (int M = 1; M < D; ++M) sum += m.f[i][M] * cell.slope(q, k, M);
    return sum;
  }
  // N
  template <class T, class Cell>
  static constexpr T mode_gradient(const Cell& cell, int q, int M, int L) {
    T sum = 0.0;
    for (int k = 0; k < D; ++k) sum += cell.slope(q, k, M) * cell.amplitude(k * D + L);
    return sum;
  }
  // A : dG/db_a, or dG/db_a : A
  template <bool left, class T, class Cell>
  static constexpr void along_mode(const Cell& cell, const Means<T>& m, int q, int a, T (&rows)[R]) {
    for (int r = 0; r < R; ++r) {
      rows[r] = 0.0;
      for (int i = 0; i < D; ++i) {
        const int c = i * D + a % D;
        rows[r] += (left ? cell.modulus(q, c, r) : cell.modulus(q, r, c)) * carried(cell, m, q, a / D, i);
      }
    }
  }
  // A : dG/df_s, or dG/df_s : A
  template <bool left, class T, class Cell>
  static constexpr void along_f(const Cell& cell, int q, int s, T (&rows)[R]) {
    for (int r = 0; r < R; ++r) {
      rows[r] = 0.0;
      for (int L = 0; L < D; ++L) {
        const int c = s / D * D + L;
        rows[r] += (left ? cell.modulus(q, c, r) : cell.modulus(q, r, c)) * mode_gradient<T>(cell, q, s % D, L);
      }
    }
  }
  // S = sum_q w dG/db : A : dG/db
  template <class T, class Cell>
  static constexpr void stiffness(const Cell& cell, const Means<T>& m, T (&S)[modes][modes]) {
    for (int a = 0; a < modes; ++a)
      for (int b = 0; b < modes; ++b) S[b][a] = 0.0;
    for (int q = 0; q < cell.points; ++q)
      for (int a = 0; a < modes; ++a) {
        T rows[R];
        along_mode<false>(cell, m, q, a, rows);
        for (int b = 0; b < modes; ++b)
          for (int i = 0; i < D; ++i) S[b][a] += cell.weight(q) * carried(cell, m, q, b / D, i) * rows[i * D + b % D];
      }
  }
  template <class T, class Cell>
  static constexpr void couple(const Cell& cell, const Means<T>& m) {
    for (int k = 0; k < F::coupled; ++k)
      for (int l = 0; l < F::coupled; ++l) cell.coupling(k, l) = 0.0;
    T S[modes][modes];
    stiffness(cell, m, S);
    factorise(S);
    for (int a = 0; a < modes; ++a) {
      T column[modes];
      for (int b = 0; b < modes; ++b) column[b] = b == a ? -1.0 : 0.0;
      solve_with(S, column);
      for (int b = 0; b < modes; ++b) cell.coupling(of_b + b, of_b_left + a) = column[b];
      leave_mode<false>(cell, m, a, of_b + a);
      if constexpr (!F::symmetric) leave_mode<true>(cell, m, a, of_b_left + a);
    }
    if constexpr (F::large)
      for (int s = 0; s < R; ++s) couple_f(cell, m, s);
  }
  // The derivative of P, or of the force of b_a, with the share of f.
  template <bool left, class T, class Cell>
  static constexpr void leave_mode(const Cell& cell, const Means<T>& m, int a, int vector) {
    T mean[R];
    for (int r = 0; r < R; ++r) mean[r] = 0.0;
    for (int q = 0; q < cell.points; ++q) {
      T rows[R];
      along_mode<left>(cell, m, q, a, rows);
      for (int r = 0; r < R; ++r) cell.vector(vector, q, r) = rows[r];
      for (int s = 0; s < R && F::large; ++s) {
        T sum = cell.force(q, s / D * D + a % D) * cell.slope(q, a / D, s % D);
        for (int L = 0; L < D; ++L) sum += mode_gradient<T>(cell, q, s % D, L) * rows[s / D * D + L];
        mean[s] += cell.weight(q) / m.weight * sum;
      }
    }
    for (int q = 0; q < cell.points && F::large; ++q)
      for (int r = 0; r < R; ++r) cell.vector(vector, q, r) += mean[r];
  }
  template <class T, class Cell>
  static constexpr void couple_f(const Cell& cell, const Means<T>& m, int s) {
    for (int q = 0; q < cell.points; ++q) {
      T rows[R], left[R];
      along_f<false>(cell, q, s, rows);
      along_f<true>(cell, q, s, left);
      for (int r = 0; r < R; ++r) {
        cell.vector(of_mean + s, q, r) = r == s ? T(1.0) / m.weight : T(0.0);
        cell.vector(of_f_left + s, q, r) = left[r];
        cell.vector(of_f + s, q, r) = rows[r];
        T sum = 0.0;
        for (int L = 0; L < D; ++L) sum += mode_gradient<T>(cell, q, r % D, L) * rows[r / D * D + L];
        cell.coupling(of_mean + r, of_mean + s) += cell.weight(q) * sum;
      }
    }
    cell.coupling(of_f + s, of_mean + s) = cell.coupling(of_mean + s, of_f_left + s) = 1.0;
  }
  // S = L U without pivots, L's diagonal being 1.
  template <class T>
  static constexpr void factorise(T (&S)[modes][modes]) {
    for (int k = 0; k < modes; ++k)
      for (int i = k + 1; i < modes; ++i) {
        S[i][k] = S[i][k] / S[k][k];
        for (int j = k + 1; j < modes; ++j) S[i][j] -= S[i][k] * S[k][j];
      }
  }
  template <class T>
  static constexpr void solve_with(const T (&S)[modes][modes], T (&x)[modes]) {
    for (int k = 0; k < modes; ++k)
      for (int i = k + 1; i < modes; ++i) x[i] -= S[i][k] * x[k];
    for (int k = modes - 1; k >= 0; --k) {
      for (int i = k + 1; i < modes; ++i) x[k] -= S[k][i] * x[i];
      x[k] = x[k] / S[k][k];
    }
  }
};

template <class F>
struct MethodOf;
template <Space space, bool symmetric>
struct MethodOf<FromCellLaw<space, CellGradient::mean_dilatation, symmetric>>
    : MeanDilatation<FromCellLaw<space, CellGradient::mean_dilatation, symmetric>> {};
template <Space space, bool symmetric, bool large>
struct MethodOf<FromCellLaw<space, CellGradient::incompatible_modes, symmetric, large>>
    : IncompatibleModes<FromCellLaw<space, CellGradient::incompatible_modes, symmetric, large>> {};
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
