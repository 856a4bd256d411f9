// Threads that pose as ranks.
//
//   on_ranks(3, [&](Ranks& ranks) { const Ghosts ghosts(ranks, ...); ... });
#pragma once

#include "device/ranks/ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

namespace ritz::testing {

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

}  // namespace ritz::testing
