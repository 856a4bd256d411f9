// Response spectra: the largest answer of each mode to a motion of the base that is known by the largest acceleration
// of an oscillator on it, and sums of these over modes and directions (Clough and Penzien, Dynamics of Structures,
// 1993, section 26-2; Wilson, Der Kiureghian and Bayo, Earthq. Eng. Struct. Dyn. 9, 1981, for CQC).
//
//   for (const SpectrumPart& part : response_spectrum(space, {.excitations = {{.direction = {1, 0, 0}, .size =
//   table}}}))
//     for (const std::vector<double>& q : part.terms) ...     // squares of fields of q are added, and the root taken
#pragma once

#include "fem/analysis/modal_space.hpp"

namespace ritz {

enum class ModalSum { srss, cqc, absolute };

struct ResponseSpectrum {
  ModalDamping damping = {};
  std::vector<Excitation> excitations = {};  // of the base; size: the largest acceleration over the frequency [m/s^2]
  ModalSum sum = ModalSum::cqc;
  bool missing_mass = true;  // residual vectors answer statically to the acceleration at the highest frequency
};

// The answer to one excitation: motions q [column] whose fields are combined, by the root of the sum of squares, or by
// the sum of absolute values.
struct SpectrumPart {
  std::vector<std::vector<double>> terms;
  bool absolute = false;
};

// Throws Error: Exit::model: loads, rigid motions, a mode without damping with CQC.
std::vector<SpectrumPart> response_spectrum(const ModalSpace& space, const ResponseSpectrum& analysis);

// The correlation of two modes in CQC by their frequencies and damping ratios.
double cqc_correlation(double frequency_1, double ratio_1, double frequency_2, double ratio_2);

}  // namespace ritz
