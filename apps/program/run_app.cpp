#include "apps/program/run_app.hpp"

#include "apps/program/schema.hpp"
#include "apps/run/command_line.hpp"
#include "apps/run/short_of_address_space.hpp"
#include "apps/run/short_spinning.hpp"
#include "apps/run/trace.hpp"
#include "apps/sweep/sweep.hpp"
#include "device/memory_shortage.hpp"
#include "device/process_start.hpp"
#include "device/stop_request.hpp"
#include "solvers/algebra/solver_progress.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace ritz {
namespace {

// A closed standard stream would give its number to the first file we open, and the log would go into the results.
void keep_standard_streams_open() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", O_RDWR);  // takes the lowest number that is free
}

// Out of memory of the host, told with the table of what arrays took. nullopt: another error, or one that has its
// table.
std::optional<Error> with_table(const Error& error, const Run& run) {
  const MemoryStatistics memory = run.device().memory().statistics();
  if (error.exit() != Exit::resources || !error.why().empty() || memory.peak == 0) return std::nullopt;
  return Error(
      error.exit(), error.message(),
      fmt::format("arrays on {} at their peak: {}", run.device().info().name, MemoryPool::table(memory.at_peak_by_tag)),
      error.fix());
}

int print_schema(const AppInfo& info, const std::function<void(Run&)>& app) {
  try {
    const std::string text = schema_of_app(info, app);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw Error(Exit::output, "standard output could not be written");
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
  RunReport report;
  report.program = info.name;
  report.case_file = options.case_file;
  std::optional<Run> run;
  Log early(LogLevel::quiet);
  if (options.log_json) early.use_json();
  const auto fail = [&](const Error& error) {
    if (run) {
      try {
        run->results().settle();  // what was computed before is written
      } catch (const Error& lost) {
        if (lost.message() != error.message()) run->log().error(lost);
      } catch (const std::exception&) {  // out of memory
      }
      run->collect();
      report = std::move(run->report());
    }
    const std::optional<Error> table = run ? with_table(error, *run) : std::nullopt;
    (run ? run->log() : early).error(table ? *table : error);
    report.fail(table ? *table : error);
  };
  // In another thread, while this one is in work that cannot be stopped.
  end_long_work_by([&] {
    const auto told = [&](const Error& error) {
      (run ? run->log() : early).error(error);
      report.fail(error);
    };
    try {
      throw_if_stop_requested();
    } catch (const Error& stop) {
      try {
        const std::optional<Error> kept = run ? run->results().stopped(stop) : std::nullopt;
        if (run) report = run->report();
        told(kept ? *kept : stop);
        if (!options.json.empty()) write_report(options.json, report);
      } catch (const Error& lost) { told(lost); }
    }
    return static_cast<int>(report.exit);
  });
  const auto attempt = [&] {
    run.emplace(info, options);
    const SolverListener listening([&run](const std::string& text) { run->log().progress(text); });
    app(*run);
    run->finish();
    report = std::move(run->report());
    report.complete();
  };
  try {
    try {
      if (has_sweep(options)) run_sweep(info, options, app, report);
      else attempt();
    } catch (const Error& error) {
      if (!run || error.exit() != Exit::resources || !run->results().may_go_to_the_cpu()) throw;
      const std::string step =
          fmt::format("memory: on the CPU instead of {} ({}); cost: the device's speed, and the mesh is read again",
                      run->device().info().name, error.message());
      run.reset();
      options.device = "cpu";
      options.memory.device = 0;
      options.notices.push_back(step);
      attempt();
    }
  } catch (const CheckedOnly&) {
    run->collect();
    report = std::move(run->report());
    report.complete();
  } catch (const Error& error) {
    try {
      const std::optional<Error> stop = run ? run->results().stopped(error) : std::nullopt;
      fail(stop ? *stop : error);
    } catch (const Error& lost) {  // the checkpoint could not be written
      fail(lost);
    }
  } catch (const std::bad_alloc&) {
    if (run) run->device().memory().trim();
    fail(host_memory_error());
  } catch (const std::exception& error) {
    if (is_short_of_threads(error))
      fail(Error(Exit::resources, fmt::format("out of host memory for a thread: {}", error.what()),
                 "a library could not start one",
                 "raise the limits on memory and processes (ulimit -v, -u), or use fewer --threads"));
    else fail(Error(Exit::internal, error.what(), "this is a bug in Ritz", "please report it with the case file"));
  }
  if (!options.json.empty()) {
    try {
      write_report(options.json, report);
    } catch (const Error& error) {
      (run ? run->log() : early).error(error);
      report.fail(error);
    }
  }
  if (run && !options.profile.empty()) {
    try {
      write_trace(options.profile, run->device().profile(), report.phases.empty() ? 0 : report.phases.front().seconds);
    } catch (const Error& error) {
      run->log().error(error);
      if (report.exit == Exit::ok) report.fail(error);
    }
  }
  run.reset();  // the lock is gone
  // The shell must see that a signal ended us, or its script would go on.
  if (const int signal = stop_signal(); signal != 0 && report.exit == exit_of_signal(signal)) end_by_signal(signal);
  return static_cast<int>(report.exit);
}

}  // namespace ritz
