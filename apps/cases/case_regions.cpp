#include "apps/cases/case_regions.hpp"

#include "mesh/direction.hpp"
#include "mesh/quality/quality.hpp"
#include "mesh/selection.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
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

// The questions of one [[region]], answered.
struct Definition {
  Case::Table table;
  std::string name;
  std::string set;                 // "union", "intersection", "difference"; empty: by geometry
  std::vector<std::string> parts;  // of a set
  RegionKind kind = RegionKind::cells;
  std::vector<PlaceTest> tests;
  std::vector<RoundSurface> surfaces;
  double tolerance = 0;       // [length] of the tests
  PlaceTest expression;       // empty: none was given
  PlaceTest beside_surfaces;  // the tests without those of surfaces
  std::optional<std::pair<Point, double>> normal;
  std::string of;
};

bool is_of_boundary(const Definition& d) { return d.kind == RegionKind::facets && d.set.empty() && d.of.empty(); }

bool passes(const std::vector<PlaceTest>& tests, const Point& x) {
  return std::ranges::all_of(tests, [&](const PlaceTest& test) { return test(x); });
}

// Reads the tables; what is wrong with them is added to the case.
class DefinitionReader {
 public:
  DefinitionReader(int dimension, double diagonal) : dimension_(dimension), diagonal_(diagonal) {}

  std::optional<Definition> read(const Case::Table& t) const {
    Definition d{.table = t, .name = t.text("name", "name of the region")};
    const std::string sets[] = {"union", "intersection", "difference"};
    if (const auto set = std::ranges::find_if(sets, [&](const std::string& key) { return t.has(key); });
        set != std::end(sets)) {
      d.set = *set;
      d.parts = t.texts(d.set, d.set == "union"          ? "entities that are in any of these regions"
                               : d.set == "intersection" ? "entities that are in all of these regions"
                                                         : "the first of these regions without the others");
      return d;
    }
    const std::string kind = t.choice("kind", "what the region consists of", {"cells", "facets", "nodes"});
    d.kind = kind == "cells" ? RegionKind::cells : kind == "facets" ? RegionKind::facets : RegionKind::nodes;
    const double tolerance = t.number(
        "tolerance", "distance outside that still counts [length]; by default a millionth of the mesh's diagonal",
        {.fallback = 1e-6 * diagonal_, .minimum = 0});
    d.tolerance = tolerance;
    read_flat(d, tolerance);
    read_expression(d);
    read_round(d, tolerance);
    d.of = t.text("of", "a region that contains it; by default facets are those of the boundary",
                  {.fallback = "", .may_be_empty = true});
    const bool by_normal = read_normal(d);
    if (!d.tests.empty() || by_normal || !d.of.empty())
      return d.kind == RegionKind::facets || !by_normal ? std::optional(d) : std::nullopt;
    t.error(ErrorKind::region_definition, "kind", "this region has no condition", {},
            "give one or several of box, plane, sphere, cylinder, normal, expression; or union, intersection or "
            "difference of regions");
    return std::nullopt;
  }

 private:
  Point point(const Case::Table& t, const char* key, const char* about) const {
    const std::vector<double> x = t.vector(key, about, {.size = dimension_});
    return {x[0], x.size() > 1 ? x[1] : 0, x.size() > 2 ? x[2] : 0};
  }

  Point direction(const Case::Table& t, const char* key, const char* about) const {
    const Point d = direction_of(point(t, key, about));
    if (d != Point{}) return d;
    t.error(ErrorKind::region_definition, key, "a direction of length 0", {}, "give a vector such as [1, 0, 0]");
    return {1, 0, 0};
  }

  void read_flat(Definition& d, double tolerance) const {
    const Case::Table& t = d.table;
    if (const Case::Table b = t.table("box", "entities between two corners"); t.has("box"))
      d.tests.push_back(in_box(point(b, "low", "lower corner"), point(b, "high", "upper corner"), tolerance));
    if (const Case::Table p = t.table("plane", "entities on a plane, or on a line in two dimensions"); t.has("plane"))
      d.tests.push_back(near_plane(point(p, "point", "a point on the plane"),
                                   direction(p, "normal", "normal of the plane, of any length"), tolerance));
  }

