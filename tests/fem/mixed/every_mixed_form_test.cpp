// Kernels of every form of several fields of the registry: the device under test computes what the CPU computes. Run
// where RITZ_TEST_DEVICE names another device.
#include "fem/operator/fields_operator.hpp"
#include "tests/fem/every_form.hpp"

namespace ritz::test::every_form {
namespace {

Results results_of(const MixedFormValue& form, const Mesh& mesh, const Device& device) {
  const Region surface{"surface", RegionKind::facets, {}, boundary_facets(mesh), {}};
  FieldsOperator equations(spaces_of(form, mesh, device), {form.codimension == 0 ? MixedIntegral::over_all_cells(form)
                                                                                 : MixedIntegral::over(form, surface)});
  equations.inputs().set_time({.t = 0.7, .dt = 0.1});
  const auto vector = [&](std::uint64_t seed) {
    const auto values = random_values(static_cast<std::size_t>(equations.layout().total()), seed);
    return Vector(device, std::span<const double>(values), "vectors");
  };
  const Vector u = vector(1), x = vector(2);
  Vector y = equations.zeros();
  Results results;
  equations.residual(u, y);
  results["residual"] = y.host();
  equations.action(u, x, y);
  results["action"] = y.host();
  if (!form.numbers.has_matrix) return results;
  BlockOperator K = equations.make_matrix();
  equations.assemble(u, K);
  K.apply(x, y);
  results["product with the blocks"] = y.host();
  return results;
}

class EveryMixedForm : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, EveryMixedForm, ::testing::Values(CellKind::tri3, CellKind::tet4), kind_name);

TEST_P(EveryMixedForm, HasTheNumbersOfTheCpu) {
  const Device device = device_under_test();
  if (device.backend() == one_cpu().backend()) GTEST_SKIP() << "the CPU is compared with itself";
  const Mesh mesh = check_mesh(kind(), 1, {.random = 0.05});
  for (const std::string& name : built_in_forms().mixed_forms()) {
    const FormCatalogue::MixedEntry& entry = built_in_forms().find_mixed(name);
    const MixedFormValue form(*entry.record, sample_form(entry.record->form, entry.module));
    if (form.dimension != dimension()) continue;
    SCOPED_TRACE(name);
    const Results expected = results_of(form, mesh, one_cpu());
    EXPECT_GT(norm(expected.at("residual")), 0) << "its numbers have no effect";
    expect_same(expected, results_of(form, mesh, device));
  }
}

}  // namespace
}  // namespace ritz::test::every_form
