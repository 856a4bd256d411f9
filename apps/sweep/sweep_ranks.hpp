// A sweep on several ranks: the first one deals the members out, in parts of neighbours, since neighbours share most,
// computes its own part, and writes table, index and journal for all. The others write the files of their members.
//
//   first:   mine = ranks.deal(members);   ... while (auto part = ranks.next()) take(*part);  ...   ranks.conclude();
//   others:  mine = ranks.wait_for_part();  ... ranks.hand_over({...});  ...  ranks.finish(counts, error);
#pragma once

#include "apps/sweep/sweep_record.hpp"
#include "device/ranks/ranks.hpp"

namespace ritz {

class SweepRanks {
 public:
  explicit SweepRanks(Ranks* ranks);  // null: one process
  bool are_several() const { return ranks_ != nullptr; }
  bool is_first() const { return ranks_ == nullptr || ranks_->rank() == 0; }
  int count() const { return ranks_ == nullptr ? 1 : ranks_->count(); }
  std::string text() const;  // for the log, of several

  // The first rank. The part of `members` that it computes itself; the other ranks get theirs.
  std::vector<std::size_t> deal(const std::vector<std::size_t>& members);
  // Takes what another rank has handed over. nullopt: nothing is there yet.
  std::optional<SweepHandOver> next();
  bool has_others_at_work() const { return unfinished_ > 0; }
  void end_others();  // after the members that they are at
  void conclude();    // waits until the others have ended, whatever happened; what they hand over is lost

  // The other ranks. Empty where the first one has ended.
  std::vector<std::size_t> wait_for_part();
  bool is_told_to_end();
  void hand_over(const SweepHandOver& message) { ranks_->send(0, to_text(message)); }
  void finish(const SweepCounts& counts, std::optional<Error> error);

 private:
  struct Other {
    bool finished = false, told_to_end = false;
  };
  Ranks* ranks_;
  std::vector<Other> others_;  // [rank - 1], of the first rank
  int unfinished_ = 0;
  bool told_to_end_ = false;  // this one, which is not the first
};

// Parts of neighbours whose sizes differ by one at most: the first member of part `part` of `parts`.
constexpr std::size_t part_begin(std::size_t members, std::size_t part, std::size_t parts) {
  return members * part / parts;
}

}  // namespace ritz
