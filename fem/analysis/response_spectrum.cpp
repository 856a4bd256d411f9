#include "fem/analysis/response_spectrum.hpp"

#include "fem/analysis/random_response.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

// [mode] q of the largest answer.
std::vector<double> largest_answers(const ModalSpace& space, const ResponseSpectrum& analysis,
                                    const Excitation& excitation) {
  const std::vector<double> forces = forces_of(space, excitation);
  std::vector<double> largest;
  for (int k = 0; k < space.mode_count(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    largest.push_back(forces[i] * excitation.size(space.frequency(k)) / space.stiffness[i]);
  }
  if (analysis.sum != ModalSum::cqc) return largest;
  for (int k = 0; k < space.mode_count(); ++k)
    if (!(analysis.damping.ratio_of(space, k) > 0))
      throw Error(ErrorKind::vibration, fmt::format("CQC of mode {}, which nothing damps", k + 1),
                  "its correlations follow from the damping", "give [damping], or take sum = \"srss\"");
  return largest;
}

Covariance correlated(const ModalSpace& space, const ResponseSpectrum& analysis, const std::vector<double>& largest) {
  Covariance C{space.columns(), {}};
  const auto n = static_cast<std::size_t>(C.size);
  C.values.assign(n * n, 0.0);
  for (int k = 0; k < space.mode_count(); ++k)
    for (int l = 0; l < space.mode_count(); ++l) {
      const auto i = static_cast<std::size_t>(k), j = static_cast<std::size_t>(l);
      C.values[i * n + j] = largest[i] * largest[j] *
                            cqc_correlation(space.frequency(k), analysis.damping.ratio_of(space, k), space.frequency(l),
                                            analysis.damping.ratio_of(space, l));
    }
  return C;
}

// Residual vectors move together.
std::vector<double> missing(const ModalSpace& space, const Excitation& excitation) {
  const std::vector<double> forces = forces_of(space, excitation);
  std::vector<double> q(static_cast<std::size_t>(space.columns()), 0.0);
  const double acceleration = excitation.size(excitation.size.highest());
  for (auto k = static_cast<std::size_t>(space.mode_count()); k < q.size(); ++k)
    q[k] = forces[k] * acceleration / space.stiffness[k];
  return q;
}

SpectrumPart part_of(const ModalSpace& space, const ResponseSpectrum& analysis, const Excitation& excitation) {
  const std::vector<double> largest = largest_answers(space, analysis, excitation);
  SpectrumPart part{.terms = {}, .absolute = analysis.sum == ModalSum::absolute};
  if (analysis.sum == ModalSum::cqc) {
    part.terms = covariance_roots(correlated(space, analysis, largest));
  } else {
    for (std::size_t k = 0; k < largest.size(); ++k) {
      part.terms.emplace_back(static_cast<std::size_t>(space.columns()), 0.0)[k] = largest[k];
      if (largest[k] == 0) part.terms.pop_back();
    }
  }
  if (analysis.missing_mass && space.columns() > space.mode_count()) part.terms.push_back(missing(space, excitation));
  return part;
}

}  // namespace

double cqc_correlation(double frequency_1, double ratio_1, double frequency_2, double ratio_2) {
  const double r = frequency_2 / frequency_1, product = ratio_1 * ratio_2;
  const double above = 8 * std::sqrt(product) * (ratio_1 + r * ratio_2) * r * std::sqrt(r);
  const double below =
      (1 - r * r) * (1 - r * r) + 4 * product * r * (1 + r * r) + 4 * (ratio_1 * ratio_1 + ratio_2 * ratio_2) * r * r;
  return above / below;
}

std::vector<SpectrumPart> response_spectrum(const ModalSpace& space, const ResponseSpectrum& analysis) {
  if (space.modes.rigid_count > 0)
    throw Error(ErrorKind::vibration,
                fmt::format("a response spectrum of a body with {} rigid motions", space.modes.rigid_count),
                "nothing ties it to the base that moves", "support it");
  std::vector<SpectrumPart> parts;
  for (const Excitation& each : analysis.excitations) {
    if (each.load >= 0)
      throw Error(ErrorKind::vibration, "a response spectrum of a load", "spectra are of motions of the base",
                  "give a direction");
    parts.push_back(part_of(space, analysis, each));
  }
  return parts;
}

}  // namespace ritz
