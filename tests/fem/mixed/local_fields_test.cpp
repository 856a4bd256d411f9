// Parts of equations of several fields, as ranks have them: rows of what a rank owns are those of the whole mesh.
#include "fem/ranks/local_fields.hpp"

#include "fem/forms/curl_curl.hpp"
#include "fem/forms/loads.hpp"
#include "fem/forms/mixed_poisson.hpp"
#include "fem/forms/stokes.hpp"
#include "tests/fem/models.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace ritz::test {
namespace {

class FieldsOfParts : public CellTest {
 public:
  FieldsOfParts()
      : mesh_(dimension() == 2 ? rectangle_data(9, 7, {1, 1}, kind()) : box_data(5, 4, 3, {1, 1, 1}, kind())) {}

  MixedIntegral over_half(MixedFormValue form) const {
    MixedIntegral integral = MixedIntegral::over_all_cells(std::move(form));
    integral.everywhere = false;
    for (Index cell = 0; cell < mesh_.cell_count() / 2; ++cell) integral.cells.push_back(cell);
    return integral;
  }

  // Owned rows of the residual and of the matrix on each part, and those of the whole mesh.
  void check(const MixedFormValue& form, int raise, const std::vector<MixedIntegral>& integrals,
             const std::vector<Integral>& of_fields = {}) const {
    const Device device = Device::named("cpu", 1);
    const FieldsOperator whole(spaces_of(form, mesh_, device, raise), integrals, of_fields);
    const Vector u = wavy(whole.layout().total(), device);
    const std::vector<double> values = u.host();
    Vector r = whole.zeros(), y = whole.zeros();
    whole.residual(u, r);
    BlockOperator K = whole.make_matrix();
    whole.assemble(u, K);
    K.apply(u, y);
    const std::vector<double> residual = r.host(), product = y.host();
    const double size = std::max(largest_of(residual), largest_of(product));
    constexpr int ranks = 3;
    FieldsCutter cut(whole, ranks);
    Index rows = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      LocalFieldsData data = cut.part(rank);
      const FieldsOnPart part(data, {}, device);
      const std::vector<Index> unknowns = unknowns_of(whole, data);
      std::vector<double> own;
      for (const Index unknown : unknowns) own.push_back(values[static_cast<std::size_t>(unknown)]);
      const Vector here(device, std::span<const double>(own), "vectors");
      Vector of_residual = part.equations->zeros(), of_product = part.equations->zeros();
      part.equations->residual(here, of_residual);
      BlockOperator own_K = part.equations->make_matrix();
      part.equations->assemble(here, own_K);
      own_K.apply(here, of_product);
      const std::vector<double> found[] = {of_residual.host(), of_product.host()};
      for (int k = 0; k < whole.field_count(); ++k)
        for (Index i = 0; i < owned(data, k); ++i, ++rows) {
          const auto place = static_cast<std::size_t>(part.equations->layout().first(k) + i);
          const auto unknown = static_cast<std::size_t>(unknowns[place]);
          ASSERT_NEAR(found[0][place], residual[unknown], 1e-13 * size) << form.name << " by " << raise;
          ASSERT_NEAR(found[1][place], product[unknown], 1e-13 * size) << form.name << " by " << raise;
        }
    }
    EXPECT_EQ(rows, whole.layout().total());
  }

 private:
  static Vector wavy(Index size, const Device& device) {
    std::vector<double> values;
    for (Index i = 0; i < size; ++i) values.push_back(std::sin(0.7 * double(i)));
    return {device, std::span<const double>(values), "vectors"};
  }
  static double largest_of(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    return largest;
  }
  static Index owned(const LocalFieldsData& data, int k) {
    const PartData& nodes = data.spaces[static_cast<std::size_t>(k)].nodes;
    return (nodes.last - nodes.first) * nodes.components;
  }
  // [unknown of the part] of the whole.
  static std::vector<Index> unknowns_of(const FieldsOperator& whole, const LocalFieldsData& data) {
    std::vector<Index> unknowns;
    for (int k = 0; k < whole.field_count(); ++k) {
      const PartData& nodes = data.spaces[static_cast<std::size_t>(k)].nodes;
      const auto add = [&](Index node) {
        for (int c = 0; c < nodes.components; ++c)
          unknowns.push_back(whole.layout().first(k) + node * nodes.components + c);
      };
      for (Index node = nodes.first; node < nodes.last; ++node) add(node);
      std::ranges::for_each(nodes.reached, add);
    }
    return unknowns;
  }

  Mesh mesh_;
};
INSTANTIATE_TEST_SUITE_P(Cells, FieldsOfParts,
                         ::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8), kind_name);

// A load that acts on half of the cells: some ranks have none of them.
TEST_P(FieldsOfParts, HaveTheRowsOfVelocityAndPressure) {
  const MixedFormValue form = dimension() == 3 ? MixedFormValue(Stokes<3>{2.0}) : MixedFormValue(Stokes<2>{2.0});
  const FormValue load = dimension() == 3 ? FormValue(Load<3, 3, 0>{{0, 1, 0}}) : FormValue(Load<2, 2, 0>{{0, 1}});
  std::vector<Index> cells = over_half(form).cells;
  for (const int raise : {0, 1})
    check(form, raise, {MixedIntegral::over_all_cells(form)}, {Integral::over_cells(load, cells)});
}
// A facet between two ranks may be seen from the other side, where its cell of lower number is.
TEST_P(FieldsOfParts, HaveTheRowsOfFacets) {
  const MixedFormValue form =
      dimension() == 3 ? MixedFormValue(MixedPoisson<3>{2.0}) : MixedFormValue(MixedPoisson<2>{2.0});
  for (const int raise : {0, 1}) check(form, raise, {MixedIntegral::over_all_cells(form), over_half(form)});
}
TEST_P(FieldsOfParts, HaveTheRowsOfEdges) {
  const MixedFormValue form =
      dimension() == 3 ? MixedFormValue(CurlCurl<3>{1.0, 2.0}) : MixedFormValue(CurlCurl<2>{1.0, 2.0});
  for (const int raise : {0, 1}) check(form, raise, {over_half(form), MixedIntegral::over_all_cells(form)});
}

}  // namespace
}  // namespace ritz::test
