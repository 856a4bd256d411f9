// Runs every member of a case's [sweep], in one process or divided among ranks: what members share (SharedModel) is
// made once, those with the same matrix are solved together, and results are committed in groups. A member that fails
// is reported with its values, and the others go on.
#pragma once

#include "apps/cases/run.hpp"
#include "apps/cases/sweep_plan.hpp"
#include "device/function_ref.hpp"
#include "device/ranks/ranks.hpp"

#include <functional>

namespace ritz {

using SweepApp = FunctionRef<void(Run&)>;  // computes a member, from its case to its results

// Errors of a member that end the sweep: output, and requests to stop.
bool ends_the_sweep(const Error& error);

// Does the case have a [sweep]? False where it cannot be read: then the run says why.
bool has_sweep(const RunOptions& options);
// Fills the report as it goes. Throws what ends a sweep as a whole: [sweep] itself, the folder, a request to stop.
// ranks: null for one process. On another rank than the first nothing is told: the first one has its members and
// errors.
void run_sweep(const AppInfo& info, const RunOptions& options, const SweepApp& app, RunReport& report, Ranks* ranks);

}  // namespace ritz
