// The nodes of the next coarser level, aggregates or nested nodes, in the order of this rank: its own from 0 on, then
// those of others that its rows reach, ascending as all ranks number them. One process reaches no others. Private to
// solvers/multigrid.
//
//   CoarseNodes nodes(A.ghosts(), own);      // all ranks call it together; null: one process
//   nodes.reach(numbers);   nodes.local(number);   nodes.global(place);
#pragma once

#include "solvers/algebra/ghosts.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace ritz {

class CoarseNodes {
 public:
  CoarseNodes() = default;
  CoarseNodes(const Ghosts* finer, Index own);

  Index own() const { return own_; }
  Index count() const { return own_ + std::ssize(others_); }
  Index of_all() const { return first_.back(); }
  Index fewest() const;                                       // of a rank
  const std::vector<Index>& first() const { return first_; }  // [rank + 1]

  bool is_own(Index number) const { return number >= first_here_ && number < first_here_ + own_; }
  Index global(Index place) const {
    return place < own_ ? first_here_ + place : others_[static_cast<std::size_t>(place - own_)];
  }
  std::int32_t local(Index number) const;

  // Adds those of others; negative numbers are none.
  template <class Numbers>
  void reach(const Numbers& numbers) {
    std::ranges::copy_if(numbers, std::back_inserter(others_), [&](Index n) { return n >= 0 && !is_own(n); });
    std::ranges::sort(others_);
    others_.erase(std::ranges::unique(others_).begin(), others_.end());
  }
  // values [own | reached] of `width` numbers each: those of others from their owners.
  void fetch(Vector& values, int width) const;

 private:
  Ranks* ranks_ = nullptr;  // null: one process
  Index own_ = 0, first_here_ = 0;
  std::vector<Index> first_{0, 0}, others_;
};

}  // namespace ritz
