#include "io/results/background.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <vector>

namespace ritz::test {
namespace {

TEST(Background, JobsAreDoneInOrder) {
  std::vector<int> done;
  Background background;
  for (int i = 0; i < 50; ++i) background.post([&done, i] { done.push_back(i); });
  background.wait();
  ASSERT_EQ(done.size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(Background, TheCallerGoesOnWhileAJobIsInWorkAndOneWaits) {
  std::promise<void> gate;
  std::shared_future<void> open = gate.get_future().share();
  std::atomic<int> started = 0;
  Background background;
  const auto job = [&] {
    ++started;
    open.wait();
  };
  background.post(job);
  background.post(job);  // comes back although nothing is done
  std::atomic<bool> third = false;
  std::thread caller([&] {
    background.post(job);
    third = true;
  });
  while (started == 0) std::this_thread::yield();
  EXPECT_FALSE(third);  // it waits for the first to end
  gate.set_value();
  caller.join();
  background.wait();
  EXPECT_EQ(started, 3);
}

TEST(Background, AnErrorIsThrownWhereTheNextJobIsPostedAndNoOtherIsDone) {
  int done = 0;
  Background background;
  background.post([] { throw std::runtime_error("disk full"); });
  EXPECT_THROW(background.wait(), std::runtime_error);
  EXPECT_THROW(background.post([&] { ++done; }), std::runtime_error);
  EXPECT_THROW(background.wait(), std::runtime_error);
  EXPECT_EQ(done, 0);
}

TEST(Background, AJobThatWaitsWhenOneFailsIsNotDone) {
  std::promise<void> gate;
  std::shared_future<void> open = gate.get_future().share();
  int done = 0;
  {
    Background background;
    background.post([open] {
      open.wait();
      throw std::runtime_error("disk full");
    });
    background.post([&] { ++done; });
    gate.set_value();
    EXPECT_THROW(background.wait(), std::runtime_error);
  }
  EXPECT_EQ(done, 0);
}

TEST(Background, ItsEndWaitsForWhatWasPosted) {
  std::atomic<int> done = 0;
  {
    Background background;
    for (int i = 0; i < 3; ++i) background.post([&] { ++done; });
  }
  EXPECT_EQ(done, 3);
}

TEST(Background, WithoutJobsThereIsNothingToWaitFor) {
  Background background;
  background.wait();
  EXPECT_EQ(background.seconds(), 0);
}

TEST(Background, WhatAJobHoldsIsGivenBackWhenItIsDone) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  Background background;
  background.post([held = std::move(held)] { EXPECT_EQ(*held, 1); });
  background.wait();
  EXPECT_TRUE(seen.expired());
}

}  // namespace
}  // namespace ritz::test
