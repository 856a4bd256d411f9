#include "apps/analyses/modal_response.hpp"
#include "fem/analysis/harmonic_response.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <iterator>
#include <numbers>
#include <utility>

namespace ritz {
namespace {

struct Parts {
  std::vector<double> real, imaginary;
};

Parts parts_of(const std::vector<Complex>& numbers) {
  Parts parts;
  for (const Complex& each : numbers) {
    parts.real.push_back(each.real());
    parts.imaginary.push_back(each.imag());
  }
  return parts;
}

double degrees(double radians) { return radians * 180 / std::numbers::pi; }

// The largest value over a period of the root of a quadratic form, from its values a, b and c for the real part, the
// imaginary part and their sum: q(t) = (a^2 + b^2) / 2 + ... cos 2wt + ... sin 2wt.
double largest_root(double a, double b, double c) {
  const double mixed = 0.5 * (c * c - a * a - b * b), mean = 0.5 * (a * a + b * b), half = 0.5 * (a * a - b * b);
  return std::sqrt(mean + std::hypot(half, mixed));
}

class HarmonicAnalysis final : public ModalResponse {
 public:
  HarmonicAnalysis(Run& run, CaseModel& read, CaseSolvers& solvers, const Case::Table& t)
      : ModalResponse(run, read, solvers, ResponseKind::harmonic, t) {
    const std::vector<double> range =
        t.vector("frequencies", "[lowest, highest] of the excitation [Hz]", {.size = 2, .minimum = 0});
    if (range.size() == 2 && !(range[0] < range[1]))
      t.error(ErrorKind::modal_options, "frequencies",
              fmt::format("the range from {:g} to {:g} Hz is empty", range[0], range[1]), {},
              "give the lower frequency first");
    low_ = range.front(), high_ = range.back();
    count_ = static_cast<int>(t.integer("count", "of frequencies in equal steps; more lie around each mode",
                                        {.fallback = 100, .minimum = 2, .maximum = 1000000}));
    fields_at_ =
        t.vector("fields_at", "frequencies of the fields in the results [Hz]; without it that of the largest motion",
                 {.fallback = std::vector<double>{}, .minimum = 0});
    read.nodal_results.push_back({"displacement_phase", mode_components(read.space())});
  }

  std::string beyond_linear_statics() const override { return "[harmonic]"; }

 private:
  int results() const override { return std::max<int>(1, static_cast<int>(fields_at_.size())); }

  void respond(Run& run, const CaseModel& read, const ModalSpace& space,
               const std::vector<Excitation>& excitations) override {
    const Harmonic analysis{.damping = damping(), .excitations = excitations};
    require_damping(space);
    const std::vector<double> frequencies = frequencies_around_peaks(space, damping(), low_, high_, count_);
    run.log().line("harmonic response: {} frequencies from {:g} to {:g} Hz", frequencies.size(), low_, high_);
    if (const double highest = space.modes.frequencies.back(); high_ > highest)
      run.log().notice(
          fmt::format("the highest mode has {:.6g} Hz, and answers up to {:g} Hz are asked for: beyond it "
                      "residual vectors alone move; find more modes",
                      highest, high_));
    tabulate(run, space, analysis, frequencies, probed_quantities(run, read, space));
    std::vector<double> at = fields_at_;
    if (at.empty()) at.push_back(largest_motion(space, analysis, frequencies));
    for (const double frequency : at) write(run, read, space, harmonic_response(space, analysis, frequency));
  }

  void require_damping(const ModalSpace& space) const {
    for (int k = space.modes.rigid_count; k < space.columns(); ++k)
      if (const double f = space.frequency(k); f >= low_ && f <= high_ && !(damping().ratio_of(space, k) > 0))
        throw Error(ErrorKind::vibration,
                    fmt::format("mode {} at {:.6g} Hz is in resonance, and nothing damps it", k + 1, f),
                    "its answer is infinite", "give [damping] ratio, or a range of frequencies without it");
  }

  double largest_motion(const ModalSpace& space, const Harmonic& analysis,
                        const std::vector<double>& frequencies) const {
    // The root of the mean square over the mass.
    return peak(frequencies, [&](double f) {
      const HarmonicMotion motion = harmonic_response(space, analysis, f);
      double sum = 0;
      for (std::size_t k = 0; k < motion.q.size(); ++k) sum += space.mass[k] * std::norm(motion.q[k]);
      return sum;
    });
  }

  static double peak(const std::vector<double>& frequencies, const std::function<double(double)>& f) {
    std::size_t best = 0;
    double largest = -1;
    for (std::size_t i = 0; i < frequencies.size(); ++i)
      if (const double value = f(frequencies[i]); value > largest) largest = value, best = i;
    const double before = frequencies[best > 0 ? best - 1 : 0],
                 after = frequencies[std::min(best + 1, frequencies.size() - 1)];
    const double inside = peak_between(before, after, f);
    return f(inside) > largest ? inside : frequencies[best];
  }

