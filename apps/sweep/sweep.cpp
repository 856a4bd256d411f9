#include "apps/sweep/sweep.hpp"

#include "apps/results/results.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/run/trace.hpp"
#include "apps/sweep/member_runs.hpp"
#include "apps/sweep/sweep_account.hpp"
#include "apps/sweep/sweep_ranks.hpp"
#include "apps/sweep/sweep_results.hpp"
#include "device/memory_shortage.hpp"
#include "device/process/stop_request.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace ritz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// For the first rank; it has an end of its own for what is no Error.
std::optional<Error> error_of(const std::exception_ptr& error) {
  if (!error) return std::nullopt;
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) { return known; } catch (const std::bad_alloc&) {
    return host_memory_error();
  } catch (const std::exception& unknown) {
    return Error(ErrorKind::internal, unknown.what(), "this is a bug in Ritz", "please report it with the case file");
  }
}

// [sweep] of a case without the values of members, and the folder of the results.
struct SweepCase {
  std::string stem, folder;
  std::shared_ptr<const SweepPlan> plan;
};

SweepCase read_sweep_case(const RunOptions& options) {
  Case input = Case::from_file(options.case_file, options.overrides);
  SweepCase result{.stem = fs::path(options.case_file).stem().string(), .folder = {}, .plan = {}};
  result.plan = std::make_shared<const SweepPlan>(read_sweep(input, result.stem));
  for (const Case::Table& probe : input.tables("probe", ""))
    if (const std::string name = probe.text("name", "", {.fallback = ""});
        std::ranges::count(result.plan->keys, name) > 0)
      probe.error(ErrorKind::probe, "name", fmt::format("a probe cannot be called '{}'", name), "it is a swept key",
                  "give it another name");
  const std::string folder = input.table("output", "").text("folder", "", {.fallback = "results/" + result.stem});
  result.folder = output_folder(options, "results/" + result.stem, folder);
  input.throw_if_any();
  return result;
}

SweepCounts counts_of(const StaticBatch& batch, const SystemCache& reuse) {
  const SolverCache::Counts& solver = reuse.solver();
  return {.batches = std::int64_t(batch.solutions()),
          .largest_batch = std::int64_t(batch.largest()),
          .matrices = std::int64_t(reuse.matrices()),
          .analyses = std::int64_t(solver.analyses),
          .factorisations = std::int64_t(solver.factorisations),
          .set_ups = std::int64_t(solver.set_ups),
          .refreshes = std::int64_t(solver.refreshes),
          .used_on = std::int64_t(solver.used_on)};
}

LogLevel level_of(const RunOptions& options) {
  if (options.quiet) return LogLevel::quiet;
  return options.verbose ? LogLevel::verbose : LogLevel::normal;
}

// A sweep that ended with members committed can continue.
void throw_if_it_can_continue(const Error& error, std::size_t kept, const SweepPlan& plan) {
  if (kept == 0 || static_cast<int>(error.exit()) < static_cast<int>(Exit::stopped)) return;
  throw Error(ErrorKind::stopped,
              fmt::format("{}: {} of {} members are committed", error.message(), kept, plan.members.size()), {},
              "the same command with --resume continues with the others");
}

// The device, its limits, and what members share. Returns the description of the device.
std::string set_up(const RunOptions& options, const std::shared_ptr<const SweepPlan>& plan, SharedModel& shared,
                   const SweepRanks& ranks, Log& log) {
  shared.device = Device::named(options.device, options.threads);
  limit(*shared.device, options.memory);
  const std::string obeyed = obey(options.memory);
  log.line("device: {}", shared.device->description());
  if (ranks.are_several()) log.line("{}", ranks.text());
  if (!obeyed.empty()) log.line("{}", obeyed);
  shared.sweeps = true;
  shared.plan = plan;
  shared.writes_fields = plan->fields;
  return shared.device->description();
}

// Empty: the case of the member cannot be read, which its run reports.
std::string fingerprint_or_none(MemberFingerprints& fingerprints, const SweepMember& member, Profile& profile) {
  auto phase = profile.phase("case");
  try {
    return fingerprints.of(member);
  } catch (const Error&) { return ""; }
}

template <class Work>
bool succeeds(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error&) { return false; }
}

// Records and files of finished members, on their way into the table.
class FinishedMembers {
 public:
  FinishedMembers(std::shared_ptr<const SweepPlan> plan, SweepRanks& ranks, SweepAccount& account)
      : plan_(std::move(plan)), ranks_(ranks), account_(account) {}

  void open(const std::string& folder, ResultFolderOptions options) {
    results_.emplace(plan_, folder, std::move(options));
  }
  SweepResults& results() { return *results_; }

