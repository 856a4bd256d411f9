#include "apps/results/modal_results.hpp"

#include "apps/results/field_results.hpp"
#include "apps/show/field_component.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <optional>

namespace ritz {
namespace {

double largest_displacement(const std::vector<double>& shape, int components) {
  double square = 0;
  for (std::size_t i = 0; i < shape.size(); i += static_cast<std::size_t>(components)) {
    double sum = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(components); ++c) sum += shape[i + c] * shape[i + c];
    square = std::max(square, sum);
  }
  return std::sqrt(square);
}

double size_of(const Mesh& mesh) {
  double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300};
  for (Index node = 0; node < mesh.node_count(); ++node)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], mesh.point(node)[d]);
      high[d] = std::max(high[d], mesh.point(node)[d]);
    }
  return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

}  // namespace

std::string mode_name(std::size_t mode) { return fmt::format("mode_{}", mode + 1); }

std::string mode_name(std::size_t mode, const std::string& field) {
  return fmt::format("{}_{}", mode_name(mode), field);
}

int mode_components(const FunctionSpace& space) { return std::min(space.components(), 3); }

bool has_rotations(const FunctionSpace& space) { return space.components() == 6 && space.mesh().dimension() == 3; }

std::string rotation_name(std::size_t mode) { return mode_name(mode) + "_rotation"; }

std::vector<Field> mode_names(const FunctionSpace& space, std::size_t mode) {
  std::vector<Field> names = {{mode_name(mode), mode_components(space)}};
  if (has_rotations(space)) names.push_back({rotation_name(mode), 3});
  return names;
}

std::vector<Field> mode_names(const FunctionSpace& space, std::size_t mode, const char* suffix) {
  const std::vector<Field> names = mode_names(space, mode);
  std::vector<Field> all = names;
  for (const Field& each : names) all.push_back({each.name + suffix, each.components});
  return all;
}

void print_table(Results& results, const VibrationModes& modes) {
  Log& log = results.log();
  std::string head = "mode  frequency [Hz]     omega^2 [1/s^2]  residual  effective mass [%]:";
  for (const int d : modes.directions) head += fmt::format("{:>7}", "xyz"[d]);
  log.line("{}", head);
  std::vector<double> sums(modes.directions.size(), 0.0);
  const auto share = [&](std::size_t d, double mass) {
    return fmt::format("{:7.2f}", 100 * mass / modes.total_mass[d]);
  };
  for (std::size_t k = 0; k < modes.frequencies.size(); ++k) {
    std::string line = fmt::format("{:4}  {:14.7g}  {:18.8e}  {:8.1e}                     ", k + 1,
                                   modes.frequencies[k], modes.eigen.values[k], modes.eigen.residuals[k]);
    for (std::size_t d = 0; d < sums.size(); ++d) {
      sums[d] += modes.effective_mass[k][d];
      line += share(d, modes.effective_mass[k][d]);
    }
    log.line("{}{}", line, static_cast<int>(k) < modes.rigid_count ? "  rigid-body mode" : "");
  }
  std::string total = fmt::format("{:>73}", "sum:");
  for (std::size_t d = 0; d < sums.size(); ++d) total += share(d, sums[d]);
  log.line("{}", total);
  log.line("count: {}", modes.eigen.verification);
}

void record(Results& results, const EigenSolution& s, Index unknowns) {
  SolveReport report;
  report.method = s.method;
  report.preconditioner = s.preconditioner;
  report.choice = s.choice;
  report.fallbacks = s.fallbacks;
  report.reason = s.reason;
  report.iterations = s.iterations;
  report.memory_needed = s.factor_foreseen;
  report.true_relative_residual = s.residuals.empty() ? 0 : std::ranges::max(s.residuals);
  results.record(report, unknowns);
}

void record(Results& results, const VibrationModes& modes, Index unknowns, double mass, double tolerance) {
  const EigenSolution& s = modes.eigen;
  record(results, s, unknowns);
  auto& facts = results.facts();
  facts["total_mass"] = fmt::format("{:.10g}", mass);
  facts["frequencies_hz"] = fmt::format("{:.12g}", fmt::join(modes.frequencies, " "));
  facts["eigenvalues"] = fmt::format("{:.12g}", fmt::join(s.values, " "));
  facts["residuals"] = fmt::format("{:.3e}", fmt::join(s.residuals, " "));
  facts["rigid_body_modes"] = fmt::format("{}", modes.rigid_count);
  facts["mode_count"] = s.verification;
  for (std::size_t d = 0; d < modes.directions.size(); ++d) {
    std::vector<double> participation, mass_share;
    for (std::size_t k = 0; k < s.values.size(); ++k) {
      participation.push_back(modes.participation[k][d]);
      mass_share.push_back(modes.effective_mass[k][d]);
    }
    const char axis = "xyz"[modes.directions[d]];
    facts[fmt::format("participation_{}", axis)] = fmt::format("{:.10g}", fmt::join(participation, " "));
    facts[fmt::format("effective_mass_{}", axis)] = fmt::format("{:.10g}", fmt::join(mass_share, " "));
  }
  if (std::ranges::any_of(s.residuals, [&](double residual) { return residual > tolerance; }))
    results.log().notice("some residuals stop at the rounding of the stiffness matrix, above the tolerance");
}

