#include "apps/cases/orientations.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

// In a plane case the third coordinate is zero.
Point point(const Case::Table& t, const char* key, const char* about, int dimension,
            std::optional<std::vector<double>> fallback = {}) {
  const std::vector<double> given = t.vector(key, about, {.size = dimension, .fallback = std::move(fallback)});
  Point result{};
  std::copy_n(given.begin(), std::min<std::size_t>(given.size(), 3), result.begin());
  return result;
}

// Material axes of one entry; nothing after an error.
std::optional<Orientation> orientation_of(const Case::Table& t, int dimension) {
  const std::vector<double> origin(static_cast<std::size_t>(dimension), 0.0);
  const bool round = t.has("cylindrical"), spherical = dimension == 3 && t.has("spherical");
  try {
    if (round) {
      const Case::Table about = t.table("cylindrical", "axes 1, 2, 3 are radial, hoop and axial");
      const Point at = point(about, "origin", "a point on the axis [m]", dimension, origin);
      const Point axis =
          dimension == 3 ? point(about, "axis", "direction of the axis, of any length", 3) : Point{0, 0, 1};
      return Orientation::cylindrical(at, axis);
    }
    if (spherical) {
      const Case::Table about = t.table("spherical", "axis 1 is radial, 2 along the meridian, 3 along the parallel");
      const Point at = point(about, "origin", "the centre [m]", 3, origin);
      return Orientation::spherical(at, point(about, "axis", "direction of the pole", 3));
    }
    const Point first = point(t, "axis1", "direction of axis 1, of any length", dimension);
    if (dimension == 2) return Orientation::along(first, {-first[1], first[0], 0});
    return Orientation::along(first, point(t, "axis2", "a direction in the plane of axes 1 and 2", 3));
  } catch (const Error& error) {
    t.error(error.kind(),
            round       ? "cylindrical"
            : spherical ? "spherical"
                        : "axis1",
            error.message(), error.why(), error.fix());
  }
  return std::nullopt;
}

}  // namespace

Orientations read_orientations(Case& input, int dimension) {
  Orientations result;
  for (const Case::Table& t : input.tables("orientation", "axes that materials name; without one they are x, y, z")) {
    const std::string name = t.text("name", "by which materials call it");
    if (!result.emplace(name, orientation_of(t, dimension)).second)
      t.error(ErrorKind::orientation, "name", fmt::format("two orientations are called '{}'", name), {},
              "give each a different name");
  }
  return result;
}

std::optional<Orientation> named_orientation(const Case::Table& t, const Orientations& all) {
  if (!t.has("orientation")) return std::nullopt;
  const std::string name = t.text("orientation", "name of an [[orientation]]: the axes of the material");
  if (const auto found = all.find(name); found != all.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [each, axes] : all) names.push_back(each);
  const std::string near = nearest_match(name, names);
  t.error(ErrorKind::orientation, "orientation", fmt::format("there is no [[orientation]] '{}'", name),
          names.empty() ? "the case has none" : fmt::format("there are {}", quoted_list(names)),
          near.empty() ? fmt::format("add an [[orientation]] with name = \"{}\"", name)
                       : fmt::format("did you mean '{}'?", near));
  return std::nullopt;
}

}  // namespace ritz
