#include "apps/sweep/sweep.hpp"

#include "apps/results/results.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/run/trace.hpp"
#include "apps/cases/shared_model.hpp"
#include "apps/analyses/static_batch.hpp"
#include "apps/sweep/sweep_ranks.hpp"
#include "apps/sweep/sweep_results.hpp"
#include "device/memory_shortage.hpp"
#include "device/process/stop_request.hpp"
#include "io/files/checksum.hpp"
#include "io/files/included_files.hpp"
#include "io/results/file_field.hpp"

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

// For the first rank; it has an end of its own for what is no Error.
std::optional<Error> error_of(const std::exception_ptr& error) {
  if (!error) return std::nullopt;
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) { return known; } catch (const std::bad_alloc&) {
    return host_memory_error();
  } catch (const std::exception& unknown) {
    return Error(Exit::internal, unknown.what(), "this is a bug in Ritz", "please report it with the case file");
  }
}

bool ends_the_sweep(const Error& error) {
  return error.exit() == Exit::output || static_cast<int>(error.exit()) >= static_cast<int>(Exit::stopped);
}

class Sweep {
 public:
  Sweep(const AppInfo& info, const RunOptions& options, const std::function<void(Run&)>& app, RunReport& report,
        SweepRanks& ranks)
      : info_(info),
        options_(options),
        app_(app),
        report_(report),
        ranks_(ranks),
        log_(options.quiet     ? LogLevel::quiet
             : options.verbose ? LogLevel::verbose
                               : LogLevel::normal) {
    if (options.log_json) log_.use_json();
    // The case without a member's values gives the folder of the results and [sweep].
    Case input = Case::from_file(options.case_file, options.overrides);
    stem_ = fs::path(options.case_file).stem().string();
    plan_ = read_sweep(input, stem_);
    for (const Case::Table& probe : input.tables("probe", ""))
      if (const std::string name = probe.text("name", "", {.fallback = ""}); std::ranges::count(plan_.keys, name) > 0)
        probe.error("name", fmt::format("a probe cannot be called '{}'", name), "it is a swept key",
                    "give it another name");
    const std::string folder = input.table("output", "").text("folder", "", {.fallback = "results/" + stem_});
    folder_path_ = output_folder(options, "results/" + stem_, folder);
    input.throw_if_any();
    shared_.device = Device::named(options.device, options.threads);
    limit(*shared_.device, options.memory);
    const std::string obeyed = obey(options.memory);
    report_.device = shared_.device->description();
    log_.line("device: {}", report_.device);
    if (ranks_.are_several()) log_.line("{}", ranks_.text());
    if (!obeyed.empty()) log_.line("{}", obeyed);
    shared_.sweeps = true;
    shared_.plan = &plan_;
    shared_.writes_fields = plan_.fields;
    shared_.settle = [this] { settle(); };
  }