  void tabulate(Run& run, const ModalSpace& space, const Harmonic& analysis, const std::vector<double>& frequencies,
                const std::vector<ProbedQuantity>& probes) const {
    if (probes.empty()) return;
    std::vector<std::string> columns = {"frequency"};
    for (const ProbedQuantity& each : probes) columns.insert(columns.end(), {each.name, each.name + "_phase"});
    std::vector<std::vector<double>> rows;
    for (const double f : frequencies) {
      const HarmonicMotion motion = harmonic_response(space, analysis, f);
      std::vector<double>& row = rows.emplace_back(1, f);
      for (const ProbedQuantity& each : probes) {
        const Complex value = motion.of(each.quantity);
        row.insert(row.end(), {std::abs(value), degrees(std::arg(value))});
      }
    }
    run.results().add_table("response", table_text(columns, rows));
    for (const ProbedQuantity& each : probes) {
      const auto size = [&](double f) { return std::abs(harmonic_response(space, analysis, f).of(each.quantity)); };
      const double at = peak(frequencies, size);
      run.log().line("largest {}: {:.6g}{} at {:.6g} Hz", each.name, size(at), each.unit, at);
      run.results().facts()["largest_" + each.name] = fmt::format("{:.10g}", size(at));
      run.results().facts()["largest_" + each.name + "_hz"] = fmt::format("{:.10g}", at);
    }
  }

  static EvaluatedFields of_part(const CaseModel& read, const ModalSpace& space, const std::vector<double>& q,
                                 const std::vector<double>& a, const std::vector<double>& carried) {
    const Vector acceleration = space.motion(a, carried);
    return fields_of_motion(read, space.motion(q), &acceleration);
  }

  // Amplitudes of each number, and the largest value over a period of each root.
  static void write(Run& run, const CaseModel& read, const ModalSpace& space, const HarmonicMotion& motion) {
    std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
    const Parts q = parts_of(motion.q), a = parts_of(motion.accelerations()), carried = parts_of(motion.carried);
    std::vector<double> both = q.real;
    for (std::size_t k = 0; k < both.size(); ++k) both[k] += q.imaginary[k];
    const EvaluatedFields real = of_part(read, space, q.real, a.real, carried.real),
                          imaginary = of_part(read, space, q.imaginary, a.imaginary, carried.imaginary);
    EvaluatedFields largest = real, of_sum = of_part(read, space, both, a.real, carried.real);
    combine_fields([](double x, double y) { return std::hypot(x, y); }, imaginary, largest);
    for (const auto& [to, re, im, sum] : {std::tuple(&largest.nodal, &real.nodal, &imaginary.nodal, &of_sum.nodal),
                                          std::tuple(&largest.cells, &real.cells, &imaginary.cells, &of_sum.cells)})
      for (std::size_t i = 0; i < to->size(); ++i)
        if (std::ranges::find(read.motion.roots, (*to)[i].name) != read.motion.roots.end())
          for (const auto values : {&Field::values, &Field::finer_values})
            for (std::size_t j = 0; j < ((*to)[i].*values).size(); ++j)
              ((*to)[i].*values)[j] =
                  largest_root(((*re)[i].*values)[j], ((*im)[i].*values)[j], ((*sum)[i].*values)[j]);
    Field phases = real.nodal.front();
    phases.name = "displacement_phase";
    for (const auto values : {&Field::values, &Field::finer_values})
      for (std::size_t j = 0; j < (phases.*values).size(); ++j)
        (phases.*values)[j] = degrees(std::atan2((imaginary.nodal.front().*values)[j], (phases.*values)[j]));
    largest.nodal.push_back(std::move(phases));
    run.log().line("amplitudes at {:.6g} Hz:", motion.frequency);
    print_peaks(run, largest, "amplitude of");
    phase.reset();
    run.results().write(std::move(largest.nodal), std::move(largest.cells), motion.frequency);
  }

  double low_, high_;
  int count_;
  std::vector<double> fields_at_;
};

}  // namespace

std::unique_ptr<CaseAnalysis> harmonic_analysis(Run& run, CaseModel& read, CaseSolvers& solvers) {
  if (!read.motion.moved || !run.input().root().has("harmonic")) return nullptr;
  const Case::Table t = run.input().table(
      "harmonic", "answers of the modes to loads and motions of the base over the frequency (docs/vibration.md)");
  return std::make_unique<HarmonicAnalysis>(run, read, solvers, t);
}

}  // namespace ritz
