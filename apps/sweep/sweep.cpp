#include "apps/sweep/sweep.hpp"

#include "apps/run/run_summary.hpp"
#include "apps/run/trace.hpp"
#include "apps/cases/shared_model.hpp"
#include "apps/analyses/static_batch.hpp"
#include "apps/sweep/sweep_results.hpp"
#include "device/memory_shortage.hpp"
#include "device/process/stop_request.hpp"
#include "io/files/checksum.hpp"
#include "io/files/included_files.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace ritz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

bool ends_the_sweep(const Error& error) {
  return error.exit() == Exit::output || static_cast<int>(error.exit()) >= static_cast<int>(Exit::stopped);
}

class Sweep {
 public:
  Sweep(const AppInfo& info, const RunOptions& options, const std::function<void(Run&)>& app, RunReport& report)
      : info_(info),
        options_(options),
        app_(app),
        report_(report),
        log_(options.quiet     ? LogLevel::quiet
             : options.verbose ? LogLevel::verbose
                               : LogLevel::normal) {
    if (options.log_json) log_.use_json();
    // The case without a member's values gives the folder of the results and [sweep].
    Case input = Case::from_file(options.case_file, options.overrides);
    stem_ = fs::path(options.case_file).stem().string();
    plan_ = read_sweep(input, stem_);
    const std::string folder = input.table("output", "").text("folder", "", {.fallback = "results/" + stem_});
    folder_path_ = !options.output.empty() ? options.output : options.untrusted ? "results/" + stem_ : folder;
    input.throw_if_any();
    shared_.device = Device::named(options.device, options.threads);
    limit(*shared_.device, options.memory);
    const std::string obeyed = obey(options.memory);
    report_.device = shared_.device->description();
    log_.line("device: {}", report_.device);
    if (!obeyed.empty()) log_.line("{}", obeyed);
    shared_.sweeps = true;
    shared_.plan = &plan_;
    shared_.writes_fields = plan_.fields;
    shared_.settle = [this] { settle(); };
  }

  void run() {
    log_.line("sweep: {} members over {}", plan_.members.size(), fmt::join(plan_.keys, ", "));
    if (options_.check) return check();
    open_folder();
    StaticBatch batch(batch_limit(plan_), [this](Run& run, std::exception_ptr error) { done(run, error); });
    shared_.batch = batch_ = &batch;
    try {
      results_->begin();
      for (const SweepMember& member : plan_.members) {
        throw_if_stop_requested();
        if (!is_kept(member)) start(member);
        if (results_->is_due()) commit();
      }
      settle();
      commit();
    } catch (const Error& error) {  // what is finished is not lost
      const bool kept = stop();
      if (!kept || error.exit() == Exit::output || static_cast<int>(error.exit()) < static_cast<int>(Exit::stopped))
        throw;
      throw Error(Exit::stopped,
                  fmt::format("{}: {} of {} members are committed", error.message(), complete_ + results_->kept_count(),
                              plan_.members.size()),
                  {}, "the same command with --resume continues with the others");
    } catch (...) {
      stop();
      throw;
    }
    shared_.batch = batch_ = nullptr;
    results_->complete();
    summarise(batch);
  }

  // Members' errors decide how the process ends: the first one's code.
  void close() {
    tell_repeated();
    collect_run(report_, *shared_.device, log_);
    if (report_.errors.empty()) report_.complete();
  }
  const Device& device() const { return *shared_.device; }
  Log& log() { return log_; }

 private:
  struct Active {
    const SweepMember* member;
    std::string fingerprint;
    Clock::time_point start;
    std::unique_ptr<Run> run;
  };

  struct Failure {
    Error error;
    std::vector<const SweepMember*> members;
  };

  static double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

  RunOptions options_of(const SweepMember& member) const {
    RunOptions options = options_;
    options.member = member.name;
    for (const std::string& text : member.overrides()) options.overrides.push_back(text);
    options.output = folder_path_;
    options.json = options.profile = "";
    // the forecast is what --estimate is for
    options.quiet = options_.quiet || (!options_.verbose && !options_.estimate);
    options.resume = false;  // a member is done or not
    options.notices.clear();
    return options;
  }

