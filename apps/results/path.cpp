#include "apps/results/path.hpp"

#include "apps/results/field_value.hpp"
#include "apps/results/stress_measures.hpp"
#include "apps/show/field_component.hpp"
#include "io/case/csv.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/quality/quality.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace ritz {
namespace {

constexpr double outside_share = 0.01;  // of the length of the path: places that far outside are moved onto the body

// Lengths of the pieces between the corners.
std::vector<double> lengths_between(const std::vector<Point>& corners) {
  std::vector<double> lengths;
  for (std::size_t i = 1; i < corners.size(); ++i) lengths.push_back(distance(corners[i - 1], corners[i]));
  return lengths;
}

double total_of(const std::vector<double>& lengths) {
  double total = 0;
  for (const double each : lengths) total += each;
  return total;
}

// `count` intervals, dealt to the pieces by their lengths, one at least for each.
std::vector<int> intervals_of(const std::vector<double>& lengths, int count) {
  std::vector<int> intervals;
  for (const double each : lengths)
    intervals.push_back(std::max(1, static_cast<int>(std::lround(count * each / total_of(lengths)))));
  return intervals;
}

struct PathPlaces {
  std::vector<double> distance;
  std::vector<Point> points;
};

PathPlaces places_along(const std::vector<Point>& corners, int count) {
  const std::vector<double> lengths = lengths_between(corners);
  const std::vector<int> intervals = intervals_of(lengths, count - 1);
  PathPlaces places{{0}, {corners.front()}};
  double before = 0;
  for (std::size_t piece = 0; piece < lengths.size(); before += lengths[piece++])
    for (int i = 1; i <= intervals[piece]; ++i) {
      const double part = static_cast<double>(i) / intervals[piece];
      const Point &a = corners[piece], &b = corners[piece + 1];
      places.distance.push_back(before + part * lengths[piece]);
      places.points.push_back({a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2])});
    }
  return places;
}

std::vector<Point> read_corners(const Case::Table& t, const Mesh& mesh) {
  const std::vector<Point> corners = t.points(
      "points", "begin, corners and end of the path [length of the mesh, scaled]; in two dimensions z may be omitted");
  if (corners.size() < 2) {
    if (!corners.empty())
      t.error(ErrorKind::probe, "points", "the path has one point", "a path leads from one point to another",
              "give two points, or make a [[probe]] of it");
    return {};
  }
  for (const Point& each : corners)
    if (mesh.dimension() == 2 && each[2] != 0) {
      t.error(ErrorKind::probe, "points", fmt::format("the path has z = {:g} on a mesh of two dimensions", each[2]), {},
              "give two numbers for each point");
      return {};
    }
  const std::vector<double> lengths = lengths_between(corners);
  if (std::ranges::find(lengths, 0.0) == lengths.end()) return corners;
  t.error(ErrorKind::probe, "points", "two points of the path, one after the other, are the same", {},
          "omit one of them");
  return {};
}

// Null: there is none of this name.
const Field* field_called(std::span<const Field> fields, const std::string& name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

// Forces at nodes; problems of several fields have one for each.
bool has_no_values_between(const Field& field) {
  return field.forces || field.name == "reaction" || field.name.starts_with("reaction_");
}

bool is_stress(const Field* field) { return field != nullptr && field->components == 6; }

}  // namespace

Paths::Path Paths::read(const Case::Table& t, const Mesh& mesh) {
  Path path{.table = t, .name = t.text("name", "name of the path in the log, the page and the files")};
  const std::vector<Point> corners = read_corners(t, mesh);
  const auto count = static_cast<int>(
      t.integer("count", "of places, ends included; those of a polyline are dealt to its pieces by length",
                {.fallback = 101, .minimum = 3, .maximum = 1000000}));
  path.fields = t.texts("fields", "names of the fields; without it all fields at nodes", std::vector<std::string>{});
  path.linearise = t.flag("linearise",
                          "the stress along the straight line as membrane, bending and peak stress (ASME BPVC VIII-2, "
                          "annex 5-A)",
                          false);
  if (path.linearise) {
    const std::string bending = t.choice(
        "bending", "components with a bending part. wall: those in the tangent plane of the wall; all: all six",
        {"wall", "all"}, "wall");
    path.bending = bending == "all" ? BendingOf::all : BendingOf::wall;
    if (corners.size() > 2)
      t.error(ErrorKind::probe, "linearise", fmt::format("the path has {} points", corners.size()),
              "stresses are linearised along a straight line from one side of a wall to the other",
              "give two points, or omit linearise");
  }
  if (corners.empty()) return path;
  PathPlaces places = places_along(corners, count);
  path.distance = std::move(places.distance);
  path.points = std::move(places.points);
  return path;
}

