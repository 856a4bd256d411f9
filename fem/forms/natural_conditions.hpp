// Sources and conditions at the surface of fields of facets and edges, and of Stokes' equations: forms beside those of
// the cells, each of the fields that it names (MixedIntegral::over with `fields`). With n the outward normal:
//
//   FluxPressure, FluxFilm      the potential of MixedPoisson at the surface is given: p, or p + resistance q.n
//   SurfaceCurrent, EdgeFilm    of CurlCurl, with H = a curl u: H x n = current, or H x n = -admittance u along it
//   VectorSource                a given density in cells: a force on a flux, a current
//   StokesSlip                  no flow through a surface of any shape, and no friction on it
//
// Monk, Finite Element Methods for Maxwell's Equations, 2003; Boffi, Brezzi and Fortin, Mixed Finite Element Methods
// and Applications, 2013, chapter 7.
#pragma once

#include "fem/forms/mixed_form.hpp"
#include "fem/forms/stokes.hpp"

namespace ritz {

inline constexpr std::array<ParameterFacts, 3> vector_given{{{.name = "x", .about = "component along x", .example = 1},
                                                             {.name = "y", .about = "along y", .example = 0.5},
                                                             {.name = "z", .about = "along z", .example = -0.7}}};
template <int D>
constexpr std::array<ParameterFacts, D> vector_components() {
  std::array<ParameterFacts, D> first{};
  for (int i = 0; i < D; ++i) first[i] = vector_given[i];
  return first;
}

// Forms of one field that depend on nothing: no block of the matrix.
template <int D, Family of>
struct OfVectors {
  static constexpr int dimension = D;
  static constexpr std::array<FieldFacts, 1> fields{{{.name = of == Family::facet ? "flux" : "field",
                                                      .components = 1,
                                                      .order = 1,
                                                      .uses_gradient = false,
                                                      .family = of}}};
  static constexpr bool symmetric = true, linear = true;
};

// p v.n on facets.
template <int D>
struct FluxPressure : OfVectors<D, Family::facet> {
  static constexpr const char* name = D == 3 ? "flux_pressure3" : "flux_pressure2";
  static constexpr int codimension = 1;
  static constexpr bool couples(int, int) { return false; }
  static constexpr std::array<ParameterFacts, 1> given{
      {{.name = "pressure", .unit = "Pa", .about = "at the surface", .example = 2}}};

  template <class T>
  constexpr void operator()(const Location<T, D, 1>& at, const MixedFields<T, FluxPressure>&,
                            MixedFields<T, FluxPressure>& f) const {
    auto& [law] = f;
    for (int i = 0; i < D; ++i) law.value[i] = at.given[0] * at.normal[i];
  }
};

// (p + resistance q.n) v.n on facets: a skin, or what is beyond a surface.
template <int D>
struct FluxFilm : OfVectors<D, Family::facet> {
  static constexpr const char* name = D == 3 ? "flux_film3" : "flux_film2";
  static constexpr int codimension = 1;
  static constexpr std::array<ParameterFacts, 2> given{
      {{.name = "pressure", .unit = "Pa", .about = "beyond the film", .example = 2},
       {.name = "resistance", .unit = "Pa s/m", .about = "fall of the pressure per flux", .minimum = 0}}};

  template <class T>
  constexpr void operator()(const Location<T, D, 2>& at, const MixedFields<T, FluxFilm>& u,
                            MixedFields<T, FluxFilm>& f) const {
    const auto& [q] = u;
    auto& [law] = f;
    T out = 0.0;
    for (int i = 0; i < D; ++i) out += q.value[i] * at.normal[i];
    for (int i = 0; i < D; ++i) law.value[i] = (at.given[0] + at.given[1] * out) * at.normal[i];
  }
};

// The part of a vector along the facet.
template <class T, int D, class Vector>
constexpr void along_facet(const T (&normal)[D], const Vector& vector, T (&along)[D]) {
  T out = 0.0;
  for (int i = 0; i < D; ++i) out += vector[i] * normal[i];
  for (int i = 0; i < D; ++i) along[i] = vector[i] - out * normal[i];
}

// -current . v along facets.
template <int D>
struct SurfaceCurrent : OfVectors<D, Family::edge> {
  static constexpr const char* name = D == 3 ? "surface_current3" : "surface_current2";
  static constexpr int codimension = 1;
  static constexpr bool couples(int, int) { return false; }
  static constexpr auto given = vector_components<D>();

