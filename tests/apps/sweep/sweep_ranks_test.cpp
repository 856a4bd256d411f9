#include "apps/sweep/sweep_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

namespace ritz {
namespace {

using ::testing::ElementsAre;

// Ranks that are threads of this process.
struct Mail {
  std::mutex guard;
  std::map<std::pair<int, int>, std::deque<std::string>> texts;  // [from, to]
};
class ThreadRanks : public Ranks {
 public:
  ThreadRanks(Mail& mail, int rank, int count) : mail_(mail), rank_(rank), count_(count) {}
  int rank() const override { return rank_; }
  int count() const override { return count_; }
  std::string host() const override { return "here"; }
  std::string transport() const override { return "threads"; }
  void send(int to, std::string text) override {
    const std::scoped_lock lock(mail_.guard);
    mail_.texts[{rank_, to}].push_back(std::move(text));
  }
  std::optional<std::string> receive(int from) override {
    const std::scoped_lock lock(mail_.guard);
    std::deque<std::string>& box = mail_.texts[{from, rank_}];
    if (box.empty()) return std::nullopt;
    std::string text = std::move(box.front());
    box.pop_front();
    return text;
  }
  void begin(std::span<const Parcel>) override { ADD_FAILURE() << "members of a sweep exchange no numbers"; }
  void look() override {}
  void finish() override {}
  bool fail(const Error&) override {
    ADD_FAILURE() << "a failed member does not end the others";
    return true;
  }

 private:
  Mail& mail_;
  int rank_, count_;
};

SweepRecord record_of(std::size_t member) {
  SweepRecord record;
  record.member = member;
  record.row = {"complete", "abc", {{"z", "1.5"}, {"a", "2"}}};
  return record;
}

TEST(SweepRanks, DealPartsOfNeighboursThatDifferByOneAtMost) {
  for (const std::size_t members : {0, 1, 2, 7, 15, 64}) {
    std::vector<std::size_t> all(members), dealt;
    for (std::size_t m = 0; m < members; ++m) all[m] = 3 * m;
    Mail mail;
    std::vector<std::unique_ptr<ThreadRanks>> ranks;
    for (int r = 0; r < 4; ++r) ranks.push_back(std::make_unique<ThreadRanks>(mail, r, 4));
    SweepRanks first(ranks[0].get());
    dealt = first.deal(all);
    std::size_t least = dealt.size(), most = dealt.size();
    for (int r = 1; r < 4; ++r) {
      const std::vector<std::size_t> part = SweepRanks(ranks[std::size_t(r)].get()).wait_for_part();
      dealt.insert(dealt.end(), part.begin(), part.end());
      least = std::min(least, part.size()), most = std::max(most, part.size());
    }
    EXPECT_EQ(dealt, all);
    EXPECT_LE(most, least + 1);
  }
}

TEST(SweepRanks, OneProcessComputesAllAndWaitsForNobody) {
  SweepRanks alone(nullptr);
  EXPECT_TRUE(alone.is_first());
  EXPECT_FALSE(alone.are_several());
  EXPECT_THAT(alone.deal({4, 5}), ElementsAre(4, 5));
  EXPECT_FALSE(alone.next());
  EXPECT_FALSE(alone.has_others_at_work());
  alone.conclude();
}

TEST(SweepRanks, WhatIsHandedOverArrivesWholeAndInOrder) {
  SweepRecord record = record_of(7);
  record.steps = {"s/s_000000.vtu"};
  record.outcome.status = "failed";
  record.outcome.exit = Exit::model;
  record.outcome.probes = {{"p", {1.0 / 3, std::numeric_limits<double>::quiet_NaN(), 5e-324}}, {"q", {}}};
  record.outcome.facts = {{"frequencies_hz", "48.1 52"}, {"snow:reaction", "0 0 -3"}};
  record.outcome.iterations = 41;
  record.outcome.seconds = 0.25;
  record.outcome.outputs = {"a", "b"};
  record.errors = {Error(ErrorKind::other_model, "no support", "it \"floats\"\n", "hold it")};
  record.fallbacks = {"cg (gave up)"};
  record.mesh_file = "m\xff.msh";  // names of files are bytes, not always UTF-8
  record.cells = 1'000'000'000'000;
  const SweepHandOver sent{.records = {record, record_of(8)},
                           .journal = "line 1\nline 2\n",
                           .last = true,
                           .counts = {1, 2, 3, 4, 5, 6, 7, 8},
                           .error = Error(ErrorKind::cannot_write, "disk full")};
  const SweepHandOver got = hand_over_of(to_text(sent));
  ASSERT_EQ(got.records.size(), 2u);
  EXPECT_EQ(got.records[1].member, 8u);
  const SweepRecord& r = got.records[0];
  EXPECT_EQ(r.row.fingerprint, "abc");
  EXPECT_EQ(r.row.cells, record.row.cells);  // in the order of the table's columns
  EXPECT_EQ(r.steps, record.steps);
  EXPECT_EQ(r.outcome.exit, Exit::model);
  ASSERT_EQ(r.outcome.probes.size(), 2u);
  EXPECT_EQ(r.outcome.probes[0].second[0], 1.0 / 3);
  EXPECT_TRUE(std::isnan(r.outcome.probes[0].second[1]));
  EXPECT_EQ(r.outcome.probes[0].second[2], 5e-324);
  EXPECT_EQ(r.outcome.facts, record.outcome.facts);
  EXPECT_EQ(SweepTable::frequencies_of(r.outcome.facts), (std::vector<double>{48.1, 52}));
  EXPECT_EQ(r.outcome.iterations, 41);
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].why(), "it \"floats\"\n");
  EXPECT_EQ(r.errors[0].exit(), Exit::model);
  EXPECT_EQ(r.cells, 1'000'000'000'000);
  EXPECT_EQ(got.journal, sent.journal);
  EXPECT_EQ(got.counts.used_on, 8);
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->exit(), Exit::output);
}

