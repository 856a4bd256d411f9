// Fields along a straight line or a polyline through the body, and the stress along a line through a wall split into
// membrane, bending and peak stress.
//
//   [[path]]
//   name = "wall"
//   points = [[0.5, 0, 0], [0.6, 0, 0]]
//   count = 101                     # places, corners included
//   fields = ["stress"]
//   linearise = true
#pragma once

#include "apps/results/linearised_stress.hpp"
#include "apps/results/probes.hpp"
#include "io/case/case.hpp"
#include "mesh/search/point_location.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

struct PathField {
  Field field;                 // its name and components, without values
  std::vector<double> values;  // [place][component]; NaN where the field has none
};

struct PathResult {
  std::string name;
  std::vector<double> distance;  // from the begin along the path [length of the mesh], by place
  std::vector<Point> points;
  std::vector<PathField> fields;
  std::optional<LinearisedStress> stress;  // where it is asked for,
  std::vector<double> stresses = {};       // of these: [place][6]
};

class Paths {
 public:
  Paths() = default;
  // Reads every [[path]] and finds its places; errors are added to the case. With `fields`, those that the run will
  // make, their names are checked.
  Paths(Case& input, const Mesh& mesh, const ProbeFields& fields);

  bool empty() const { return paths_.empty(); }
  const std::vector<std::string>& notices() const { return notices_; }  // of places that were moved onto the body
  std::vector<PathResult> evaluate(const Mesh& mesh, const ProbeFields& fields) const;

 private:
  struct Path {
    Case::Table table;
    std::string name;
    std::vector<std::string> fields;  // empty: all at nodes
    bool linearise = false;
    BendingOf bending = BendingOf::wall;
    std::vector<double> distance;
    std::vector<Point> points;
    std::vector<PointLocator::Place> places;
  };
  static Path read(const Case::Table& table, const Mesh& mesh);
  void check_names(Case& input) const;
  static void check_fields(const Path& path, const ProbeFields& fields);

  std::vector<Path> paths_;
  std::vector<std::string> notices_;
};

// Von Mises' equivalent of the parts of a linearised stress, (name, one number): "wall_membrane",
// "wall_membrane_bending_begin" and so on.
std::vector<std::pair<std::string, std::vector<double>>> equivalents_of(const PathResult& path);

// Comma-separated values: a row for each place, and for each part of the stress.
std::string table_of(const PathResult& path);
std::string table_of_linearised(const PathResult& path);

// The linearised stress in lines for the log; `unit`: " Pa".
std::vector<std::string> lines_of(const PathResult& path, const std::string& unit);

// Parts of a linearised stress with their names, in the order of tables.
struct StressPart {
  const char *name, *place;  // "membrane", "", or "bending", "begin"
  LinearisedStress::Tensor tensor;
};
std::vector<StressPart> parts_of(const LinearisedStress& stress);

}  // namespace ritz
