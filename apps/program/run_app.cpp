#include "apps/program/run_app.hpp"

#include "apps/program/schema.hpp"
#include "apps/results/path_figure.hpp"
#include "apps/show/units.hpp"
#include "apps/run/command_line.hpp"
#include "apps/run/named_outputs.hpp"
#include "apps/run/short_of_address_space.hpp"
#include "apps/run/short_spinning.hpp"
#include "apps/run/trace.hpp"
#include "apps/show/field_component.hpp"
#include "apps/show/page.hpp"
#include "apps/show/picture.hpp"
#include "apps/sweep/sweep.hpp"
#include "device/memory_shortage.hpp"
#include "device/process/process_start.hpp"
#include "device/ranks/launcher.hpp"
#include "device/ranks/planned_ranks.hpp"
#include "device/process/stop_request.hpp"
#include "io/files/atomic_file.hpp"
#include "solvers/algebra/solver_progress.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>

namespace ritz {
namespace {

// Out of memory of the host, told with the table of what arrays took. nullopt: another error, or one that has its
// table.
std::optional<Error> with_table(const Error& error, const Run& run) {
  const MemoryStatistics memory = run.device().memory().statistics();
  if (error.exit() != Exit::resources || !error.why().empty() || memory.peak == 0) return std::nullopt;
  return Error(
      error.kind(), error.message(),
      fmt::format("arrays on {} at their peak: {}", run.device().info().name, MemoryPool::table(memory.at_peak_by_tag)),
      error.fix());
}

int print_schema(const AppInfo& info, const std::function<void(Run&)>& app) {
  try {
    const std::string text = schema_of_app(info, app);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw Error(ErrorKind::cannot_write, "standard output could not be written");
    return static_cast<int>(Exit::ok);
  } catch (const Error& error) {
    Log(LogLevel::quiet).error(error);
    return static_cast<int>(error.exit());
  }
}

// std::thread has a code for it. TBB, of VTK, has only the system's sentence, in the language in which the same process
// speaks it here.
bool is_short_of_threads(const std::exception& error) {
  if (const auto* const system = dynamic_cast<const std::system_error*>(&error))
    return system->code() == std::errc::resource_unavailable_try_again;
  return std::string_view(error.what()).find(std::strerror(EAGAIN)) != std::string_view::npos;
}

[[noreturn]] void end_by_signal(int signal) {
  std::fflush(nullptr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::_Exit(128 + signal);
}

// One call of a program, from its options to its report.
class AppCall {
 public:
  AppCall(const AppInfo& info, RunOptions options, const std::function<void(Run&)>& app)
      : info_(info), options_(std::move(options)), app_(app) {
    report_.program = info.name;
    report_.case_file = options_.case_file;
    if (options_.log_json) early_.use_json();
  }

  Exit complete() {
    if (launched().rank > 0)
      options_.json = options_.profile = options_.picture = options_.page = "";  // files of the first rank
    end_long_work_by([this] { return stop_long_work(); });
    solve_or_fail();
    keep_what_was_read();
    show_results();
    write_report_and_trace();
    run_.reset();  // the lock is gone
    if (ranks_) end_as_the_first();
    return report_.exit;
  }

 private:
  Log& log() { return run_ ? run_->log() : early_; }

  void attempt() {
    run_.emplace(info_, options_);
    const SolverListener listening([this](const std::string& text) { run_->log().progress(text); },
                                   [this](const std::string& text) { run_->log().line("{}", text); });
    app_(*run_);
    run_->finish();
    report_ = std::move(run_->report());
    report_.complete();
  }

  // One case: every rank runs the same program, and the first one writes and tells for all. Where nothing is solved, it
  // is the only one that runs.
  void attempt_case() {
    if (info_.divides) ranks_ = start_ranks();
    else require_one_rank();
    options_.ranks = ranks_.get();
    options_.follows = ranks_ && ranks_->rank() > 0;
    options_.quiet = options_.quiet || options_.follows;
    if (ranks_) divide_hosts(*ranks_);  // and may learn of a rank that has failed already
    if (options_.follows && options_.looks_only()) return;
    if (options_.planned_ranks > 0) plan_ranks();
    attempt();
  }

  // A forecast for another number of ranks than those of this job.
  void plan_ranks() {
    if (!info_.divides)
      throw Error(ErrorKind::command_line, "--ranks was given, and this program does not divide a case among ranks", {},
                  "omit it");
    planned_.emplace(options_.planned_ranks);
    options_.ranks = options_.planned_ranks > 1 ? &*planned_ : nullptr;
  }

  // Its members are divided among the ranks of the job. The first one tells and reports for all.
  void attempt_sweep() {
    ranks_ = start_ranks();
    if (ranks_) divide_hosts(*ranks_);
    if (ranks_ && ranks_->rank() > 0) options_.quiet = true;
    run_sweep(info_, options_, app_, report_, ranks_.get());
  }

  // All ranks have the exit code of the first one. A rank that cannot reach it keeps its own.
  void end_as_the_first() {
    if (is_cut_off_) return;
    try {
      if (report_.exit == Exit::ok) report_late_failures();
      if (ranks_->rank() == 0) end_ = ranks_->of_first(fmt::format("{}{}", end_prefix, int(report_.exit)));
      // Failures of others are known, or no longer of interest.
      using Clock = std::chrono::steady_clock;
      const Clock::time_point patience = Clock::now() + std::chrono::seconds(30);
      while (!end_.starts_with(end_prefix))
        if (std::optional<std::string> text = ranks_->receive(0)) end_ = *std::move(text);
        else if (own_failure_ && Clock::now() > patience) leave_alone();
        else Ranks::pause();
      const auto end = static_cast<Exit>(std::stoi(end_.substr(end_prefix.size())));
      if (end == Exit::ok && own_failure_) report_of_this_rank(*own_failure_);  // the first one had no more need of it
      else report_.exit = end;
      ranks_.reset();
    } catch (const Error& lost) {
      if (report_.exit == Exit::ok) say(lost);
    }
  }
  // The first rank does not look for failures: it may wait for this one in a library. The launcher ends it.
  [[noreturn]] void leave_alone() {
    report_of_this_rank(*own_failure_);
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(report_.exit));
  }
  void report_of_this_rank(const Error& error) {
    log().error(Error(error.kind(), message_of_rank(options_.ranks->rank(), error.exit(), error.message()), error.why(),
                      error.fix()));
  }
  // A failure in a destructor, which told nobody.
  void report_late_failures() {
    try {
      ranks_->look_for_failures();
    } catch (const Error& lost) { say(lost); }
  }

  // A device that lacks the memory gives way to the CPU, in one process.
  void attempt_on_some_device() {
    const bool is_sweep = has_sweep(options_);
    try {
      if (is_sweep && options_.shows())
        throw Error(ErrorKind::command_line, "--picture or --report was given for a sweep", "they show one run",
                    "run the member that matters alone, with --set for its values");
      if (is_sweep && options_.planned_ranks > 0)
        throw Error(ErrorKind::command_line, "--ranks was given for a sweep",
                    "its members are divided among ranks, each a case of one",
                    "omit it, or forecast one member: --set for its values");
      if (is_sweep) attempt_sweep();
      else attempt_case();
    } catch (const Error& error) {
      const bool is_short = run_ && error.exit() == Exit::resources && options_.ranks == nullptr;
      if (!is_short || !run_->results().may_go_to_the_cpu()) throw;
      const std::string step =
          fmt::format("memory: on the CPU instead of {} ({}); cost: the device's speed, and the mesh is read again",
                      run_->device().info().name, error.message());
      run_.reset();
      options_.device = "cpu";
      options_.memory.device = 0;
      options_.notices.push_back(step);
      attempt();
    }
  }

  void solve_or_fail() {
    try {
      attempt_on_some_device();
    } catch (const CheckedOnly&) {
      run_->collect();
      report_ = std::move(run_->report());
      report_.complete();
    } catch (const Error& error) {
      try {
        const std::optional<Error> stop = run_ ? run_->results().stopped(error) : std::nullopt;
        fail(stop ? *stop : error);
      } catch (const Error& lost) {  // the checkpoint could not be written
        fail(lost);
      }
    } catch (const std::bad_alloc&) {
      if (run_) run_->device().memory().trim();
      fail(host_memory_error());
    } catch (const std::exception& error) {
      if (is_short_of_threads(error))
        fail(Error(ErrorKind::host_memory, fmt::format("out of host memory for a thread: {}", error.what()),
                   "a library could not start one",
                   "raise the limits on memory and processes (ulimit -v, -u), or use fewer --threads"));
      else
        fail(Error(ErrorKind::internal, error.what(), "this is a bug in Ritz", "please report it with the case file"));
    }
  }

  void fail(const Error& error) {
    if (run_) {
      try {
        run_->results().settle();  // what was computed before is written
      } catch (const Error& lost) {
        if (lost.message() != error.message()) run_->log().error(lost);
      } catch (const std::exception&) {  // out of memory
      }
      run_->collect();
      report_ = std::move(run_->report());
    }
    const std::optional<Error> table = run_ ? with_table(error, *run_) : std::nullopt;
    say(table ? *table : error);
  }
  // Ranks that solve together end with the first failure of any, which the first rank tells where it can be reached.
  void say(const Error& error) {
    const bool is_told = dynamic_cast<const LostRank*>(&error) != nullptr;  // by the rank that failed
    const bool sends = options_.ranks != nullptr && !is_told && std::this_thread::get_id() == thread_;
    is_cut_off_ = is_cut_off_ || (sends && !options_.ranks->fail(error));
    if (!options_.follows) log().error(error);
    else if (is_cut_off_) report_of_this_rank(error);
    if (options_.follows && sends && error.exit() < Exit::stopped) own_failure_ = error;
    report_.fail(error);
  }

  // In another thread, while this one is in work that cannot be stopped. Returns the exit code.
  int stop_long_work() {
    try {
      throw_if_stop_requested();
    } catch (const Error& stop) {
      try {
        const std::optional<Error> kept = run_ ? run_->results().stopped(stop) : std::nullopt;
        if (run_) report_ = run_->report();
        say(kept ? *kept : stop);
        if (!options_.json.empty()) write_report(options_.json, report_);
      } catch (const Error& lost) { say(lost); }
    }
    return static_cast<int>(report_.exit);
  }

  // A run that failed before it looked at its options must not write over its own case.
  void keep_what_was_read() {
    const std::vector<std::string> read = run_ ? run_->input().files() : files_named_in(options_);
    for (const std::string& file : leave_out_inputs(options_, read, report_.mesh_file))
      log().notice(fmt::format("'{}' is not written: the run reads it", file));
  }

  // The picture of a run that is complete, and the page of any.
  void show_results() {
    const Shown* const shown = run_ ? run_->results().shown() : nullptr;
    const bool has_steps = shown != nullptr && !shown->steps().empty();
    try {
      if (!options_.picture.empty() && report_.exit == Exit::ok) write_picture(has_steps ? shown : nullptr);
    } catch (const Error& error) { say(error); }
    if (options_.page.empty()) return;
    try {
      write_named_file(options_.page, html_of({.report = to_json(report_),
                                               .resolved = run_ ? run_->input().resolved() : "",
                                               .shown = shown,
                                               .look = has_steps ? look_at(shown->steps().back()) : options_.look,
                                               .figures = figures()}));
      log().line("report: {}", options_.page);
    } catch (const Error& error) { say(error); }
  }

  bool is_over_time() {
    return run_ && std::ranges::any_of(tables_of(run_->input().resolved()), [](const auto& table) {
             return table.first == "time" || table.first.starts_with("step");
           });
  }

  std::vector<Curve> probe_curves() {
    std::vector<Curve> curves;
    if (!run_) return curves;
    for (const ProbeHistory::Series& each : run_->results().probe_history().series()) {
      const auto unit = report_.probe_units.find(each.probe);
      curves.push_back({each.name, each.times, each.values, unit == report_.probe_units.end() ? "" : unit->second});
    }
    return curves;
  }

  std::vector<PageFigure> figures() {
    std::vector<PageFigure> all = {{"", is_over_time() ? "time [s]" : "part of the loads", probe_curves()}};
    if (!run_) return all;
    for (const PathResult& path : run_->results().paths())
      std::ranges::move(figures_of(path, units_of(report_)), std::back_inserter(all));
    return all;
  }

  // A mode is shown as the motion that it is, and a large displacement in its size.
  Look look_at(const ShownStep& step) {
    Look look = options_.look;
    if (!look.factor && run_->results().expects_large_strains()) look.factor = 1;
    if (!look.warp.empty()) return look;
    const std::string field = shade_of(step, look).field;
    const auto shown = std::ranges::find(step.fields, field, [](const ShownField& each) { return each.field.name; });
    if (field.starts_with("mode_") && !shown->in_cells && is_vector(shown->field)) look.warp = field;
    return look;
  }

  std::string unit_of_picture(const ShownStep& step) const {
    const std::string unit = units_of(report_).of_field(shade_of(step, options_.look).field);
    return unit.empty() ? "" : unit.substr(1);
  }

  void write_picture(const Shown* shown) {
    if (shown == nullptr)
      throw Error(ErrorKind::cannot_write, fmt::format("cannot write '{}': there is nothing to draw", options_.picture),
                  "this run computed no step; its results were there already", "start anew with --overwrite");
    const ShownStep& last = shown->steps().back();
    const std::string name = std::filesystem::path(options_.case_file).stem().string(),
                      label = last.name.empty() ? name : fmt::format("{}   '{}'", name, last.name);
    write_named_file(options_.picture, png_of(*shown, last, look_at(last), label, unit_of_picture(last)));
    log().line("picture: {}", options_.picture);
  }

  void write_report_and_trace() {
    if (!options_.json.empty()) {
      try {
        write_report(options_.json, report_);
      } catch (const Error& error) { say(error); }
    }
    if (!run_ || options_.profile.empty()) return;
    try {
      write_trace(options_.profile, run_->device().profile(),
                  report_.phases.empty() ? 0 : report_.phases.front().seconds);
    } catch (const Error& error) {
      run_->log().error(error);
      if (report_.exit == Exit::ok) report_.fail(error);
    }
  }

  static constexpr std::string_view end_prefix = "exit ";  // of the first rank's last text, to all

  const AppInfo& info_;
  RunOptions options_;
  const std::function<void(Run&)>& app_;
  RunReport report_;
  std::optional<Run> run_;
  std::unique_ptr<Ranks> ranks_;  // that a launcher started, several
  std::optional<PlannedRanks> planned_;
  std::string end_;                                            // the last text of the first rank, to another
  bool is_cut_off_ = false;                                    // the first rank cannot be told that this one failed
  std::optional<Error> own_failure_;                           // of a rank that is not the first, but for stops
  const std::thread::id thread_ = std::this_thread::get_id();  // that sends and receives
  Log early_{LogLevel::quiet};
};

}  // namespace

int run_app(int argc, char** argv, const AppInfo& info, const std::function<void(Run&)>& app) {
  keep_standard_streams_open();
  spare_addresses_where_they_are_limited();
  use_short_spinning(argv);
  process_age();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit of ulimit is an error like a full disk
  listen_for_stop_signals();
  RunOptions options;
  if (const std::optional<int> exit = parse_command_line(argc, argv, info, options)) return *exit;
  if (options.schema) return print_schema(info, app);
  set_time_limit(options.time_limit);
  end_in_order_without_memory();
  AppCall call(info, std::move(options), app);
  const Exit exit = call.complete();
  // The shell must see that a signal ended us, or its script would go on.
  if (const int signal = stop_signal(); signal != 0 && exit == exit_of_signal(signal)) end_by_signal(signal);
  return static_cast<int>(exit);
}

}  // namespace ritz
