// Pressure of solids that keep their volume, or nearly so, as a field next to their displacement. The energy per
// volume of a softer law, whose bulk modulus is small, becomes W(F) - p g(F) - compliance p^2 / 2, with the change of
// volume g, the pressure p and the compliance of the bulk modulus that the law lacks: p = -g / compliance, and g = 0
// where it is zero. The softer law is an integral of the displacement alone. Sussman and Bathe, Computers and
// Structures 26 (1987) 357; Boffi, Brezzi and Fortin, Mixed Finite Element Methods and Applications, 2013, section 8.8.
#pragma once

#include "fem/forms/mixed_form.hpp"
#include "fem/numbers/tensor.hpp"

#include <numbers>

namespace ritz {

// The change of volume g: the trace of the strain, J - 1, or ln J.
enum class VolumeChange { small, ratio, logarithm };

inline constexpr std::array<ParameterFacts, 2> volume_given = {
    {{.name = "compliance", .unit = "1/Pa", .about = "of the bulk modulus that the law lacks"},
     {.name = "free_strain", .about = "along each axis, without stress"}}};

// In space, in the plane under plane strain, or of revolution about the y axis.
template <int D, bool OfRevolution = false>
struct VolumePressure {
  static constexpr const char* name = D == 3         ? "volume_pressure3"
                                      : OfRevolution ? "volume_pressure_of_revolution"
                                                     : "volume_pressure2";
  static constexpr int dimension = D, extra_degree = OfRevolution ? 1 : 0;
  static constexpr std::array<FieldFacts, 2> fields{
      {{.name = "displacement", .components = D, .order = 2, .uses_value = OfRevolution},
       {.name = "pressure", .components = 1, .order = 1, .uses_gradient = false}}};
  static constexpr bool symmetric = true;
  static constexpr auto given = volume_given;
  VolumeChange change = VolumeChange::small;

  template <class T>
  constexpr void operator()(const Location<T, D, 2>& at, const MixedFields<T, VolumePressure>& u,
                            MixedFields<T, VolumePressure>& f) const {
    const auto& [v, pressure] = u;
    auto& [force, volume] = f;
    Tensor<T> H;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) H(i, j) = 0.0;
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) H(i, j) = v.gradient[i][j];
    if constexpr (OfRevolution) H(2, 2) = v.value[0] / at.x[0];
    Tensor<T> slope;  // dg / dF
    const T g = change_of_volume(H, at.given[1], slope);
    const T stretch = 1.0 + at.given[1];
    T measure = 1.0;  // energies are per volume without stress
    if (change != VolumeChange::small) measure = stretch * stretch * stretch;
    if constexpr (OfRevolution) force.value[0] = (-2 * std::numbers::pi) * measure * pressure.value[0] * slope(2, 2);
    if constexpr (OfRevolution) measure = (2 * std::numbers::pi) * measure * at.x[0];
    const T p = measure * pressure.value[0];
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) force.gradient[i][j] = -1.0 * p * slope(i, j);
    volume.value[0] = -1.0 * measure * (g + at.given[0] * pressure.value[0]);
  }

 private:
  template <class T>
  constexpr T change_of_volume(const Tensor<T>& H, const T& free_strain, Tensor<T>& slope) const {
    using std::log;
    const T trace = H(0, 0) + H(1, 1) + H(2, 2);
    if (change == VolumeChange::small) {
      slope = Tensor<T>::identity();
      return trace - 3.0 * free_strain;
    }
    Tensor<T> F = H;
    for (int i = 0; i < 3; ++i) F(i, i) += 1.0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, n = (j + 2) % 3;
        slope(i, j) = F(k, m) * F(l, n) - F(k, n) * F(l, m);
      }
    const T more = H(0, 0) * H(1, 1) - H(0, 1) * H(1, 0) + H(1, 1) * H(2, 2) - H(1, 2) * H(2, 1) + H(2, 2) * H(0, 0) -
                   H(2, 0) * H(0, 2) + det(H);
    const T change_of_J = trace + more, stretch = T(1.0) + free_strain;
    T factor = T(1.0) / (stretch * stretch * stretch), g = change_of_J * factor + (factor - 1.0);
    if (change == VolumeChange::logarithm) {
      g = log(1.0 + change_of_J) - 3.0 * log(stretch);
      factor = T(1.0) / (1.0 + change_of_J);
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) slope(i, j) = factor * slope(i, j);
    return g;
  }
};

// Makes the pressure stable where it has the order of the displacement, 1: -M grad p . grad q, M the second moments of
// a cell over its volume and twice the shear modulus, so that of a simplex it is the square of what p differs by from
// its mean there. Dohrmann and Bochev, Int. J. Numer. Meth. Fluids 46 (2004) 183.
template <int D>
struct PressureSmoothing {
  static constexpr const char* name = D == 3 ? "pressure_smoothing3" : "pressure_smoothing2";
  static constexpr int components = 1, dimension = D, extra_degree = D == 2 ? 1 : 0;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr const char* unknown = "pressure";
  static constexpr int moments = D * (D + 1) / 2;  // xx, xy, yy, xz, yz, zz [m^2/Pa]
  static constexpr auto given = [] {
    constexpr const char* names[] = {"moment_xx", "moment_xy", "moment_yy", "moment_xz", "moment_yz", "moment_zz"};
    std::array<ParameterFacts, moments> all{};
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = {.name = names[k], .unit = "m^2/Pa"};
    return all;
  }();
  double weight = 1;
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, D, moments>& at, const Fields<T, 1, D>& p, Fields<T, 1, D>& f) const {
    T measure = weight;
    if (axisymmetric) measure = measure * at.x[0];
    for (int i = 0; i < D; ++i) {
      T sum = 0.0;
      for (int j = 0; j < D; ++j) {
        const int high = i > j ? i : j, low = i > j ? j : i;
        sum += at.given[high * (high + 1) / 2 + low] * p.gradient[0][j];
      }
      f.gradient[0][i] = -1.0 * measure * sum;
    }
  }
};

}  // namespace ritz