MotionOf motion_in(Results& results, const FunctionSpace& space) {
  return [&results, &space](const Vector& u) -> std::vector<Field> {
    const int components = mode_components(space);
    if (space.components() == components) return {results.fields().of("", space, u)};
    const std::vector<double> values = space.to_mesh(u);
    std::vector<Field> fields = {{"", components, part_of(values, space.components(), 0, components)}};
    if (has_rotations(space)) fields.push_back({"", 3, part_of(values, space.components(), 3, 3)});
    return fields;
  };
}

namespace {

void scale_field(Field& field, double factor) {
  for (std::vector<double>* values : {&field.values, &field.finer_values})
    for (double& value : *values) value *= factor;
}

struct Shape {
  std::string name;
  Field moved;
  std::optional<Field> turned;  // rotations, of beams and shells
  double largest = 0;           // displacement
  double largest_turn = 0;      // [rad]
  double size = 0;              // of the part [m]

  // Rotations alone, as in torsion of a straight beam: its displacements are rounding.
  bool only_turns() const { return largest <= 1e-6 * size * largest_turn; }
  // Its displacement, or that of a point at the size of the part from the axis that it turns about.
  double reach() const { return only_turns() ? size * largest_turn : largest; }
  double unit_maximum() const { return 1 / (only_turns() ? largest_turn : largest); }
  void scale(double factor) {
    for (Field* field : {&moved, turned ? &*turned : nullptr})
      if (field != nullptr) scale_field(*field, factor);
    largest *= factor;
    largest_turn *= factor;
  }
};
Shape shape_of(std::vector<Field> motion, std::size_t mode) {
  Shape shape{.name = mode_name(mode), .moved = std::move(motion.front()), .turned = {}};
  shape.moved.name = shape.name;
  shape.largest = largest_displacement(shape.moved.values, shape.moved.components);
  if (motion.size() == 1) return shape;
  shape.turned = std::move(motion.back());
  shape.turned->name = rotation_name(mode);
  shape.largest_turn = largest_displacement(shape.turned->values, 3);
  return shape;
}

void animate(Results& results, const Shape& shape, int phases, double amplitude) {
  const double scale = amplitude / shape.reach();
  results.write_series(shape.name, phases, [&](int phase) {
    const double time = static_cast<double>(phase) / phases;  // in periods
    Shape now = shape;
    now.scale(scale * std::sin(2 * std::numbers::pi * time));
    now.moved.name = "displacement";
    std::vector<Field> fields{std::move(now.moved)};
    if (now.turned) {
      now.turned->name = "rotation";
      fields.push_back(std::move(*now.turned));
    }
    return std::pair{time, std::move(fields)};
  });
}

}  // namespace

namespace {

// Shapes of all modes, scaled where `options` say so.
std::vector<Shape> shapes_of(Results& results, const Mesh& mesh, const MotionOf& motion, const EigenSolution& s,
                             const ModeShapes& options) {
  const double size = size_of(mesh);
  std::vector<Shape> shapes;
  std::vector<std::string> turning;
  std::optional<Profile::Phase> phase(std::in_place, results.device().profile(), "fields");
  for (std::size_t k = 0; k < s.values.size(); ++k) {
    const Vector x = s.vector(k);  // over ranks the first one writes it
    Shape& shape = shapes.emplace_back();
    if (results.options().follows) continue;
    shape = shape_of(motion(x), k);
    shape.size = size;
    if (shape.only_turns()) turning.push_back(shape.name);
    if (options.unit_maximum) shape.scale(shape.unit_maximum());
  }
  phase.reset();
  if (!turning.empty() && (options.unit_maximum || options.phases > 0))
    results.log().notice(fmt::format("nodes of {} turn and stay in their places: the largest rotation scales the shape",
                                     fmt::join(turning, ", ")));
  return shapes;
}

std::vector<Field> fields_of(std::vector<Shape> shapes) {
  std::vector<Field> fields;
  for (Shape& shape : shapes) {
    fields.push_back(std::move(shape.moved));
    if (shape.turned) fields.push_back(std::move(*shape.turned));
  }
  return fields;
}

}  // namespace

std::vector<Field> mode_fields(Results& results, const FunctionSpace& space, const EigenSolution& s,
                               const ModeShapes& options) {
  return mode_fields(results, space.mesh(), motion_in(results, space), s, options);
}