  template <class T>
  constexpr void operator()(const Location<T, D, D>& at, const MixedFields<T, SurfaceCurrent>&,
                            MixedFields<T, SurfaceCurrent>& f) const {
    auto& [flux] = f;
    T along[D];
    along_facet<T, D>(at.normal, at.given, along);
    for (int i = 0; i < D; ++i) flux.value[i] = -1.0 * along[i];
  }
};

// admittance u . v along facets: a thin sheet that conducts, or the impedance of what is beyond.
template <int D>
struct EdgeFilm : OfVectors<D, Family::edge> {
  static constexpr const char* name = D == 3 ? "edge_film3" : "edge_film2";
  static constexpr int codimension = 1;
  static constexpr std::array<ParameterFacts, 1> given{
      {{.name = "admittance", .about = "current along the surface per field", .minimum = 0}}};

  template <class T>
  constexpr void operator()(const Location<T, D, 1>& at, const MixedFields<T, EdgeFilm>& u,
                            MixedFields<T, EdgeFilm>& f) const {
    const auto& [e] = u;
    auto& [flux] = f;
    T along[D];
    along_facet<T, D>(at.normal, e.value, along);
    for (int i = 0; i < D; ++i) flux.value[i] = at.given[0] * along[i];
  }
};

// -density . v in cells.
template <int D, Family of>
struct VectorSource : OfVectors<D, of> {
  static constexpr const char* name =
      of == Family::facet ? (D == 3 ? "flux_source3" : "flux_source2") : (D == 3 ? "edge_source3" : "edge_source2");
  static constexpr bool couples(int, int) { return false; }
  static constexpr auto given = vector_components<D>();

  template <class T>
  constexpr void operator()(const Location<T, D, D>& at, const MixedFields<T, VectorSource>&,
                            MixedFields<T, VectorSource>& f) const {
    auto& [flux] = f;
    for (int i = 0; i < D; ++i) flux.value[i] = -1.0 * at.given[i];
  }
};

// v.n = 0 without friction, by Nitsche's method, which keeps symmetry and order (Freund and Stenberg, On weakly imposed
// boundary conditions for second order problems, 1995): -(n.s n) w.n - (n.s(w) n) v.n + stiffness v.n w.n, where s is
// the stress 2 mu sym grad v - p. The stiffness is ten times the viscosity over the size of the cells, or more.
template <int D>
struct StokesSlip {
  static constexpr const char* name = D == 3 ? "stokes_slip3" : "stokes_slip2";
  static constexpr int dimension = D, codimension = 1;
  static constexpr std::array<FieldFacts, 2> fields{
      {{.name = "velocity", .components = D, .order = 2, .uses_value = true, .uses_gradient = true},
       {.name = "pressure", .components = 1, .order = 1, .uses_value = true, .uses_gradient = false}}};
  static constexpr bool symmetric = true, linear = true;
  static constexpr bool couples(int test, int trial) { return test == 0 || trial == 0; }
  double viscosity = 1, stiffness = 1;
  static constexpr Parameter<StokesSlip> parameters[] = {
      {&StokesSlip::viscosity, Stokes<D>::facts},
      {&StokesSlip::stiffness,
       {.name = "stiffness",
        .unit = "Pa s/m",
        .about = "of the surface: ten times the viscosity over the size of the cells, or more",
        .above = 0,
        .example = 40}}};

  template <class T>
  constexpr void operator()(const Location<T, D>& at, const MixedFields<T, StokesSlip>& u,
                            MixedFields<T, StokesSlip>& f) const {
    const auto& [v, p] = u;
    auto& [momentum, mass] = f;
    T out = 0.0, stress = -1.0 * p.value[0];
    for (int i = 0; i < D; ++i) {
      out += v.value[i] * at.normal[i];
      for (int j = 0; j < D; ++j) stress += 2.0 * viscosity * at.normal[i] * at.normal[j] * v.gradient[i][j];
    }
    for (int i = 0; i < D; ++i) {
      momentum.value[i] = (stiffness * out - stress) * at.normal[i];
      for (int j = 0; j < D; ++j) momentum.gradient[i][j] = -2.0 * viscosity * at.normal[i] * at.normal[j] * out;
    }
    mass.value[0] = out;
  }
};

}  // namespace ritz
