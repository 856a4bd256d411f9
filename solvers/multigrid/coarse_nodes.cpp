#include "solvers/multigrid/coarse_nodes.hpp"

namespace ritz {

CoarseNodes::CoarseNodes(const Ghosts* finer, Index own)
    : ranks_(finer == nullptr ? nullptr : &finer->ranks()), own_(own), first_{0} {
  const std::vector<Index> counts = ranks_ == nullptr ? std::vector<Index>{own} : ranks_->of_all(own);
  for (const Index each : counts) first_.push_back(first_.back() + each);
  if (ranks_ != nullptr) first_here_ = first_[static_cast<std::size_t>(ranks_->rank())];
}

Index CoarseNodes::fewest() const {
  Index fewest = own_;
  for (std::size_t rank = 0; rank + 1 < first_.size(); ++rank)
    fewest = std::min(fewest, first_[rank + 1] - first_[rank]);
  return fewest;
}

std::int32_t CoarseNodes::local(Index number) const {
  if (is_own(number)) return static_cast<std::int32_t>(number - first_here_);
  return static_cast<std::int32_t>(own_ + (std::ranges::lower_bound(others_, number) - others_.begin()));
}

void CoarseNodes::fetch(Vector& values, int width) const {
  if (ranks_ != nullptr) Ghosts(*ranks_, own_, others_).fetch(values, width);
}

}  // namespace ritz
