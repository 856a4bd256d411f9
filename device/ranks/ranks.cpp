#include "device/ranks/ranks.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/host_limits.hpp"
#include "device/kernels.hpp"
#include "device/memory_shortage.hpp"
#include "device/process/stop_request.hpp"
#include "device/ranks/device_messages.hpp"
#include "device/ranks/launcher.hpp"
#include "device/ranks/packed.hpp"
#include "device/wait_watch.hpp"

#include <algorithm>
#include <array>
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

}  // namespace

std::string message_of_rank(int rank, Exit exit, const std::string& message) {
  return exit >= time_is_up ? message : fmt::format("rank {}: {}", rank, message);
}

Ranks::Ranks() = default;
Ranks::~Ranks() {
  if (watch_ && wait_watch() == &watch_) watch_waits(nullptr);
}

std::string Ranks::wait(int from) {
  while (true) {
    const bool arrived = has_text(from);
    look_for_failures();  // a rank that fails ends with a text, which is not the one awaited
    if (std::optional<std::string> text = arrived ? receive(from) : std::nullopt) return *std::move(text);
    pause();
  }
}

void Ranks::exchange(std::span<const Parcel> parcels) {
  begin(parcels);
  finish();
}

void Ranks::pause() { std::this_thread::sleep_for(between_looks); }

std::string Ranks::of_first(std::string text) {
  if (rank() > 0) return wait(0);
  for (int other = 1; other < count(); ++other) send(other, text);
  return text;
}

// In step s, ranks in groups of 2s that begin at multiples of it hold the sum of their half; the upper half of the last
// group may be short or missing. A rank below without a partner has the number of the last rank.
template <class Combine>
void Ranks::combine(std::span<double> numbers, const Combine& of_two) {
  std::vector<double> others(numbers.size());
  const std::span<const std::byte> mine = std::as_bytes(numbers);
  const std::span<std::byte> theirs = std::as_writable_bytes(std::span(others));
  for (int s = 1; s < count(); s *= 2) {
    const int begin = rank() / (2 * s) * (2 * s), middle = begin + s, last = std::min(begin + 2 * s, count()) - 1;
    if (middle >= count()) continue;
    const bool below = rank() < middle;
    std::vector<Parcel> parcels;
    if (below) {
      const int partner = std::min(rank() + s, last);
      parcels.push_back({partner, rank() + s <= last ? mine : mine.first(0), theirs});
    } else {
      parcels.push_back({rank() - s, mine, theirs});
      for (int other = last - s + 1; rank() == last && other < middle; ++other)
        parcels.push_back({other, mine, theirs.first(0)});
    }
    exchange(parcels);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = below ? of_two(numbers[i], others[i]) : of_two(others[i], numbers[i]);
  }
}

void Ranks::sum(std::span<double> numbers) {
  combine(numbers, [](double lower, double upper) { return lower + upper; });
}

// A number that is none stays none.
void Ranks::largest(std::span<double> numbers) {
  combine(numbers, [](double lower, double upper) { return lower >= upper || lower != lower ? lower : upper; });
}

std::vector<std::int64_t> Ranks::of_all(std::int64_t mine) {
  std::vector<std::int64_t> all(std::size_t(count()), mine);
  std::vector<Parcel> parcels;
  for (int other = 0; other < count(); ++other)
    if (other != rank())
      parcels.push_back(
          {other, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(&all[std::size_t(other)], 1))});
  exchange(parcels);
  return all;
}

void each_text(Ranks& ranks, const std::string& mine, Receivers receivers,
               FunctionRef<void(int rank, std::string_view text)> take) {
  const std::vector<std::int64_t> sizes = ranks.of_all(std::int64_t(mine.size()));
  const int last = receivers == Receivers::first ? 1 : ranks.count();  // below it ranks receive
  for (int from = 0; from < ranks.count(); ++from) {
    if (from == ranks.rank()) {
      std::vector<Parcel> parcels;
      for (int to = 0; to < last; ++to)
        if (to != from) parcels.push_back({to, std::as_bytes(std::span(mine)), {}});
      ranks.exchange(parcels);
      if (from < last) take(from, mine);
    } else if (ranks.rank() < last) {
      std::string text(std::size_t(sizes[std::size_t(from)]), '\0');
      ranks.exchange(std::array{Parcel{from, {}, std::as_writable_bytes(std::span(text))}});
      take(from, text);
    }
  }
}

std::string dealt_text(Ranks& ranks, FunctionRef<std::string(int rank)> text) {
  std::int64_t size = 0;
  if (ranks.rank() > 0) {
    ranks.exchange(std::array{Parcel{0, {}, std::as_writable_bytes(std::span(&size, 1))}});
    std::string mine(std::size_t(size), '\0');
    ranks.exchange(std::array{Parcel{0, {}, std::as_writable_bytes(std::span(mine))}});
    return mine;
  }
  for (int to = 1; to < ranks.count(); ++to) {
    const std::string theirs = text(to);
    size = std::int64_t(theirs.size());
    ranks.exchange(std::array{Parcel{to, std::as_bytes(std::span(&size, 1)), {}}});
    ranks.exchange(std::array{Parcel{to, std::as_bytes(std::span(theirs)), {}}});
  }
  return {};
}

