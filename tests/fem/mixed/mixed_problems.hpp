// Small problems of several fields and of edges, for tests of their solution.
#pragma once

#include "fem/analysis/static_solution.hpp"
#include "fem/forms/curl_curl.hpp"
#include "fem/forms/mixed_poisson.hpp"
#include "fem/forms/natural_conditions.hpp"
#include "fem/forms/stokes.hpp"
#include "fem/forms/thermo_elasticity.hpp"
#include "tests/fem/models.hpp"

namespace ritz::test {

template <template <int> class F, class... Numbers>
MixedFormValue form_of(int dimension, const Numbers&... numbers) {
  return dimension == 3 ? MixedFormValue(F<3>{numbers...}) : MixedFormValue(F<2>{numbers...});
}

// A form of the tests' module.
template <MixedForm F>
MixedFormValue own_form(const F& form) {
  MixedFormValue value(form);
  value.numbers.module = "ritz_mixed_forms";
  return value;
}

inline Mesh disturbed_mesh(CellKind kind, Index n) {
  return traits(kind).dimension == 2 ? rectangle(n, n, {1, 1}, kind, {.random = 0.03})
                                     : box(n, n, n, {1, 1, 1}, kind, {.random = 0.03});
}

struct Problem {
  Mesh mesh;
  Spaces spaces;
  FieldsOperator equations;
  FieldsConstraints supports;
  Problem(Mesh m, const MixedFormValue& form, std::vector<Integral> loads = {},
          const Device& device = device_under_test(2), int raise = 0)
      : mesh(std::move(m)),
        spaces(spaces_of(form, mesh, device, raise)),
        equations(spaces, {MixedIntegral::over_all_cells(form)}, std::move(loads)),
        supports(spaces) {}
};

// Other integrals in the place of those of the equations, which cannot be assigned.
inline void remake(FieldsOperator& equations, const Spaces& spaces, std::vector<MixedIntegral> of_several,
                   std::vector<Integral> of_one = {}) {
  std::destroy_at(&equations);
  std::construct_at(&equations, spaces, std::move(of_several), std::move(of_one));
}

inline FormValue body_force(int d) {
  return d == 3 ? volume_load(3, std::array{1.0, -0.5, 0.7}) : volume_load(2, std::array{1.0, -0.5});
}

// A flow along x: at rest at the other sides, free at x1.
inline std::unique_ptr<Problem> flow(CellKind kind, Index n, const MixedFormValue& form, double size = 1,
                                     const Device& device = device_under_test(2)) {
  const int d = traits(kind).dimension;
  Integral force = Integral::over_all_cells(body_force(d));
  force.factor = size;
  auto problem = std::make_unique<Problem>(disturbed_mesh(kind, n), form, std::vector{force}, device);
  for (const char* side : {"x0", "y0", "y1", "z0", "z1"})
    for (int c = 0; (side[0] != 'z' || d == 3) && c < d; ++c)
      problem->supports[0].prescribe(problem->mesh.region(side), c, 0.0, side);
  problem->supports.finish();
  return problem;
}

// Water that seeps from a source to two sides; no flux through the others.
inline std::unique_ptr<Problem> seepage(CellKind kind, Index n, double permeability = 1,
                                        const Device& device = device_under_test(2)) {
  const int d = traits(kind).dimension;
  auto problem = std::make_unique<Problem>(
      disturbed_mesh(kind, n), form_of<MixedPoisson>(d, permeability),
      std::vector{Integral::over_all_cells(volume_load(d, std::array{-1.0})).of_field(1)}, device);
  for (const char* side : {"y0", "y1", "z0", "z1"})
    if (side[0] != 'z' || d == 3) problem->supports[0].prescribe(problem->mesh.region(side), 0, 0.0, side);
  problem->supports.finish();
  return problem;
}

// A current in a box that conducts at some sides.
inline std::unique_ptr<Problem> current(CellKind kind, Index n, double b = 1, int raise = 0,
                                        const Device& device = device_under_test(2)) {
  const int d = traits(kind).dimension;
  const MixedFormValue form = form_of<CurlCurl>(d, 1.0, b);
  auto problem = std::make_unique<Problem>(disturbed_mesh(kind, n), form, std::vector<Integral>{}, device, raise);
  std::vector<PointFunction> given(static_cast<std::size_t>(d), 1 + 0 * PointExpression::x());
  given[0] = 1 + PointExpression::y();
  remake(problem->equations, problem->spaces,
         {MixedIntegral::over_all_cells(form),
          MixedIntegral::over_all_cells(d == 3 ? MixedFormValue(VectorSource<3, Family::edge>{}, given)
                                               : MixedFormValue(VectorSource<2, Family::edge>{}, given))});
  for (const char* side : {"x0", "y1"}) problem->supports[0].prescribe(problem->mesh.region(side), 0, 0.0, side);
  problem->supports.finish();
  return problem;
}

inline std::unique_ptr<Problem> warming(CellKind kind, Index n, const Device& device = device_under_test(2)) {
  const int d = traits(kind).dimension;
  auto problem =
      std::make_unique<Problem>(disturbed_mesh(kind, n), form_of<ThermoElasticity>(d, 1.2, 0.8, 3.0, 3.0, 1.0, 0.01),
                                std::vector{Integral::over_all_cells(body_force(d))}, device);
  for (int c = 0; c < d; ++c) problem->supports[0].prescribe(problem->mesh.region("x0"), c, 0.0, "ground");
  problem->supports[1].prescribe(problem->mesh.region("x0"), 0, 0.0, "cold");
  problem->supports.finish();
  return problem;
}

}  // namespace ritz::test
