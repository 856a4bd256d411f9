#include "apps/cases/case_regions.hpp"

#include "mesh/selection.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <optional>

namespace ritz {
namespace {

const char* noun_of(RegionKind kind) {
  return kind == RegionKind::cells ? "cells" : kind == RegionKind::facets ? "facets" : "nodes";
}

struct Bounds {
  Point low, high;
  double diagonal() const { return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]); }
};

Bounds bounds_of(const Mesh& mesh) {
  constexpr double far = std::numeric_limits<double>::infinity();
  Bounds box{{far, far, far}, {-far, -far, -far}};
  for (Index node = 0; node < mesh.node_count(); ++node)
    for (std::size_t d = 0; d < 3; ++d) {
      box.low[d] = std::min(box.low[d], mesh.point(node)[d]);
      box.high[d] = std::max(box.high[d], mesh.point(node)[d]);
    }
  return box;
}

class RegionReader {
 public:
  explicit RegionReader(const Mesh& mesh)
      : mesh_(mesh), box_(bounds_of(mesh)), known_(mesh.regions().begin(), mesh.regions().end()) {}

  void read(const Case::Table& t) {
    const std::string name = t.text("name", "name of the region");
    const std::string sets[] = {"union", "intersection", "difference"};
    const auto set = std::ranges::find_if(sets, [&](const std::string& key) { return t.has(key); });
    std::optional<Region> made = set != std::end(sets) ? of_others(t, name, *set) : by_geometry(t, name);
    if (!made || name.empty()) return;
    if (std::ranges::any_of(known_, [&](const Region& r) { return r.name == name; }))
      return t.error("name", fmt::format("there is a region '{}' already", name),
                     fmt::format("the regions are {}", listed()), "choose another name");
    if (made->size() == 0)
      return t.error(
          "name", fmt::format("the region '{}' is empty: no {} lie there", name, noun_of(made->kind)),
          fmt::format("the mesh reaches from ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g}); the regions are {}", box_.low[0],
                      box_.low[1], box_.low[2], box_.high[0], box_.high[1], box_.high[2], listed()),
          "check coordinates and units: they are those of the mesh times its scale; a facet belongs when all its "
          "corners do");
    known_.push_back(*made);
    made_.push_back(std::move(*made));
  }
  std::vector<Region> take() { return std::move(made_); }

 private:
  std::string listed() const {
    std::vector<std::string> words;
    for (const Region& r : known_) words.push_back(fmt::format("'{}' ({} {})", r.name, r.size(), noun_of(r.kind)));
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
  }

  const Region* find(const Case::Table& t, const char* key, const std::string& name) const {
    for (const Region& r : known_)
      if (r.name == name) return &r;
    std::vector<std::string> names;
    for (const Region& r : known_) names.push_back(r.name);
    const std::string near = nearest_match(name, names);
    t.error(key, fmt::format("there is no region '{}'", name), fmt::format("the regions so far are {}", listed()),
            near.empty() ? "name one of these; a region of the case file must precede those that are made of it"
                         : fmt::format("did you mean '{}'?", near));
    return nullptr;
  }

  std::optional<Region> of_others(const Case::Table& t, const std::string& name, const std::string& key) {
    const std::vector<std::string> names =
        t.texts(key, key == "union"          ? "entities that are in any of these regions"
                     : key == "intersection" ? "entities that are in all of these regions"
                                             : "the first of these regions without the others");
    std::vector<const Region*> parts;
    for (const std::string& each : names)
      if (const Region* found = find(t, key.c_str(), each)) parts.push_back(found);
    if (parts.empty() || parts.size() != names.size()) return std::nullopt;
    for (const Region* part : parts)
      if (part->kind != parts.front()->kind) {
        t.error(key,
                fmt::format("'{}' is a region of {}, '{}' one of {}", parts.front()->name, noun_of(parts.front()->kind),
                            part->name, noun_of(part->kind)),
                fmt::format("the regions are {}", listed()), "join regions of one kind");
        return std::nullopt;
      }
    return combine(name,
                   key == "union"          ? SetOperation::together
                   : key == "intersection" ? SetOperation::common
                                           : SetOperation::without,
                   parts);
  }

  Point point(const Case::Table& t, const char* key, const char* about) const {
    const std::vector<double> x = t.vector(key, about, {.size = mesh_.dimension()});
    return {x[0], x.size() > 1 ? x[1] : 0, x.size() > 2 ? x[2] : 0};
  }

  Point direction(const Case::Table& t, const char* key, const char* about) const {
    const Point d = point(t, key, about);
    if (d == Point{}) {
      t.error(key, "a direction of length 0", {}, "give a vector such as [1, 0, 0]");
      return {1, 0, 0};
    }
    return d;
  }

