#include "apps/cases/structures/section_forces.hpp"

#include "apps/cases/elastic_stresses.hpp"
#include "apps/results/evaluated_fields.hpp"
#include "apps/show/units.hpp"
#include "fem/elements/beam.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace ritz {
namespace {

// Forces of a uniform load at the ends of a beam whose nodes do not move: those of the clamped beam.
void add_clamped_forces(const Mesh& mesh, Index cell, const Beam& beam, const Vector3& load, double* forces) {
  double x[2][3];
  for (std::size_t n = 0; n < 2; ++n) std::copy_n(mesh.point(mesh.nodes_of(cell)[n]).data(), 3, x[n]);
  const auto axes = beam.axes(x);
  const double qx = dot(axes.x, load), qy = dot(axes.y, load), qz = dot(axes.z, load), L = axes.length;
  for (int end = 0; end < 2; ++end) {
    const double side = end == 0 ? 0.5 * L : -0.5 * L;
    double* at = forces + 6 * end;
    at[0] += side * qx;
    at[1] += side * qy;
    at[2] += side * qz;
    at[4] -= qz * L * L / 12;
    at[5] += qy * L * L / 12;
  }
}

bool same_field(const Field& one, const Field& other) {
  return one.name == other.name && one.components == other.components;
}

void record_largest(Run& run, const Field& field) {
  std::vector<double> largest(static_cast<std::size_t>(field.components), 0.0);
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    double& of_component = largest[i % largest.size()];
    of_component = std::max(of_component, std::abs(field.values[i]));
  }
  std::string text;
  for (std::size_t c = 0; c < largest.size(); ++c) {
    const std::string name = c < field.component_names.size() ? field.component_names[c] : fmt::format("{}", c);
    text += fmt::format("{}{} {:.5g}{}", c == 0 ? "" : ", ", name, largest[c],
                        units_of(run.report()).of_component(field.name, name));
  }
  run.log().line("largest {}: {}", field.name, text);
  run.results().facts()["largest_" + field.name] = fmt::format("{:.10g}", fmt::join(largest, " "));
}

}  // namespace

std::vector<Field> section_forces_of(Run& run, const Operator& equations, const std::vector<StructureSection>& sections,
                                     const std::vector<Vector3>& along, const Vector& u) {
  auto phase = run.device().profile().phase("section forces");
  std::vector<Field> fields;
  std::set<std::string> done;
  for (const StructureSection& first : sections) {
    if (!done.insert(first.element.name).second) continue;
    for (Field& part : evaluate_fields(run.results(), equations, *first.record, u).cells) {
      const auto same = std::ranges::find_if(fields, [&](const Field& f) { return same_field(f, part); });
      if (same == fields.end()) fields.push_back(std::move(part));
      // elements of several kinds: each has its cells
      else std::ranges::transform(same->values, part.values, same->values.begin(), std::plus{});
    }
  }
  for (Field& field : fields) {
    if (field.values.empty()) continue;  // those of the first rank
    for (const StructureSection& s : sections) {
      const std::optional<Beam> beam = beam_in(s.element);
      if (along.empty() || !beam || field.name != Beam::derives) continue;
      for (const Index cell : s.region->cells)
        add_clamped_forces(equations.space().mesh(), cell, *beam, along[static_cast<std::size_t>(cell)],
                           field.values.data() + cell * field.components);
    }
  }
  for (const Field& named : section_force_names(sections, equations.space().mesh().cell_count()))
    for (Field& field : fields)
      if (same_field(field, named)) field.given = named.given;
  return fields;
}

std::vector<Field> section_forces(Run& run, const Operator& equations, const std::vector<StructureSection>& sections,
                                  const std::vector<Vector3>& along, const Vector& u) {
  std::vector<Field> fields = section_forces_of(run, equations, sections, along, u);
  for (const Field& field : fields) record_largest(run, field);
  return fields;
}

std::vector<Field> section_force_names(const std::vector<StructureSection>& sections, Index cell_count) {
  std::vector<Field> names;
  for (const StructureSection& s : sections)
    for (const Field& field : evaluated_fields(*s.record)) {
      auto named = std::ranges::find_if(names, [&](const Field& f) { return same_field(f, field); });
      if (named == names.end()) {
        named = names.insert(named, field);
        named->given.assign(static_cast<std::size_t>(cell_count), 0);
      }
      for (const Index cell : s.region->cells) named->given[static_cast<std::size_t>(cell)] = 1;
    }
  return names;
}

FieldsOfMotion section_forces_of_motion(const FunctionSpace& space, const std::vector<Integral>& equations,
                                        std::vector<StructureSection> sections) {
  return [space, stiffness = with_matrix(equations), made = std::shared_ptr<Operator>(),
          sections = std::move(sections)](Run& run, const Vector& u) mutable {
    if (!made) made = std::make_shared<Operator>(equations_of_results(run.results(), space, stiffness));
    return EvaluatedFields{{}, section_forces_of(run, *made, sections, {}, u)};
  };
}

}  // namespace ritz
