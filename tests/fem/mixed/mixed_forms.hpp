// Forms of several fields of the tests' own, in a module like a user's (ritz_mixed_forms).
#pragma once

#include "fem/forms/mixed_form.hpp"

#include <cmath>

namespace ritz::test {

// A displacement and a temperature with everything that a form may have: values and gradients of both, a tangent that
// depends on all and is not symmetric, the position and the time.
template <int G>
struct Everything {
  static constexpr const char* name = G == 3 ? "test_everything3" : "test_everything2";
  static constexpr int dimension = G, extra_degree = 1;
  static constexpr bool varies_in_time = true;
  static constexpr std::array<FieldFacts, 2> fields{
      {{.name = "displacement", .components = G, .order = 2}, {.name = "temperature", .components = 1, .order = 1}}};
  double stiffness = 1.3, coupling = 0.4;

  template <class T>
  constexpr void operator()(const Location<T, G>& at, const MixedFields<T, Everything>& u,
                            MixedFields<T, Everything>& f) const {
    using std::exp;
    const auto& [v, t] = u;
    auto& [force, heat] = f;
    const T k = stiffness * (1.0 + t.value[0] * t.value[0]);
    for (int i = 0; i < G; ++i) {
      for (int j = 0; j < G; ++j) force.gradient[i][j] = k * v.gradient[i][j] + coupling * v.value[i] * v.value[j];
      force.gradient[i][i] += coupling * t.value[0] * (1.0 + at.t);
      force.value[i] = v.value[i] * t.gradient[0][i] + at.x[i];
      heat.gradient[0][i] = (1.0 + v.value[i] * v.value[i]) * t.gradient[0][i];
    }
    heat.value[0] = exp(0.3 * t.value[0]) + coupling * v.gradient[0][1];
  }
};

// Three fields of which only neighbours couple, in a ring that is open.
struct Chain {
  static constexpr const char* name = "test_chain";
  static constexpr int dimension = 2;
  static constexpr std::array<FieldFacts, 3> fields{{{.name = "a", .components = 1, .order = 1},
                                                     {.name = "b", .components = 2, .order = 2, .uses_gradient = false},
                                                     {.name = "c", .components = 1, .order = 3}}};
  static constexpr bool linear = true;
  static constexpr bool couples(int test, int trial) { return test == trial ? test != 1 : test - trial == 1; }

  template <class T>
  constexpr void operator()(const Location<T, 2>&, const MixedFields<T, Chain>& u, MixedFields<T, Chain>& f) const {
    const auto& [a, b, c] = u;
    f.template get<0>().gradient[0][0] = 2.0 * a.gradient[0][0];
    f.template get<0>().value[0] = a.value[0];
    f.template get<1>().value[0] = a.value[0];
    f.template get<1>().value[1] = 3.0 * a.gradient[0][1];
    f.template get<2>().gradient[0][1] = b.value[1];
    f.template get<2>().value[0] = b.value[0] + c.value[0];
  }
};

// The current that makes u_i = c_i cos(pi x_i) times the other sin(pi x_j) the solution of curl curl u + u = current.
template <int G>
struct WaveCurrent {
  static constexpr const char* name = G == 3 ? "test_wave_current3" : "test_wave_current2";
  static constexpr int dimension = G, extra_degree = 2;
  static constexpr bool linear = true, symmetric = true;
  static constexpr std::array<FieldFacts, 1> fields{
      {{.name = "field", .components = 1, .order = 1, .uses_gradient = false, .family = Family::edge}}};
  static constexpr bool couples(int, int) { return false; }
  static constexpr double pi = 3.14159265358979323846;
  double c[G];

  template <class T>
  constexpr void operator()(const Location<T, G>& at, const MixedFields<T, WaveCurrent>&,
                            MixedFields<T, WaveCurrent>& f) const {
    using std::cos;
    using std::sin;
    auto& [flux] = f;
    double sum = 0;
    for (int i = 0; i < G; ++i) sum += c[i];
    for (int i = 0; i < G; ++i) {
      T product = pi * pi * sum - (1 + G * pi * pi) * c[i];
      for (int j = 0; j < G; ++j) {
        const T angle = pi * at.x[j];
        product = product * (j == i ? cos(angle) : sin(angle));
      }
      flux.value[i] = product;
    }
  }
};

// A field of facets with everything that it may have, beside a continuous one: a tangent that depends on both.
template <int G, Family family>
struct VectorBeside {
  static constexpr const char* name =
      family == Family::facet ? (G == 3 ? "test_facets3" : "test_facets2") : (G == 3 ? "test_edges3" : "test_edges2");
  static constexpr int dimension = G;
  static constexpr std::array<FieldFacts, 2> fields{{{.name = "vector", .components = 1, .order = 1, .family = family},
                                                     {.name = "scalar", .components = 1, .order = 1}}};

