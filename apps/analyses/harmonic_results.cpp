#include "apps/analyses/harmonic_results.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <optional>
#include <tuple>
#include <utility>

namespace ritz {
namespace {

struct RealParts {
  std::vector<double> real, imaginary;
};

RealParts real_parts(const std::vector<Complex>& numbers) {
  RealParts parts;
  for (const Complex& each : numbers) {
    parts.real.push_back(each.real());
    parts.imaginary.push_back(each.imag());
  }
  return parts;
}

// The largest value over a period of the root of a quadratic form, from its values a, b and c for the real part, the
// imaginary part and their sum: q(t) = (a^2 + b^2) / 2 + ... cos 2wt + ... sin 2wt.
double largest_root(double a, double b, double c) {
  const double mixed = 0.5 * (c * c - a * a - b * b), mean = 0.5 * (a * a + b * b), half = 0.5 * (a * a - b * b);
  return std::sqrt(mean + std::hypot(half, mixed));
}

EvaluatedFields of_part(Run& run, const CaseModel& read, const ModalSpace& space, const std::vector<double>& q,
                        const std::vector<double>& a, const std::vector<double>& carried) {
  const Vector acceleration = space.motion(a, carried);
  return fields_of_motion(run, read, space.motion(q), &acceleration);
}

}  // namespace

void tabulate_harmonic(Run& run, const std::vector<HarmonicMotion>& motions,
                       const std::vector<ProbedQuantity>& probes) {
  ResponseTable table{ResponseTable::Kind::frequency_response};
  for (const HarmonicMotion& motion : motions) table.at.push_back(motion.frequency);
  for (const ProbedQuantity& each : probes) {
    std::vector<Complex>& values = table.add(each.name);
    for (const HarmonicMotion& motion : motions) values.push_back(motion.of(each.quantity));
  }
  write_response(run, table);
}

void report_largest(Run& run, const ProbedQuantity& probe, double amplitude, double frequency) {
  run.log().line("largest {}: {:.6g}{} at {:.6g} Hz", probe.name, amplitude, probe.unit, frequency);
  run.results().facts()["largest_" + probe.name] = fmt::format("{:.10g}", amplitude);
  run.results().facts()["largest_" + probe.name + "_hz"] = fmt::format("{:.10g}", frequency);
}

double size_of(const ModalSpace& space, const HarmonicMotion& motion) {
  double sum = 0;
  for (std::size_t k = 0; k < motion.q.size(); ++k) sum += space.mass[k] * std::norm(motion.q[k]);
  return sum;
}

void write_harmonic(Run& run, const CaseModel& read, const ModalSpace& space, const HarmonicMotion& motion) {
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  const RealParts q = real_parts(motion.q), a = real_parts(motion.accelerations()),
                  carried = real_parts(motion.carried);
  std::vector<double> both = q.real;
  for (std::size_t k = 0; k < both.size(); ++k) both[k] += q.imaginary[k];
  const EvaluatedFields real = of_part(run, read, space, q.real, a.real, carried.real),
                        imaginary = of_part(run, read, space, q.imaginary, a.imaginary, carried.imaginary);
  EvaluatedFields largest = real, of_sum = of_part(run, read, space, both, a.real, carried.real);
  combine_fields([](double x, double y) { return std::hypot(x, y); }, imaginary, largest);
  for (const auto& [to, re, im, sum] : {std::tuple(&largest.nodal, &real.nodal, &imaginary.nodal, &of_sum.nodal),
                                        std::tuple(&largest.cells, &real.cells, &imaginary.cells, &of_sum.cells)})
    for (std::size_t i = 0; i < to->size(); ++i)
      if (std::ranges::find(read.motion.roots, (*to)[i].name) != read.motion.roots.end())
        for (const auto values : {&Field::values, &Field::finer_values})
          for (std::size_t j = 0; j < ((*to)[i].*values).size(); ++j)
            ((*to)[i].*values)[j] = largest_root(((*re)[i].*values)[j], ((*im)[i].*values)[j], ((*sum)[i].*values)[j]);
  Field phases = real.nodal.front();
  phases.name = "displacement_phase";
  for (const auto values : {&Field::values, &Field::finer_values})
    for (std::size_t j = 0; j < (phases.*values).size(); ++j)
      (phases.*values)[j] =
          std::atan2((imaginary.nodal.front().*values)[j], (phases.*values)[j]) * 180 / std::numbers::pi;
  largest.nodal.push_back(std::move(phases));
  run.log().line("amplitudes at {:.6g} Hz:", motion.frequency);
  print_peaks(run, largest, "amplitude of");
  phase.reset();
  run.results().write(std::move(largest.nodal), std::move(largest.cells), motion.frequency);
}

}  // namespace ritz
