// Joints of beams, bars and shells with solids that they touch. A section that ends on a solid, or runs through it,
// follows the mean motion of the solid over its footprint: with weights w at points x, their centre c and second
// moments I, the rotation is r of I r = sum w (x - c) x u, and the displacement at the node p is sum w u + r x (p - c).
// So forces and moments pass into the solid without tying it, and rigid motions pass exactly.
#include "fem/elements/bar.hpp"
#include "fem/elements/shell_section.hpp"
#include "fem/physics/frame_parts.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/search/point_location.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>

namespace ritz {
namespace {

constexpr double touches_within = 1e-3, is_near_within = 0.1;  // distances, of the size of a section
constexpr double least_of_end = 0.5, least_of_part = 0.25;     // shares of a footprint that lie in the solid
constexpr double flat_within = 1e-9;  // determinant of second moments, of the cube of their trace

struct FootprintPoint {
  Point at;
  double weight;
  PointLocator::Place place;
};

Point along(Point a, double factor, const Point& b) {
  for (std::size_t d = 0; d < 3; ++d) a[d] += factor * b[d];
  return a;
}

// Coordinate of one of `count` points on [-1, 1]: two of Gauss in each of count / 2 equal parts, of equal weights. So
// integrals of cubic functions are exact where parts lie in cells.
double gauss_pair(int i, int count) {
  const double part = 2.0 / count, middle = (2 * (i / 2) + 1) * part - 1;
  return middle + (i % 2 == 0 ? -1 : 1) * part / std::sqrt(3.0);
}

template <class Element>
Element element_as(const FormValue& form) {
  Element element;
  std::memcpy(&element, form.bytes.data(), sizeof element);
  return element;
}

// The half sides of the rectangle with the radii of gyration of a beam's section, along its axes y and z; of others
// their size as a line: half the thickness of shells.
struct SectionSize {
  double y = 0, z = 0;
  double size() const { return 2 * std::max(y, z); }
};

SectionSize section_size(const Frames::Section& section) {
  const FormValue& form = section.element;
  if (const std::optional<Beam> beam = beam_in(form))
    return {std::sqrt(3 * beam->inertia_z / beam->area), std::sqrt(3 * beam->inertia_y / beam->area)};
  const bool is_line = traits(static_cast<CellKind>(form.cell)).dimension == 1;
  double size = section.size;
  if (form.module == "ritz_fem_kernels" && form.name == Bar::name) size = element_as<Bar>(form).area;
  if (form.module == "ritz_fem_kernels" && !is_line && form.components == 6)
    size = element_as<ShellSection>(form).thickness;
  const double half = (is_line ? std::sqrt(size) : size) / 2;
  return {half, half};
}

}  // namespace

class FrameJoints {
 public:
  FrameJoints(const Frames::Parts& parts, const FunctionSpace& solids, const FunctionSpace& frames,
              std::span<const Node> by_hand, ErrorList& errors)
      : parts_(parts),
        solids_(solids),
        frames_(frames),
        by_hand_(by_hand),
        mesh_(frames.mesh()),
        errors_(errors),
        locator_(solids.mesh()),
        cells_at_(static_cast<std::size_t>(mesh_.node_count())),
        touches_(static_cast<std::size_t>(mesh_.node_count())),
        equations_{
            .origin = "the joint of beams or shells with a solid", .field = frames_field, .first_is_dependent = true} {
    for (Index cell = 0; cell < mesh_.cell_count(); ++cell)
      if (parts.section_at(cell) >= 0)
        for (const Node node : mesh_.nodes_of(cell)) cells_at_[static_cast<std::size_t>(node)].push_back(cell);
  }

  Frames::Joints find() {
    find_touching();
    for (Node node = 0; node < static_cast<Node>(mesh_.node_count()); ++node)
      if (touches(node)) join(node);
    Frames::Joints result;
    result.list = std::move(joined_);
    for (const auto& [what, nodes] : failed_)
      errors_.add(Error(ErrorKind::section_not_joined,
                        fmt::format("{} {} a solid and cannot be joined with it, first at {}", nodes.size(), what.first,
                                    frames_.name_of(frames_.node_of(nodes.front()))),
                        what.second, "let sections end inside the faces of solids, or mesh the joint as a solid"));
    if (equations_.size() > 0) result.equations.push_back(std::move(equations_));
    return result;
  }

