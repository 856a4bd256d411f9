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
  SweepPlan plan;
};

SweepCase read_sweep_case(const RunOptions& options) {
  Case input = Case::from_file(options.case_file, options.overrides);
  SweepCase result{.stem = fs::path(options.case_file).stem().string(), .folder = {}, .plan = {}};
  result.plan = read_sweep(input, result.stem);
  for (const Case::Table& probe : input.tables("probe", ""))
    if (const std::string name = probe.text("name", "", {.fallback = ""});
        std::ranges::count(result.plan.keys, name) > 0)
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

class Sweep {
 public:
  Sweep(const AppInfo& info, const RunOptions& options, const SweepApp& app, RunReport& report, SweepRanks& ranks)
      : info_(info),
        options_(options),
        app_(app),
        report_(report),
        ranks_(ranks),
        log_(options.quiet     ? LogLevel::quiet
             : options.verbose ? LogLevel::verbose
                               : LogLevel::normal),
        case_(read_sweep_case(options)),
        account_(case_.plan, log_, report_) {
    if (options.log_json) log_.use_json();
    shared_.device = Device::named(options.device, options.threads);
    limit(*shared_.device, options.memory);
    const std::string obeyed = obey(options.memory);
    report_.device = shared_.device->description();
    log_.line("device: {}", report_.device);
    if (ranks_.are_several()) log_.line("{}", ranks_.text());
    if (!obeyed.empty()) log_.line("{}", obeyed);
    shared_.sweeps = true;
    shared_.plan = &plan();
    shared_.writes_fields = plan().fields;
    shared_.settle = [this] {
      if (shared_.batch != nullptr) runs_->settle();
    };
  }

  void run() {
    log_.line("sweep: {} members over {}", plan().members.size(), fmt::join(plan().keys, ", "));
    if (options_.check) {
      if (ranks_.is_first()) check();
      return;
    }
    MemberFingerprints fingerprints(info_.name, options_);
    const std::vector<std::size_t> mine = ranks_.is_first() ? open_and_deal(fingerprints) : join();
    runs_.emplace(info_, options_, case_.folder, app_, plan(), shared_);
    try {
      results_->begin();
      run_members(mine, fingerprints);
    } catch (const Error& error) {  // what is finished is not lost
      const std::size_t kept = stop();
      if (kept == 0 || error.exit() == Exit::output || static_cast<int>(error.exit()) < static_cast<int>(Exit::stopped))
        throw;
      throw Error(ErrorKind::stopped,
                  fmt::format("{}: {} of {} members are committed", error.message(), kept, plan().members.size()), {},
                  "the same command with --resume continues with the others");
    } catch (...) {
      stop();
      throw;
    }
    runs_->stop();
    if (!ranks_.is_first()) return results_->end();
    results_->complete();
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    account_.summarise(seconds, ranks_.count(), results_->table_path());
  }
  const SweepCounts& counts() const { return account_.counts(); }

  // Members' errors decide how the process ends: the first one's code.
  void close() {
    account_.report_failures();
    collect_run(report_, *shared_.device, log_);
    if (report_.errors.empty()) report_.complete();
  }
  const Device& device() const { return *shared_.device; }

 private:
  const SweepPlan& plan() const { return case_.plan; }
  [[nodiscard]] Profile::Phase phase(const char* name) const { return shared_.device->profile().phase(name); }

  void check() {
    SweepFailures failures;
    for (const SweepMember& member : plan().members) {
      throw_if_stop_requested();
      std::optional<Run> run;
      try {
        run.emplace(info_, member_options(options_, case_.folder, member), &shared_);
        app_(*run);
      } catch (const CheckedOnly&) {
        if (report_.forecast.empty()) report_.forecast = std::move(run->report().forecast);
        if (options_.estimate) break;  // one stands for all
      } catch (const Errors& several) {
        for (const Error& error : several.list()) failures.add(member, error);
      } catch (const Error& error) { failures.add(member, error); }
    }
    failures.report(plan(), true, log_, report_);
    if (report_.errors.empty())
      log_.line("check: {} of {} members looked at, all complete and well posed; nothing was solved",
                options_.estimate ? 1 : plan().members.size(), plan().members.size());
  }

  void open_folder(bool joined) {
    auto phase = this->phase("output");
    if (!options_.json.empty()) probe_file(options_.json);
    results_.emplace(plan(), case_.folder,
                     ResultFolderOptions{.case_name = case_.stem,
                                         .program = info_.name,
                                         .overwrite = options_.overwrite,
                                         .add = options_.resume,
                                         .joined = joined,
                                         .notice = [this](const std::string& text) { log_.notice(text); }});
    shared_.folder = &results_->folder();
  }

  // The first rank: the members that it computes. Those that are there are kept.
  std::vector<std::size_t> open_and_deal(MemberFingerprints& fingerprints) {
    open_folder(false);
    if (options_.resume) {
      results_->take_up([&](const SweepMember& member) { return fingerprints.of(member); });
      log_.line("resume: {} members are complete, {} are left", results_->kept_count(),
                plan().members.size() - results_->kept_count());
    }
    std::vector<std::size_t> left;
    for (std::size_t m = 0; m < plan().members.size(); ++m)
      if (results_->has(plan().members[m])) account_.keep(plan().members[m]);
      else left.push_back(m);
    if (ranks_.are_several()) results_->folder().make_room();  // the others write as soon as they know their part
    return ranks_.deal(left);
  }

  // Another rank, once the folder is open.
  std::vector<std::size_t> join() {
    std::vector<std::size_t> mine = ranks_.wait_for_part();
    open_folder(true);
    return mine;
  }

  void run_members(const std::vector<std::size_t>& mine, MemberFingerprints& fingerprints) {
    for (const std::size_t m : mine) {
      throw_if_stop_requested();
      if (!ranks_.is_first() && ranks_.is_told_to_end()) break;
      runs_->start(plan().members[m], fingerprint_or_none(fingerprints, plan().members[m]));
      take_finished();
      take_what_is_there();
      if (results_->is_due()) commit();
    }
    runs_->settle();
    take_finished();
    commit();
    account_.add(counts_of(runs_->batch(), shared_.reuse));
    while (ranks_.has_others_at_work()) {
      throw_if_stop_requested();
      Ranks::pause();
      take_what_is_there();
      if (results_->is_due() || !ranks_.has_others_at_work()) commit();
    }
  }

  std::string fingerprint_or_none(MemberFingerprints& fingerprints, const SweepMember& member) const {
    auto phase = this->phase("case");
    try {
      return fingerprints.of(member);
    } catch (const Error&) {
      return "";  // the run itself reports what is wrong
    }
  }

  // The first rank keeps the records, of members of any rank. Another one hands them over with their files.
  void take(SweepRecord record) {
    if (!ranks_.is_first()) return to_hand_over_.push_back(std::move(record));
    results_->add(plan().members[record.member], std::move(record.row), std::move(record.steps));
    account_.add(std::move(record));
  }
  void take_finished() {
    for (SweepRecord& record : runs_->take_finished()) take(std::move(record));
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

  void commit() {
    auto phase = this->phase("commit");
    if (ranks_.is_first()) return results_->commit();
    if (to_hand_over_.empty()) return;
    std::string lines = results_->take_place();
    ranks_.hand_over({.records = std::exchange(to_hand_over_, {}), .journal = std::move(lines)});
  }

  // Returns how many members are committed.
  std::size_t stop() {
    runs_->stop();
    ranks_.end_others();
    const auto attempt = [&](const auto& work) {
      try {
        work();
      } catch (const Error&) { return false; }  // the first error is the one to report
      return true;
    };
    attempt([&] { take_finished(); });
    while (ranks_.has_others_at_work()) {
      attempt([&] { take_what_is_there(); });
      Ranks::pause();
    }
    if (report_.sweep.empty() && to_hand_over_.empty()) return 0;
    const bool committed = attempt([&] { commit(); });
    results_->end();
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
  SharedModel shared_;
  SweepAccount account_;
  std::optional<SweepResults> results_;
  std::optional<MemberRuns> runs_;
  std::vector<SweepRecord> to_hand_over_;  // members whose files wait for their places
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
