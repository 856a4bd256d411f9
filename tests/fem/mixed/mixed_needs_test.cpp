// Forecasts of the memory of mixed operators against what the pool held at its fullest moment.
#include "fem/forms/loads.hpp"
#include "fem/forms/mass.hpp"
#include "fem/operator/fields_operator_needs.hpp"
#include "fem/physics/periodic_region.hpp"
#include "tests/fem/mixed/mixed_problems.hpp"

namespace ritz::test {
namespace {

class MixedNeeds : public CellTest {
 public:
  // Matrix, residual and action of the form, with forms of single fields: forecast and peak.
  // periodic_fields: the opposite sides of all directions are joined in these.
  void check(const MixedFormValue& form, int raise = 0, std::vector<Integral> of_fields = {},
             const std::vector<int>& periodic_fields = {}) const {
    const Device device = Device::named("cpu", 2);
    const Mesh mesh(dimension() == 2 ? rectangle_data(48, 48, {1, 1}, kind()) : box_data(8, 8, 8, {1, 1, 1}, kind()));
    const FieldsOperator equations(spaces_of(form, mesh, device, raise), {MixedIntegral::over_all_cells(form)},
                                   std::move(of_fields));
    FieldsConstraints supports(equations.spaces());
    for (const int k : periodic_fields)
      for (const auto& [high, low] : {std::pair("x1", "x0"), std::pair("y1", "y0")})
        supports[k].relate(periodic(equations.space(k), mesh.region(high), mesh.region(low)).equations);
    supports.finish();
    Vector u = equations.zeros(), r = equations.zeros();
    const Index standing = device.memory().statistics().live;
    const MemoryNeeds needs = matrix_needs(equations) + list_needs(equations, true, true);
    device.memory().reset_peak();
    BlockOperator K = equations.make_matrix();
    equations.residual(u, r);
    equations.action({}, u, r);
    equations.assemble(u, K);
    const double taken = double(device.memory().statistics().peak - standing);
    EXPECT_NEAR(double(needs.total()), taken, 0.1 * taken) << form.name << " by " << raise;
  }
};
INSTANTIATE_TEST_SUITE_P(Cells, MixedNeeds,
                         ::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8), kind_name);

TEST_P(MixedNeeds, OfVelocityAndPressure) {
  const FormValue load = dimension() == 3 ? FormValue(Load<3, 3, 0>{{0, 1, 0}}) : FormValue(Load<2, 2, 0>{{0, 1}});
  check(form_of<Stokes>(dimension(), 1.0), 0, {Integral::over_all_cells(load)});
}
TEST_P(MixedNeeds, WithCoefficients) {
  const PointFunction viscosity = 1 + PointExpression::x();
  check(dimension() == 3 ? MixedFormValue(Stokes<3>{}, {viscosity}) : MixedFormValue(Stokes<2>{}, {viscosity}));
}
TEST_P(MixedNeeds, OfDisplacementAndTemperature) {
  const FormValue mass = dimension() == 3 ? FormValue(Mass<1, 3>{1}) : FormValue(Mass<1, 2>{1});
  check(form_of<ThermoElasticity>(dimension(), 1.0, 1.0, 0.1, 0.1, 1.0, 1.0), 0,
        {Integral::over_all_cells(mass).of_field(1)});
}
TEST_P(MixedNeeds, OfFacetsAndCells) {
  for (const int raise : {0, 1}) check(form_of<MixedPoisson>(dimension(), 1.0), raise);
}
// Long sides in either field: their rows and columns are a good part of the matrix.
TEST_P(MixedNeeds, OfFieldsWithEquationsBetweenTheirUnknowns) {
  for (const auto& fields : {std::vector{0}, {1}}) check(form_of<Stokes>(dimension(), 1.0), 0, {}, fields);
}
TEST_P(MixedNeeds, OfEdges) {
  for (const int raise : {0, 1}) check(form_of<CurlCurl>(dimension(), 1.0, 1.0), raise);
}

}  // namespace
}  // namespace ritz::test