 private:
  bool touches(Node node) const { return touches_[static_cast<std::size_t>(node)].has_value(); }
  const Frames::Section& section(Index cell) const {
    return parts_.sections()[static_cast<std::size_t>(parts_.section_at(cell))].input;
  }
  const std::string& region(Index cell) const {
    return parts_.sections()[static_cast<std::size_t>(parts_.section_at(cell))].region->name;
  }
  std::span<const Index> cells_at(Node node) const { return cells_at_[static_cast<std::size_t>(node)]; }
  Point point(Node node) const {
    const auto x = mesh_.point(node);
    return {x[0], x[1], x[2]};
  }
  double size_at(Node node) const {
    double size = 0;
    for (const Index cell : cells_at(node)) size = std::max(size, section_size(section(cell)).size());
    return size;
  }
  Point centre_of(Index cell) const {
    Point sum{};
    const auto nodes = mesh_.nodes_of(cell);
    for (const Node node : nodes) sum = along(sum, 1 / static_cast<double>(nodes.size()), point(node));
    return sum;
  }
  // Lies the middle of the cell in the solid or on its surface?
  bool is_on(Index cell) const {
    return locator_.find(centre_of(cell), touches_within * section_size(section(cell)).size()).has_value();
  }

  // Nodes near a solid that do not touch it, though none of their neighbours is nearer, are gaps that nobody meant.
  void find_touching() {
    std::map<Node, double> close;
    for (Node node = 0; node < static_cast<Node>(mesh_.node_count()); ++node) {
      if (cells_at(node).empty() || std::ranges::binary_search(by_hand_, node)) continue;
      const double size = size_at(node);
      const std::optional<PointLocator::Place> place = locator_.find(point(node), is_near_within * size);
      if (!place) continue;
      close[node] = place->distance;
      if (place->distance <= touches_within * size) touches_[static_cast<std::size_t>(node)] = place;
    }
    for (const auto& [node, distance] : close) {
      if (touches(node)) continue;
      bool is_nearest = true;
      for (const Index cell : cells_at(node))
        for (const Node other : mesh_.nodes_of(cell))
          if (const auto found = close.find(other); found != close.end() && found->second < distance)
            is_nearest = false;
      if (!is_nearest) continue;
      errors_.add(Error(ErrorKind::section_not_joined,
                        fmt::format("{} of '{}' lies {:.3g} from a solid", frames_.name_of(frames_.node_of(node)),
                                    region(cells_at(node).front()), distance),
                        fmt::format("it neither touches it nor is clear of it: sections are joined within {:.2g}",
                                    touches_within * size_at(node)),
                        "move it onto the solid, or away from it"));
    }
  }

  void join(Node node) {
    if (parts_.known_at(node) < 6) return follow_point(node);
    std::vector<Index> edges, beams;
    for (const Index cell : cells_at(node)) {
      if (section(cell).element.components < 6) continue;
      if (parts_.beam_at(cell)) beams.push_back(cell);
      else if (traits(mesh_.kind_of(cell)).dimension != 2)
        return fail(node, "ends of elements touch", "the sections of elements of plugins are not known");
      else if (!is_on(cell)) edges.push_back(cell);
    }
    if (!beams.empty()) return follow_section(node, beams);
    if (!edges.empty()) return follow_edge(node, edges);
    follow_point(node);
  }

  // Skins, bars, and what knows no rotation: the node goes with the solid, and turns as it likes.
  void follow_point(Node node) {
    for (int c = 0; c < 3; ++c) {
      std::vector<UnknownTerm> row = {{frames_.node_of(node), c, 1.0, frames_field}};
      add_displacement(*touches_[static_cast<std::size_t>(node)], c, -1.0, row);
      equations_.add(row);
    }
    add(node, {.kind = Joint::Kind::point, .region = region(cells_at(node).front())});
  }

  void add(Node node, Joint joint) {
    joint.onto = region_with(solids_.mesh(), touches_[static_cast<std::size_t>(node)]->cell);
    joint.at = point(node);
    joined_.push_back(std::move(joint));
  }

