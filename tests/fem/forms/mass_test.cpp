#include "fem/forms/mass.hpp"

#include "fem/operator/operator.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ritz::testing {
namespace {

constexpr CellKind solids[] = {CellKind::tet4,     CellKind::tet10,     CellKind::hex8,     CellKind::hex20,
                               CellKind::hex27,    CellKind::prism6,    CellKind::prism15,  CellKind::prism18,
                               CellKind::pyramid5, CellKind::pyramid13, CellKind::pyramid14};
constexpr CellKind planes[] = {CellKind::tri3, CellKind::tri6, CellKind::quad4, CellKind::quad8, CellKind::quad9};

struct Masses {
  SparseMatrix M;
  const FunctionSpace& space;
  // u^T M v of nodal interpolants
  template <class F, class G>
  double form(F f, G g) const {
    const auto nodal = [&](auto field) {
      std::vector<double> values;
      for (Node node = 0; node < space.mesh().node_count(); ++node)
        for (int c = 0; c < space.components(); ++c) values.push_back(field(space.mesh().point(node), c));
      return space.from_mesh(values);
    };
    Vector Mv = space.zeros();
    M.apply(nodal(g), Mv);
    return dot(nodal(f), Mv);
  }
};

Masses masses(const FunctionSpace& space, FormValue form) {
  const Operator equations(space, {Integral::over_all_cells(std::move(form))});
  Masses result{equations.make_matrix(), space};
  equations.assemble(space.zeros(), result.M);
  return result;
}

TEST(Mass, OfASolidIsDensityTimesVolumeInEveryDirectionAndNoneAcross) {
  for (const CellKind kind : solids) {
    const Mesh mesh = box(4, 3, 2, {2, 1, 3}, kind, {.smooth = 0.1, .random = 0.03});
    const FunctionSpace space(mesh, 3, Device::named("cpu", 1));
    const Masses m = masses(space, Mass<3, 3>{7.5});
    const auto along = [](int d) { return [d](auto, int c) { return c == d ? 1.0 : 0.0; }; };
    for (int d = 0; d < 3; ++d)
      for (int e = 0; e < 3; ++e) EXPECT_NEAR(m.form(along(d), along(e)), d == e ? 45 : 0, 1e-12) << traits(kind).name;
  }
}

// Products of two polynomials of a cell's order are integrated exactly: integral of x^p y^p over the box.
TEST(Mass, IsExactForProductsOfShapeFunctions) {
  const auto power = [](double x, int p) { return p == 1 ? x : x * x; };
  for (const CellKind kind : solids) {
    const int p = traits(kind).order;
    const Mesh mesh = box(3, 2, 2, {2, 1, 3}, kind);
    const FunctionSpace space(mesh, 1, Device::named("cpu", 1));
    const double exact = std::pow(2, 2 * p + 1) / (2 * p + 1) * 3;
    EXPECT_NEAR(masses(space, Mass<1, 3>{1})
                    .form([&](auto x, int) { return power(x[0], p); }, [&](auto x, int) { return power(x[0], p); }),
                exact, 1e-13 * exact)
        << traits(kind).name;
  }
  for (const CellKind kind : planes) {
    const int p = traits(kind).order;
    const Mesh mesh = rectangle(3, 2, {2, 1}, kind);
    const FunctionSpace space(mesh, 1, Device::named("cpu", 1));
    const double exact = 0.5 * std::pow(2, p + 1) / ((p + 1) * (p + 1));
    EXPECT_NEAR(masses(space, Mass<1, 2>{1, 0.5})
                    .form([&](auto x, int) { return power(x[0], p); }, [&](auto x, int) { return power(x[1], p); }),
                exact, 1e-13 * exact)
        << traits(kind).name;
  }
}

// A tube: pi (b^2 - a^2) h rho. The radial direction is no translation, so it is left out.
TEST(Mass, OfABodyOfRevolutionIsThatOfTheWholeRing) {
  for (const CellKind kind : planes) {
    MeshData data = rectangle_data(3, 2, {0.5, 2}, kind);
    for (std::size_t i = 0; i < data.points.size(); i += 3) data.points[i] += 1;
    const Mesh mesh(std::move(data));
    const FunctionSpace space(mesh, 2, Device::named("cpu", 1));
    const auto axial = [](auto, int c) { return c == 1 ? 1.0 : 0.0; };
    const double exact = std::numbers::pi * (1.5 * 1.5 - 1) * 2 * 7;
    EXPECT_NEAR(masses(space, Mass<2, 2, true>{7, 2 * std::numbers::pi}).form(axial, axial), exact, 1e-12 * exact)
        << traits(kind).name;
  }
}

}  // namespace
}  // namespace ritz::testing
