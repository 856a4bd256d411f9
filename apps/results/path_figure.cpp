#include "apps/results/path_figure.hpp"

#include "apps/results/stress_measures.hpp"
#include "apps/show/field_component.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

// "Pa" of " Pa".
std::string bare(const std::string& unit) { return unit.empty() ? unit : unit.substr(1); }

std::vector<Curve> curves_of(const PathField& field, const std::vector<double>& distance, const Units& units) {
  const std::vector<std::string> names = component_names(field.field);
  const auto components = static_cast<std::size_t>(field.field.components);
  std::vector<Curve> curves;
  for (std::size_t c = 0; c < components; ++c) {
    const std::string component = c < names.size() ? names[c] : std::to_string(c);
    Curve& curve = curves.emplace_back(
        Curve{.name = components == 1 ? field.field.name : fmt::format("{} {}", field.field.name, component),
              .x = distance,
              .y = {},
              .unit = bare(units.of_component(
                  field.field.name, c < field.field.component_names.size() ? field.field.component_names[c] : ""))});
    for (std::size_t i = 0; i < distance.size(); ++i) curve.y.push_back(field.values[components * i + c]);
  }
  return curves;
}

// Von Mises' equivalents along the line: the membrane stress, the line of membrane and bending stress, and the total.
std::vector<Curve> curves_of_linearised(const PathResult& path, const std::string& unit) {
  Curve total{.name = "total", .x = path.distance, .y = {}, .unit = unit},
      membrane{.name = "membrane", .x = path.distance, .y = {}, .unit = unit},
      both{.name = "membrane + bending", .x = path.distance, .y = {}, .unit = unit};
  for (std::size_t i = 0; i < path.distance.size(); ++i) {
    const double share = 1 - 2 * path.distance[i] / path.distance.back();
    LinearisedStress::Tensor line = path.stress->membrane;
    for (std::size_t c = 0; c < line.size(); ++c) line[c] += share * path.stress->bending[c];
    total.y.push_back(von_mises(std::span(path.stresses).subspan(6 * i).first<6>()));
    membrane.y.push_back(von_mises(path.stress->membrane));
    both.y.push_back(von_mises(line));
  }
  return {std::move(total), std::move(membrane), std::move(both)};
}

std::vector<std::vector<std::string>> rows_of_linearised(const LinearisedStress& stress) {
  std::vector<std::vector<std::string>> rows{
      {"part", "place", "xx", "yy", "zz", "xy", "yz", "xz", "von Mises", "Tresca"}};
  for (const StressPart& part : parts_of(stress)) {
    std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>{part.name, part.place});
    for (const double each : part.tensor) row.push_back(fmt::format("{:.6g}", each));
    row.push_back(fmt::format("{:.6g}", von_mises(part.tensor)));
    row.push_back(fmt::format("{:.6g}", tresca(part.tensor)));
  }
  return rows;
}

}  // namespace

std::vector<PageFigure> figures_of(const PathResult& path, const Units& units) {
  const std::string length = bare(units.of_field("displacement"));
  const std::string over = "distance along the path" + (length.empty() ? "" : fmt::format(" [{}]", length));
  std::vector<PageFigure> figures;
  for (const PathField& field : path.fields) figures.push_back({"", over, curves_of(field, path.distance, units)});
  if (path.stress)
    figures.push_back(
        {"", over, curves_of_linearised(path, bare(units.of_field("stress"))), rows_of_linearised(*path.stress)});
  if (!figures.empty()) figures.front().title = fmt::format("Path {}", path.name);
  return figures;
}

}  // namespace ritz
