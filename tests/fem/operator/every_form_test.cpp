// Kernels of every form of the registry: the device under test computes what the CPU computes, on a cell of each kind
// that a form has kernels for. Run where RITZ_TEST_DEVICE names another device.
#include "device/kernels.hpp"
#include "fem/launch/element_arguments.hpp"
#include "fem/multigrid/space_transfer.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/evaluate.hpp"
#include "fem/operator/linearisation.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/every_form.hpp"

namespace ritz::test::every_form {
namespace {

struct OnAnotherDevice {
  Device device = device_under_test();
  bool is_another() const { return device.backend() != one_cpu().backend(); }
};

Numbers wave(const CheckModel& model, int components, double amplitude, int number) {
  return model.values([&](const Point& x, int c) {  // unknowns that the form does not know are zero
    return c < components ? amplitude * check_wave(x, c + 3 * number) : 0.0;
  });
}

void add_actions(const CheckModel& model, const Vector& u, const Vector& x, Results& results) {
  const Operator& equations = model.equations;
  Vector y = model.space.zeros();
  equations.action(u, x, y);
  results["action"] = y.host();
  results["diagonal"] = equations.diagonal(u).host();
  const std::vector<double> numbers = x.host();
  const std::vector<float> rounded(numbers.begin(), numbers.end());
  const Array<float> single(model.space.device(), std::span<const float>(rounded), "vectors");
  Array<float> product(model.space.device(), x.size(), "vectors");
  if (can_act_in_single(equations)) {
    Linearisation(equations, u).action(single, product);
    results["single action"] = in_double(product);
  }
  const PointTangents tangents = point_tangents(equations, u);
  if (tangents.parts.empty()) return;
  Linearisation(equations, u, &tangents).action(single, product);
  results["single action with tangents at points"] = in_double(product);
}

Results results_of(const FormOnDevice& form, const FormRecord& record, const Mesh& mesh, int order) {
  CheckModel model(mesh, form, {.order = order});
  model.equations.inputs().set_time({.t = 0.7, .dt = 0.1});
  const Vector u = model.up(wave(model, record.components, 0.1, 1)), x = model.up(wave(model, record.components, 1, 2));
  Results results;
  Vector r = model.space.zeros();
  model.equations.residual(u, r);
  results["residual"] = r.host();
  if (record.has_matrix) {
    add_actions(model, u, x, results);
    SparseMatrix K = model.equations.make_matrix();
    model.equations.assemble(u, K);
    results["matrix"] = K.values().host();
  }
  if (form.form.derived > 0) {
    const DerivedFields fields = evaluate(model.equations, u);
    results["derived at nodes"] = fields.at_nodes;
    results["derived in cells"] = fields.at_cells;
  }
  if (model.equations.facts().has_states) {
    model.equations.states().commit(u);
    model.equations.residual(x, r);
    results["residual after a commit"] = r.host();
  }
  return results;
}

void compare(const std::string& name, const Mesh& mesh, int order, const Device& device) {
  SCOPED_TRACE(name);
  const FormRecord& record = *built_in_forms().find(name).record;
  const FormValue form = sample_form(name);
  const Results expected = results_of({one_cpu(), form}, record, mesh, order);
  EXPECT_GT(norm(expected.at("residual")), 0) << "its numbers have no effect";
  expect_same(expected, results_of({device, form}, record, mesh, order));
}

bool has_own_kernels(const FormRecord& record, CellKind kind) {
  const CellTraits& t = traits(kind);
  const int nodes = record.codimension == 0 ? t.node_count : traits(t.facets[0].kind).node_count;
  return has_kernels(one_cpu().backend(), "ritz_fem_kernels",
                     form_kernel_name(record.name, nodes, t.dimension - record.codimension));
}

class EveryForm : public CellTest, public OnAnotherDevice {};
INSTANTIATE_TEST_SUITE_P(Cells, EveryForm, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(EveryForm, HasTheNumbersOfTheCpuByKernelsOfTheCell) {
  if (!is_another()) GTEST_SKIP() << "the CPU is compared with itself";
  const Mesh mesh = check_mesh(kind(), 1, {.random = 0.05});
  for (const std::string& name : built_in_forms().forms()) {
    const FormRecord& record = *built_in_forms().find(name).record;
    if (record.cell < 0 && record.dimension == dimension() && has_own_kernels(record, kind()))
      compare(name, mesh, 0, device);
  }
}

// Elements of less order than the geometry, and facets of order 3, have no kernels of their own.
class EveryFormOnAnyElement : public EveryForm {};
INSTANTIATE_TEST_SUITE_P(Cells, EveryFormOnAnyElement, ::testing::Values(CellKind::tri6, CellKind::tet10), kind_name);

TEST_P(EveryFormOnAnyElement, HasTheNumbersOfTheCpu) {
  if (!is_another()) GTEST_SKIP() << "the CPU is compared with itself";
  const Mesh mesh = check_mesh(kind(), 1, {.smooth = 0.05, .curved = true});
  for (const std::string& name : built_in_forms().forms()) {
    const FormRecord& record = *built_in_forms().find(name).record;
    if (record.cell < 0 && record.dimension == dimension())
      compare(name, mesh, record.codimension == 0 ? 1 : 3, device);
  }
}

struct EveryWholeElement : ::testing::Test, OnAnotherDevice {};

TEST_F(EveryWholeElement, HasTheNumbersOfTheCpu) {
  if (!is_another()) GTEST_SKIP() << "the CPU is compared with itself";
  const Mesh plane = check_mesh(CellKind::tri3, 1);
  for (const std::string& name : built_in_forms().forms()) {
    const FormRecord& record = *built_in_forms().find(name).record;
    if (record.cell < 0) continue;
    compare(name, record.dimension == 2 ? plane : cells_to_check(static_cast<CellKind>(record.cell)), 0, device);
  }
}

// Sums by the factors of tensor elements, of every order that a form has kernels for.
class EveryTensorForm : public ::testing::TestWithParam<int>, public OnAnotherDevice {};
INSTANTIATE_TEST_SUITE_P(Orders, EveryTensorForm, ::testing::Range(1, 9));

TEST_P(EveryTensorForm, ActsAsOnTheCpu) {
  if (!is_another()) GTEST_SKIP() << "the CPU is compared with itself";
  for (const CellKind kind : {CellKind::quad4, CellKind::hex8}) {
    const int dimension = traits(kind).dimension;
    const Mesh mesh = check_mesh(kind, 1, {.random = 0.05});
    for (const std::string& name : built_in_forms().forms()) {
      if (!has_kernels(one_cpu().backend(), "ritz_fem_kernels",
                       tensor_kernel_name(name.c_str(), GetParam(), dimension)))
        continue;
      SCOPED_TRACE(name);
      const FormValue form = sample_form(name);
      Results results[2];
      for (const bool other : {false, true}) {
        const CheckModel model(mesh, {other ? device : one_cpu(), form}, {.order = GetParam()});
        add_actions(model, model.up(wave(model, form.components, 0.1, 1)), model.up(wave(model, form.components, 1, 2)),
                    results[other]);
      }
      EXPECT_GT(norm(results[0].at("action")), 0);
      expect_same(results[0], results[1]);
    }
  }
}

// Values between spaces of two orders, of every number of components.
class EveryTransfer : public ::testing::TestWithParam<int>, public OnAnotherDevice {
 protected:
  template <class Real>
  static void add_results(const FunctionSpace& coarse, const FunctionSpace& fine, const std::string& what,
                          Results& results) {
    const SpaceTransfer<Real> transfer(coarse, fine);
    const auto values = [](const FunctionSpace& space) {
      const std::vector<double> numbers = random_values(static_cast<std::size_t>(space.unknown_count()));
      const std::vector<Real> rounded(numbers.begin(), numbers.end());
      return Array<Real>(space.device(), std::span<const Real>(rounded), "vectors");
    };
    Array<Real> up(fine.device(), fine.unknown_count(), "vectors"),
        down(fine.device(), coarse.unknown_count(), "vectors");
    transfer.sum_interpolated(values(coarse), up);
    transfer.sum_transposed(values(fine), down);
    for (const auto& [direction, result] : {std::pair{" up", &up}, {" down", &down}}) {
      const std::vector<Real> numbers = result->host();
      results[what + direction] = {numbers.begin(), numbers.end()};
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Components, EveryTransfer, ::testing::Range(1, 7));

TEST_P(EveryTransfer, HasTheNumbersOfTheCpu) {
  if (!is_another()) GTEST_SKIP() << "the CPU is compared with itself";
  const Mesh mesh = check_mesh(CellKind::tet4, 1);
  Results results[2];
  for (const bool other : {false, true}) {
    const Device& place = other ? device : one_cpu();
    const FunctionSpace coarse(mesh, GetParam(), place, {.order = 1}), fine(mesh, GetParam(), place, {.order = 2});
    add_results<double>(coarse, fine, "double", results[other]);
    add_results<float>(coarse, fine, "single", results[other]);
  }
  expect_same(results[0], results[1]);
}

}  // namespace
}  // namespace ritz::test::every_form