  template <class T>
  constexpr void operator()(const Location<T, G>&, const MixedFields<T, VectorBeside>& u,
                            MixedFields<T, VectorBeside>& f) const {
    const auto& [v, p] = u;
    auto& [flux, balance] = f;
    for (int i = 0; i < G; ++i) {
      flux.value[i] = (1.0 + p.value[0] * p.value[0]) * v.value[i] + p.gradient[0][i];
      balance.gradient[0][i] = v.value[i] * v.value[0];
    }
    if constexpr (family == Family::facet) {
      flux.divergence = v.divergence * v.divergence;
      balance.value[0] = v.divergence * p.value[0];
    } else {
      for (int i = 0; i < (G == 3 ? 3 : 1); ++i) flux.curl[i] = v.curl[i] * (2.0 + v.value[1]);
      balance.value[0] = v.curl[0] * p.value[0];
    }
  }
};

// On facets beside it: values, gradients and divergences of both fields, the position and the normal.
template <int G>
struct BorderOfFacets {
  static constexpr const char* name = G == 3 ? "test_border3" : "test_border2";
  static constexpr int dimension = G, codimension = 1;
  static constexpr auto fields = VectorBeside<G, Family::facet>::fields;

  template <class T>
  constexpr void operator()(const Location<T, G>& at, const MixedFields<T, BorderOfFacets>& u,
                            MixedFields<T, BorderOfFacets>& f) const {
    const auto& [v, p] = u;
    auto& [flux, balance] = f;
    T out = 0.0, slope = 0.0;
    for (int i = 0; i < G; ++i) {
      out += v.value[i] * at.normal[i];
      slope += p.gradient[0][i] * at.normal[i];
    }
    for (int i = 0; i < G; ++i) {
      flux.value[i] = (out + p.value[0] * p.value[0]) * at.normal[i] + 0.3 * v.value[i] * at.x[0];
      balance.gradient[0][i] = out * at.normal[i] + 0.2 * p.gradient[0][i];
    }
    flux.divergence = v.divergence * slope;
    balance.value[0] = slope * p.value[0] + v.divergence;
  }
};

// A plate that shears (Mindlin, J. Appl. Mech. 18, 1951, 31): a deflection and two rotations. mass: of its inertia
// instead, per area, and that of rotations.
template <bool mass>
struct Plate {
  static constexpr const char* name = mass ? "test_plate_mass" : "test_plate";
  static constexpr int dimension = 2;
  static constexpr bool linear = true, symmetric = true;
  static constexpr std::array<FieldFacts, 2> fields{
      {{.name = "deflection", .components = 1, .order = 2}, {.name = "rotation", .components = 2, .order = 2}}};
  double young = 1, poisson = 0, thickness = 1, density = 1;

  template <class T>
  constexpr void operator()(const Location<T, 2>&, const MixedFields<T, Plate>& u, MixedFields<T, Plate>& f) const {
    const auto& [w, r] = u;
    auto& [force, moment] = f;
    if constexpr (mass) {
      force.value[0] = density * thickness * w.value[0];
      for (int i = 0; i < 2; ++i) moment.value[i] = density * thickness * thickness * thickness / 12 * r.value[i];
    } else {
      const double D = young * thickness * thickness * thickness / (12 * (1 - poisson * poisson));
      const double shear = 5.0 / 6 * young * thickness / (2 * (1 + poisson));
      const T twist = 0.5 * (1 - poisson) * D * (r.gradient[0][1] + r.gradient[1][0]);
      for (int i = 0; i < 2; ++i) {
        const T angle = w.gradient[0][i] - r.value[i];
        force.gradient[0][i] = shear * angle;
        moment.value[i] = -shear * angle;
        moment.gradient[i][i] = D * (r.gradient[i][i] + poisson * r.gradient[1 - i][1 - i]);
        moment.gradient[i][1 - i] = twist;
      }
    }
  }
};

// Rubber in plane strain: (mu / 2) (J^(-2/3) tr C - 3) + p (J - 1) - p^2 / (2 bulk), of a displacement and a pressure
// (Wriggers, Nonlinear Finite Element Methods, 2008, section 10.2).
struct Rubber {
  static constexpr const char* name = "test_rubber";
  static constexpr int dimension = 2, extra_degree = 2;
  static constexpr bool symmetric = true;
  static constexpr std::array<FieldFacts, 2> fields{
      {{.name = "displacement", .components = 2, .order = 2, .uses_value = false},
       {.name = "pressure", .components = 1, .order = 1, .uses_gradient = false}}};
  double mu = 1, bulk = 1e6;

  template <class T>
  constexpr void operator()(const Location<T, 2>&, const MixedFields<T, Rubber>& u, MixedFields<T, Rubber>& f) const {
    using std::exp;
    using std::log;
    const auto& [v, p] = u;
    auto& [force, volume] = f;
    const T F[2][2] = {{1.0 + v.gradient[0][0], v.gradient[0][1]}, {v.gradient[1][0], 1.0 + v.gradient[1][1]}};
    const T J = F[0][0] * F[1][1] - F[0][1] * F[1][0];
    T trace = 1.0;  // of C: no strain across the plane
    for (const auto& row : F)
      for (const T& each : row) trace += each * each;
    const T scale = mu * exp(-2.0 / 3 * log(J));
    const T cofactor[2][2] = {{F[1][1], -F[1][0]}, {-F[0][1], F[0][0]}};
    const T inner = p.value[0] - scale * trace / (3.0 * J);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) force.gradient[i][j] = scale * F[i][j] + inner * cofactor[i][j];
    volume.value[0] = J - 1.0 - p.value[0] / bulk;
  }
};

}  // namespace ritz::test
