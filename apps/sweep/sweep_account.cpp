#include "apps/sweep/sweep_account.hpp"

#include "apps/sweep/member_runs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ritz {

bool SweepFailures::add(const SweepMember& member, const Error& error) {
  const auto known = std::ranges::find_if(failures_, [&](const Failure& f) {
    return std::string_view(f.error.what()) == error.what() && f.error.exit() == error.exit();
  });
  if (known != failures_.end()) {
    known->members.push_back(&member);
    return false;
  }
  failures_.push_back({error, {&member}});
  return true;
}

void SweepFailures::report(const SweepPlan& plan, bool log_all, Log& log, RunReport& report) {
  for (Failure& f : failures_) std::ranges::sort(f.members);
  std::ranges::sort(failures_, {}, [](const Failure& f) { return f.members.front(); });
  for (const Failure& f : failures_) {
    const std::size_t count = f.members.size();
    constexpr std::size_t shown = 4;
    std::vector<std::string> names;
    for (const SweepMember* member : f.members)
      if (names.size() < shown) names.push_back(member->name);
    const std::string which = count == plan.members.size()
                                  ? fmt::format("all {} members", count)
                                  : fmt::format("{} of {} members ({}{})", count, plan.members.size(),
                                                fmt::join(names, ", "), count > shown ? ", ..." : "");
    const Error told = count == 1 ? named(f.error, *f.members.front())
                                  : Error(f.error.kind(), fmt::format("{}: {}", which, f.error.message()),
                                          f.error.why(), f.error.fix());
    if (log_all) log.error(told);
    else if (count > 1) log.line("the error of {} is that of {}", f.members.front()->name, which);
    report.fail(told);
  }
  if (!failures_.empty()) report.exit = failures_.front().error.exit();
  failures_.clear();
}

Error named(const Error& error, const SweepMember& member) {
  return Error(error.kind(), fmt::format("{} ({}): {}", member.name, member.text(), error.message()), error.why(),
               error.fix());
}

void SweepAccount::keep(const SweepMember& member) {
  report_.sweep.emplace_back(outcome_of(member, RunReport{})).status = "kept";
  ++kept_;
}

void SweepAccount::add(SweepRecord record) {
  const SweepMember& member = plan_.members[record.member];
  SweepOutcome& outcome = report_.sweep.emplace_back(std::move(record.outcome));
  outcome.name = member.name;
  outcome.values = member.values;
  for (const Error& error : record.errors)
    if (failures_.add(member, error)) {
      log_.end_progress();
      log_.error(named(error, member));
    }
  if (!record.errors.empty()) return;
  report_.cells = record.cells;
  report_.nodes = record.nodes;
  report_.unknowns = record.unknowns;
  report_.mesh_file = record.mesh_file;
  ++complete_;
  std::string numbers;
  if (const std::vector<double> found = SweepTable::frequencies_of(outcome.facts); !found.empty())
    numbers = fmt::format(", lowest frequency {:.6g} Hz", found.front());
  for (const auto& [name, values] : outcome.probes) numbers += fmt::format(", {} {:.6g}", name, fmt::join(values, " "));
  log_.end_progress();
  // Each kind of fallback once, for the first member that takes it: the members' own logs are quiet.
  for (const std::string& step : record.fallbacks)
    if (steps_down_.insert(step.substr(0, step.find(" ("))).second)
      log_.notice(fmt::format("{} fell back: {}", member.name, step));
  log_.line("{} {}/{} ({}): {} iteration{}{}", member.name, record.member + 1, plan_.members.size(), member.text(),
            outcome.iterations, outcome.iterations == 1 ? "" : "s", numbers);
}

void SweepAccount::summarise(double seconds, int ranks, const std::string& table) {
  const std::size_t failed = plan_.members.size() - complete_ - kept_;
  log_.line("sweep: {} members complete, {} failed{} in {:.2f} s, {:.1f} a second", complete_, failed,
            kept_ == 0 ? "" : fmt::format(", {} were there", kept_), seconds, double(complete_ + failed) / seconds);
  const SweepCounts& c = counts_;
  if (c.batches > 0)
    log_.line(
        "solved in {} batches of up to {}; matrices assembled {}, analyses {}, factorised again {}, hierarchies set "
        "up {}, refreshed {}, used for other "
        "values {} times",
        c.batches, c.largest_batch, c.matrices, c.analyses, c.factorisations, c.set_ups, c.refreshes, c.used_on);
  report_.facts["sweep_batches"] = fmt::format("{}", c.batches);
  report_.facts["sweep_largest_batch"] = fmt::format("{}", c.largest_batch);
  report_.facts["sweep_matrices"] = fmt::format("{}", c.matrices);
  report_.facts["sweep_refreshes"] = fmt::format("{}", c.refreshes);
  if (!steps_down_.empty()) report_.facts["sweep_fallbacks"] = fmt::format("{}", fmt::join(steps_down_, "; "));
  report_.facts["sweep_analyses"] = fmt::format("{}", c.analyses);
  if (ranks > 1) report_.facts["ranks"] = fmt::format("{}", ranks);
  report_.outputs.push_back(table);
  log_.line("table: {}", table);
}

}  // namespace ritz
