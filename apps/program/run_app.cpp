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

int print_schema(const AppInfo& info, FunctionRef<void(Run&)> app) {
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

// The run to show: its options, its report, and the run itself if it came to be.
struct RunToShow {
  const RunOptions& options;
  const RunReport& report;
  Run* run;  // null: there is none
};

bool is_over_time(Run* run) {
  return run != nullptr && std::ranges::any_of(tables_of(run->input().resolved()), [](const auto& table) {
           return table.first == "time" || table.first.starts_with("step");
         });
}

std::vector<Curve> probe_curves(const RunToShow& s) {
  std::vector<Curve> curves;
  if (s.run == nullptr) return curves;
  for (const ProbeHistory::Series& each : s.run->results().probe_history().series()) {
    const auto unit = s.report.probe_units.find(each.probe);
    curves.push_back({each.name, each.times, each.values, unit == s.report.probe_units.end() ? "" : unit->second});
  }
  return curves;
}

std::vector<PageFigure> figures(const RunToShow& s) {
  std::vector<PageFigure> all = {{"", is_over_time(s.run) ? "time [s]" : "part of the loads", probe_curves(s)}};
  if (s.run == nullptr) return all;
  for (const PathResult& path : s.run->results().paths())
    std::ranges::move(figures_of(path, units_of(s.report)), std::back_inserter(all));
  return all;
}

// A mode is shown as the motion that it is. A body with large displacements is shown where it has moved to.
Look look_at(const RunToShow& s, const ShownStep& step) {
  Look look = s.options.look;
  const bool large = s.run->results().expects_large_strains();
  if (!look.factor && large) look.factor = 1;
  if (!look.warp.empty()) return look;
  const std::string field = shade_of(step, look).field;
  const bool mode = field.starts_with("mode_");
  if (!mode && !large) return look;
  const std::string motion = mode ? field : "displacement";
  const auto shown = std::ranges::find(step.fields, motion, [](const ShownField& each) { return each.field.name; });
  if (shown != step.fields.end() && !shown->in_cells && is_vector(shown->field)) look.warp = motion;
  return look;
}

std::string unit_of_picture(const RunToShow& s, const ShownStep& step) {
  const std::string unit = units_of(s.report).of_field(shade_of(step, s.options.look).field);
  return unit.empty() ? "" : unit.substr(1);
}

// shown: null where there is no step.
void write_picture(const RunToShow& s, const Shown* shown) {
  if (shown == nullptr)
    throw Error(ErrorKind::cannot_write, fmt::format("cannot write '{}': there is nothing to draw", s.options.picture),
                "this run computed no step; its results were there already", "start again with --overwrite");
  const ShownStep& last = shown->steps().back();
  const std::string name = std::filesystem::path(s.options.case_file).stem().string(),
                    label = last.name.empty() ? name : fmt::format("{}   '{}'", name, last.name);
  write_named_file(s.options.picture, png_of(*shown, last, look_at(s, last), label, unit_of_picture(s, last)));
}

void write_page(const RunToShow& s, const Shown* shown) {
  const bool has_steps = shown != nullptr && !shown->steps().empty();
  write_named_file(s.options.page, html_of({.report = to_json(s.report),
                                            .resolved = s.run != nullptr ? s.run->input().resolved() : "",
                                            .shown = shown,
                                            .look = has_steps ? look_at(s, shown->steps().back()) : s.options.look,
                                            .figures = figures(s)}));
}

// The work of one call of a program: a case, perhaps as one rank of several, or a sweep.
struct CallWork {
  const AppInfo& info;
  RunOptions options;
  FunctionRef<void(Run&)> app;
  RunReport report = {};
  std::optional<Run> run = {};
  std::unique_ptr<Ranks> ranks = {};  // that a launcher started, several
  std::optional<PlannedRanks> planned = {};

  CallWork(const AppInfo& of, RunOptions with, FunctionRef<void(Run&)> what)
      : info(of), options(std::move(with)), app(what) {
    report.program = info.name;
    report.case_file = options.case_file;
  }

  // A device that lacks the memory gives way to the CPU, in one process.
  void do_on_some_device() {
    const bool is_sweep = has_sweep(options);
    try {
      if (is_sweep && options.shows())
        throw Error(ErrorKind::command_line, "--picture or --report was given for a sweep", "they show one run",
                    "run the member that matters alone, with --set for its values");
      if (is_sweep && options.planned_ranks > 0)
        throw Error(ErrorKind::command_line, "--ranks was given for a sweep",
                    "its members are divided among ranks, each a case of one",
                    "omit it, or forecast one member: --set for its values");
      if (is_sweep) attempt_sweep();
      else attempt_case();
    } catch (const Error& error) {
      const bool is_short = run && error.exit() == Exit::resources && options.ranks == nullptr;
      if (!is_short || !run->results().may_go_to_the_cpu()) throw;
      const std::string step =
          fmt::format("memory: on the CPU instead of {} ({}); cost: the device's speed, and the mesh is read again",
                      run->device().info().name, error.message());
      run.reset();
      options.device = "cpu";
      options.memory.device = 0;
      options.notices.push_back(step);
      attempt();
    }
  }

 private:
  void attempt() {
    run.emplace(info, options);
    const SolverListener listening([this](const std::string& text) { run->log().progress(text); },
                                   [this](const std::string& text) { run->log().line("{}", text); });
    app(*run);
    run->finish();
    report = std::move(run->report());
    report.complete();
  }

  // One case: every rank runs the same program, and the first one writes and tells for all. Where nothing is solved, it
  // is the only one that runs.
  void attempt_case() {
    if (info.divides) ranks = start_ranks();
    else require_one_rank();
    options.ranks = ranks.get();
    options.follows = ranks && ranks->rank() > 0;
    options.quiet = options.quiet || options.follows;
    if (ranks) divide_hosts(*ranks);  // and may learn of a rank that has failed already
    if (options.follows && options.looks_only()) return;
    if (options.planned_ranks > 0) plan_ranks();
    attempt();
  }

  // A forecast for another number of ranks than those of this job.
  void plan_ranks() {
    if (!info.divides)
      throw Error(ErrorKind::command_line, "--ranks was given, and this program does not divide a case among ranks", {},
                  "omit it");
    planned.emplace(options.planned_ranks);
    options.ranks = options.planned_ranks > 1 ? &*planned : nullptr;
  }

  // Its members are divided among the ranks of the job. The first one tells and reports for all.
  void attempt_sweep() {
    ranks = start_ranks();
    if (ranks) divide_hosts(*ranks);
    if (ranks && ranks->rank() > 0) options.quiet = true;
    run_sweep(info, options, app, report, ranks.get());
  }
};

Error error_of_library(const std::exception& error) {
  if (is_short_of_threads(error))
    return Error(ErrorKind::host_memory, fmt::format("out of host memory for a thread: {}", error.what()),
                 "a library could not start one",
                 "raise the limits on memory and processes (ulimit -v, -u), or use fewer --threads");
  return Error(ErrorKind::internal, error.what(), "this is a bug in Ritz", "please report it with the case file");
}

// A run that failed before it looked at its options must not write over its own case.
void leave_out_what_was_read(CallWork& work, Log& log) {
  const std::vector<std::string> read = work.run ? work.run->input().files() : files_named_in(work.options);
  for (const std::string& file : leave_out_inputs(work.options, read, work.report.mesh_file))
    log.notice(fmt::format("'{}' is not written: the run reads it", file));
}

void write_trace_of(Run& run, const RunOptions& options, RunReport& report) {
  if (options.profile.empty()) return;
  try {
    write_trace(options.profile, run.device().profile(), report.phases.empty() ? 0 : report.phases.front().seconds);
  } catch (const Error& error) {
    run.log().error(error);
    if (report.exit == Exit::ok) report.fail(error);
  }
}

// How ranks end together: by the exit code of the first one, which is the last text that it sends.
class EndOfRanks {
 public:
  // An error of this rank; follows: it is not the first one.
  void tell(const Error& error, Ranks& ranks, bool follows) {
    const bool is_told = dynamic_cast<const LostRank*>(&error) != nullptr;  // by the rank that failed
    if (is_told || std::this_thread::get_id() != thread_) return;
    is_cut_off_ = is_cut_off_ || !ranks.fail(error);
    if (follows && error.exit() < Exit::stopped) own_failure_ = error;
  }
  // leave_alone: called after half a minute without a text, where this rank has failed.
  template <class Leave>
  Exit exit_of_first(Ranks& ranks, Exit own, const Leave& leave_alone) const {
    constexpr std::string_view prefix = "exit ";
    std::string end;
    if (ranks.rank() == 0) end = ranks.of_first(fmt::format("{}{}", prefix, int(own)));
    // Failures of others are known, or no longer of interest.
    using Clock = std::chrono::steady_clock;
    const Clock::time_point patience = Clock::now() + std::chrono::seconds(30);
    while (!end.starts_with(prefix))
      if (std::optional<std::string> text = ranks.receive(0)) end = *std::move(text);
      else if (own_failure_ && Clock::now() > patience) leave_alone();
      else Ranks::pause();
    return static_cast<Exit>(std::stoi(end.substr(prefix.size())));
  }
  bool is_cut_off() const { return is_cut_off_; }                           // the first rank cannot be told
  const std::optional<Error>& own_failure() const { return own_failure_; }  // but for stops

 private:
  bool is_cut_off_ = false;
  std::optional<Error> own_failure_;
  const std::thread::id thread_ = std::this_thread::get_id();  // that sends and receives
};

// One call of a program, from its options to its report.
class AppCall {
 public:
  AppCall(const AppInfo& info, RunOptions options, FunctionRef<void(Run&)> app) : work_(info, std::move(options), app) {
    if (work_.options.log_json) early_.use_json();
  }

  Exit complete() {
    if (launched().rank > 0)
      for (std::string* const file :
           {&work_.options.json, &work_.options.profile, &work_.options.picture, &work_.options.page})
        file->clear();  // the first rank writes them
    end_long_work_by([this] { return stop_long_work(); });
    solve_or_fail();
    leave_out_what_was_read(work_, log());
    show_results();
    write_report_and_trace();
    work_.run.reset();  // the lock is gone
    if (work_.ranks) end_as_the_first();
    return work_.report.exit;
  }

 private:
  Log& log() { return work_.run ? work_.run->log() : early_; }

  // All ranks have the exit code of the first one. A rank that cannot reach it keeps its own.
  void end_as_the_first() {
    if (ending_.is_cut_off()) return;
    try {
      if (work_.report.exit == Exit::ok) report_late_failures();
      const Exit end = ending_.exit_of_first(*work_.ranks, work_.report.exit, [&] { leave_alone(); });
      // The first one had no more need of this one.
      if (end == Exit::ok && ending_.own_failure()) report_of_this_rank(*ending_.own_failure());
      else work_.report.exit = end;
      work_.ranks.reset();
    } catch (const Error& lost) {
      if (work_.report.exit == Exit::ok) say(lost);
    }
  }
  // The first rank does not look for failures: it may wait for this one in a library. The launcher ends it.
  [[noreturn]] void leave_alone() {
    report_of_this_rank(*ending_.own_failure());
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(work_.report.exit));
  }
  void report_of_this_rank(const Error& error) {
    log().error(Error(error.kind(), message_of_rank(work_.options.ranks->rank(), error.exit(), error.message()),
                      error.why(), error.fix()));
  }
  // A failure in a destructor, which told nobody.
  void report_late_failures() {
    try {
      work_.ranks->look_for_failures();
    } catch (const Error& lost) { say(lost); }
  }

  void solve_or_fail() {
    try {
      work_.do_on_some_device();
    } catch (const CheckedOnly&) {
      work_.run->collect();
      work_.report = std::move(work_.run->report());
      work_.report.complete();
    } catch (const Error& error) {
      try {
        const std::optional<Error> stop = work_.run ? work_.run->results().stopped(error) : std::nullopt;
        fail(stop ? *stop : error);
      } catch (const Error& lost) {  // the checkpoint could not be written
        fail(lost);
      }
    } catch (const std::bad_alloc&) {
      if (work_.run) work_.run->device().memory().trim();
      fail(host_memory_error());
    } catch (const std::exception& error) { fail(error_of_library(error)); }
  }

  void fail(const Error& error) {
    if (work_.run) {
      try {
        work_.run->results().settle();  // what was computed before is written
      } catch (const Error& lost) {
        if (lost.message() != error.message()) work_.run->log().error(lost);
      } catch (const std::exception&) {  // out of memory
      }
      work_.run->collect();
      work_.report = std::move(work_.run->report());
    }
    const std::optional<Error> table = work_.run ? with_table(error, *work_.run) : std::nullopt;
    say(table ? *table : error);
  }
  // Ranks that solve together end with the first failure of any, which the first rank reports where it can be reached.
  void say(const Error& error) {
    if (work_.options.ranks != nullptr) ending_.tell(error, *work_.options.ranks, work_.options.follows);
    if (!work_.options.follows) log().error(error);
    else if (ending_.is_cut_off()) report_of_this_rank(error);
    work_.report.fail(error);
  }

  // In another thread, while this one is in work that cannot be stopped. Returns the exit code.
  int stop_long_work() {
    try {
      throw_if_stop_requested();
    } catch (const Error& stop) {
      try {
        const std::optional<Error> kept = work_.run ? work_.run->results().stopped(stop) : std::nullopt;
        if (work_.run) work_.report = work_.run->report();
        say(kept ? *kept : stop);
        if (!work_.options.json.empty()) write_report(work_.options.json, work_.report);
      } catch (const Error& lost) { say(lost); }
    }
    return static_cast<int>(work_.report.exit);
  }

  // The picture of a run that is complete, and the page of any.
  void show_results() {
    const RunToShow to_show{work_.options, work_.report, work_.run ? &*work_.run : nullptr};
    const Shown* const shown = work_.run ? work_.run->results().shown() : nullptr;
    const bool has_steps = shown != nullptr && !shown->steps().empty();
    say_if_failed([&] {
      if (work_.options.picture.empty() || work_.report.exit != Exit::ok) return;
      write_picture(to_show, has_steps ? shown : nullptr);
      log().line("picture: {}", work_.options.picture);
    });
    say_if_failed([&] {
      if (work_.options.page.empty()) return;
      write_page(to_show, shown);
      log().line("report: {}", work_.options.page);
    });
  }
  template <class Work>
  void say_if_failed(const Work& work) {
    try {
      work();
    } catch (const Error& error) { say(error); }
  }

  void write_report_and_trace() {
    say_if_failed([&] {
      if (!work_.options.json.empty()) write_report(work_.options.json, work_.report);
    });
    if (work_.run) write_trace_of(*work_.run, work_.options, work_.report);
  }

  CallWork work_;
  EndOfRanks ending_;
  Log early_{LogLevel::quiet};
};

}  // namespace

int run_app(int argc, char** argv, const AppInfo& info, FunctionRef<void(Run&)> app) {
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