  void read_round(Definition& d, double tolerance) const {
    const Case::Table& t = d.table;
    std::vector<RoundSurface> solids;
    const auto add = [&](const Case::Table& where, const RoundSurface& surface) {
      (where.flag("surface", "take the surface, not the inside", false) ? d.surfaces : solids).push_back(surface);
    };
    if (const Case::Table s = t.table("sphere", "entities in a sphere or a circle, or on its surface");
        t.has("sphere")) {
      const Point centre = point(s, "centre", "centre of the sphere");
      add(s, {centre, s.number("radius", "radius", {.above = 0})});
    }
    if (const Case::Table c =
            t.table("cylinder", "entities in a cylinder without ends, or on its surface; limit it with a box");
        t.has("cylinder")) {
      const Point on = point(c, "point", "a point on the axis"),
                  axis = direction(c, "axis", "direction of the axis, of any length");
      add(c, {on, c.number("radius", "radius", {.above = 0}), axis});
    }
    for (const RoundSurface& s : solids) d.tests.push_back(within(s, tolerance));
    d.beside_surfaces = [tests = d.tests](const Point& x) { return passes(tests, x); };
    for (const RoundSurface& s : d.surfaces) d.tests.push_back(on(s, tolerance));
  }

  static void read_expression(Definition& d) {
    const Case::Table& t = d.table;
    if (!t.has("expression")) return;
    const Formula formula =
        t.formula("expression", "a condition such as \"x > 0.9 && y < 0.1\": true where it is not 0");
    if (formula.depends_on_time())
      t.error(ErrorKind::region_definition, "expression",
              fmt::format("the condition '{}' of a region depends on t", formula.text()), "regions stand still",
              "write it with x, y and z");
    d.expression = [formula](const Point& x) {
      double value = 0;
      formula.at(x, {&value, 1});
      return value != 0;
    };
    d.tests.push_back(d.expression);
  }

  bool read_normal(Definition& d) const {
    const Case::Table& t = d.table;
    const Case::Table n = t.table("normal", "facets that look in a direction");
    if (!t.has("normal")) return false;
    if (d.kind != RegionKind::facets)
      t.error(ErrorKind::region_definition, "normal", fmt::format("{} have no normal", noun_of(d.kind)), {},
              "use kind = \"facets\"");
    d.normal = {direction(n, "direction", "outward, of any length"),
                n.number("angle", "largest angle between the direction and the normal [deg]",
                         {.fallback = 1, .minimum = 0, .maximum = 180}) *
                    std::numbers::pi / 180};
    return true;
  }

  int dimension_;
  double diagonal_;
};

std::vector<FacetOfCell> facets_of(const Mesh& mesh, const Region* among) {
  return among != nullptr && among->kind == RegionKind::facets ? among->facets : boundary_facets(mesh);
}

void add_nodes_on_chords(const Mesh& mesh, const Definition& d, const Region* among, const RoundSurface& surface,
                         Region& region) {
  const Region more{d.name,
                    RegionKind::nodes,
                    {},
                    {},
                    nodes_on_chords(mesh, region, facets_of(mesh, among), surface, d.tolerance, d.beside_surfaces)};
  region = combine(d.name, SetOperation::together, std::vector<const Region*>{&region, &more});
  if (among != nullptr) {
    const Region limit{among->name, RegionKind::nodes, {}, {}, nodes_in(mesh, *among)};
    region = combine(d.name, SetOperation::common, std::vector<const Region*>{&region, &limit});
  }
}

// The entities that pass the tests of the definition.
Region selected(const Mesh& mesh, const Definition& d, const Region* among) {
  Region region = select(
      mesh, d.name, d.kind, [&](const Point& x) { return passes(d.tests, x); }, among);
  for (const RoundSurface& surface : d.surfaces) {
    if (d.kind == RegionKind::facets) region = select_along(mesh, d.name, region, surface);
    if (d.kind == RegionKind::nodes) add_nodes_on_chords(mesh, d, among, surface, region);
  }
  return d.normal ? select_by_normal(mesh, d.name, region, d.normal->first, d.normal->second) : region;
}