  void run() {
    log_.line("sweep: {} members over {}", plan_.members.size(), fmt::join(plan_.keys, ", "));
    if (options_.check) {
      if (ranks_.is_first()) check();
      return;
    }
    const std::vector<std::size_t> mine = ranks_.is_first() ? open_and_deal() : join();
    StaticBatch batch(batch_limit(plan_), [this](Run& run, std::exception_ptr error) { done(run, error); });
    shared_.batch = batch_ = &batch;
    try {
      results_->begin();
      for (const std::size_t member : mine) {
        throw_if_stop_requested();
        if (!ranks_.is_first() && ranks_.is_told_to_end()) break;
        start(plan_.members[member]);
        take_what_is_there();
        if (results_->is_due()) commit();
      }
      settle();
      commit();
      count(batch);
      take_all();
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
    if (!ranks_.is_first()) return results_->end();
    results_->complete();
    summarise();
  }
  const SweepCounts& counts() const { return counts_; }

  // Members' errors decide how the process ends: the first one's code.
  void close() {
    report_repeated();
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
    for (const Case::Table& table : input.tables("field", "")) table.path("file", "", {.fallback = ""});
    input.table("initial", "").path("file", "", {.fallback = ""});
    input.table("thermal", "").path("file", "", {.fallback = ""});
    for (const Case::Table& table : input.tables("load_case", ""))
      table.table("thermal", "").path("file", "", {.fallback = ""});
    for (const std::string& file : input.files()) text += fmt::format("{:08x}", checksum(file));
    return fmt::format("{:08x}", crc32_of(text));
  }

  // A series is a list of the files that hold its steps.
  static std::vector<std::string> parts_of(const std::string& file) {
    std::vector<std::string> parts = with_included_files(file);
    if (!file.ends_with(".pvd")) return parts;
    try {
      for (const std::string& step : files_of_series(file))
        for (const std::string& part : with_included_files(step))
          if (fs::is_regular_file(part)) parts.push_back(part);
    } catch (const Error&) {}  // the member says so
    return parts;
  }

  // Checksum of a file and those that it includes or lists, as they were when they were first read.
  std::uint32_t checksum(const std::string& file) {
    const auto [found, is_new] = checksums_.try_emplace(file, 0);
    if (is_new)
      for (const std::string& part : parts_of(file))
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
      } catch (const Errors& several) {
        for (const Error& error : several.list()) fail(member, error);
      } catch (const Error& error) { fail(member, error); }
    }
    report_repeated();
    if (report_.errors.empty())
      log_.line("check: {} of {} members looked at, all complete and well posed; nothing was solved",
                options_.estimate ? 1 : plan_.members.size(), plan_.members.size());
  }

  void open_folder(bool joined) {
    auto phase = this->phase("output");
    if (!options_.json.empty()) probe_file(options_.json);
    results_.emplace(plan_, folder_path_,
                     ResultFolderOptions{.case_name = stem_,
                                         .program = info_.name,
                                         .overwrite = options_.overwrite,
                                         .add = options_.resume,
                                         .joined = joined,
                                         .notice = [this](const std::string& text) { log_.notice(text); }});
    shared_.folder = &results_->folder();
  }

  // The first rank: the members that it computes. Those that are there are kept.
  std::vector<std::size_t> open_and_deal() {
    open_folder(false);
    if (options_.resume) {
      results_->take_up([this](const SweepMember& member) { return fingerprint(member); });
      log_.line("resume: {} members are complete, {} are left", results_->kept_count(),
                plan_.members.size() - results_->kept_count());
    }
    std::vector<std::size_t> left;
    for (std::size_t m = 0; m < plan_.members.size(); ++m) {
      if (results_->has(plan_.members[m]))
        report_.sweep.emplace_back(outcome(plan_.members[m], RunReport{})).status = "kept";
      else left.push_back(m);
    }
    if (ranks_.are_several()) results_->folder().make_room();  // the others write as soon as they know their part
    return ranks_.deal(left);
  }

  // Another rank, once the folder is open.
  std::vector<std::size_t> join() {
    std::vector<std::size_t> mine = ranks_.wait_for_part();
    open_folder(true);
    return mine;
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
    take(record_of(active, report, active.run->results().committed()));
    remove(active);
  }

  void finish_failed(Active& active, const Error& error) {
    RunReport report;
    if (active.run) report = std::move(active.run->report());
    report.fail(error);
    take(record_of(active, report,
                   active.run && active.run->results().lacks_fields() ? active.run->results().committed()
                                                                      : std::vector<std::string>()));
    remove(active);
  }

  SweepRecord record_of(const Active& active, const RunReport& report, std::vector<std::string> steps) const {
    SweepRecord record{.member = std::size_t(active.member - plan_.members.data()),
                       .row = SweepTable::row_of(report, active.fingerprint),
                       .steps = std::move(steps),
                       .outcome = outcome(*active.member, report),
                       .errors = report.errors,
                       .fallbacks = {},
                       .mesh_file = report.mesh_file,
                       .cells = report.cells,
                       .nodes = report.nodes,
                       .unknowns = report.unknowns};
    record.outcome.seconds = since(active.start);
    for (const auto& solve : report.solves)
      record.fallbacks.insert(record.fallbacks.end(), solve.fallbacks.begin(), solve.fallbacks.end());
    return record;
  }

  // The first rank keeps the record, of a member of any rank. Another one hands it over with its files.
  void take(SweepRecord record) {
    if (!ranks_.is_first()) return to_hand_over_.push_back(std::move(record));
    const SweepMember& member = plan_.members[record.member];
    results_->add(member, std::move(record.row), std::move(record.steps));
    SweepOutcome& outcome = report_.sweep.emplace_back(std::move(record.outcome));
    outcome.name = member.name;
    outcome.values = member.values;
    if (!record.errors.empty()) {
      for (const Error& error : record.errors) fail(member, error);
      return;
    }
    report_.cells = record.cells;
    report_.nodes = record.nodes;
    report_.unknowns = record.unknowns;
    report_.mesh_file = record.mesh_file;
    ++complete_;
    std::string numbers;
    if (const std::vector<double> found = SweepTable::frequencies_of(outcome.facts); !found.empty())
      numbers = fmt::format(", lowest frequency {:.6g} Hz", found.front());
    for (const auto& [name, values] : outcome.probes)
      numbers += fmt::format(", {} {:.6g}", name, fmt::join(values, " "));
    log_.end_progress();
    report_savings(member, record.fallbacks);
    log_.line("{} {}/{} ({}): {} iteration{}{}", member.name, record.member + 1, plan_.members.size(), member.text(),
              outcome.iterations, outcome.iterations == 1 ? "" : "s", numbers);
  }

  // Takes over what other ranks have handed over until now. Throws the error that ended another rank's part.
  void take_what_is_there() {
    while (std::optional<SweepHandOver> message = ranks_.next()) {
      for (SweepRecord& record : message->records) take(std::move(record));
      results_->add_lines(message->journal);
      counts_.add(message->counts);
      if (message->error) throw *message->error;
    }
  }
  // Waits for all that the others hand over.
  void take_all() {
    while (ranks_.has_others_at_work()) {
      throw_if_stop_requested();
      Ranks::pause();
      take_what_is_there();
      if (results_->is_due() || !ranks_.has_others_at_work()) commit();
    }
  }

  // Reports each kind once, for the first member that takes it: the members' own logs are quiet.
  void report_savings(const SweepMember& member, const std::vector<std::string>& fallbacks) {
    for (const std::string& step : fallbacks)
      if (steps_down_.insert(step.substr(0, step.find(" ("))).second)
        log_.notice(fmt::format("{} fell back: {}", member.name, step));
  }

  // Reports the failure once, with the member's name and values: the others continue.
  void fail(const SweepMember& member, const Error& error) {
    const auto known = std::ranges::find_if(failures_, [&](const Failure& f) {
      return std::string_view(f.error.what()) == error.what() && f.error.exit() == error.exit();
    });
    if (known != failures_.end()) return known->members.push_back(&member);
    failures_.push_back({error, {&member}});
    if (options_.check) return;  // told when all have been looked at
    log_.end_progress();
    log_.error(named(error, member));
  }

  static Error named(const Error& error, const SweepMember& member) {
    return Error(error.exit(), fmt::format("{} ({}): {}", member.name, member.text(), error.message()), error.why(),
                 error.fix());
  }

  // Reports the errors of several members. The report's exit code is that of the first error.
  void report_repeated() {
    for (Failure& f : failures_) std::ranges::sort(f.members);
    std::ranges::sort(failures_, {}, [](const Failure& f) { return f.members.front(); });
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

  static SweepOutcome outcome(const SweepMember& member, const RunReport& report) {
    SweepOutcome outcome;
    outcome.name = member.name;
    outcome.values = member.values;
    outcome.status = report.status;
    outcome.exit = report.exit;
    outcome.probes = report.probes;
    outcome.facts = report.facts;
    for (const auto* list : {&report.load_cases, &report.combinations, &report.steps})
      for (const LoadCaseOutcome& each : *list) {
        for (const auto& [name, values] : each.probes) outcome.probes.emplace_back(each.name + ":" + name, values);
        for (const auto& [name, fact] : each.facts) outcome.facts[each.name + ":" + name] = fact;
      }
    if (!report.solves.empty()) outcome.iterations = report.solves.back().iterations;
    outcome.outputs = report.outputs;
    return outcome;
  }

  void commit() {
    auto phase = this->phase("commit");
    if (ranks_.is_first()) return results_->commit();
    if (to_hand_over_.empty()) return;
    std::string lines = results_->take_place();
    ranks_.hand_over({.records = std::exchange(to_hand_over_, {}), .journal = std::move(lines)});
  }

  // True when members are committed.
  bool stop() {
    shared_.batch = batch_ = nullptr;
    ranks_.end_others();
    while (ranks_.has_others_at_work()) {
      try {
        take_what_is_there();
      } catch (const Error&) {  // the first error is the one to tell
      }
      Ranks::pause();
    }
    if (report_.sweep.empty() && to_hand_over_.empty()) return false;
    try {
      commit();
    } catch (const Error&) {  // the first error is the one to tell
      complete_ = 0;
    }
    results_->end();
    active_.clear();
    return complete_ + results_->kept_count() > 0;
  }

  void count(const StaticBatch& batch) {
    const SolverCache::Counts& solver = shared_.reuse.solver();
    counts_.add({.batches = std::int64_t(batch.solutions()),
                 .largest_batch = std::int64_t(batch.largest()),
                 .matrices = std::int64_t(shared_.reuse.matrices()),
                 .analyses = std::int64_t(solver.analyses),
                 .factorisations = std::int64_t(solver.factorisations),
                 .set_ups = std::int64_t(solver.set_ups),
                 .refreshes = std::int64_t(solver.refreshes),
                 .used_on = std::int64_t(solver.used_on)});
  }

  void summarise() {
    const std::size_t kept = results_->kept_count(), failed = plan_.members.size() - complete_ - kept;
    const double seconds = since(start_);
    log_.line("sweep: {} members complete, {} failed{} in {:.2f} s, {:.1f} a second", complete_, failed,
              kept == 0 ? "" : fmt::format(", {} were there", kept), seconds, double(complete_ + failed) / seconds);
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
    if (ranks_.are_several()) report_.facts["ranks"] = fmt::format("{}", ranks_.count());
    report_.outputs.push_back(results_->table_path());
    log_.line("table: {}", results_->table_path());
  }

  const AppInfo& info_;
  RunOptions options_;
  const std::function<void(Run&)>& app_;
  RunReport& report_;
  SweepRanks& ranks_;
  Log log_;
  std::string stem_, folder_path_;
  SweepPlan plan_;
  SharedModel shared_;
  StaticBatch* batch_ = nullptr;
  std::optional<SweepResults> results_;
  SweepCounts counts_;
  std::vector<SweepRecord> to_hand_over_;  // members whose files wait for their places
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

void run_sweep(const AppInfo& info, const RunOptions& options, const std::function<void(Run&)>& app, RunReport& report,
               Ranks* ranks) {
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