  void follow_section(Node node, std::span<const Index> beams) {
    const Index cell = *std::ranges::max_element(
        beams, {}, [&](Index each) { return section_size(section(each)).y * section_size(section(each)).z; });
    const Beam beam = *parts_.beam_at(cell);
    const auto nodes = mesh_.nodes_of(cell);
    double x[2][3];
    for (std::size_t n = 0; n < 2; ++n)
      for (std::size_t d = 0; d < 3; ++d) x[n][d] = mesh_.point(nodes[n])[d];
    const auto axes = beam.axes(x);
    const Point y = {axes.y[0], axes.y[1], axes.y[2]}, z = {axes.z[0], axes.z[1], axes.z[2]};
    const Point middle = along(along(point(node), beam.offset_y, y), beam.offset_z, z);
    const SectionSize half = section_size(section(cell));
    constexpr int count = 8;  // points along each side
    std::vector<FootprintPoint> points;
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j)
        take(along(along(middle, half.y * gauss_pair(i, count), y), half.z * gauss_pair(j, count), z), half.size(),
             points);
    const bool is_part = std::ranges::all_of(beams, [&](Index each) { return is_on(each); }) || beams.size() > 1;
    follow(node, points, count * count, is_part ? least_of_part : least_of_end, "ends of beams touch",
           {.kind = Joint::Kind::section, .region = region(cell), .width = 2 * half.y, .height = 2 * half.z});
  }

