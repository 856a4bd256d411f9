#include "apps/sweep.hpp"

#include "apps/run_summary.hpp"
#include "apps/shared_model.hpp"
#include "apps/static_batch.hpp"
#include "apps/sweep_table.hpp"
#include "apps/trace.hpp"
#include "device/memory_shortage.hpp"
#include "device/stop_request.hpp"
#include "io/atomic_file.hpp"
#include "io/checksum.hpp"
#include "io/commit_group.hpp"
#include "io/pvd_writer.hpp"

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

constexpr std::size_t files_in_a_group = 256;
constexpr double seconds_between_commits = 5;

bool ends_the_sweep(const Error& error) { return error.exit() == Exit::output || static_cast<int>(error.exit()) >= static_cast<int>(Exit::stopped); }

class Sweep {
 public:
  Sweep(const AppInfo& info, const RunOptions& options, const std::function<void(Run&)>& app, RunReport& report)
      : info_(info), options_(options), app_(app), report_(report), log_(options.quiet ? LogLevel::quiet : options.verbose ? LogLevel::verbose : LogLevel::normal) {
    if (options.log_json) log_.use_json();
    // The case without a member's values tells where results go, and what [sweep] says.
    Case input = Case::from_file(options.case_file, options.overrides);
    stem_ = fs::path(options.case_file).stem().string();
    plan_ = read_sweep(input, stem_);
    const std::string folder = input.table("output", "").text("folder", "", {.fallback = "results/" + stem_});
    folder_path_ = options.output.empty() ? folder : options.output;
    input.throw_if_any();
    shared_.device = Device::named(options.device, options.threads);
    limit(*shared_.device, options.memory);
    obey(options.memory);
    report_.device = shared_.device->description();
    log_.line("device: {}", report_.device);
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
      group_.emplace();
      for (const SweepMember& member : plan_.members) {
        throw_if_stop_requested();
        if (!is_kept(member)) start(member);
        if (group_->size() >= files_in_a_group || since(last_commit_) > seconds_between_commits) commit();
      }
      settle();
      commit();
    } catch (const Error& error) {  // what is finished is not lost
      const bool kept = stop();
      if (!kept || error.exit() == Exit::output || static_cast<int>(error.exit()) < static_cast<int>(Exit::stopped)) throw;
      throw Error(Exit::stopped, fmt::format("{}: {} of {} members are committed", error.message(), complete_ + kept_.size(), plan_.members.size()), {},
                  "the same command with --resume goes on with the others");
    } catch (...) {
      stop();
      throw;
    }
    shared_.batch = batch_ = nullptr;
    group_.reset();
    folder_->complete();
    summarise(batch);
  }

  // Members' errors decide how the process ends: the first one's code.
  void close() {
    collect_run(report_, *shared_.device, options_.memory, log_);
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

  static double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

  RunOptions options_of(const SweepMember& member) const {
    RunOptions options = options_;
    options.member = member.name;
    for (const std::string& text : member.overrides()) options.overrides.push_back(text);
    options.output = folder_path_;
    options.json = options.profile = "";
    options.quiet = options_.quiet || (!options_.verbose && !options_.estimate);  // the forecast is what --estimate is for
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
    const std::string mesh = input.table("mesh", "").path("file", "", {.fallback = ""});
    std::error_code status;
    if (!mesh.empty() && !mesh_checksums_.contains(mesh)) mesh_checksums_[mesh] = fs::is_regular_file(mesh, status) ? checksum_of_file(mesh).crc32 : 0;
    return fmt::format("{:08x}", crc32_of(info_.name + input.resolved(), mesh_checksums_[mesh]));
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
      } catch (const Error& error) {
        fail(member, error);
      }
    }
    if (report_.errors.empty()) log_.line("check: {} of {} members looked at, all complete and well posed; nothing was solved", options_.estimate ? 1 : plan_.members.size(), plan_.members.size());
  }

  void open_folder() {
    auto phase = this->phase("output");
    std::set<std::string> names;
    for (const SweepMember& member : plan_.members) names.insert(member.name);
    if (!options_.json.empty()) probe_folder(fs::absolute(options_.json).parent_path());
    folder_ = std::make_unique<ResultFolder>(folder_path_, ResultFolderOptions{.case_name = stem_, .program = info_.name, .overwrite = options_.overwrite,
                                                                              .add = options_.resume, .members = std::move(names),
                                                                              .notice = [this](const std::string& text) { log_.notice(text); }});
    shared_.folder = folder_.get();
    table_.emplace((fs::path(folder_path_) / (stem_ + "_sweep.csv")).string(), plan_.keys);
    if (options_.resume) take_up();
  }

  // Members whose row says complete, and whose files are in the journal.
  void take_up() {
    std::map<std::string, SweepTable::Row> rows = SweepTable::read(table_->path());
    const Journal journal = folder_->journal();
    if (!journal.damaged_lines.empty()) throw Error(Exit::checkpoint, fmt::format("'{}' is damaged in line {}", journal_path(folder_path_), fmt::join(journal.damaged_lines, ", ")), {}, "name another folder with --output");
    std::set<std::string> committed, again;
    for (const JournalEntry& entry : journal.entries) committed.insert(entry.case_name);
    for (const SweepMember& member : plan_.members) {
      const auto row = rows.find(member.name);
      const bool complete = row != rows.end() && row->second.status == "complete" && (!plan_.fields || committed.contains(member.name));
      if (complete && row->second.fingerprint != fingerprint(member))
        throw Error(Exit::checkpoint, fmt::format("'{}' was solved with another case, mesh or other values ({} now)", member.name, member.text()),
                    "what is resumed must be what was begun", "name another folder with --output, or add --overwrite instead of --resume");
      if (!complete) again.insert(member.name);
      else {
        table_->keep(member, row->second);
        kept_.insert(member.name);
        if (plan_.fields)
          for (const JournalEntry& entry : journal.entries)
            if (entry.case_name == member.name && !entry.files.empty()) steps_[member.name].push_back(entry.files.front().path);
      }
    }
    folder_->forget(again);
    log_.line("resume: {} members are there, {} are left", kept_.size(), again.size());
  }

  bool is_kept(const SweepMember& member) {
    if (!kept_.contains(member.name)) return false;
    outcome_of(member, RunReport{}).status = "kept";
    return true;
  }

  void start(const SweepMember& member) {
    Active& active = active_.emplace_back(Active{&member, fingerprint_or_none(member), Clock::now(), nullptr});
    try {
      active.run = std::make_unique<Run>(info_, options_of(member), &shared_);
      Run& run = *active.run;
      app_(run);
      if (std::ranges::any_of(active_, [&](const Active& each) { return each.run.get() == &run; }) && !batch_->waits(run)) done(run, nullptr);
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
    } catch (const std::bad_alloc&) {
      return finish_failed(*found, host_memory_error());
    }
    finish(*found);
  }

  void finish(Active& active) {
    auto phase = this->phase("output");
    RunReport report = std::move(active.run->report());
    report.complete();
    const SweepMember& member = *active.member;
    table_->add(member, report, active.fingerprint);
    steps_[member.name] = active.run->committed();
    report_.cells = report.cells;
    report_.nodes = report.nodes;
    report_.unknowns = report.unknowns;
    report_.mesh_file = report.mesh_file;
    outcome_of(member, report).seconds = since(active.start);
    ++complete_;
    std::string numbers;
    for (const auto& [name, values] : report.probes) numbers += fmt::format(", {} {:.6g}", name, fmt::join(values, " "));
    log_.end_progress();
    log_.line("{} {}/{} ({}): {} iterations{}", member.name, &member - plan_.members.data() + 1, plan_.members.size(), member.text(),
              report.solves.empty() ? 0 : report.solves.back().iterations, numbers);
    remove(active);
  }

  void finish_failed(Active& active, const Error& error) {
    RunReport report;
    if (active.run) report = std::move(active.run->report());
    report.fail(error);
    table_->add(*active.member, report, active.fingerprint);
    outcome_of(*active.member, report).seconds = since(active.start);
    fail(*active.member, error);
    remove(active);
  }

  // With the member's name and values: the others go on.
  void fail(const SweepMember& member, const Error& error) {
    const auto one = [&](const Error& each) {
      const Error named(each.exit(), fmt::format("{} ({}): {}", member.name, member.text(), each.message()), each.why(), each.fix());
      log_.end_progress();
      log_.error(named);
      report_.fail(named);
      if (report_.errors.size() == 1) first_ = named.exit();
      report_.exit = first_;
    };
    if (const auto* several = dynamic_cast<const Errors*>(&error))
      for (const Error& each : several->list()) one(each);
    else one(error);
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
    folder_->make_room();
    table_->write(plan_.members);
    if (plan_.fields) write_index();
    group_->commit();
    last_commit_ = Clock::now();
  }

  // All members in one index, where each has one step on files of its own.
  void write_index() const {
    std::vector<PvdEntry> entries;
    for (std::size_t m = 0; m < plan_.members.size(); ++m) {
      const auto found = steps_.find(plan_.members[m].name);
      if (found == steps_.end()) continue;
      if (found->second.size() != 1 || !found->second.front().ends_with(".vtu")) return;
      entries.push_back({double(m), 0, found->second.front()});
    }
    if (!entries.empty()) write_file((fs::path(folder_path_) / (stem_ + "_sweep.pvd")).string(), pvd_text(entries));
  }

  // True when members are committed.
  bool stop() {
    shared_.batch = batch_ = nullptr;
    if (!group_ || report_.sweep.empty()) return false;
    try {
      commit();
    } catch (const Error&) {  // the first error is the one to tell
      complete_ = 0;
    }
    group_.reset();
    active_.clear();
    return complete_ + kept_.size() > 0;
  }

  void summarise(const StaticBatch& batch) {
    const std::size_t failed = plan_.members.size() - complete_ - kept_.size();
    const double seconds = since(start_);
    log_.line("sweep: {} members complete, {} failed{} in {:.2f} s, {:.1f} a second", complete_, failed,
              kept_.empty() ? "" : fmt::format(", {} were there", kept_.size()), seconds, double(complete_ + failed) / seconds);
    const PreparedSolver::Counts& counts = shared_.reuse.solver();
    if (batch.solutions() > 0)
      log_.line("solved in {} batches of up to {}; matrices assembled {}, analyses {}, factorised again {}, hierarchies set up {}, refreshed {}, used for other values {} times", batch.solutions(), batch.largest(),
                shared_.reuse.matrices(), counts.analyses, counts.factorisations, counts.set_ups, counts.refreshes, counts.used_on);
    report_.facts["sweep_batches"] = fmt::format("{}", batch.solutions());
    report_.facts["sweep_largest_batch"] = fmt::format("{}", batch.largest());
    report_.facts["sweep_matrices"] = fmt::format("{}", shared_.reuse.matrices());
    report_.facts["sweep_refreshes"] = fmt::format("{}", counts.refreshes);
    report_.facts["sweep_analyses"] = fmt::format("{}", counts.analyses);
    report_.outputs.push_back(table_->path());
    log_.line("table: {}", table_->path());
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
  std::unique_ptr<ResultFolder> folder_;
  std::optional<SweepTable> table_;
  std::optional<CommitGroup> group_;
  std::vector<Active> active_;
  std::set<std::string> kept_;
  std::map<std::string, std::vector<std::string>> steps_;  // [member] files of its steps, relative to the folder
  std::map<std::string, std::uint32_t> mesh_checksums_;
  Clock::time_point start_ = Clock::now(), last_commit_ = start_;
  std::size_t complete_ = 0;
  Exit first_ = Exit::ok;
};

}  // namespace

bool has_sweep(const RunOptions& options) {
  if (options.describe) return false;
  try {
    return Case::from_file(options.case_file, options.overrides).root().has("sweep");
  } catch (const Error&) {
    return false;
  }
}

void run_sweep(const AppInfo& info, const RunOptions& options, const std::function<void(Run&)>& app, RunReport& report) {
  Sweep sweep(info, options, app, report);
  std::exception_ptr error;
  try {
    sweep.run();
  } catch (...) {
    error = std::current_exception();
  }
  sweep.close();
  if (!options.profile.empty()) write_trace(options.profile, sweep.device().profile(), report.phases.front().seconds);
  if (error) std::rethrow_exception(error);
}

}  // namespace ritz