// An edge between two nodes of a round surface may cross the body.
std::vector<Node> on_the_boundary(const Mesh& mesh, const std::vector<Node>& nodes) {
  const std::vector<Node> outside = nodes_in(mesh, {"boundary", RegionKind::facets, {}, boundary_facets(mesh), {}});
  std::vector<Node> both;
  std::ranges::set_intersection(nodes, outside, std::back_inserter(both));
  return both;
}

// Mid nodes between nodes of the region that fail its curved conditions alone: on a curved line inside the body, or
// on an edge that crosses it.
std::optional<std::string> nodes_left_out(const Mesh& mesh, const Definition& d, const Region* among,
                                          const Region& region) {
  if (d.surfaces.empty() && !d.expression) return std::nullopt;
  std::vector<Node> between = nodes_between(mesh, region);
  if (among != nullptr) {
    const std::vector<Node> limit = nodes_in(mesh, *among);
    std::erase_if(between, [&](Node node) { return !std::ranges::binary_search(limit, node); });
  }
  double distance = 0;
  for (const RoundSurface& surface : d.surfaces)
    std::erase_if(between, [&](Node node) {
      const auto x = mesh.point(node);
      const double away = std::abs(surface.signed_distance({x[0], x[1], x[2]}));
      if (away > surface.radius / 2 || !d.beside_surfaces({x[0], x[1], x[2]})) return true;
      distance = std::max(distance, away);
      return false;
    });
  if (between.empty()) return std::nullopt;
  const std::string counts =
      fmt::format("region '{}': {} mid nodes of edges between its {} nodes ", d.name, between.size(), region.size());
  return (d.surfaces.empty()
              ? counts +
                    "do not satisfy the expression and stay out; on a curved surface, give the expression a tolerance"
              : counts + fmt::format("lie up to {:.3g} off the surface and stay out; where straight edges are its "
                                     "chords, tolerance = {:.2g} takes them",
                                     distance, 1.1 * distance));
}

// Facets that continue the surface beyond the region.
std::optional<std::string> facets_left_out(const Mesh& mesh, const Definition& d, const Region* among,
                                           const Region& region) {
  const Continuation rest =
      continuation_of(mesh, region, facets_of(mesh, among), d.surfaces.front(), d.beside_surfaces);
  if (rest.facet_count == 0) return std::nullopt;
  return fmt::format(
      "region '{}': {} more facets run on from its {}{} along the surface, with corners up to {:.3g} off it; "
      "nodes on chords of a mesh with straight edges that was refined look like that: tolerance = {:.2g} takes them",
      d.name, rest.facet_count, region.size(), d.kind == RegionKind::nodes ? " nodes" : "", rest.distance,
      1.1 * rest.distance);
}

// Entities of one mesh that the definitions ask for. The first `own` of its regions are those of the file; the others
// were found before the last step, which divided them.
class RegionFinder {
 public:
  RegionFinder(const Mesh& mesh, std::size_t own, bool reports)
      : mesh_(mesh), reports_(reports), box_(bounds_of(mesh)), before_(mesh.regions().subspan(own)) {
    for (const Region& region : mesh.regions().first(own)) known_.push_back(&region);
  }

  void find(const Definition& d) {
    std::optional<Region> made = d.set.empty() ? by_geometry(d) : of_others(d);
    if (!made || d.name.empty()) return;
    if (std::ranges::any_of(known_, [&](const Region* r) { return r->name == d.name; }))
      return error(ErrorKind::region_definition, d, "name", fmt::format("there is a region '{}' already", d.name),
                   fmt::format("the regions are {}", listed()), "choose another name");
    if (made->size() == 0 && !reports_) return;
    if (made->size() == 0)
      return error(
          ErrorKind::region_empty, d, "name",
          fmt::format("the region '{}' is empty: no {}{} lie there", d.name, noun_of(made->kind),
                      is_of_boundary(d) ? " of the boundary" : ""),
          fmt::format("the mesh reaches from ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g}); the regions are {}", box_.low[0],
                      box_.low[1], box_.low[2], box_.high[0], box_.high[1], box_.high[2], listed()),
          d.surfaces.empty()
              ? "check coordinates and units: they are those of the mesh times its scale; a facet belongs when all its "
                "corners do"
              : "check coordinates and units: they are those of the mesh times its scale; a facet belongs when all its "
                "corners do; where a mesh was refined before, they may lie on chords: give a tolerance");
    known_.push_back(&made_.emplace_back(std::move(*made)));
  }
  std::vector<Region> take() { return {std::make_move_iterator(made_.begin()), std::make_move_iterator(made_.end())}; }
  std::vector<std::string> take_notices() { return std::move(notices_); }