namespace {

// Finds the cells of the places. Places a little outside, as facets of cells are chords of a round wall, take the
// nearest value; returns the largest distance of them. Adds an error for the first place that is farther outside.
double locate_all(const PointLocator& locator, double reach, const Case::Table& table,
                  const std::vector<double>& distance, const std::vector<Point>& points,
                  std::vector<PointLocator::Place>& places) {
  double farthest = 0;
  Index guess = -1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto place = locator.find(points[i], reach, guess);
    if (!place) {
      try {
        (void)locator.locate(points[i]);
      } catch (const Error& error) {
        table.error(ErrorKind::probe, "points", fmt::format("{:.6g} along the path, {}", distance[i], error.message()),
                    error.why(), "end the path at the surface of the body, and make two paths where it crosses a hole");
      }
      places.clear();
      return 0;
    }
    farthest = std::max(farthest, place->distance);
    guess = place->cell;
    places.push_back(*place);
  }
  return farthest;
}

}  // namespace

Paths::Paths(Case& input, const Mesh& mesh, const ProbeFields& fields) {
  for (const Case::Table& t : input.tables("path", "fields along a line through the body"))
    paths_.push_back(read(t, mesh));
  if (paths_.empty()) return;
  check_names(input);
  const PointLocator locator(mesh);
  const double rounding = 1e-6 * bounding_box(mesh).diagonal();
  for (Path& path : paths_) {
    check_fields(path, fields);
    if (path.points.empty()) continue;
    const double farthest = locate_all(locator, std::max(rounding, outside_share * path.distance.back()), path.table,
                                       path.distance, path.points, path.places);
    if (farthest > rounding)
      notices_.push_back(fmt::format(
          "the path '{}' leaves the body by up to {:.3g}{}, {:.2g} % of its length: there it has the "
          "values of the nearest point of the mesh",
          path.name, farthest, in_system(" m", input.root().units()), 100 * farthest / path.distance.back()));
  }
}

void Paths::check_names(Case& input) const {
  std::set<std::string> names, probes;
  for (const Case::Table& t : input.tables("probe", "numbers to take from the results"))
    probes.insert(t.text("name", "name of the number in the log and in the JSON report"));
  for (const Path& path : paths_) {
    const auto refuse = [&](const std::string& what, const char* why, const char* fix) {
      path.table.error(ErrorKind::probe, "name", what, why, fix);
    };
    if (!path.name.empty() && !names.insert(path.name).second)
      refuse(fmt::format("a second path is called '{}'", path.name), "results are found by name",
             "give each path a different name");
    if (path.name.find_first_of("/\\") != std::string::npos)
      refuse(fmt::format("a path cannot be called '{}'", path.name), "its table is a file of that name",
             "take letters, digits, - and _");
    PathResult only_names{path.name, {}, {}, {}, {}};
    if (path.linearise) only_names.stress.emplace();
    for (const auto& [name, numbers] : equivalents_of(only_names))
      if (probes.contains(name))
        refuse(fmt::format("a probe is called '{}'", name),
               "the linearised stress of this path has a number of that name",
               "give the path or the probe another name");
  }
}

void Paths::check_fields(const Path& path, const ProbeFields& fields) {
  if (fields.nodal.empty()) return;
  for (const std::string& name : path.fields) {
    const Field* const at_nodes = field_called(fields.nodal, name);
    if (at_nodes != nullptr && has_no_values_between(*at_nodes))
      path.table.error(ErrorKind::probe, "fields", fmt::format("the field '{}' holds forces at nodes", name),
                       "there is nothing between nodes",
                       "take another field, or a [[probe]] with measure = \"reaction\"");
    if (at_nodes != nullptr || field_called(fields.cells, name) != nullptr) continue;
    try {
      (void)field_named(fields.nodal, name);
    } catch (const Error& error) {
      path.table.error(ErrorKind::probe, "fields", error.message(), error.why(), error.fix());
    }
  }
  if (path.linearise && !is_stress(field_called(fields.nodal, "stress")))
    path.table.error(ErrorKind::probe, "linearise", "the results have no field 'stress' with six components at nodes",
                     "it is the stress that is linearised", "omit linearise");
}

