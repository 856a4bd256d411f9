// The state that a stopped run needs to resume: HDF5 files in `<case>.checkpoint/`, one for each state, the last two
// kept. The name of a file ends in its own CRC-32, so that damage is detected before a byte is used.
//
//   Checkpoints checkpoints("results/bracket/bracket.checkpoint",
//       [&] { return CheckpointOwner{.case_text = input.resolved(), ...}; }, 600, notice);
//   if (resuming) state = checkpoints.newest();
//   checkpoints.keep({.where = "increment 7 of 20", .numbers = {{"u", u}}});   // written now and then
//   // written at once: the run is being stopped
//   checkpoints.commit();
//   checkpoints.remove();                                                             // the run is complete
#pragma once

#include "device/message_sink.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

using Numbers = std::shared_ptr<const std::vector<double>>;  // kept by those who compute with them, too

struct CheckpointState {
  std::string where;  // "increment 7 of 20", for people
  int steps = 0;      // of the results, which are computed and will not be again
  std::map<std::string, Numbers> numbers = {};
  std::map<std::string, std::vector<std::string>> texts = {};
  using More = std::function<void(CheckpointState&)>;
  More more = {};  // adds what is large, where the state is written
};

// The run to which a state belongs. Differences are named when another run tries to resume.
struct CheckpointOwner {
  std::string case_text;  // the resolved case
  std::string program;
  std::string device;              // and version; another device may resume, with other last digits: a notice
  std::vector<std::string> files;  // "9f0c61d2 part.msh": CRC-32 and name of each that the case names
};

class Checkpoints {
 public:
  // `every` [s]: shortest time between two states that are written; 0: only commit() writes. `owner` is called when a
  // state is written or read. `settle` is called before a state is written: it commits the results that precede the
  // state.
  using OwnerNow = std::function<CheckpointOwner()>;
  using Settle = std::function<void()>;
  Checkpoints(std::string folder, OwnerNow owner, double every, MessageSink notice, Settle settle = {});

  static bool any_in(const std::string& folder);
  // The newest that is whole; a damaged one is passed over with a notice. nullopt: there are none. Throws
  // Error: Exit::checkpoint when none is whole or they belong to another case or program.
  std::optional<CheckpointState> newest() const;
  void keep(CheckpointState state);
  // Writes what was kept last, unless it is written. Throws Error: Exit::output.
  void commit();
  const std::optional<CheckpointState>& kept() const { return kept_; }
  void remove() noexcept;

 private:
  std::string folder_;
  OwnerNow owner_;
  std::chrono::duration<double> every_;
  MessageSink notice_;
  Settle settle_;
  std::optional<CheckpointState> kept_;
  bool written_ = false;            // kept_ is on the disk
  int next_ = 0;                    // number of the next file
  std::vector<std::string> older_;  // files of another run, and those of this one but the last
  std::chrono::steady_clock::time_point last_commit_;
};

}  // namespace ritz
