// [harmonic] method = "direct": the system of the model is solved at each frequency, without modes.
#pragma once

#include "apps/analyses/case_analysis.hpp"

#include <memory>

namespace ritz {

std::unique_ptr<CaseAnalysis> direct_harmonic_analysis(Run& run, CaseModel& read, const Case::Table& harmonic);

}  // namespace ritz