  [[nodiscard]] Profile::Phase phase(const char* name) const { return shared_.device->profile().phase(name); }

  // All that the results depend on, and what [sweep] and [output] say does not matter.
  std::string fingerprint(const SweepMember& member) {
    Case input = Case::from_file(options_.case_file, options_of(member).overrides);
    input.drop("sweep");
    input.drop("output");
    std::string text = info_.name + input.resolved();
    input.root().path("plugin", "", {.fallback = ""});
    input.table("mesh", "").path("file", "", {.fallback = ""});
    for (const Case::Table& table : input.tables("table", "")) table.path("file", "", {.fallback = ""});
    for (const std::string& file : input.files()) text += fmt::format("{:08x}", checksum(file));
    return fmt::format("{:08x}", crc32_of(text));
  }

  // Checksum of a file and those that it includes, as they were when they were first read.
  std::uint32_t checksum(const std::string& file) {
    const auto [found, is_new] = checksums_.try_emplace(file, 0);
    if (is_new)
      for (const std::string& part : with_included_files(file))
        found->second = crc32_of(fmt::format("{:08x}", checksum_of_file(part).crc32), found->second);
    return found->second;
  }

  void check() {
    ErrorList errors;
    for (const SweepMember& member : plan_.members) {
      throw_if_stop_requested();
      std::optional<Run> run;
      try {
        run.emplace(info_, options_of(member), &shared_);
        app_(*run);
      } catch (const CheckedOnly&) {
        if (report_.forecast.empty()) report_.forecast = std::move(run->report().forecast);
        if (options_.estimate) break;  // one stands for all
      } catch (const Error& error) { fail(member, error); }
    }
    tell_repeated();
    if (report_.errors.empty())
      log_.line("check: {} of {} members looked at, all complete and well posed; nothing was solved",
                options_.estimate ? 1 : plan_.members.size(), plan_.members.size());
  }

  void open_folder() {
    auto phase = this->phase("output");
    if (!options_.json.empty()) probe_folder(fs::absolute(options_.json).parent_path());
    results_.emplace(plan_, folder_path_,
                     ResultFolderOptions{.case_name = stem_,
                                         .program = info_.name,
                                         .overwrite = options_.overwrite,
                                         .add = options_.resume,
                                         .notice = [this](const std::string& text) { log_.notice(text); }});
    shared_.folder = &results_->folder();
    if (!options_.resume) return;
    results_->take_up([this](const SweepMember& member) { return fingerprint(member); });
    log_.line("resume: {} members are complete, {} are left", results_->kept_count(),
              plan_.members.size() - results_->kept_count());
  }

  bool is_kept(const SweepMember& member) {
    if (!results_->has(member)) return false;
    outcome_of(member, RunReport{}).status = "kept";
    return true;
  }

  void start(const SweepMember& member) {
    Active& active = active_.emplace_back(Active{&member, fingerprint_or_none(member), Clock::now(), nullptr});
    try {
      active.run = std::make_unique<Run>(info_, options_of(member), &shared_);
      Run& run = *active.run;
      app_(run);
      if (std::ranges::any_of(active_, [&](const Active& each) { return each.run.get() == &run; }) &&
          !batch_->waits(run))
        done(run, nullptr);
    } catch (const Error& error) {
      if (ends_the_sweep(error)) throw;
      const auto found = std::ranges::find(active_, &member, &Active::member);
      if (found != active_.end()) finish_failed(*found, error);
    } catch (const std::bad_alloc&) {
      const auto found = std::ranges::find(active_, &member, &Active::member);
      if (found != active_.end()) finish_failed(*found, host_memory_error());
    }
  }

  std::string fingerprint_or_none(const SweepMember& member) {
    auto phase = this->phase("case");
    try {
      return fingerprint(member);
    } catch (const Error&) {
      return "";  // the run itself will say what is wrong
    }
  }

  void settle() {
    if (batch_ != nullptr) batch_->solve();
  }