std::vector<PathResult> Paths::evaluate(const Mesh& mesh, const ProbeFields& fields) const {
  const auto along = [&](const Path& path, const Field& field, bool in_cells) {
    PathField result{{field.name, field.components, {}, field.component_names}, {}};
    const auto components = static_cast<std::size_t>(field.components);
    for (const PointLocator::Place& place : path.places) {
      const auto cell = static_cast<std::size_t>(place.cell);
      const bool is_there = !field.values.empty() && (!in_cells || field.given.empty() || field.given[cell] != 0);
      const double* const of_cell = in_cells ? field.values.data() + cell * components : nullptr;
      const std::vector<double> values = !is_there  ? std::vector(components, std::numeric_limits<double>::quiet_NaN())
                                         : in_cells ? std::vector<double>(of_cell, of_cell + components)
                                                    : value_at(mesh, place, field, fields.finer);
      result.values.insert(result.values.end(), values.begin(), values.end());
    }
    return result;
  };
  std::vector<PathResult> results;
  for (const Path& path : paths_) {
    PathResult& result = results.emplace_back(PathResult{path.name, path.distance, path.points, {}, {}});
    for (const Field& field : fields.nodal)
      if (path.fields.empty() && !has_no_values_between(field)) result.fields.push_back(along(path, field, false));
    for (const std::string& name : path.fields)
      if (const Field* const at_nodes = field_called(fields.nodal, name))
        result.fields.push_back(along(path, *at_nodes, false));
      else if (const Field* const in_cells = field_called(fields.cells, name))
        result.fields.push_back(along(path, *in_cells, true));
    const Field* const stress = field_called(fields.nodal, "stress");
    if (!path.linearise || !is_stress(stress) || stress->values.empty()) continue;
    result.stresses = along(path, *stress, false).values;
    result.stress = linearised(result.stresses, minus(path.points.back(), path.points.front()), path.bending);
  }
  return results;
}

std::vector<StressPart> parts_of(const LinearisedStress& s) {
  using enum LinearisedStress::End;
  return {{"membrane", "", s.membrane},
          {"bending", "begin", s.bending_at(begin)},
          {"bending", "end", s.bending_at(end)},
          {"membrane_bending", "begin", s.with_bending(begin)},
          {"membrane_bending", "end", s.with_bending(end)},
          {"peak", "begin", s.peak(begin)},
          {"peak", "end", s.peak(end)},
          {"total", "begin", s.total[begin]},
          {"total", "end", s.total[end]}};
}

std::vector<std::pair<std::string, std::vector<double>>> equivalents_of(const PathResult& path) {
  std::vector<std::pair<std::string, std::vector<double>>> numbers;
  if (!path.stress) return numbers;
  for (const StressPart& part : parts_of(*path.stress))
    numbers.emplace_back(fmt::format("{}_{}{}{}", path.name, part.name, *part.place == '\0' ? "" : "_", part.place),
                         std::vector{von_mises(part.tensor)});
  return numbers;
}

std::string table_of(const PathResult& path) {
  std::string text = "distance,x,y,z";
  for (const PathField& each : path.fields) {
    const std::vector<std::string> names = component_names(each.field);
    for (int c = 0; c < each.field.components; ++c)
      text += fmt::format(
          ",{}", csv_cell(each.field.components == 1 ? each.field.name
                          : names.empty()            ? fmt::format("{}_{}", each.field.name, c)
                                          : fmt::format("{}_{}", each.field.name, names[static_cast<std::size_t>(c)])));
  }
  text += "\n";
  for (std::size_t i = 0; i < path.points.size(); ++i) {
    const Point& x = path.points[i];
    text += fmt::format("{},{},{},{}", path.distance[i], x[0], x[1], x[2]);
    for (const PathField& each : path.fields) {
      const auto components = static_cast<std::size_t>(each.field.components);
      for (std::size_t c = 0; c < components; ++c) text += fmt::format(",{}", each.values[components * i + c]);
    }
    text += "\n";
  }
  return text;
}

std::string table_of_linearised(const PathResult& path) {
  std::string text = "part,place,xx,yy,zz,xy,yz,xz,von_mises,tresca\n";
  for (const StressPart& part : parts_of(*path.stress))
    text += fmt::format("{},{},{},{},{}\n", part.name, part.place, fmt::join(part.tensor, ","), von_mises(part.tensor),
                        tresca(part.tensor));
  return text;
}

std::vector<std::string> lines_of(const PathResult& path, const std::string& unit) {
  if (!path.stress) return {};
  std::vector<std::string> lines;
  const auto add = [&](const char* name, const LinearisedStress::Tensor& begin, const LinearisedStress::Tensor& end) {
    lines.push_back(fmt::format("  {}: von Mises {:.6g} to {:.6g}{}, Tresca {:.6g} to {:.6g}{}", name, von_mises(begin),
                                von_mises(end), unit, tresca(begin), tresca(end), unit));
  };
  const LinearisedStress& s = *path.stress;
  using enum LinearisedStress::End;
  lines.push_back(fmt::format("path {}: membrane stress: von Mises {:.6g}{}, Tresca {:.6g}{}; from begin to end:",
                              path.name, von_mises(s.membrane), unit, tresca(s.membrane), unit));
  add("membrane + bending", s.with_bending(begin), s.with_bending(end));
  add("peak", s.peak(begin), s.peak(end));
  add("total", s.total[begin], s.total[end]);
  return lines;
}

}  // namespace ritz
