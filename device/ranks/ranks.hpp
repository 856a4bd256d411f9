// The processes of one job, which send each other texts. MPI is loaded only where a launcher started several: a module
// of its own, ritz_ranks.mpi.so.
//
//   const std::unique_ptr<Ranks> ranks = start_ranks();     // null: one process
//   ranks->send(0, "finished");
//   while (!(text = ranks->receive(from))) ...               // or wait(from)
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace ritz {

class Ranks {
 public:
  virtual ~Ranks() = default;  // waits until what was sent has left
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual int rank() const = 0;
  virtual int count() const = 0;
  virtual std::string host() const = 0;       // name of this rank's machine
  virtual std::string transport() const = 0;  // "Open MPI 4.1.4"

  // Returns at once. Texts from one rank to another arrive in the order in which they were sent.
  virtual void send(int to, std::string text) = 0;
  virtual std::optional<std::string> receive(int from) = 0;  // nullopt: nothing is there yet
  std::string wait(int from);                                // asleep between two looks
  static void pause();                                       // between two looks, a few milliseconds
  // The first rank's text, on all ranks. All of them call it.
  std::string of_first(std::string text);
};

// Starts MPI where the launcher says that there are several ranks, and divides the processors and the memory of each
// machine among its ranks (device/host_limits.hpp). Throws Error(Exit::environment): no module for MPI in this build,
// or MPI knows another number of ranks than the launcher.
std::unique_ptr<Ranks> start_ranks();

// In the module of a transport, registered as "ranks" for the back end "mpi".
struct RanksModule {
  std::unique_ptr<Ranks> (*start)() = nullptr;
};

}  // namespace ritz
