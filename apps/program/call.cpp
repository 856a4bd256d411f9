#include "apps/program/call.hpp"

#include "apps/sweep/sweep.hpp"

#include <fmt/format.h>
#include <utility>

namespace ritz {

RunReport call(const AppInfo& info, const RunOptions& options, FunctionRef<void(Run&)> app) {
  if (has_sweep(options))
    throw Error(ErrorKind::sweep, fmt::format("a sweep of '{}' in a call", options.case_file),
                "each member is a run of its own", "call each of them, or let the program run the sweep");
  Run run(info, options);
  try {
    app(run);
    run.finish();
  } catch (const CheckedOnly&) { run.collect(); } catch (const Error& error) {
    run.results().settle();  // what was computed before is written
    const std::optional<Error> kept = run.results().stopped(error);
    if (kept) throw *kept;
    throw;
  }
  run.report().complete();
  return std::move(run.report());
}

}  // namespace ritz
