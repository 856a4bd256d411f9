// The visible part of a run: the surface of its mesh, and the fields of its steps there, as numbers of single
// precision.
//
//   Shown shown(mesh);   shown.add("wind", nodal_fields, cell_fields);   png_of(shown, shown.steps().back(), look,
//   "part");
#pragma once

#include "apps/run/look.hpp"
#include "apps/show/surface.hpp"
#include "io/vtk/vtu_writer.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

struct ShownField {
  Field field;  // its name and components, without values
  bool in_cells = false;
  std::vector<float> values;  // [node or cell of the surface][component]; NaN: none there
};

struct ShownStep {
  std::string name;  // of a load case or combination; else empty
  std::vector<ShownField> fields;
};

class Shown {
 public:
  explicit Shown(const Mesh& mesh);

  // The last result of every load case, combination and named step is kept up to a limit of memory; of a run without
  // these the last one. Values that are not
  // those of the mesh's nodes and cells are left out.
  void add(const std::string& load_case, std::span<const Field> nodal, std::span<const Field> cells);

  const Surface& surface() const { return surface_; }
  const std::vector<double>& points() const { return points_; }    // [node of the surface][3]
  bool is_flat() const { return is_flat_; }                        // in a plane z = constant
  const std::array<double, 3>& middle() const { return middle_; }  // of the box around the points
  double size() const { return size_; }                            // diagonal of the box around the points
  const std::vector<ShownStep>& steps() const { return steps_; }   // the last one is what a picture shows
  int left_out() const { return left_out_; }                       // load cases beyond the limit

 private:
  ShownField seen(const Field& field, bool in_cells) const;

  Index node_count_, cell_count_;
  Surface surface_;
  std::vector<double> points_;
  bool is_flat_ = true;
  std::array<double, 3> middle_{};
  double size_ = 0;
  std::vector<ShownStep> steps_;
  std::size_t bytes_ = 0;
  int left_out_ = 0;
};

// The number that a colour stands for: the field, and its component or -1 for the magnitude.
struct Shade {
  std::size_t field = 0;  // in the list of fields
  int component = 0;
  std::string name;  // "displacement magnitude"
};

// Finds what a look names among fields, with or without values. Throws Error: Exit::input with those there are.
Shade shade_of(const std::vector<const Field*>& fields, const Look& look);
// The field that moves the points; nullopt: none is asked for. Throws as well.
std::optional<std::size_t> warp_of(const std::vector<const Field*>& nodal, const Look& look);

// The same of a step, with its values.
struct ShownShade {
  std::string field;  // whose values they are, or its magnitude or component
  std::string name;
  bool in_cells = false;
  std::vector<float> values;  // [node or cell of the surface]
};
ShownShade shade_of(const ShownStep& step, const Look& look);
struct ShownWarp {
  const ShownField* field = nullptr;
  double factor = 0;
};
ShownWarp warp_of(const Shown& shown, const ShownStep& step, const Look& look);

}  // namespace ritz
