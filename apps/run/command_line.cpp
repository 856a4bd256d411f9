#include "apps/run/command_line.hpp"

#include "apps/run/named_outputs.hpp"
#include "apps/run/option_tables.hpp"
#include "device/ranks/launcher.hpp"
#include "fem/modules/plugin.hpp"
#include "io/files/input_file.hpp"
#include "io/files/version.hpp"
#include "io/results/log.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace ritz {
namespace {

// All ranks of a job have the same command line; the first one tells what is wrong with it.
int refuse(const RunOptions& options, const Error& error) {
  Log log(LogLevel::quiet);
  if (options.log_json) log.use_json();
  if (launched().rank == 0) log.error(error);
  return static_cast<int>(error.exit());
}

CLI::Validator seconds() {
  const auto check = [](const std::string& text) {
    double value = 0;
    const bool fits = CLI::detail::lexical_cast(text, value) && value >= 0;
    return fits ? std::string() : fmt::format("'{}' is no number of seconds from 0", text);
  };
  return {check, "NONNEGATIVE"};
}

// The case, and where it runs.
void add_case_and_place(CLI::App& cli, RunOptions& options) {
  cli.add_option("case", options.case_file, "case file (TOML)");
  cli.add_option("--set", options.overrides, "override a key of the case: --set material.0.young=70e9 (repeatable)")
      ->take_all()
      ->type_name("KEY=VALUE");
  cli.add_option("--device", options.device, "auto, cpu, cpu:v3, cpu:v4, gpu or gpu:NUMBER")->capture_default_str();
  cli.add_option("--threads", options.threads, "CPU threads; 0 takes all that are available")->capture_default_str();
  cli.add_option("--output", options.output, "folder of the results, instead of [output] folder");
  cli.add_flag("--overwrite", options.overwrite,
               "replace results of this case that are there; the old ones stay until the new ones are ready");
  cli.add_flag("--untrusted", options.untrusted,
               "the case comes from a stranger: no plugins, nothing read outside of its folder, results only where "
               "--output says (SECURITY.md)");
}

// The picture and the page of the results.
void add_showing(CLI::App& cli, RunOptions& options) {
  cli.add_option("--picture", options.picture,
                 "write a picture (PNG) of the last step: the surface, coloured by a field; needs no display");
  cli.add_option("--report", options.page,
                 "write the run as one HTML file that needs no other: a view to turn, results, balance, convergence, "
                 "notices, materials and loads; also after an error");
  cli.add_option("--field", options.look.field,
                 "whose values are the colours of --picture and --report; default: the first one");
  cli.add_option("--component", options.look.component, "of that field, by name or number; default: the magnitude");
  cli.add_option("--warp", options.look.warp, "vector field that moves the points in them, such as displacement");
}

// An end before the solution, and the way on from there.
void add_stopping(CLI::App& cli, RunOptions& options) {
  cli.add_option("--time-limit", options.time_limit, "stop in order after so many seconds; 0: no limit")
      ->check(seconds())
      ->capture_default_str();
  cli.add_flag("--resume", options.resume,
               "go on where this run was stopped; from the beginning where there is nothing to go on from");
  cli.add_option("--checkpoint-every", options.checkpoint_every,
                 "write a checkpoint at most so often [s]; 0: only when the run is stopped")
      ->check(seconds())
      ->capture_default_str();
}

// Kinds of runs, and what they tell.
void add_kinds_and_reports(CLI::App& cli, RunOptions& options) {
  cli.add_option("--json", options.json, "write the report of the run to this file, in every outcome");
  cli.add_option("--profile", options.profile,
                 "write the phases of the run to this file as a Chrome trace, in every outcome");
  cli.add_flag("--check", options.check, "read and check everything, solve nothing");
  cli.add_flag(
      "--estimate", options.estimate,
      "as --check, and print what every way to solve it would take of memory and time, here and on known GPUs");
  cli.add_option("--ranks", options.planned_ranks,
                 "with --estimate: what a run on so many processes would take of each (docs/clusters.md)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("NUMBER");
  cli.add_flag("--describe", options.describe, "print every key that this case file may hold, with units");
  cli.add_flag("--schema", options.schema,
               "print the JSON Schema of the case files of this program, for editors; needs no case file");
  cli.add_flag("--log-json", options.log_json,
               "write the log as JSON lines, with the parts of errors (docs/errors.md)");
  cli.add_flag("--quiet", options.quiet, "print errors only");
  cli.add_flag("--verbose", options.verbose, "print details");
}

}  // namespace

void add_run_options(CLI::App& cli, RunOptions& options) {
  add_case_and_place(cli, options);
  add_showing(cli, options);
  add_stopping(cli, options);
  add_memory_options(cli, options.memory);
  add_kinds_and_reports(cli, options);
}

std::optional<int> parse_command_line(int argc, char** argv, const AppInfo& info, RunOptions& options) {
  CLI::App cli{info.description, info.name};
  cli.footer(
      "Example case file:\n\n" + info.example +
      "\nExit codes: 0 complete, 2 command line or case file, 3 mesh, 4 model not well posed, 5 not converged,\n"
      "6 out of memory, 7 output, 8 GPU or driver, 9 journal of the results damaged, 1 a bug in Ritz;\n"
      "stopped: 75 with a checkpoint, for --resume; without one 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP, 124 time limit.");
  cli.set_version_flag("--version", info.name + " " + ritz_version());
  add_run_options(cli, options);
  add_man_option(cli);
  try {
    cli.parse(argc, argv);
    if (options.case_file.empty() && !options.schema) throw CLI::RequiredError("case");
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return cli.exit(error);  // --help, --version
    // Not every option was read.
    options.log_json = options.log_json || std::any_of(argv, argv + argc, [](const char* word) {
                         return std::string_view(word) == "--log-json";
                       });
    return refuse(options, command_line_error(cli, error, "run '" + info.name + " --help' to see the options"));
  }
  if (options.resume && options.overwrite) {
    return refuse(options, Error(ErrorKind::command_line, "--resume and --overwrite were given together",
                                 "one continues after what is there, the other replaces it", "give one of them"));
  }
  options.check = options.check || options.estimate;
  if (options.planned_ranks > 0 && !options.estimate)
    return refuse(options, Error(ErrorKind::command_line, "--ranks was given without --estimate",
                                 "it names processes of a forecast; those of a run are started by mpirun or srun",
                                 "add --estimate, or start the run by 'mpirun -n NUMBER'"));
  if (options.check && !options.picture.empty()) {
    return refuse(options, Error(ErrorKind::command_line, "--picture was given with --check or --estimate",
                                 "these solve nothing", "omit one of them"));
  }
  const Look& look = options.look;
  if (!options.shows() && !(look.field.empty() && look.component.empty() && look.warp.empty())) {
    return refuse(options, Error(ErrorKind::command_line,
                                 "--field, --component or --warp was given without --picture or --report",
                                 "they say what these show", "add --picture FILE.png or --report FILE.html"));
  }
  try {
    check_named_outputs(options);
  } catch (const Error& error) { return refuse(options, error); }
  if (options.untrusted) {
    read_only_below(std::filesystem::path(options.case_file).parent_path().string());
    forbid_plugins();
  }
  return std::nullopt;
}

}  // namespace ritz
