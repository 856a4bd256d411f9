#include "apps/sweep/sweep_ranks.hpp"

#include "device/host_limits.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

constexpr const char* end_text = "end";

}  // namespace

SweepRanks::SweepRanks(Ranks* ranks) : ranks_(ranks) {
  if (is_first()) others_.resize(std::size_t(count() - 1));
  unfinished_ = int(others_.size());
}

std::string SweepRanks::text() const {
  const HostLimits here = host_limits();
  return fmt::format("{} ranks by {}, {} of them on {} with {} thread{} each", count(), ranks_->transport(),
                     here.share.processes, ranks_->host(), here.threads(), here.threads() == 1 ? "" : "s");
}

std::vector<std::size_t> SweepRanks::deal(const std::vector<std::size_t>& members) {
  const auto parts = std::size_t(count());
  const auto part = [&](std::size_t rank) {
    return std::vector<std::size_t>(members.begin() + std::ptrdiff_t(part_begin(members.size(), rank, parts)),
                                    members.begin() + std::ptrdiff_t(part_begin(members.size(), rank + 1, parts)));
  };
  for (std::size_t rank = 1; rank < parts; ++rank) ranks_->send(int(rank), nlohmann::json(part(rank)).dump());
  return part(0);
}

std::optional<SweepHandOver> SweepRanks::next() {
  for (int rank = 1; rank <= int(others_.size()); ++rank) {
    Other& other = others_[std::size_t(rank - 1)];
    if (other.finished) continue;
    const std::optional<std::string> text = ranks_->receive(rank);
    if (!text) continue;
    SweepHandOver message = hand_over_of(*text);
    if (message.error)
      message.error =
          Error(message.error->kind(), message_of_rank(rank, message.error->exit(), message.error->message()),
                message.error->why(), message.error->fix());
    other.finished = message.last;
    if (message.last) --unfinished_;
    return message;
  }
  return std::nullopt;
}

void SweepRanks::end_others() {
  for (int rank = 1; rank <= int(others_.size()); ++rank)
    if (!std::exchange(others_[std::size_t(rank - 1)].told_to_end, true)) ranks_->send(rank, end_text);
}

void SweepRanks::conclude() {
  end_others();
  while (has_others_at_work())
    if (!next()) Ranks::pause();
}

std::vector<std::size_t> SweepRanks::wait_for_part() {
  const std::string text = ranks_->wait(0);
  if (text != end_text) return nlohmann::json::parse(text);
  told_to_end_ = true;
  return {};
}

bool SweepRanks::is_told_to_end() {
  told_to_end_ = told_to_end_ || ranks_->receive(0) == end_text;
  return told_to_end_;
}

void SweepRanks::finish(const SweepCounts& counts, std::optional<Error> error) {
  hand_over({.last = true, .counts = counts, .error = std::move(error)});
  while (!told_to_end_) told_to_end_ = ranks_->wait(0) == end_text;  // a part may come before it
}

}  // namespace ritz