  // Called for a member that has waited, or has not had to.
  void done(Run& run, std::exception_ptr error) {
    const auto found = std::ranges::find_if(active_, [&](const Active& each) { return each.run.get() == &run; });
    try {
      if (error) std::rethrow_exception(error);
    } catch (const Error& failure) {
      if (ends_the_sweep(failure)) throw;
      return finish_failed(*found, failure);
    } catch (const std::bad_alloc&) { return finish_failed(*found, host_memory_error()); }
    finish(*found);
  }

  void finish(Active& active) {
    if (const std::optional<Error> lack = active.run->results().lack()) return finish_failed(active, *lack);
    auto phase = this->phase("output");
    RunReport report = std::move(active.run->report());
    report.complete();
    const SweepMember& member = *active.member;
    results_->add(member, report, active.fingerprint, active.run->results().committed());
    report_.cells = report.cells;
    report_.nodes = report.nodes;
    report_.unknowns = report.unknowns;
    report_.mesh_file = report.mesh_file;
    outcome_of(member, report).seconds = since(active.start);
    ++complete_;
    std::string numbers;
    for (const auto& [name, values] : report.probes)
      numbers += fmt::format(", {} {:.6g}", name, fmt::join(values, " "));
    log_.end_progress();
    tell_steps_down(member, report);
    const int iterations = report.solves.empty() ? 0 : report.solves.back().iterations;
    log_.line("{} {}/{} ({}): {} iteration{}{}", member.name, &member - plan_.members.data() + 1, plan_.members.size(),
              member.text(), iterations, iterations == 1 ? "" : "s", numbers);
    remove(active);
  }

  // Reports each kind once, for the first member that takes it: the members' own logs are quiet.
  void tell_steps_down(const SweepMember& member, const RunReport& report) {
    for (const auto& solve : report.solves)
      for (const std::string& step : solve.fallbacks)
        if (steps_down_.insert(step.substr(0, step.find(" ("))).second)
          log_.notice(fmt::format("{} fell back: {}", member.name, step));
  }

  void finish_failed(Active& active, const Error& error) {
    RunReport report;
    if (active.run) report = std::move(active.run->report());
    report.fail(error);
    results_->add(*active.member, report, active.fingerprint,
                  active.run && active.run->results().lacks_fields() ? active.run->results().committed()
                                                                     : std::vector<std::string>());
    outcome_of(*active.member, report).seconds = since(active.start);
    fail(*active.member, error);
    remove(active);
  }

  // Reports the failure once, with the member's name and values: the others continue.
  void fail(const SweepMember& member, const Error& error) {
    const auto one = [&](const Error& each) {
      const auto known = std::ranges::find_if(failures_, [&](const Failure& f) {
        return std::string_view(f.error.what()) == each.what() && f.error.exit() == each.exit();
      });
      if (known != failures_.end()) return known->members.push_back(&member);
      failures_.push_back({each, {&member}});
      if (options_.check) return;  // told when all have been looked at
      log_.end_progress();
      log_.error(named(each, member));
    };
    if (const auto* several = dynamic_cast<const Errors*>(&error))
      for (const Error& each : several->list()) one(each);
    else one(error);
  }

  static Error named(const Error& error, const SweepMember& member) {
    return Error(error.exit(), fmt::format("{} ({}): {}", member.name, member.text(), error.message()), error.why(),
                 error.fix());
  }

  // Reports the errors of several members. The report's exit code is that of the first error.
  void tell_repeated() {
    for (const Failure& f : failures_) {
      const std::size_t count = f.members.size();
      constexpr std::size_t shown = 4;
      std::vector<std::string> names;
      for (const SweepMember* member : f.members)
        if (names.size() < shown) names.push_back(member->name);
      const std::string which = count == plan_.members.size()
                                    ? fmt::format("all {} members", count)
                                    : fmt::format("{} of {} members ({}{})", count, plan_.members.size(),
                                                  fmt::join(names, ", "), count > shown ? ", ..." : "");
      const Error told = count == 1 ? named(f.error, *f.members.front())
                                    : Error(f.error.exit(), fmt::format("{}: {}", which, f.error.message()),
                                            f.error.why(), f.error.fix());
      if (options_.check) log_.error(told);
      else if (count > 1) log_.line("the error of {} is that of {}", f.members.front()->name, which);
      report_.fail(told);
    }
    if (!failures_.empty()) report_.exit = failures_.front().error.exit();
    failures_.clear();
  }

