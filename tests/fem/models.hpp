// A mesh, a space and its equations in one value, and the forms that suit a cell's dimension.
#pragma once

#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/loads.hpp"
#include "fem/operator/operator.hpp"
#include "tests/fem/cells_under_test.hpp"

#include <functional>

namespace ritz::test {

inline constexpr double conductivity = 2.5, thickness = 0.7;
inline constexpr Lame lame = {1.4, 0.9};

// The device for tests of operators: the GPU if the environment says RITZ_TEST_DEVICE=gpu (ctest -L gpu, ctest -L
// emulated_gpu).
Device device_under_test(int threads = 1);

inline bool has_gpu() { return list_devices().why_no_gpu.empty(); }

using MakeIntegrals = std::function<std::vector<Integral>(const Mesh&)>;

struct DiscreteProblem {
  DiscreteProblem(Mesh m, int components, const MakeIntegrals& make, const Device& device = device_under_test())
      : mesh(std::move(m)), space(mesh, components, device), equations(space, make(mesh)) {}
  DiscreteProblem(Mesh m, FormValue form, const Device& device = device_under_test())
      : DiscreteProblem(
            std::move(m), form.components, [&](const Mesh&) { return std::vector{Integral::over_all_cells(form)}; },
            device) {}
  DiscreteProblem(const DiscreteProblem&) = delete;

  Mesh mesh;
  FunctionSpace space;
  Operator equations;

  SparseMatrix matrix(const Vector& u) const;
  SparseMatrix matrix() const { return matrix(space.zeros()); }   // of linear equations
  std::vector<double> residual(std::span<const double> u) const;  // both [mesh node][component]
  // Values of a field at the nodes. [mesh node][component]
  std::vector<double> values(const std::function<double(const Point& x, int component)>& field) const;
  // Largest sum over a row of |K_ij| |u_j|: what rounding errors of K u are relative to.
  double magnitude(std::span<const double> u) const;
};

FormValue heat_form(int dimension);     // Diffusion with the conductivity and thickness above
FormValue elastic_form(int dimension);  // Elasticity, or plane strain

struct NamedForm {
  std::string name;
  FormValue form;
  int rigid_modes;
};
// Every elliptic form of the library on cells of this dimension. Axisymmetric ones need x > 0, as patches have it.
std::vector<NamedForm> forms_on(int dimension);

// The facets of the sides of a patch by their regions, with the outward normal of each.
struct Side {
  std::string region;
  Point normal;
};
std::vector<Side> sides(int dimension, bool affine = true);

// A given heat inflow or traction per area, whatever the dimension; `density` has one entry per component.
FormValue facet_load(int dimension, std::span<const double> density);
FormValue volume_load(int dimension, std::span<const double> density);

double largest_difference(const Vector& x, const Vector& y);  // of two entries at one place

}  // namespace ritz::test
