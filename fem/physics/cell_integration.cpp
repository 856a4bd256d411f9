#include "fem/physics/cell_integration.hpp"

#include "fem/elements/hourglass.hpp"
#include "fem/operator/element_groups.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace ritz {
namespace {

const char* name_of(const ElasticMaterial& input) {
  if (input.reduced || input.gradient == CellGradient::uniform) return "reduced";
  return input.gradient == CellGradient::mean_dilatation ? "mean_dilatation" : "incompatible_modes";
}

double young_of(const ElasticMaterial& input, const Model& model) {
  if (!input.law) return input.stiffness ? input.stiffness->c[0][0] : coefficient_in(input.young)->number();
  const std::optional<ElasticModuli> rest = input.law->moduli_at_rest(model.space.device());
  if (rest) return 9 * rest->bulk * rest->shear / (3 * rest->bulk + rest->shear);
  throw Error(ErrorKind::law_kinematics,
              fmt::format("reduced integration of the law '{}' in hexahedra of 8 nodes", input.law->record->name),
              "their stiffness against hourglasses is a part of Young's modulus, which it does not have",
              "take integration = \"mean_dilatation\"");
}

}  // namespace

void check_integration(const ElasticMaterial& input, const Region& region, Model& model, ErrorList& errors) {
  if (!input.reduced && input.gradient == CellGradient::own) return;
  const std::string what = fmt::format("integration = \"{}\" in", name_of(input));
  const auto fail = [&](const char* why, const char* fix) {
    errors.add(Error(ErrorKind::model_options, fmt::format("{} '{}'", what, region.name), why, fix).at(input.origin));
  };
  const Index cells = std::ranges::count_if(region.cells, [&](Index cell) {
    const CellKind kind = model.space.mesh().kind_of(cell);
    const ReferenceElement& element = model.space.element(kind);
    return input.reduced ? can_be_reduced(kind, element) : can_be_assumed(kind, element);
  });
  if (input.mixed) return fail("its pressure is a separate field", "omit the one or the other");
  if (cells == 0 && input.reduced)
    return fail(
        "it is for hexahedra of 20 nodes and quadrilaterals of 8, and for hexahedra of 8 nodes alone, with the order "
        "of the mesh",
        "omit it; or make such cells (ritz mesh convert --order 2 --serendipity) and omit [space] order");
  if (cells == 0)
    return fail("it is for hexahedra of 8 nodes and quadrilaterals of 4, with the order of the mesh",
                "omit it; or make such cells, and omit [space] order");
  if (cells < std::ssize(region.cells))
    model.notices.push_back(fmt::format("{} {} of the {} cells of '{}': the others are no {}", what, cells,
                                        region.cells.size(), region.name,
                                        input.reduced ? "hexahedra of 20 nodes and no quadrilaterals of 8"
                                                      : "hexahedra of 8 nodes and no quadrilaterals of 4"));
}

Integral hourglass_stiffness(const ElasticMaterial& input, const Region& region, const Model& model) {
  std::vector<Index> hexahedra;
  std::ranges::copy_if(region.cells, std::back_inserter(hexahedra),
                       [&](Index cell) { return model.space.mesh().kind_of(cell) == CellKind::hex8; });
  const double young = young_of(input, model);
  return Integral::over_cells(HourglassStiffness{HourglassStiffness::usual * young}, std::move(hexahedra));
}

}  // namespace ritz
