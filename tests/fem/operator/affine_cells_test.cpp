// Actions on parallelograms and parallelepipeds, whose geometry is computed once a cell.
#include "fem/operator/affine_cells.hpp"

#include "fem/forms/diffusion.hpp"
#include "fem/operator/linearisation.hpp"
#include "mesh/point_algebra.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <algorithm>
#include <cmath>

namespace ritz::test {
namespace {

const Device& tested() {
  static const Device device = device_under_test(2);
  return device;
}

// A field of any order on a mesh.
struct Field {
  Mesh mesh;
  FunctionSpace space;
  Operator equations;
  Field(Mesh m, const FormValue& form, int order)
      : mesh(std::move(m)),
        space(mesh, form.components, tested(), {.order = order}),
        equations(space, {Integral::over_all_cells(form)}) {}
};

bool all_are_affine(const Mesh& mesh) {
  const Field field(mesh, heat_form(mesh.dimension()), 2);
  return std::ranges::all_of(field.equations.terms().groups(),
                             [&](const ElementGroup& group) { return all_affine(field.mesh, group, 2); });
}

// A node of the mesh moved by a part of the distance to the next one.
Mesh moved(const Mesh& mesh, Node node, double part) {
  MeshData data{.dimension = mesh.dimension(),
                .points = {mesh.points().begin(), mesh.points().end()},
                .blocks = {mesh.blocks().begin(), mesh.blocks().end()}};
  const auto at = [&](Node n) { return Point{mesh.point(n)[0], mesh.point(n)[1], mesh.point(n)[2]}; };
  data.points[3 * static_cast<std::size_t>(node)] += part * distance(at(0), at(1));
  return Mesh(std::move(data));
}

TEST(AffineCells, AreParallelogramsAndParallelepipeds) {
  for (const CellKind kind :
       {CellKind::quad4, CellKind::quad8, CellKind::quad9, CellKind::hex8, CellKind::hex20, CellKind::hex27})
    EXPECT_TRUE(all_are_affine(patch(kind, {.count = 3}))) << traits(kind).name;
  EXPECT_TRUE(all_are_affine(box(200, 1, 1, {1, 0.003, 0.007}, CellKind::hex8)));
  for (const CellKind kind : {CellKind::tri3, CellKind::tet4, CellKind::prism6})
    EXPECT_FALSE(all_are_affine(patch(kind))) << traits(kind).name;
}

TEST(AffineCells, AreNotWhereOneNodeOfTheMeshIsElsewhere) {
  for (const CellKind kind : {CellKind::quad4, CellKind::hex8}) {
    const Mesh mesh = patch(kind, {.count = 3});
    EXPECT_TRUE(all_are_affine(moved(mesh, 0, 1e-15))) << traits(kind).name;
    EXPECT_FALSE(all_are_affine(moved(mesh, 0, 1e-9))) << traits(kind).name;
  }
  for (const CellKind kind : {CellKind::quad9, CellKind::hex27}) {  // curved by a node between corners
    const Mesh mesh = patch(kind);
    const Node between = mesh.nodes_of(0)[static_cast<std::size_t>(traits(kind).corner_count)];
    EXPECT_FALSE(all_are_affine(moved(mesh, between, 0.1))) << traits(kind).name;
  }
}

std::vector<FormValue> forms_of(int dimension) {
  std::vector<FormValue> forms;
  for (const NamedForm& each : forms_on(dimension)) forms.push_back(each.form);
  const PointFunction property = [](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 2 + std::sin(3 * x[3 * i]) * x[3 * i + 1] + x[3 * i + 2];
  };
  if (dimension == 3) forms.emplace_back(VaryingDiffusion<3>{}, std::vector{property});
  return forms;
}

// The engine for any element computes the residual, of linear forms the action.
TEST(AffineCells, HaveTheActionsOfTheResidualInBothPrecisions) {
  for (const CellKind kind : {CellKind::quad4, CellKind::quad9, CellKind::hex8, CellKind::hex20})
    for (int order = 1; order <= (traits(kind).order == 1 ? 8 : 3); ++order)
      for (const FormValue& form : forms_of(traits(kind).dimension)) {
        const Field field(patch(kind, {.count = order > 4 ? 1 : order > 2 ? 2 : 3}), form, order);
        const FunctionSpace& space = field.space;
        Vector x = space.zeros(), by_residual = space.zeros(), by_action = space.zeros(), single = space.zeros();
        const std::vector<double> values = random_values(static_cast<std::size_t>(x.size()));
        x.upload(values);
        field.equations.residual(x, by_residual);
        field.equations.action(space.zeros(), x, by_action);
        const double scale = max_abs(by_residual);
        EXPECT_LT(largest_difference(by_residual, by_action), 1e-12 * scale * order)
            << form.name << " on " << traits(kind).name << ", order " << order;
        const std::vector<float> rounded(values.begin(), values.end());
        Array<float> y(tested(), x.size(), "test");
        Linearisation(field.equations, space.zeros())
            .action(Array<float>(tested(), std::span<const float>(rounded), "test"), y);
        const std::vector<float> found = y.host();
        single.upload(std::vector<double>(found.begin(), found.end()));
        EXPECT_LT(largest_difference(by_residual, single), 2e-5 * scale)
            << form.name << " on " << traits(kind).name << ", order " << order;
      }
}

// A nonlinear form with its state and its values; a bent mesh gives nearly the same numbers by the other way.
TEST(AffineCells, HaveNearlyTheActionsOfCellsThatAreHardlyBent) {
  const auto action_on = [](const Mesh& mesh, const FormValue& form) {
    const Field field(mesh, form, 2);
    Vector u = field.space.zeros(), x = field.space.zeros(), y = field.space.zeros();
    u.upload(random_values(static_cast<std::size_t>(u.size()), 2));
    x.upload(random_values(static_cast<std::size_t>(x.size()), 3));
    field.equations.action(u, x, y);
    return y;
  };
  for (const auto& [kind, form] : {std::pair{CellKind::hex8, test_form(NonlinearDiffusion<3>{1.3, 0.4, 0.2})},
                                   std::pair{CellKind::quad4, test_form(Coupled{0.7})}}) {
    const Mesh mesh = patch(kind, {.count = 3});
    const Vector affine = action_on(mesh, form), bent = action_on(moved(mesh, 0, 1e-10), form);
    EXPECT_LT(largest_difference(affine, bent), 1e-8 * max_abs(affine)) << form.name;
    EXPECT_GT(max_abs(affine), 0);
  }
}

}  // namespace
}  // namespace ritz::test