  // The first rank keeps the records, of members of any rank. Another one hands them over with their files.
  void take(SweepRecord record) {
    if (!ranks_.is_first()) return to_hand_over_.push_back(std::move(record));
    results_->add(plan_->members[record.member], std::move(record.row), std::move(record.steps));
    account_.add(std::move(record));
  }
  // Takes over what other ranks have handed over until now. Throws the error that ended another rank's part.
  void take_what_is_there() {
    while (std::optional<SweepHandOver> message = ranks_.next()) {
      for (SweepRecord& record : message->records) take(std::move(record));
      results_->add_lines(message->journal);
      account_.add(message->counts);
      if (message->error) throw *message->error;
    }
  }

  // Members without results; those that have some count as kept.
  std::vector<std::size_t> left() {
    std::vector<std::size_t> left;
    for (std::size_t m = 0; m < plan_->members.size(); ++m)
      if (results_->has(plan_->members[m])) account_.keep(plan_->members[m]);
      else left.push_back(m);
    return left;
  }

  void commit() {
    if (ranks_.is_first()) return results_->commit();
    if (to_hand_over_.empty()) return;
    std::string lines = results_->take_place();
    ranks_.hand_over({.records = std::exchange(to_hand_over_, {}), .journal = std::move(lines)});
  }
  bool has_any() const { return !to_hand_over_.empty(); }  // that wait to be handed over

 private:
  const std::shared_ptr<const SweepPlan> plan_;
  SweepRanks& ranks_;
  SweepAccount& account_;
  std::optional<SweepResults> results_;
  std::vector<SweepRecord> to_hand_over_;  // members whose files wait for their places
};

// Reads all members, or one for an estimate, and solves none.
void check_members(const AppInfo& info, const RunOptions& options, const SweepApp& app, const SweepCase& of,
                   const std::shared_ptr<SharedModel>& shared, Log& log, RunReport& report) {
  const SweepPlan& plan = *of.plan;
  SweepFailures failures;
  for (const SweepMember& member : plan.members) {
    throw_if_stop_requested();
    std::optional<Run> run;
    try {
      run.emplace(info, member_options(options, of.folder, member), shared);
      app(*run);
    } catch (const CheckedOnly&) {
      if (report.forecast.empty()) report.forecast = std::move(run->report().forecast);
      if (options.estimate) break;  // one stands for all
    } catch (const Errors& several) {
      for (const Error& error : several.list()) failures.add(member, error);
    } catch (const Error& error) { failures.add(member, error); }
  }
  failures.report(plan, true, log, report);
  if (report.errors.empty())
    log.line("check: {} of {} members looked at, all complete and well posed; nothing was solved",
             options.estimate ? 1 : plan.members.size(), plan.members.size());
}

class Sweep {
 public:
  Sweep(const AppInfo& info, const RunOptions& options, const SweepApp& app, RunReport& report, SweepRanks& ranks)
      : info_(info),
        options_(options),
        app_(app),
        report_(report),
        ranks_(ranks),
        log_(level_of(options)),
        case_(read_sweep_case(options)),
        account_(*case_.plan, log_, report_),
        finished_(case_.plan, ranks, account_) {
    if (options.log_json) log_.use_json();
    report_.device = set_up(options, case_.plan, *shared_, ranks_, log_);
    shared_->settle = [this, &shared = *shared_] {
      if (shared.batch != nullptr) runs_->settle();  // while the sweep runs
    };
  }

  void run() {
    log_.line("sweep: {} members over {}", plan().members.size(), fmt::join(plan().keys, ", "));
    if (options_.check) {
      if (ranks_.is_first()) check_members(info_, options_, app_, case_, shared_, log_, report_);
      return;
    }
    MemberFingerprints fingerprints(info_.name, options_);
    const std::vector<std::size_t> mine = ranks_.is_first() ? open_and_deal(fingerprints) : ranks_.wait_for_part();
    if (!ranks_.is_first()) open_folder(true);  // once the first one has made it
    runs_.emplace(info_, options_, case_.folder, app_, plan(), shared_);
    try {
      results().begin();
      run_members(mine, fingerprints);
    } catch (const Error& error) {  // what is finished is not lost
      throw_if_it_can_continue(error, stop(), plan());
      throw;
    } catch (...) {
      stop();
      throw;
    }
    runs_->stop();
    if (!ranks_.is_first()) return results().end();
    results().complete();
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    account_.summarise(seconds, ranks_.count(), results().table_path());
  }
  const SweepCounts& counts() const { return account_.counts(); }

