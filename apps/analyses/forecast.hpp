// Forecast of memory and time of a run, printed by --check in a line and by --estimate as tables, before anything is
// solved.
#pragma once

#include "apps/analyses/case_analysis.hpp"
#include "fem/ranks/rank_shares.hpp"

namespace ritz {

// Uncounted memory of the host [bytes], measured (tools/forecast_table.py, 23 November 2026): pages of the
// libraries that a run loads after its forecast, small blocks and threads' stacks, and what the C library keeps of
// freed blocks below 1 MiB. Checkpoints are HDF5 files, whose library comes on top of that of other results.
namespace uncounted {
inline constexpr Index kernels = 3'000'000, factorisation = 6'000'000;
inline constexpr Index writer = 8'000'000, writer_used = 4'000'000, checkpoints = 10'000'000;
inline Index kept_by_allocator(Index counted) { return 3'000'000 + counted / 10; }
}  // namespace uncounted

// Writes what each of several ranks takes to the log and to the report.
void report_forecast_of_ranks(Run& run, const RanksForecast& foreseen, Index available);

// Does nothing without --check or --estimate.
void forecast(Run& run, const CaseModel& read, const CaseAnalysis& analysis, const Prepared& prepared);

}  // namespace ritz
