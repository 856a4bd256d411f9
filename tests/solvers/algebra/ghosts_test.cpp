// Rows that ranks get from each other; threads pose as ranks.
#include "solvers/algebra/ghosts.hpp"

#include "device/ranks/ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

namespace ritz::testing {
namespace {

// Messages under way, in the order in which each rank sent them to each other one.
class Post {
 public:
  void put(int from, int to, std::vector<std::byte> message) {
    const std::scoped_lock lock(mutex_);
    messages_[{from, to}].push_back(std::move(message));
    changed_.notify_all();
  }
  std::vector<std::byte> take(int from, int to) {
    std::unique_lock lock(mutex_);
    std::deque<std::vector<std::byte>>& waiting = messages_[{from, to}];
    changed_.wait(lock, [&] { return !waiting.empty(); });
    std::vector<std::byte> message = std::move(waiting.front());
    waiting.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> messages_;
};

class ThreadRank : public Ranks {
 public:
  ThreadRank(Post& post, int rank, int count) : post_(post), rank_(rank), count_(count) {}
  int rank() const override { return rank_; }
  int count() const override { return count_; }
  std::string host() const override { return "here"; }
  std::string transport() const override { return "threads"; }
  void send(int, std::string) override { FAIL() << "no text is sent here"; }
  std::optional<std::string> receive(int) override { return std::nullopt; }
  void begin(std::span<const Parcel> parcels) override {
    under_way_.assign(parcels.begin(), parcels.end());
    for (const Parcel& p : parcels)
      if (!p.sent.empty()) {
        post_.put(rank_, p.rank, {p.sent.begin(), p.sent.end()});
        ++counts_.messages;
      }
  }
  void look() override {}
  void finish() override {
    for (const Parcel& p : under_way_) {
      if (p.received.empty()) continue;
      const std::vector<std::byte> message = post_.take(p.rank, rank_);
      ASSERT_EQ(message.size(), p.received.size());
      std::ranges::copy(message, p.received.begin());
    }
    under_way_.clear();
  }
  bool fail(const Error&) override { return true; }

 private:
  Post& post_;
  int rank_, count_;
  std::vector<Parcel> under_way_;
};

template <class Visit>
void on_ranks(int count, const Visit& visit) {
  Post post;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      ThreadRank here(post, rank, count);
      visit(here);
    });
}

// Ranks with different numbers of rows, and some without any; the last row of one message may be the last of all.
TEST(Ghosts, AllRowsReachAllRanksInAsManyMessagesAsTheRanksHaveBits) {
  for (const int count : {1, 2, 3, 4, 5, 7, 8, 13, 16}) {
    const auto rows_of = [](int rank) { return Index{(rank * 5) % 4}; };
    on_ranks(count, [&](Ranks& ranks) {
      const Ghosts ghosts(ranks, rows_of(ranks.rank()), {});
      const Index first = ghosts.first()[static_cast<std::size_t>(ranks.rank())];
      std::vector<double> mine(static_cast<std::size_t>(2 * ghosts.owned()));
      std::iota(mine.begin(), mine.end(), 2.0 * static_cast<double>(first));
      std::vector<double> all(static_cast<std::size_t>(2 * ghosts.total()), -1), expected(all.size());
      std::iota(expected.begin(), expected.end(), 0.0);
      const std::int64_t before = ranks.counts().messages;
      ghosts.gather(mine.data(), 2, all.data());
      EXPECT_EQ(all, expected) << "rank " << ranks.rank() << " of " << count;
      // Rows that go around the end of the numbers are two messages.
      EXPECT_LE(ranks.counts().messages - before, 2 * std::bit_width(static_cast<unsigned>(count - 1)));
    });
  }
}

}  // namespace
}  // namespace ritz::testing