std::vector<std::vector<std::byte>> Ranks::swap(const std::vector<std::vector<std::byte>>& to_each) {
  const auto all = std::size_t(count()), here = std::size_t(rank());
  std::vector<std::int64_t> sizes(all), sent_sizes(all);
  std::vector<Parcel> parcels;
  for (std::size_t other = 0; other < all; ++other) {
    sent_sizes[other] = std::int64_t(to_each[other].size());
    if (other != here)
      parcels.push_back({int(other), std::as_bytes(std::span(&sent_sizes[other], 1)),
                         std::as_writable_bytes(std::span(&sizes[other], 1))});
  }
  exchange(parcels);
  std::vector<std::vector<std::byte>> from_each(all);
  parcels.clear();
  for (std::size_t other = 0; other < all; ++other) {
    if (other == here) continue;
    from_each[other].resize(std::size_t(sizes[other]));
    parcels.push_back({int(other), to_each[other], from_each[other]});
  }
  exchange(parcels);
  from_each[here] = to_each[here];
  return from_each;
}

namespace {

std::optional<Error> error_of(FunctionRef<void()> phase) {
  try {
    phase();
  } catch (const AgreedError&) { throw; } catch (const LostRank&) {
    throw;
  } catch (const Error& error) { return error; } catch (const std::bad_alloc&) {
    return host_memory_error();
  }
  return std::nullopt;
}

}  // namespace

void Ranks::agree(FunctionRef<void()> phase) {
  const std::optional<Error> mine = error_of(phase);
  double failed = mine ? count() - rank() : 0;  // the first rank has the largest number
  largest({&failed, 1});
  if (failed == 0) return;
  const int first = count() - static_cast<int>(failed);
  std::vector<std::vector<std::byte>> to_each(static_cast<std::size_t>(count()));
  if (rank() == first) {
    const std::string message = rank() == 0 ? mine->message() : message_of_rank(rank(), mine->exit(), mine->message());
    const std::string text = Packed().add(mine->kind()).add(message).add(mine->why()).add(mine->fix()).take();
    const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
    std::ranges::fill(to_each, std::vector<std::byte>(bytes.begin(), bytes.end()));
  }
  const std::vector<std::byte> told = swap(to_each)[static_cast<std::size_t>(first)];
  Unpacked from({reinterpret_cast<const char*>(told.data()), told.size()});
  const auto kind = from.get<ErrorKind>();
  const std::string message = from.text(), why = from.text(), fix = from.text();
  throw AgreedError(kind, message, why, fix);
}

void Ranks::connect(const Device& device) {
  if (between_devices_ && (!between_devices_->messages || connects(device))) return;
  between_devices_ = std::make_unique<DeviceTransport>(connect_devices(*this, device));
  if (!between_devices_->messages) return;
  watch_ = [this] {
    look_for_failures();
    between_devices_->messages->check();
  };
  watch_waits(&watch_);
}

bool Ranks::connects(const Device& device) const {
  return between_devices_ && between_devices_->messages && between_devices_->messages->device() == device;
}

void Ranks::begin_on_device(std::span<const Parcel> parcels) {
  between_devices_->messages->begin(parcels);
  for (const Parcel& p : parcels) {
    counts_.messages += p.sent.empty() ? 0 : 1;
    counts_.bytes += std::int64_t(p.sent.size());
  }
}

void Ranks::finish_on_device() { between_devices_->messages->finish(); }

const std::string& Ranks::device_transport() const {
  static const std::string none;
  return between_devices_ ? between_devices_->description : none;
}

void Ranks::abandon_devices() noexcept {
  if (between_devices_ && between_devices_->messages) between_devices_->messages->abandon();
}

// Each rank sends its numbers to each other one: what an exchange of all with all counts.
bool Ranks::sum_on_device(const Device& device, double* numbers, int count) {
  if (!connects(device)) return false;
  between_devices_->messages->sum(numbers, count);
  counts_.messages += this->count() - 1;
  counts_.bytes += std::int64_t{this->count() - 1} * count * std::int64_t{sizeof(double)};
  return true;
}

struct Ranks::Sums final : SumsOverRanks {
  explicit Sums(Ranks& ranks) : ranks(&ranks) {
    rank = ranks.rank();
    count = ranks.count();
  }
  void sum(std::span<double> numbers) const override { ranks->sum(numbers); }
  void largest(std::span<double> numbers) const override { ranks->largest(numbers); }
  std::vector<Index> of_all(Index mine) const override { return ranks->of_all(mine); }
  bool sum_on_device(const Device& device, double* numbers, int size) const override {
    return ranks->sum_on_device(device, numbers, size);
  }
  Ranks* ranks;
};

Device Ranks::among_all(const Device& device) {
  if (!sums_) sums_ = std::make_shared<const Sums>(*this);
  return device.with_sums(sums_);
}

std::unique_ptr<Ranks> start_ranks() {
  const Launched job = launched();
  if (job.ranks == 1) return nullptr;
  if (const std::string reason = load_kernels("mpi", module_name); !reason.empty())
    throw Error(
        ErrorKind::several_ranks, fmt::format("started as {} ranks without a module for MPI", job.ranks), reason,
        "where a library is missing, install the MPI that has it (module load openmpi; Debian: libopenmpi3); else "
        "build Ritz where CMake finds MPI (Debian: libopenmpi-dev); or start one process");
  const auto& module = *static_cast<const RanksModule*>(find_kernels("mpi", module_name, "ranks"));
  std::unique_ptr<Ranks> ranks = module.start();
  if (ranks->count() != job.ranks)
    throw Error(
        ErrorKind::several_ranks,
        fmt::format("started as {} ranks, of which {} knows {}", job.ranks, ranks->transport(), ranks->count()),
        fmt::format("{} is {}: the launcher is that of another MPI, or does not serve it", job.variable, job.ranks),
        fmt::format("start it by mpirun of {}, or by srun --mpi=pmix", ranks->transport()));
  return ranks;
}

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
    if (other < ranks.rank()) ++share.number;
    if (text.substr(end + 1) == mine.processors) ++share.on_these_processors;
  }
  share_host(share);
}

}  // namespace ritz
