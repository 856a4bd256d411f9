// The benchmark: assembly, products, solves and mesh reading, with medians, floors and peaks.
#include "apps/bench/systems.hpp"
#include "apps/bench/tasks.hpp"
#include "apps/run/memory_limits.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/version.hpp"
#include "io/results/log.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <set>

namespace {

using namespace ritz;

#ifdef __OPTIMIZE__
constexpr const char* not_optimised = nullptr;
#else
constexpr const char* not_optimised =
    "note: host code of this program was compiled without optimisation: times of pattern, lists and mesh reading say "
    "nothing (CMAKE_BUILD_TYPE=Release)\n";
#endif

std::vector<std::string> record_names() {
  std::vector<std::string> names = {"auto-table",
                                    "block-cg",
                                    "convergence",
                                    "convergence-meshes",
                                    "direct-table",
                                    "mesh-read",
                                    "small-cg",
                                    "solve-poisson-P1",
                                    "solve-poisson-P2",
                                    "solve-elastic-P1",
                                    "solve-elastic-P2",
                                    "solve-elastic-Q1",
                                    "precision-poisson-P1",
                                    "precision-poisson-P2",
                                    "precision-elastic-P1",
                                    "precision-elastic-P2",
                                    "precision-elastic-Q1"};
  for (const Problem& problem : problems()) {
    names.push_back("asm-" + problem.name);
    names.push_back("first-" + problem.name);
    names.push_back("spmv-" + problem.name);
  }
  for (const std::string& name : operator_action_names()) names.push_back(name);
  for (const SystemRecipe& recipe : auto_table_systems()) names.push_back(recipe.name);
  std::sort(names.begin(), names.end());
  return names;
}

void check(const BenchOptions& options) {
  const std::vector<std::string> names = record_names();
  for (const std::string& start : options.only)
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(start); })) {
      const std::string near = nearest_match(start, names);
      throw Error(ErrorKind::command_line, fmt::format("--only {} names no task", start),
                  "the tasks are " + quoted_list(names),
                  near.empty() ? "use one of them, or the beginning of one" : fmt::format("did you mean '{}'?", near));
    }
  if (!(options.size > 0 && options.size <= 10))
    throw Error(ErrorKind::command_line, fmt::format("--size is {}", options.size), "it multiplies the cells per edge",
                "use a number above 0, at most 10");
  if (options.repeat < 1)
    throw Error(ErrorKind::command_line, fmt::format("--repeat is {}", options.repeat), {}, "use 1 or more");
}

// 0 and the number of all threads are the same.
std::vector<Device> devices_of(const BenchOptions& options) {
  std::vector<Device> devices;
  std::set<int> seen;
  for (const int threads : options.threads) {
    Device device = Device::named(options.device, threads);
    if (device.is_gpu()) return {device};
    if (seen.insert(device.threads()).second) devices.push_back(std::move(device));
  }
  return devices;
}

void run(const BenchOptions& options, const MemoryLimits& limits, const std::string& json) {
  check(options);
  obey(limits);
  if (not_optimised != nullptr) fmt::print(stderr, "{}", not_optimised);
  BenchReport report{.device = "", .repeat = options.repeat, .size = options.size, .records = {}};
  const auto publish = [&report](Record record) {
    fmt::print("{}", text_of(record));
    std::fflush(stdout);
    report.records.push_back(std::move(record));
  };
  for (const Device& listed : devices_of(options)) {
    // sets the host's threads
    const Device device = Device::named(options.device, listed.is_gpu() ? 0 : listed.threads());
    limit(device, limits);
    report.device = device.description();
    fmt::print("device: {}\n", device.description());
    for (const Problem& problem : problems())
      if (wants_any(problem, options)) run_problem(problem, device, options, publish);
    if (options.wants("block-cg")) run_block_cg(device, options, publish);
    if (options.wants("small-cg")) run_small_cg(device, options, publish);
    if (options.names("auto-table")) run_auto_table(device, options);
    if (options.names("convergence")) run_convergence(device, options);
    if (options.names("convergence-meshes")) run_convergence_on_meshes(device, options);
    if (options.names("direct-table")) run_direct_table(device, options);
    run_operator_actions(device, options, publish);
    if (options.wants("mesh-read")) run_mesh_read(device, options, publish);
  }
  if (!json.empty()) write_named_file(json, json_of(report));
}

Exit guarded(const BenchOptions& options, const MemoryLimits& limits, const std::string& json) {
  Log log(LogLevel::quiet);
  try {
    run(options, limits, json);
    return Exit::ok;
  } catch (const Error& error) {
    log.error(error);
    return error.exit();
  } catch (const std::bad_alloc&) {
    log.error(Error(ErrorKind::host_memory, "out of host memory", {}, "use a smaller --size"));
    return Exit::resources;
  } catch (const std::exception& error) {
    log.error(Error(ErrorKind::internal, error.what(), "this is a bug in Ritz", "please report it"));
    return Exit::internal;
  }
}

}  // namespace

int main(int argc, char** argv) {
  BenchOptions options;
  std::string json;
  MemoryLimits limits;
  bool no_triplets = false;
  CLI::App cli{"Times assembly, matrix-vector products, solves and mesh reading on this machine.", "ritz-bench"};
  cli.footer(
      "Examples:\n  ritz-bench --only asm-tet --threads 1 2 --json assembly.json\n  ritz-bench --size 0.1 --repeat "
      "1\n\n"
      "Tasks: " +
      quoted_list(record_names()));
  cli.set_version_flag("--version", std::string("ritz-bench ") + ritz_version());
  cli.add_option("--only", options.only, "tasks, or beginnings of their names (asm-tet, spmv, solve-poisson-P1)");
  cli.add_option("--threads", options.threads, "numbers of CPU threads to run with; 0 takes all")
      ->capture_default_str();
  cli.add_option("--device", options.device, "auto, cpu, cpu:v3, cpu:v4, gpu or gpu:NUMBER")->capture_default_str();
  cli.add_option("--repeat", options.repeat, "runs of what is quick; what is slow runs at most 3 times")
      ->capture_default_str();
  cli.add_option("--size", options.size, "factor on the cells per edge; 0.1 for a quick look")->capture_default_str();
  cli.add_option(
      "--mesh", options.meshes,
      "mesh files for convergence-meshes; for asm-, spmv- and solve- of the Laplacian, the body instead of a cube");
  cli.add_flag("--no-triplets", no_triplets, "leave out the assembly through sorted triplets");
  add_memory_options(cli, limits);
  cli.add_option("--json", json, "write all figures to this file");
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return cli.exit(error) == 0 ? 0 : static_cast<int>(Exit::input); }
  options.triplets = !no_triplets;
  end_in_order_without_memory();
  return static_cast<int>(guarded(options, limits, json));
}
