#include "device/ranks/ranks.hpp"

#include "device/error.hpp"
#include "device/host_limits.hpp"
#include "device/kernels.hpp"
#include "device/ranks/launcher.hpp"

#include <chrono>
#include <string>
#include <thread>

#include <fmt/format.h>

namespace ritz {
namespace {

constexpr const char* module_name = "ritz_ranks";
constexpr std::chrono::milliseconds between_looks{2};

// A machine, and the processors of it that a rank may run on.
struct Place {
  std::string host, processors;
};

// Every rank tells every other one where it is.
void divide_hosts(Ranks& ranks) {
  const Place mine{ranks.host(), affinity_text()};
  for (int other = 0; other < ranks.count(); ++other)
    if (other != ranks.rank()) ranks.send(other, mine.host + "\n" + mine.processors);
  HostShare share;
  for (int other = 0; other < ranks.count(); ++other) {
    if (other == ranks.rank()) continue;
    const std::string text = ranks.wait(other);
    const std::size_t end = text.find('\n');
    if (text.substr(0, end) != mine.host) continue;
    ++share.processes;
    if (text.substr(end + 1) == mine.processors) ++share.on_these_processors;
  }
  share_host(share);
}

}  // namespace

std::string Ranks::wait(int from) {
  while (true) {
    if (std::optional<std::string> text = receive(from)) return *std::move(text);
    pause();
  }
}

void Ranks::pause() { std::this_thread::sleep_for(between_looks); }

std::string Ranks::of_first(std::string text) {
  if (rank() > 0) return wait(0);
  for (int other = 1; other < count(); ++other) send(other, text);
  return text;
}

std::unique_ptr<Ranks> start_ranks() {
  const Launched job = launched();
  if (job.ranks == 1) return nullptr;
  if (const std::string reason = load_kernels("mpi", module_name); !reason.empty())
    throw Error(Exit::environment, fmt::format("started as {} ranks without a module for MPI", job.ranks), reason,
                "build Ritz where CMake finds MPI (Debian: libopenmpi-dev), or start one process");
  const auto& module = *static_cast<const RanksModule*>(find_kernels("mpi", module_name, "ranks"));
  std::unique_ptr<Ranks> ranks = module.start();
  if (ranks->count() != job.ranks)
    throw Error(
        Exit::environment,
        fmt::format("started as {} ranks, of which {} knows {}", job.ranks, ranks->transport(), ranks->count()),
        fmt::format("{} is {}: the launcher is that of another MPI, or does not serve it", job.variable, job.ranks),
        fmt::format("start it by mpirun of {}, or by srun --mpi=pmix", ranks->transport()));
  divide_hosts(*ranks);
  return ranks;
}

}  // namespace ritz