  // All conditions that are given must hold.
  std::optional<Region> by_geometry(const Case::Table& t, const std::string& name) {
    const std::string kind_name = t.choice("kind", "what the region consists of", {"cells", "facets", "nodes"});
    const RegionKind kind = kind_name == "cells"    ? RegionKind::cells
                            : kind_name == "facets" ? RegionKind::facets
                                                    : RegionKind::nodes;
    const double tolerance = t.number(
        "tolerance", "distance outside that still counts [length]; by default a millionth of the mesh's diagonal",
        {.fallback = 1e-6 * box_.diagonal(), .minimum = 0});
    std::vector<PlaceTest> tests;
    if (const Case::Table b = t.table("box", "entities between two corners"); t.has("box"))
      tests.push_back(in_box(point(b, "low", "lower corner"), point(b, "high", "upper corner"), tolerance));
    if (const Case::Table p = t.table("plane", "entities on a plane, or on a line in two dimensions"); t.has("plane"))
      tests.push_back(near_plane(point(p, "point", "a point on the plane"),
                                 direction(p, "normal", "normal of the plane, of any length"), tolerance));
    if (const Case::Table s = t.table("sphere", "entities in a sphere or a circle, or on its surface");
        t.has("sphere")) {
      const Point centre = point(s, "centre", "centre of the sphere");
      const double radius = s.number("radius", "radius", {.above = 0});
      tests.push_back(s.flag("surface", "take the surface, not the inside", false)
                          ? near_sphere(centre, radius, tolerance)
                          : in_sphere(centre, radius, tolerance));
    }
    if (const Case::Table c =
            t.table("cylinder", "entities in a cylinder without ends, or on its surface; limit it with a box");
        t.has("cylinder")) {
      const Point on = point(c, "point", "a point on the axis"),
                  axis = direction(c, "axis", "direction of the axis, of any length");
      const double radius = c.number("radius", "radius", {.above = 0});
      tests.push_back(c.flag("surface", "take the surface, not the inside", false)
                          ? near_cylinder(on, axis, radius, tolerance)
                          : in_cylinder(on, axis, radius, tolerance));
    }
    std::optional<Formula> formula;
    if (t.has("expression")) {
      formula = t.formula("expression", "a condition such as \"x > 0.9 && y < 0.1\": true where it is not 0");
      if (formula->depends_on_time())
        t.error("expression", fmt::format("the condition '{}' of a region depends on t", formula->text()),
                "regions stand still", "write it with x, y and z");
      tests.push_back([f = *formula](const Point& x) {
        double value = 0;
        f.at(x, {&value, 1});
        return value != 0;
      });
    }
    const Region* among = nullptr;
    if (const std::string of = t.text("of", "a region that contains it; by default facets are those of the boundary",
                                      {.fallback = "", .may_be_empty = true});
        !of.empty()) {
      among = find(t, "of", of);
      if (among != nullptr && among->kind != kind && kind != RegionKind::nodes) {
        t.error("of",
                fmt::format("'{}' is a region of {}, and {} are selected", of, noun_of(among->kind), noun_of(kind)),
                fmt::format("the regions are {}", listed()), "name one of the same kind");
        return std::nullopt;
      }
      if (among == nullptr) return std::nullopt;
    }
    const bool by_normal = t.has("normal");
    if (by_normal && kind != RegionKind::facets)
      t.error("normal", fmt::format("{} have no normal", noun_of(kind)), {}, "use kind = \"facets\"");
    std::optional<std::pair<Point, double>> normal;
    if (const Case::Table n = t.table("normal", "facets that look in a direction"); by_normal)
      normal = {direction(n, "direction", "outward, of any length"),
                n.number("angle", "largest angle between the direction and the normal [degrees]",
                         {.fallback = 1, .minimum = 0, .maximum = 180}) *
                    std::numbers::pi / 180};
    if (tests.empty() && !by_normal) {
      t.error("kind", "this region has no condition", {},
              "give one or several of box, plane, sphere, cylinder, normal, expression; or union, intersection or "
              "difference of regions");
      return std::nullopt;
    }
    if (by_normal && kind != RegionKind::facets) return std::nullopt;
    try {
      Region region = select(
          mesh_, name, kind,
          [&](const Point& x) { return std::ranges::all_of(tests, [&](const PlaceTest& test) { return test(x); }); },
          among);
      return normal ? select_by_normal(mesh_, name, region, normal->first, normal->second) : region;
    } catch (const Error& error) {  // a formula without a value
      t.error("expression", error.message(), error.why(), error.fix());
      return std::nullopt;
    }
  }

  const Mesh& mesh_;
  Bounds box_;
  std::vector<Region> known_, made_;
};

}  // namespace

Mesh with_case_regions(const Case& input, Mesh mesh, const std::function<void(const std::string&)>& say) {
  std::vector<Region> made;
  {
    RegionReader reader(mesh);
    for (const Case::Table& t : input.tables("region", "cells, facets or nodes by geometry, or made of other regions"))
      reader.read(t);
    made = reader.take();
  }
  for (const Region& region : made)
    if (say) say(fmt::format("region '{}': {} {}", region.name, region.size(), noun_of(region.kind)));
  return made.empty() ? std::move(mesh) : with_regions(std::move(mesh), std::move(made));
}

}  // namespace ritz
