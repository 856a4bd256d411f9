// Modes as a table in the log, facts in the report, and fields in files.
#pragma once

#include "apps/results/results.hpp"
#include "device/function_ref.hpp"
#include "fem/analysis/fields_of_model.hpp"
#include "fem/analysis/vibration.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

// Displacements, then rotations where there are any.
using MotionOf = std::function<std::vector<Field>(const Vector& u)>;

struct ModeShapes {
  bool unit_maximum = false;  // else unit modal mass
  int phases = 0;             // of an animation
  double factor = 0;          // of an animation; 0: a tenth of the size
};

MotionOf motion_in(Results& results, const FunctionSpace& space);   // of one field
std::string mode_name(std::size_t mode);                            // "mode_1" for 0
std::string mode_name(std::size_t mode, const std::string& field);  // "mode_1_displacement"
int mode_components(const FunctionSpace& space);                    // without rotations
bool has_rotations(const FunctionSpace& space);
std::string rotation_name(std::size_t mode);  // "mode_1_rotation" for 0
// Names and components of the results of mode number `mode`.
std::vector<Field> mode_names(const FunctionSpace& space, std::size_t mode);
// Those of shapes of two parts: "mode_1" and "mode_1_sine".
std::vector<Field> mode_names(const FunctionSpace& space, std::size_t mode, const char* suffix);
// How eigenvalues were found, among the solves of the report.
void record(Results& results, const EigenSolution& s, Index unknowns);
// Shapes as fields to be written: with a largest displacement of 1 where `options` do not say otherwise.
std::vector<Field> mode_fields(Results& results, const FunctionSpace& space, const EigenSolution& s,
                               const ModeShapes& options = {.unit_maximum = true});
// The same of a body on a mesh, whose motion is that of a function.
std::vector<Field> mode_fields(Results& results, const Mesh& mesh, const MotionOf& motion, const EigenSolution& s,
                               const ModeShapes& options = {.unit_maximum = true});
void print_table(Results& results, const VibrationModes& modes);
// `tolerance`: that the residuals were to reach.
void record(Results& results, const VibrationModes& modes, Index unknowns, double mass, double tolerance);
// Displacements, and the rotations of beams and shells as fields of their own. The largest displacement scales a shape,
// or the largest rotation where nodes turn and stay in their places, as in torsion of a straight beam; a notice says
// so.
void write_modes(Results& results, const FunctionSpace& space, const VibrationModes& modes, const ModeShapes& options);
// The same of a body on a mesh, whose motion is that of a function.
void write_modes(Results& results, const Mesh& mesh, const MotionOf& motion, const VibrationModes& modes,
                 const ModeShapes& options);
// The same of a model that has fields: every field of a mode is a result, and the largest value of the first one scales
// the shape.
void write_modes(Results& results, const FieldsOfModel& fields, const VibrationModes& modes, const ModeShapes& options);
// One shape as fields, named after the mode.
std::vector<Field> shape_fields(const MotionOf& motion, const Vector& shape, std::size_t mode);
// Shapes a cos + b sin, of waves around an axis or in time: fields of a, and of b with a suffix.
struct ShapesOfTwoParts {
  std::size_t count;
  FunctionRef<std::array<Vector, 2>(std::size_t mode)> of;
  const char* suffix;
  std::optional<double> time = {};  // of the result
};
void write_modes(Results& results, const MotionOf& motion, const ShapesOfTwoParts& shapes, const ModeShapes& options);
// The largest displacement of a cos + b sin, at most; that of a picture that moves, of a mesh.
double largest_of_parts(const Field& a, const Field& b);
double animated_displacement(const ModeShapes& options, const Mesh& mesh);
// Those fields: of each mode displacements and rotations of a, then of b. Over ranks the first one has them.
std::vector<Field> fields_of(Results& results, const MotionOf& motion, const ShapesOfTwoParts& shapes,
                             const ModeShapes& options);

}  // namespace ritz
