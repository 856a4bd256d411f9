// A field on a mesh as a function of the position: its values at nodes, interpolated by the shape functions of the cell
// that holds a point, or one value in each cell. Points may be those of the mesh or of another one. Files and calling
// programs give the values.
//
//   const MeshField T(mesh, values_at_nodes);   T(points, t, values);
//
// Points outside of the mesh take the value at the nearest point of it, if that is nearer than `tolerance` times the
// diagonal of its bounding box; else evaluation throws Error: Exit::model. So meshes of the same part, with facets of
// their own on its curved faces, fit. Interpolation is of order p + 1 for cells of order p.
#pragma once

#include "mesh/evaluation_points.hpp"
#include "mesh/mesh.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

struct GivenArray {
  std::vector<double> values;  // NaN: there is no value
  bool at_nodes = false;       // one for each node of a mesh, else one for each cell
};
using GivenArrays = std::map<std::string, GivenArray>;  // of a calling program, by their names

inline constexpr double outside_tolerance = 0.01;

class FieldPlaces;  // mesh/functions/field_places.hpp

// The largest distance by which a node of a mesh lies outside of that of a field, and how many lie outside by more
// than rounding.
struct Misfit {
  Index nodes = 0;
  double distance = 0;
};

// Copies share the values and the search structure, which is made when a point first needs it: points in known cells of
// this mesh do without.
class MeshField {
 public:
  // Throws Error: Exit::input for another number of values.
  MeshField(Mesh mesh, GivenArray array, double tolerance = outside_tolerance);
  // `values`: one for each node of the mesh, or else one for each cell. Throws where these are as many.
  MeshField(Mesh mesh, std::vector<double> values, double tolerance = outside_tolerance);

  // Other values in place of these, also in copies. Throws Error: Exit::input for another number of them.
  void set(std::vector<double> values);
  const std::vector<double>& values() const;

  // One thread at a time; it uses all of them.
  void operator()(const EvaluationPoints& points, double t, std::span<double> values) const;
  bool depends_on_time() const { return false; }

  struct Sample {
    Index cell;
    double value;
  };
  Sample sample(const EvaluationPoints& point) const;  // at one point
  Misfit misfit(const Mesh& mesh) const;               // throws as evaluation does

  bool at_nodes() const;
  Index revision() const;             // how often set() was called
  const FieldPlaces& places() const;  // not by several threads at once at the first call
  bool is_same(const MeshField& other) const { return data_ == other.data_; }  // a copy
  const Mesh& mesh() const;
  // [bytes] of the values and of the search structure that points of another mesh need
  Index bytes() const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace ritz