  // Members' errors decide how the process ends: the first one's code.
  void close() {
    account_.report_failures();
    collect_run(report_, *shared_->device, log_);
    if (report_.errors.empty()) report_.complete();
  }
  const Device& device() const { return *shared_->device; }

 private:
  const SweepPlan& plan() const { return *case_.plan; }
  SweepResults& results() { return finished_.results(); }
  [[nodiscard]] Profile::Phase phase(const char* name) const { return shared_->device->profile().phase(name); }

  void open_folder(bool joined) {
    auto phase = this->phase("output");
    if (!options_.json.empty()) probe_file(options_.json);
    finished_.open(case_.folder, {.case_name = case_.stem,
                                  .program = info_.name,
                                  .overwrite = options_.overwrite,
                                  .add = options_.resume,
                                  .joined = joined,
                                  .notice = [this](const std::string& text) { log_.notice(text); }});
    shared_->folder = &results().folder();
  }

  // The first rank: the members that it computes. Those that are there are kept.
  std::vector<std::size_t> open_and_deal(MemberFingerprints& fingerprints) {
    open_folder(false);
    if (options_.resume) {
      results().take_up([&](const SweepMember& member) { return fingerprints.of(member); });
      log_.line("resume: {} members are complete, {} are left", results().kept_count(),
                plan().members.size() - results().kept_count());
    }
    const std::vector<std::size_t> left = finished_.left();
    if (ranks_.are_several()) results().folder().make_room();  // the others write as soon as they know their part
    return ranks_.deal(left);
  }

  void run_members(const std::vector<std::size_t>& mine, MemberFingerprints& fingerprints) {
    for (const std::size_t m : mine) {
      throw_if_stop_requested();
      if (!ranks_.is_first() && ranks_.is_told_to_end()) break;
      start(plan().members[m], fingerprints);
      take_finished();
      finished_.take_what_is_there();
      if (results().is_due()) commit();
    }
    runs_->settle();
    take_finished();
    commit();
    account_.add(counts_of(runs_->batch(), shared_->reuse));
    while (ranks_.has_others_at_work()) {
      throw_if_stop_requested();
      Ranks::pause();
      finished_.take_what_is_there();
      if (results().is_due() || !ranks_.has_others_at_work()) commit();
    }
  }

  void start(const SweepMember& member, MemberFingerprints& fingerprints) {
    runs_->start(member, fingerprint_or_none(fingerprints, member, shared_->device->profile()));
  }

  void take_finished() {
    for (SweepRecord& record : runs_->take_finished()) finished_.take(std::move(record));
  }

  void commit() {
    auto phase = this->phase("commit");
    finished_.commit();
  }

  // Returns how many members are committed.
  std::size_t stop() {
    runs_->stop();
    ranks_.end_others();
    succeeds([&] { take_finished(); });  // the first error is the one to report
    while (ranks_.has_others_at_work()) {
      succeeds([&] { finished_.take_what_is_there(); });
      Ranks::pause();
    }
    if (report_.sweep.empty() && !finished_.has_any()) return 0;
    const bool committed = succeeds([&] { commit(); });
    results().end();
    runs_.reset();
    return (committed ? account_.complete_count() : 0) + account_.kept_count();
  }

  const AppInfo& info_;
  const RunOptions& options_;
  const SweepApp& app_;
  RunReport& report_;
  SweepRanks& ranks_;
  Log log_;
  SweepCase case_;
  const std::shared_ptr<SharedModel> shared_ = std::make_shared<SharedModel>();
  SweepAccount account_;
  FinishedMembers finished_;
  std::optional<MemberRuns> runs_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

bool ends_the_sweep(const Error& error) {
  return error.exit() == Exit::output || static_cast<int>(error.exit()) >= static_cast<int>(Exit::stopped);
}

bool has_sweep(const RunOptions& options) {
  if (options.describe) return false;
  try {
    const Case input = options.case_text ? Case::from_text(*options.case_text, options.case_file, options.overrides)
                                         : Case::from_file(options.case_file, options.overrides);
    return input.root().has("sweep");
  } catch (const Error&) { return false; }
}

void run_sweep(const AppInfo& info, const RunOptions& options, const SweepApp& app, RunReport& report, Ranks* ranks) {
  SweepRanks others(ranks);
  std::exception_ptr error;
  std::optional<Sweep> sweep;
  try {
    sweep.emplace(info, options, app, report, others);
    sweep->run();
  } catch (...) { error = std::current_exception(); }
  if (!others.is_first()) return others.finish(sweep ? sweep->counts() : SweepCounts(), error_of(error));
  others.conclude();
  if (sweep) {
    sweep->close();
    if (!options.profile.empty())
      write_trace(options.profile, sweep->device().profile(), report.phases.front().seconds);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace ritz