  // The edge of a shell: over its thickness, and along it to the middle of the next edges.
  void follow_edge(Node node, std::span<const Index> shells) {
    std::set<Node> neighbours;
    Point normal{};
    double thickness = 0;
    for (const Index cell : shells) {
      const auto nodes = mesh_.nodes_of(cell);
      const std::size_t count = nodes.size();
      const Point n = cross(minus(point(nodes[1]), point(nodes[0])), minus(point(nodes[count - 1]), point(nodes[0])));
      normal = along(normal, (dot(n, normal) < 0 ? -1 : 1) / length(n), n);
      thickness = std::max(thickness, section_size(section(cell)).size());
      for (std::size_t i = 0; i < count; ++i) {
        if (nodes[i] != node) continue;
        for (const Node next : {nodes[(i + 1) % count], nodes[(i + count - 1) % count]})
          if (touches(next)) neighbours.insert(next);
      }
    }
    if (neighbours.empty()) return fail(node, "corners of shells touch", "an edge carries moments, one node does not");
    normal = along({}, 1 / length(normal), normal);
    constexpr int count = 4;
    std::vector<FootprintPoint> points;
    for (const Node next : neighbours) {
      const Point half = along({}, 0.5, minus(point(next), point(node)));
      for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
          const std::size_t before = points.size();
          take(along(along(point(node), (1 + gauss_pair(i, count)) / 2, half), thickness / 2 * gauss_pair(j, count),
                     normal),
               thickness, points);
          if (points.size() > before) points.back().weight = length(half);
        }
    }
    follow(node, points, count * count * static_cast<int>(neighbours.size()), least_of_end,
           "nodes of edges of shells touch",
           {.kind = Joint::Kind::edge, .region = region(shells.front()), .height = thickness});
  }

  // A point of a footprint, where it lies in the solid or on its surface.
  void take(const Point& x, double size, std::vector<FootprintPoint>& points) const {
    const std::optional<PointLocator::Place> place = locator_.find(x, 20 * touches_within * size);
    if (place) points.push_back({CellMap(solids_.mesh(), place->cell).at(place->xi), 1, *place});
  }

  void follow(Node node, std::vector<FootprintPoint>& points, int all, double least, const char* what, Joint joint) {
    if (static_cast<double>(points.size()) < least * all)
      return fail(node, what,
                  fmt::format("{:.0f} % of the section's footprint lies on it, {:.0f} % is the least",
                              100.0 * static_cast<double>(points.size()) / all, 100 * least));
    double sum = 0, trace = 0;
    Point centre{};
    for (const FootprintPoint& each : points) sum += each.weight;
    for (FootprintPoint& each : points) centre = along(centre, each.weight /= sum, each.at);
    std::array<Point, 3> second{};
    for (const FootprintPoint& each : points) {
      const Point r = minus(each.at, centre);
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) second[i][j] += each.weight * ((i == j ? dot(r, r) : 0) - r[i] * r[j]);
    }
    for (std::size_t i = 0; i < 3; ++i) trace += second[i][i];
    const double determinant = dot(second[0], cross(second[1], second[2]));
    if (!(determinant > flat_within * trace * trace * trace))
      return fail(node, what, "the part of the section's footprint on it is a line, and carries no moment");
    // Rows of the inverse, which is symmetric.
    const std::array<Point, 3> inverse = {along({}, 1 / determinant, cross(second[1], second[2])),
                                          along({}, 1 / determinant, cross(second[2], second[0])),
                                          along({}, 1 / determinant, cross(second[0], second[1]))};
    const Node own = frames_.node_of(node);
    const Point lever = minus(point(node), centre);
    for (int c = 0; c < 3; ++c) {
      // r_c = sum w (inverse_c x (x - c)) . u
      std::vector<UnknownTerm> turn = {{own, 3 + c, 1.0, frames_field}};
      std::vector<UnknownTerm> move = {{own, c, 1.0, frames_field}};
      const auto i = static_cast<std::size_t>((c + 1) % 3), j = static_cast<std::size_t>((c + 2) % 3);
      if (lever[j] != 0) move.push_back({own, 3 + (c + 1) % 3, -lever[j], frames_field});
      if (lever[i] != 0) move.push_back({own, 3 + (c + 2) % 3, lever[i], frames_field});
      for (const FootprintPoint& each : points) {
        const Point arm = cross(inverse[static_cast<std::size_t>(c)], minus(each.at, centre));
        for (int d = 0; d < 3; ++d)
          if (const double factor = each.weight * arm[static_cast<std::size_t>(d)]; factor != 0)
            add_displacement(each.place, d, -factor, turn);
        add_displacement(each.place, c, -each.weight, move);
      }
      equations_.add(turn);
      equations_.add(move);
    }
    add(node, std::move(joint));
  }

  // Adds factor times a displacement of the solid.
  void add_displacement(const PointLocator::Place& place, int component, double factor, std::vector<UnknownTerm>& row) {
    const ReferenceElement& element = solids_.element(solids_.mesh().kind_of(place.cell));
    std::vector<double> values(element.nodes.size());
    std::vector<Point> gradients(element.nodes.size());
    element.evaluate(place.xi, values, gradients);
    solids_.nodes_of(place.cell, nodes_);
    for (std::size_t a = 0; a < values.size(); ++a)
      if (std::abs(values[a]) > 1e-12) row.push_back({nodes_[a], component, factor * values[a], solids_field});
  }

  void fail(Node node, const std::string& what, const std::string& why) { failed_[{what, why}].push_back(node); }

  const Frames::Parts& parts_;
  const FunctionSpace &solids_, &frames_;
  const std::span<const Node> by_hand_;
  Mesh mesh_;
  ErrorList& errors_;
  PointLocator locator_;
  std::vector<std::vector<Index>> cells_at_;                 // [mesh node] with a section
  std::vector<std::optional<PointLocator::Place>> touches_;  // [mesh node] where in the solid
  LinearEquations equations_;
  std::vector<Joint> joined_;
  std::map<std::pair<std::string, std::string>, std::vector<Node>> failed_;
  std::vector<Node> nodes_;
};

Frames::Joints Frames::joints(const FunctionSpace& solids, const FunctionSpace& frames, std::span<const Node> by_hand,
                              ErrorList& errors) const {
  ErrorList said_before;
  const Parts parts(*this, said_before);
  return FrameJoints(parts, solids, frames, by_hand, errors).find();
}

std::vector<std::uint8_t> Frames::turning_nodes() const {
  ErrorList said_before;
  const Parts parts(*this, said_before);
  std::vector<std::uint8_t> turns(static_cast<std::size_t>(mesh_.node_count()));
  for (Node node = 0; node < static_cast<Node>(mesh_.node_count()); ++node)
    turns[static_cast<std::size_t>(node)] = parts.known_at(node) == 6;
  return turns;
}

}  // namespace ritz