 private:
  void error(ErrorKind kind, const Definition& d, const std::string& key, std::string what, std::string why,
             std::string fix) const {
    if (reports_) d.table.error(kind, key, std::move(what), std::move(why), std::move(fix));
  }

  std::string listed() const {
    std::vector<std::string> words;
    for (const Region* r : known_) words.push_back(fmt::format("'{}' ({} {})", r->name, r->size(), noun_of(r->kind)));
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
  }

  const Region* known(const Definition& d, const std::string& key, const std::string& name) const {
    for (const Region* r : known_)
      if (r->name == name) return r;
    std::vector<std::string> names;
    for (const Region* r : known_) names.push_back(r->name);
    const std::string near = nearest_match(name, names);
    error(ErrorKind::unknown_region, d, key, fmt::format("there is no region '{}'", name),
          fmt::format("the regions so far are {}", listed()),
          near.empty() ? "name one of these; a region of the case file must precede those that are made of it"
                       : fmt::format("did you mean '{}'?", near));
    return nullptr;
  }

  std::optional<Region> of_others(const Definition& d) const {
    std::vector<const Region*> parts;
    for (const std::string& each : d.parts)
      if (const Region* found = known(d, d.set, each)) parts.push_back(found);
    if (parts.empty() || parts.size() != d.parts.size()) return std::nullopt;
    for (const Region* part : parts)
      if (part->kind != parts.front()->kind) {
        error(ErrorKind::region_definition, d, d.set,
              fmt::format("'{}' is a region of {}, '{}' one of {}", parts.front()->name, noun_of(parts.front()->kind),
                          part->name, noun_of(part->kind)),
              fmt::format("the regions are {}", listed()), "join regions of one kind");
        return std::nullopt;
      }
    return combine(d.name,
                   d.set == "union"          ? SetOperation::together
                   : d.set == "intersection" ? SetOperation::common
                                             : SetOperation::without,
                   parts);
  }

  std::optional<Region> by_geometry(const Definition& d) {
    const Region* among = nullptr;
    if (!d.of.empty()) {
      among = known(d, "of", d.of);
      if (among == nullptr) return std::nullopt;
      if (among->kind != d.kind && d.kind != RegionKind::nodes) {
        error(ErrorKind::region_definition, d, "of",
              fmt::format("'{}' is a region of {}, and {} are selected", d.of, noun_of(among->kind), noun_of(d.kind)),
              fmt::format("the regions are {}", listed()), "name one of the same kind");
        return std::nullopt;
      }
    }
    try {
      Region region = with_those_before(d, among, selected(mesh_, d, among));
      report_rest(d, among, region);
      return region;
    } catch (const Error& wrong) {  // a formula without a value
      error(ErrorKind::region_definition, d, "expression", wrong.message(), wrong.why(), wrong.fix());
      return std::nullopt;
    }
  }

  // Together with what the region was before the last step.
  Region with_those_before(const Definition& d, const Region* among, Region region) {
    const auto earlier = std::ranges::find_if(
        before_, [&](const Region& r) { return r.name == d.name && r.kind == d.kind && d.kind != RegionKind::cells; });
    if (earlier != before_.end()) {
      Region kept = *earlier;
      if (d.kind == RegionKind::facets && among != nullptr)
        kept = combine(d.name, SetOperation::common, std::vector{&*earlier, among});
      if (d.kind == RegionKind::nodes && !d.surfaces.empty()) kept.nodes = on_the_boundary(mesh_, kept.nodes);
      if (d.kind == RegionKind::nodes && d.expression) leave_out(d, kept.nodes);
      region = combine(d.name, SetOperation::together, std::vector<const Region*>{&region, &kept});
    }
    return region;
  }

