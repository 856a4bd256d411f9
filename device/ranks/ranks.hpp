// The processes of one job, which send each other texts, and numbers while they solve together. MPI is loaded only
// where a launcher started several: a module of its own, ritz_ranks.mpi.so.
//
//   const std::unique_ptr<Ranks> ranks = start_ranks();     // null: one process
//   ranks->send(0, "finished");
//   while (!(text = ranks->receive(from))) ...               // or wait(from)
//   ranks->sum(numbers);                                     // all ranks call it: the same bits on all of them
#pragma once

#include "device/error.hpp"
#include "device/function_ref.hpp"
#include "device/memory_shortage.hpp"
#include "device/wait_watch.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

class Device;
struct DeviceTransport;  // device/ranks/device_messages.hpp
struct SumsOverRanks;    // device/communicator.hpp

// An Error that all ranks of the job throw at the same place: each may catch it, and all go on alike.
class AgreedError : public Error {
 public:
  using Error::Error;
  explicit AgreedError(const Error& error) : Error(error) {}
};

// An Error of another rank, which ends: so does this one.
class LostRank : public Error {
 public:
  using Error::Error;
};

// An error's message with the rank that it comes from; time limits and signals stop the job, whichever rank says so.
std::string message_of_rank(int rank, Exit exit, const std::string& message);

// A message to a rank and one from it, of sizes that both know; an empty one is not sent.
struct Parcel {
  int rank;
  std::span<const std::byte> sent;
  std::span<std::byte> received;
};

// Sent so far by exchanges, sums included.
struct ExchangeCounts {
  std::int64_t messages = 0, bytes = 0;
};

class Ranks {
 public:
  virtual ~Ranks();  // waits until what was sent has left
  Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual int rank() const = 0;
  virtual int count() const = 0;
  virtual std::string host() const = 0;       // name of this rank's machine
  virtual std::string transport() const = 0;  // "Open MPI 4.1.4"

  // Returns at once. Texts from one rank to another arrive in the order in which they were sent.
  virtual void send(int to, std::string text) = 0;
  virtual std::optional<std::string> receive(int from) = 0;  // nullopt: nothing is there yet
  // Has one begun to arrive? Then a failure that this rank sent before it has arrived, too.
  virtual bool has_text(int /*from*/) { return true; }
  std::string wait(int from);  // asleep between two looks. Throws the Error of a rank that failed meanwhile.
  static void pause();         // between two looks, a few milliseconds
  // The first rank's text, on all ranks. All of them call it.
  std::string of_first(std::string text);

  // Ends when every message has arrived and left. Throws the Error of a rank that failed meanwhile, naming the rank.
  void exchange(std::span<const Parcel> parcels);
  // The same in two parts, with work between them; one at a time. The parcels' memory stays as it is until finish().
  // Messages move on while look() is called now and then.
  virtual void begin(std::span<const Parcel> parcels) = 0;
  virtual void look() = 0;
  virtual void finish() = 0;
  // Chooses how messages go from the memory of this device to those of the other ranks' devices. All ranks call it,
  // with theirs, before the first exchange of arrays on these. Throws Error: Exit::environment.
  void connect(const Device& device);
  // They go in the order of its stream. Otherwise they go through the host: begin() and finish().
  bool connects(const Device& device) const;
  // The same between memories of devices, queued in the stream: the host does not wait. What is launched between the
  // two runs beside the messages; what is launched afterwards runs when they have arrived and left.
  void begin_on_device(std::span<const Parcel> parcels);
  void finish_on_device();
  // The device of arrays that are divided among these ranks: sums of what is made on it are over all of them. The ranks
  // must outlive those arrays.
  Device among_all(const Device& device);
  const std::string& device_transport() const;  // "by NCCL 2.32.3", or why not; empty: no GPU
  // All ranks run the phase. Where it throws on any, all throw the error of the first of these, an AgreedError. What
  // the phase exchanges is exchanged on all ranks before any of them throws.
  void agree(FunctionRef<void()> phase);
  // Tells all others that this rank fails: they leave the exchange in which they wait. False: the
  // first one, which tells users, cannot be reached.
  virtual bool fail(const Error& error) = 0;
  // Throws the Error of another rank that failed, and that of a message of this one, also one that nobody heard of.
  virtual void look_for_failures() {}
  const ExchangeCounts& counts() const { return counts_; }

  // Sums, and the largest numbers, over all ranks in a fixed tree: pairs (0, 1), (2, 3), ..., then pairs of pairs. The
  // same bits on all ranks, and in every run on as many. All ranks call them.
  void sum(std::span<double> numbers);
  void largest(std::span<double> numbers);
  std::vector<std::int64_t> of_all(std::int64_t mine);  // [rank]
  // to_each [rank]: messages of any size; returns those of each rank to this one. All ranks call it.
  std::vector<std::vector<std::byte>> swap(const std::vector<std::vector<std::byte>>& to_each);

 protected:
  ExchangeCounts counts_;
  // The job ends: what waits in a device's stream for another rank is given up.
  void abandon_devices() noexcept;

 private:
  struct Sums;
  bool sum_on_device(const Device& device, double* numbers, int count);
  std::unique_ptr<DeviceTransport> between_devices_;
  std::shared_ptr<const SumsOverRanks> sums_;  // once they are asked for
  WaitWatch watch_;                            // while this waits for the device
  template <class Combine>
  void combine(std::span<double> numbers, const Combine& of_two);
};

// Starts MPI where the launcher says that there are several ranks. Throws Error: Exit::environment: no module for MPI
// in this build, or MPI knows another number of ranks than the launcher.
std::unique_ptr<Ranks> start_ranks();

// The shortage that all ranks have together, as memory_shortage() of one process (null). A rank that is short alone
// ends the job.
template <std::invocable F>
std::optional<Error> memory_shortage(const Ranks* ranks, const F& attempt) {
  if (ranks == nullptr) return memory_shortage(attempt);
  try {
    attempt();
  } catch (const AgreedError& error) {
    if (error.exit() != Exit::resources) throw;
    return error;
  }
  return std::nullopt;
}

// Divides the processors and the memory of each machine among its ranks (device/host_limits.hpp). All ranks call it.
void divide_hosts(Ranks& ranks);

// In the module of a transport, registered as "ranks" for the back end "mpi".
struct RanksModule {
  std::unique_ptr<Ranks> (*start)() = nullptr;
};

}  // namespace ritz