std::vector<Field> mode_fields(Results& results, const Mesh& mesh, const MotionOf& motion, const EigenSolution& s,
                               const ModeShapes& options) {
  return fields_of(shapes_of(results, mesh, motion, s, options));
}

void write_modes(Results& results, const FunctionSpace& space, const VibrationModes& modes, const ModeShapes& options) {
  write_modes(results, space.mesh(), motion_in(results, space), modes, options);
}

void write_modes(Results& results, const Mesh& mesh, const MotionOf& motion, const VibrationModes& modes,
                 const ModeShapes& options) {
  std::vector<Shape> shapes = shapes_of(results, mesh, motion, modes.eigen, options);
  if (options.phases == 0) return results.write(fields_of(std::move(shapes)), {});
  results.write(fields_of(shapes), {});
  const double amplitude = animated_displacement(options, mesh);
  for (const Shape& shape : shapes) animate(results, shape, options.phases, amplitude);
}

void write_modes(Results& results, const FieldsOfModel& fields, const VibrationModes& modes,
                 const ModeShapes& options) {
  const FieldsOperator& equations = *fields.equations;
  std::vector<std::vector<Field>> shapes;  // [mode][field]
  std::optional<Profile::Phase> phase(std::in_place, results.device().profile(), "fields");
  for (std::size_t k = 0; k < modes.frequencies.size(); ++k) {
    const Vector x = modes.eigen.vector(k);
    std::vector<Field>& shape = shapes.emplace_back();
    if (results.options().follows) continue;
    for (int j = 0; j < equations.field_count(); ++j)
      shape.push_back(field_result(results, equations, j, x, mode_name(k, equations.terms().field_name(j))));
    if (!options.unit_maximum) continue;
    const double largest = largest_displacement(shape.front().values, shape.front().components);
    for (Field& field : shape) scale_field(field, 1 / largest);
  }
  phase.reset();
  std::vector<Field> nodal, cells;
  for (const std::vector<Field>& shape : shapes)
    for (std::size_t j = 0; j < shape.size(); ++j)
      (equations.terms().family(static_cast<int>(j)) == Family::lagrange ? nodal : cells).push_back(shape[j]);
  results.write(std::move(nodal), std::move(cells));
  const double amplitude = animated_displacement(options, equations.space(0).mesh());
  for (std::size_t k = 0; k < shapes.size() && options.phases > 0; ++k)
    results.write_series(mode_name(k), options.phases, [&](int phase_of_period) {
      const double time = static_cast<double>(phase_of_period) / options.phases;  // in periods
      const Field& first = shapes[k].front();
      const double factor =
          amplitude / largest_displacement(first.values, first.components) * std::sin(2 * std::numbers::pi * time);
      std::vector<Field> now;
      for (std::size_t j = 0; j < shapes[k].size(); ++j) {
        if (equations.terms().family(static_cast<int>(j)) != Family::lagrange) continue;
        now.push_back(shapes[k][j]);
        now.back().name = equations.terms().field_name(static_cast<int>(j));
        scale_field(now.back(), factor);
      }
      return std::pair{time, std::move(now)};
    });
}

std::vector<Field> shape_fields(const MotionOf& motion, const Vector& shape, std::size_t mode) {
  std::vector<Shape> one;
  one.push_back(shape_of(motion(shape), mode));
  return fields_of(std::move(one));
}

double largest_of_parts(const Field& a, const Field& b) {
  std::vector<double> both = a.values;
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = std::hypot(both[i], b.values[i]);
  return largest_displacement(both, a.components);
}

double animated_displacement(const ModeShapes& options, const Mesh& mesh) {
  return options.factor > 0 ? options.factor : 0.1 * size_of(mesh);
}

std::vector<Field> fields_of(Results& results, const MotionOf& motion, const ShapesOfTwoParts& shapes,
                             const ModeShapes& options) {
  auto phase = results.device().profile().phase("fields");
  std::vector<Field> fields;
  for (std::size_t k = 0; k < shapes.count; ++k) {
    const std::array<Vector, 2> parts = shapes.of(k);
    Shape first = shape_of(motion(parts[0]), k), second = shape_of(motion(parts[1]), k);
    const double largest = largest_of_parts(first.moved, second.moved);
    for (Shape* each : {&first, &second}) {
      if (options.unit_maximum && largest > 0) each->scale(1 / largest);
      for (Field* field : {&each->moved, each->turned ? &*each->turned : nullptr}) {
        if (field == nullptr) continue;
        if (each == &second) field->name += shapes.suffix;
        fields.push_back(std::move(*field));
      }
    }
  }
  return fields;
}

void write_modes(Results& results, const MotionOf& motion, const ShapesOfTwoParts& shapes, const ModeShapes& options) {
  results.write(fields_of(results, motion, shapes, options), {}, shapes.time);
}

}  // namespace ritz