  // Two nodes that satisfy an expression may be single points.
  void leave_out(const Definition& d, std::vector<Node>& nodes) {
    const auto fails = [&](Node node) {
      const auto x = mesh_.point(node);
      return !d.expression({x[0], x[1], x[2]});
    };
    if (const std::size_t count = std::erase_if(nodes, fails); count > 0 && reports_)
      notices_.push_back(
          fmt::format("region '{}': {} nodes that [mesh] refine or order put between its nodes do not satisfy the "
                      "expression and stay out; on a curved surface, give the expression a tolerance",
                      d.name, count));
  }

  void report_rest(const Definition& d, const Region* among, const Region& region) {
    if (region.size() == 0 || d.kind == RegionKind::cells || d.normal) return;
    std::optional<std::string> left_out;
    if (d.kind == RegionKind::nodes && before_.empty()) left_out = nodes_left_out(mesh_, d, among, region);
    if (!left_out && reports_ && d.surfaces.size() == 1) left_out = facets_left_out(mesh_, d, among, region);
    if (left_out) notices_.push_back(*left_out);
  }

  const Mesh& mesh_;
  bool reports_;
  Bounds box_;
  std::deque<Region> made_;           // which stay where they are
  std::vector<const Region*> known_;  // of the mesh, and those
  std::span<const Region> before_;
  std::vector<std::string> notices_;
};

std::string line_of(const Mesh& mesh, const Region& region) {
  std::string line = fmt::format("region '{}': {} {}", region.name, region.size(), noun_of(region.kind));
  if (region.kind == RegionKind::facets && mesh.dimension() > 1 && !mesh.structural())
    line += fmt::format(", {:.4g} {}", area(mesh, region), mesh.dimension() == 3 ? "m^2" : "m");
  return line;
}

std::map<std::string, Index> node_counts(std::span<const Region> regions) {
  std::map<std::string, Index> counts;
  for (const Region& region : regions)
    if (region.kind == RegionKind::nodes) counts[region.name] = region.size();
  return counts;
}

// Regions of nodes that have more nodes after the steps than before: a notice where something may act at each of them.
void report_grown(const Case& input, const std::map<std::string, Index>& before, std::size_t own, CaseRegions& result) {
  const std::vector<std::string> tables = input.root().keys();
  const bool by_node = std::ranges::any_of(
      tables, [](const std::string& table) { return table == "force" || table == "spring" || table == "load_case"; });
  for (const Region& region : result.mesh.regions()) {
    const auto old = before.find(region.name);
    if (region.kind != RegionKind::nodes || old == before.end() || region.size() <= old->second) continue;
    const bool of_file = &region < result.mesh.regions().data() + own;
    const std::string counts =
        fmt::format("region '{}': {} nodes, {} after [mesh] refine and order", region.name, old->second, region.size());
    if (by_node)
      result.notices.push_back(counts + ": what acts at each node (each = true, springs of nodes) acts at all");
    else if (of_file) result.lines.push_back(counts);
  }
}

}  // namespace

CaseRegions with_case_regions(const Case& input, Mesh mesh, std::span<const MeshStep> steps) {
  const std::size_t own = mesh.regions().size();
  std::vector<Definition> definitions;
  const DefinitionReader reader(mesh.dimension(), bounds_of(mesh).diagonal());
  for (const Case::Table& t : input.tables("region", "cells, facets or nodes by geometry, or made of other regions"))
    if (std::optional<Definition> definition = reader.read(t)) definitions.push_back(std::move(*definition));
  CaseRegions result{std::move(mesh), {}, {}};
  const auto find = [&](bool last) {
    RegionFinder finder(result.mesh, own, last);
    for (const Definition& definition : definitions) finder.find(definition);
    for (std::string& notice : finder.take_notices()) result.notices.push_back(std::move(notice));
    if (!definitions.empty()) result.mesh = with_regions(std::move(result.mesh), finder.take());
  };
  std::map<std::string, Index> before;
  for (const MeshStep& step : steps) {
    find(false);
    if (before.empty()) before = node_counts(result.mesh.regions());
    result.mesh = step(result.mesh);
  }
  find(true);
  for (const Region& region : result.mesh.regions().subspan(own)) result.lines.push_back(line_of(result.mesh, region));
  report_grown(input, before, own, result);
  return result;
}

}  // namespace ritz
