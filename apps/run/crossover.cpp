#include "apps/run/crossover.hpp"

#include "apps/run/machine_cache.hpp"
#include "device/device_choice.hpp"
#include "device/error.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/operator/operator.hpp"
#include "fem/space/constraints.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <sstream>

namespace ritz {
namespace {

namespace fs = std::filesystem;

constexpr std::array<Index, 5> cells_along{9, 15, 24, 39, 62};  // 1000 to 250 000 nodes
constexpr std::array<const char*, 3> task_names{"assembly", "product", "cycle"};

template <class Work>
double best_of(const Device& device, int repeats, const Work& work) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i <= repeats; ++i) {  // the first warms up
    device.synchronize();
    const auto start = std::chrono::steady_clock::now();
    work();
    device.synchronize();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (i > 0) best = std::min(best, seconds);
  }
  return best;
}

// Times of each task. One side is prescribed, so that the matrix is definite.
std::array<double, 3> times_on(const Device& device, const Mesh& mesh) {
  const FunctionSpace space(mesh, 1, device);
  const Operator equations(space, {Integral::over_all_cells(Diffusion<3>{1})});
  Constraints fixed(space);
  fixed.prescribe(mesh.region("x0"), 0, 0, "crossover");
  fixed.finish();
  SparseMatrix K = equations.make_matrix();
  const Vector u = space.zeros();
  std::array<double, 3> seconds{};
  seconds[0] = best_of(device, 3, [&] { equations.assemble(u, K); });
  K.eliminate(fixed.mask(), max_abs(K.diagonal()));
  Vector x = space.zeros(), y = space.zeros();
  seconds[1] = best_of(device, 5, [&] { K.apply(x, y); });
  const SmoothedAggregation cycle(K, {.coordinates = &space.coordinates(), .dimension = 3});
  seconds[2] = best_of(device, 3, [&] { cycle.apply(x, y); });
  return seconds;
}

}  // namespace

Crossover measure_crossover(const Device& cpu, const Device& other, double seconds) {
  Crossover result;
  for (const char* name : task_names) result.tasks.push_back({.name = name, .unknowns = {}, .cpu = {}, .gpu = {}});
  const auto start = std::chrono::steady_clock::now();
  for (const Index n : cells_along) {
    const Mesh mesh = box(n, n, n, {1, 1, 1}, CellKind::hex8);
    const std::array<double, 3> here = times_on(cpu, mesh), there = times_on(other, mesh);
    for (std::size_t t = 0; t < result.tasks.size(); ++t) {
      result.tasks[t].unknowns.push_back(mesh.node_count());
      result.tasks[t].cpu.push_back(here[t]);
      result.tasks[t].gpu.push_back(there[t]);
    }
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) break;
  }
  for (Crossover::Task& task : result.tasks) {
    task.at = crossover_of(task.unknowns, task.cpu, task.gpu);
    result.at = std::max(result.at, task.at);
  }
  return result;
}

// The program is known by the size and the time of the file that runs.
std::string crossover_key(const MachineInfo& cpu, int threads, const MachineInfo& gpu) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const auto size = fs::file_size(program, ignored);
  const auto time = fs::last_write_time(program, ignored).time_since_epoch().count();
  return fmt::format("1|{}|{}|{}|{}|{}|{}|{}|{}|{}", cpu.name, cpu.backend, threads, gpu.name, gpu.memory_total,
                     gpu.driver, gpu.toolkit, size, time);
}

std::optional<Index> cached_crossover(const std::string& key) {
  const std::optional<std::string> text = kept("crossover", key);
  Index at = -1;
  if (!text || !(std::istringstream(*text) >> at) || at < 0) return std::nullopt;
  return at;
}

void store_crossover(const std::string& key, const Crossover& crossover) {
  std::string text = fmt::format("{} unknowns: from here on the GPU is faster\n", crossover.at);
  for (const Crossover::Task& task : crossover.tasks)
    for (std::size_t i = 0; i < task.unknowns.size(); ++i)
      text += fmt::format("{} {} unknowns: CPU {:.3g} s, GPU {:.3g} s\n", task.name, task.unknowns[i], task.cpu[i],
                          task.gpu[i]);
  keep("crossover", key, text);
}

Index expected_unknowns(const std::string& mesh_file, int components) {
  std::error_code status;
  const auto bytes = fs::file_size(mesh_file, status);
  // text: 60 for a node, 45 for each of its two cells or so; binary: more nodes
  return status ? 0 : static_cast<Index>(bytes / 150) * components;
}

std::string device_for(const std::string& request, int threads, FunctionRef<Index()> unknowns) {
  if (request != "auto") return request;
  std::optional<Device> gpu;
  try {
    gpu = Device::named("gpu", threads);
  } catch (const Error&) {  // auto will say why there is none
    return request;
  }
  const Index expected = unknowns();
  if (expected == 0) return request;
  const Device cpu = Device::named("cpu", threads);
  const std::string key = crossover_key(cpu.info(), cpu.threads(), gpu->info());
  std::optional<Index> at = cached_crossover(key);
  if (!at) {
    const Crossover measured = measure_crossover(cpu, *gpu);
    store_crossover(key, measured);
    at = measured.at;
  }
  const DeviceChoice choice = choose_device({.gpus = {gpu->info()}, .unknowns = expected, .crossover = at});
  return choice.gpu < 0 ? "cpu (auto: " + choice.why + ")" : request;
}

}  // namespace ritz