  void remove(Active& active) { active_.erase(std::ranges::find(active_, active.member, &Active::member)); }

  SweepOutcome& outcome_of(const SweepMember& member, const RunReport& report) {
    SweepOutcome& outcome = report_.sweep.emplace_back();
    outcome.name = member.name;
    outcome.values = member.values;
    outcome.status = report.status;
    outcome.exit = report.exit;
    outcome.probes = report.probes;
    if (!report.solves.empty()) outcome.iterations = report.solves.back().iterations;
    outcome.outputs = report.outputs;
    return outcome;
  }

  void commit() {
    auto phase = this->phase("commit");
    results_->commit();
  }

  // True when members are committed.
  bool stop() {
    shared_.batch = batch_ = nullptr;
    if (report_.sweep.empty()) return false;
    try {
      commit();
    } catch (const Error&) {  // the first error is the one to tell
      complete_ = 0;
    }
    results_->end();
    active_.clear();
    return complete_ + results_->kept_count() > 0;
  }

  void summarise(const StaticBatch& batch) {
    const std::size_t kept = results_->kept_count(), failed = plan_.members.size() - complete_ - kept;
    const double seconds = since(start_);
    log_.line("sweep: {} members complete, {} failed{} in {:.2f} s, {:.1f} a second", complete_, failed,
              kept == 0 ? "" : fmt::format(", {} were there", kept), seconds, double(complete_ + failed) / seconds);
    const SolverCache::Counts& counts = shared_.reuse.solver();
    if (batch.solutions() > 0)
      log_.line(
          "solved in {} batches of up to {}; matrices assembled {}, analyses {}, factorised again {}, hierarchies set "
          "up {}, refreshed {}, used for other "
          "values {} times",
          batch.solutions(), batch.largest(), shared_.reuse.matrices(), counts.analyses, counts.factorisations,
          counts.set_ups, counts.refreshes, counts.used_on);
    report_.facts["sweep_batches"] = fmt::format("{}", batch.solutions());
    report_.facts["sweep_largest_batch"] = fmt::format("{}", batch.largest());
    report_.facts["sweep_matrices"] = fmt::format("{}", shared_.reuse.matrices());
    report_.facts["sweep_refreshes"] = fmt::format("{}", counts.refreshes);
    if (!steps_down_.empty()) report_.facts["sweep_fallbacks"] = fmt::format("{}", fmt::join(steps_down_, "; "));
    report_.facts["sweep_analyses"] = fmt::format("{}", counts.analyses);
    report_.outputs.push_back(results_->table_path());
    log_.line("table: {}", results_->table_path());
  }

  const AppInfo& info_;
  RunOptions options_;
  const std::function<void(Run&)>& app_;
  RunReport& report_;
  Log log_;
  std::string stem_, folder_path_;
  SweepPlan plan_;
  SharedModel shared_;
  StaticBatch* batch_ = nullptr;
  std::optional<SweepResults> results_;
  std::vector<Active> active_;
  std::set<std::string> steps_down_;  // of members, without what did not fit
  std::map<std::string, std::uint32_t> checksums_;
  Clock::time_point start_ = Clock::now();
  std::size_t complete_ = 0;
  std::vector<Failure> failures_;  // each kind once, in the order of their first members
};

}  // namespace

bool has_sweep(const RunOptions& options) {
  if (options.describe) return false;
  try {
    const Case input = options.case_text ? Case::from_text(*options.case_text, options.case_file, options.overrides)
                                         : Case::from_file(options.case_file, options.overrides);
    return input.root().has("sweep");
  } catch (const Error&) { return false; }
}

void run_sweep(const AppInfo& info, const RunOptions& options, const std::function<void(Run&)>& app,
               RunReport& report) {
  Sweep sweep(info, options, app, report);
  std::exception_ptr error;
  try {
    sweep.run();
  } catch (...) { error = std::current_exception(); }
  sweep.close();
  if (!options.profile.empty()) write_trace(options.profile, sweep.device().profile(), report.phases.front().seconds);
  if (error) std::rethrow_exception(error);
}

}  // namespace ritz