TEST(SweepRanks, CountsOfRanksAddUpAndTheLargestBatchCounts) {
  SweepCounts counts{.batches = 2, .largest_batch = 5, .matrices = 1};
  counts.add({.batches = 1, .largest_batch = 3, .matrices = 4, .used_on = 2});
  EXPECT_EQ(counts.batches, 3);
  EXPECT_EQ(counts.largest_batch, 5);
  EXPECT_EQ(counts.matrices, 5);
  EXPECT_EQ(counts.used_on, 2);
}

// A rank that fails before it knows its part, one that fails in it, one that is told to end early, and a first rank
// that fails before it deals: all leave the sweep, and the next text of the first rank is theirs.
TEST(SweepRanks, AllLeaveTogetherWhoeverFails) {
  for (const bool first_deals : {true, false}) {
    Mail mail;
    const auto other = [&](int rank) {
      ThreadRanks ranks(mail, rank, 4);
      SweepRanks sweep(&ranks);
      if (rank == 1) sweep.finish({}, Error(ErrorKind::environment, "no device"));
      else {
        const std::vector<std::size_t> part = sweep.wait_for_part();
        EXPECT_EQ(part.empty(), !first_deals);
        for (const std::size_t member : part) {
          if (rank == 2 && member == 5) break;
          sweep.hand_over({.records = {record_of(member)}});
        }
        if (rank == 2)
          sweep.finish({}, first_deals ? std::optional(Error(ErrorKind::cannot_write, "disk full")) : std::nullopt);
        else {
          while (!sweep.is_told_to_end()) Ranks::pause();
          sweep.finish({.batches = 1}, std::nullopt);
        }
      }
      EXPECT_EQ(ranks.of_first("mine"), "7");
    };
    std::vector<std::jthread> threads;
    for (int rank = 1; rank < 4; ++rank) threads.emplace_back(other, rank);
    ThreadRanks ranks(mail, 0, 4);
    SweepRanks sweep(&ranks);
    std::vector<std::string> errors;
    std::size_t records = 0;
    if (first_deals) {
      EXPECT_THAT(sweep.deal({0, 1, 2, 3, 4, 5, 6, 7}), ElementsAre(0, 1));
      sweep.end_others();
      while (sweep.has_others_at_work()) {
        if (const auto message = sweep.next()) {
          records += message->records.size();
          if (message->error) errors.push_back(message->error->message());
        }
      }
      EXPECT_THAT(errors, ::testing::UnorderedElementsAre("rank 1: no device", "rank 2: disk full"));
      EXPECT_EQ(records, 1u + 2u);
    }
    sweep.conclude();
    EXPECT_EQ(ranks.of_first("7"), "7");
  }
}

}  // namespace
}  // namespace ritz
