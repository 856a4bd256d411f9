// Results of harmonic response, by modes or directly: the table of its probes, and amplitudes of fields.
#pragma once

#include "apps/analyses/modal_response.hpp"
#include "fem/analysis/harmonic_response.hpp"

#include <vector>

namespace ritz {

// Amplitude and phase of each probe at the frequencies of the motions.
void tabulate_harmonic(Run& run, const std::vector<HarmonicMotion>& motions, const std::vector<ProbedQuantity>& probes);
// In the log and among the facts.
void report_largest(Run& run, const ProbedQuantity& probe, double amplitude, double frequency);
// The mean square over the mass.
double size_of(const ModalSpace& space, const HarmonicMotion& motion);
// Amplitudes of each number, and the largest value over a period of each root.
void write_harmonic(Run& run, const CaseModel& read, const ModalSpace& space, const HarmonicMotion& motion);

}  // namespace ritz
