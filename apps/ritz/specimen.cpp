#include "apps/ritz/specimen.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

// Data by stretch or by strain.
std::vector<std::array<double, 2>> read_data(const Case::Table& t, double offset) {
  std::vector<std::array<double, 2>> data =
      t.rows("data", "measured: [[stretch or strain, nominal stress in Pa], ...], or the name of a [[table]]");
  for (auto& row : data) row[0] -= offset;
  return data;
}

}  // namespace

std::vector<Specimen> read_specimens(const Case::Table& root, int least) {
  std::vector<Specimen> specimens;
  for (const Case::Table& t :
       root.tables("test", "a specimen in which all strains are equal", {.minimum_count = least})) {
    Specimen s;
    const std::string kind =
        t.choice("kind",
                 "uniaxial: sides free; biaxial: equally along two axes; planar: held along the second (pure shear); "
                 "shear: simple shear; volumetric: equally along three",
                 specimen_tests());
    s.test = *specimen_test(kind);
    s.name = t.text("name", "of the curve", {.fallback = kind});
    const bool by_stretch =
        t.flag("stretch", "strains are given as stretches, 1 at rest", s.test != SpecimenTest::shear);
    const double offset = by_stretch ? 1 : 0;
    if (t.has("data")) s.data = read_data(t, offset);
    if (t.has("path") || s.data.empty()) {
      s.turns =
          t.vector("path", "stretches or strains between which it goes, from rest on; not given: to the data's last");
      for (double& each : s.turns) each -= offset;
    } else {
      s.turns = {s.data.back()[0]};
    }
    s.steps = static_cast<int>(t.integer("steps", "of each part of the path", {.fallback = 50, .minimum = 1}));
    s.duration = t.number("duration", "[s] of each part of the path, for laws that depend on time",
                          {.fallback = 0, .minimum = 0});
    s.temperature = t.number("temperature", "of the specimen, for laws that depend on it", {.fallback = 0});
    specimens.push_back(std::move(s));
  }
  return specimens;
}

std::vector<PointOfTest> curve_of(const Specimen& specimen, const Device& cpu, const MaterialLaw& law, bool large) {
  LawAtPoint point(cpu, law, large);
  point.set_temperature(specimen.temperature);
  std::vector<PointOfTest> curve = {point.step(specimen.test, 0)};
  double from = 0, t = 0;
  const double dt = specimen.duration / specimen.steps;
  for (const double to : specimen.turns) {
    for (int i = 1; i <= specimen.steps; ++i) {
      t += dt;
      curve.push_back(point.step(specimen.test, from + (to - from) * i / specimen.steps, {.t = t, .dt = dt}));
    }
    from = to;
  }
  return curve;
}

std::vector<double> stresses_at_data(const Specimen& specimen, const Device& cpu, const MaterialLaw& law, bool large) {
  LawAtPoint point(cpu, law, large);
  point.set_temperature(specimen.temperature);
  std::vector<double> stresses;
  for (const auto& [strain, stress] : specimen.data) stresses.push_back(point.step(specimen.test, strain).nominal);
  return stresses;
}

DataMisfit misfit_of(const Specimen& specimen, const std::vector<double>& stresses) {
  DataMisfit result;
  double scale = 0;
  for (const auto& row : specimen.data) scale = std::max(scale, std::abs(row[1]));
  for (std::size_t i = 0; i < stresses.size(); ++i) {
    const double difference = std::abs(stresses[i] - specimen.data[i][1]) / scale;
    result.mean += difference * difference / static_cast<double>(stresses.size());
    result.largest = std::max(result.largest, difference);
  }
  result.mean = std::sqrt(result.mean);
  return result;
}

}  // namespace ritz
