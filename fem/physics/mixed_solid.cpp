#include "fem/physics/mixed_solid.hpp"

#include "fem/physics/place.hpp"
#include "mesh/cell_geometry.hpp"
#include "mesh/curved_cells.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <string_view>

namespace ritz {
namespace {

// Laws whose energy of volume is K/2 g^2, or whose stress is K g and a deviator: g where displacements are large, and
// the parameter of the volume.
struct MixedLaw {
  std::string_view name;
  VolumeChange change;
  std::string_view parameter;
};
constexpr MixedLaw mixed_laws[] = {{"neo_hooke", VolumeChange::logarithm, "poisson"},
                                   {"mooney_rivlin", VolumeChange::ratio, "bulk"},
                                   {"yeoh", VolumeChange::ratio, "bulk"},
                                   {"ogden", VolumeChange::ratio, "bulk"},
                                   {"j2", VolumeChange::logarithm, "poisson"},
                                   {"chaboche", VolumeChange::logarithm, "poisson"},
                                   {"linear_elastic", VolumeChange::small, "poisson"}};

[[noreturn]] void fail(const std::string& what, const std::string& why, const std::string& fix) {
  throw Error(ErrorKind::law_kinematics, what, why, fix);
}

double* number_in(MaterialLaw& law, std::string_view name) {
  const FormRecord& numbers = law.record->numbers;
  for (int i = 0; i < numbers.parameter_count; ++i)
    if (const ParameterRecord& each = numbers.parameters[i]; each.facts.name == name)
      return reinterpret_cast<double*>(law.numbers.data() + each.offset);
  return nullptr;
}

const MixedLaw& row_of(const ElasticMaterial& material, const ElasticSetting& setting) {
  const std::string_view name = material.law ? material.law->record->name : "linear_elastic";
  const auto* const row = std::ranges::find(mixed_laws, name, &MixedLaw::name);
  if (row == std::end(mixed_laws))
    fail(fmt::format("a mixed formulation of the law '{}'", name),
         "it does not part the change of volume from that of shape by a bulk modulus",
         fmt::format("take one of {}, or omit formulation", laws_of_mixed_solids()));
  if (setting.large_displacements && row->change == VolumeChange::small)
    fail("a mixed formulation of linear elasticity with large displacements",
         "its trace of Green and Lagrange's strain is not the change of volume",
         "give law = \"neo_hooke\" with the same young and poisson");
  return *row;
}

// t = 2 G / (3 K): the softer bulk modulus is that of both in series, K 2/3 G / (K + 2/3 G), so that neither vanishes.
MixedSolid of_law(const Device& device, const ElasticMaterial& material, const MixedLaw& row) {
  if (!material.law_numbers.empty())
    fail(fmt::format("a mixed formulation of the law '{}' whose '{}' varies", row.name, material.law_numbers[0].name),
         "its bulk modulus is parted by one number each of the law", "give numbers, or omit formulation");
  const std::optional<ElasticModuli> rest = material.law->moduli_at_rest(device);
  if (!rest || !(rest->bulk > 0) || !(rest->shear > 0))
    fail(fmt::format("a mixed formulation of the law '{}'", row.name), "its moduli at rest are not positive",
         "check its parameters (ritz material test), or omit formulation");
  const double G = rest->shear, K = rest->bulk, t = 2 * G / (3 * K), softer = 2 * G / 3 / (1 + t);
  MixedSolid result{
      .softer = material, .change = row.change, .shear = G, .compliance = (1 + t) / K, .whole_share = 1 + t};
  MaterialLaw& law = *result.softer.law;
  *number_in(law, row.parameter) = row.parameter == "bulk" ? softer : -t / (3 + t);
  if (row.parameter == "poisson") *number_in(law, "young") = 6 * G / (3 + t);
  return result;
}

MixedSolid of_constants(const ElasticMaterial& material) {
  const Coefficient *young = coefficient_in(material.young), *poisson = coefficient_in(material.poisson);
  if (young == nullptr || poisson == nullptr)
    fail("a mixed formulation with constants over the temperature", "it takes numbers and formulas of the position",
         "give numbers, or omit formulation");
  const PointExpression E = young->expression(), nu = poisson->expression(), t = (1 - 2 * nu) / (1 + nu);
  MixedSolid result{.softer = material,
                    .change = VolumeChange::small,
                    .shear = E / (2 * (1 + nu)),
                    .compliance = 3 * (1 - 2 * nu) * (1 + t) / E,
                    .whole_share = 1 + t};
  result.softer.young = Coefficient(3 * E / ((1 + nu) * (3 + t)));
  result.softer.poisson = Coefficient(-1 * t / (3 + t));
  return result;
}

// [cell][xx, xy, yy, xz, yz, zz] second moments about the centre over the volume.
std::vector<double> moments_of(const Mesh& mesh, Index cell) {
  const CellMap map(mesh, cell);
  const int D = mesh.dimension();
  double volume = 0;
  Point centre{};
  std::vector<std::pair<Point, double>> points;
  for (const QuadraturePoint& each : geometry_rule(mesh.kind_of(cell))) {
    const auto [x, a] = map.with_tangents(each.xi);
    const double plane = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    const double J = D == 2 ? plane
                            : a[2][2] * plane + a[2][0] * (a[0][1] * a[1][2] - a[0][2] * a[1][1]) -
                                  a[2][1] * (a[0][0] * a[1][2] - a[0][2] * a[1][0]);
    points.emplace_back(x, each.weight * std::abs(J));
    volume += points.back().second;
    for (std::size_t i = 0; i < 3; ++i) centre[i] += points.back().second * x[i];
  }
  std::vector<double> moments;
  for (std::size_t i = 0; i < static_cast<std::size_t>(D); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (const auto& [x, w] : points) sum += w * (x[i] - centre[i] / volume) * (x[j] - centre[j] / volume);
      moments.push_back(sum / volume);
    }
  return moments;
}

}  // namespace

std::string laws_of_mixed_solids() {
  std::vector<std::string> names;
  for (const MixedLaw& each : mixed_laws) names.emplace_back(each.name);
  return quoted_list(names);
}

MixedSolid mixed_solid(const Device& device, const ElasticMaterial& material, const ElasticSetting& setting) {
  if (setting.dimension == 2 && setting.plane == PlaneKind::stress)
    fail("a mixed formulation in plane stress", "the thickness gives way, so that nothing locks there",
         "omit formulation");
  if (material.has_axes())
    fail("a mixed formulation of a stiffness along axes", "it has no bulk modulus", "omit formulation");
  const MixedLaw& row = row_of(material, setting);
  MixedSolid result = material.law ? of_law(device, material, row) : of_constants(material);
  if (!setting.large_displacements) result.change = VolumeChange::small;
  return result;
}

MixedIntegral volume_integral(const MixedSolid& solid, const Coefficient& free_strain, const ElasticSetting& setting,
                              const Region& region) {
  const std::vector<PointFunction> given = {solid.compliance.function(), free_strain.function()};
  const auto over = [&](const auto& form) { return MixedIntegral::over({form, given}, region); };
  MixedIntegral result = setting.dimension == 3         ? over(VolumePressure<3>{solid.change})
                         : setting.measure.axisymmetric ? over(VolumePressure<2, true>{solid.change})
                                                        : over(VolumePressure<2>{solid.change});
  result.form.linear = result.form.numbers.linear = solid.change == VolumeChange::small;
  if (setting.dimension == 2 && !setting.measure.axisymmetric) result.factor = setting.measure.weight;
  return result;
}

Integral pressure_smoothing(const MixedSolid& solid, const Mesh& mesh, const ElasticSetting& setting,
                            const Region& region) {
  const std::vector<double> shear = values_at_centres(solid.shear, mesh, region);
  const auto count = static_cast<std::size_t>(setting.dimension * (setting.dimension + 1) / 2);
  std::vector<std::vector<double>> fields(count, std::vector<double>(static_cast<std::size_t>(mesh.cell_count()), 0.0));
  for (std::size_t i = 0; i < region.cells.size(); ++i) {
    const std::vector<double> moments = moments_of(mesh, region.cells[i]);
    for (std::size_t k = 0; k < count; ++k)
      fields[k][static_cast<std::size_t>(region.cells[i])] = moments[k] / (2 * shear[i]);
  }
  std::vector<PointFunction> given;
  for (std::vector<double>& each : fields) given.emplace_back(MeshField(mesh, GivenArray{.values = std::move(each)}));
  const BodyMeasure& m = setting.measure;
  FormValue form = setting.dimension == 3 ? FormValue(PressureSmoothing<3>{}, std::move(given))
                                          : FormValue(PressureSmoothing<2>{m.weight, m.axisymmetric}, std::move(given));
  return Integral::over(std::move(form), region).of_field(1);
}

Integral stress_of_pressure(const MixedSolid& solid, const Coefficient& pressure, const ElasticSetting& setting,
                            const Region& region) {
  PointExpression p = pressure.expression();
  if (solid.change == VolumeChange::logarithm)  // over J less the free change of volume, whose logarithm is -c p
    p = p * PointExpression::of(PointOperation::exponential, {solid.compliance.expression() * p});
  return even_stress(p, setting, region);
}

}  // namespace ritz
