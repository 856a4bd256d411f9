// Blocks of element kernels against the limits of GPUs that are not here.
#include "fem/launch/block_shape.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

constexpr int lanes = 8;
constexpr int limits[] = {64 << 10, 99 << 10, 163 << 10, 227 << 10};

TEST(BlockShape, NeverExceedsWhatTheGpuAllows) {
  for (const int limit : limits)
    for (int scratch = 8; scratch <= limit; scratch += 1000)
      for (const int items : {0, 1, 3, 8, 27, 64, 125, 729}) {
        const BlockShape block = block_shape(lanes, scratch, items, limit);
        ASSERT_GE(block.elements, 1) << scratch << " bytes of " << limit;
        EXPECT_EQ(lanes % block.elements, 0) << "a batch is cut into equal parts";
        EXPECT_EQ(block.bytes, block.elements * scratch);
        EXPECT_LE(block.bytes, limit);
        EXPECT_EQ(block.threads % block.elements, 0);
        EXPECT_GE(block.threads, block.elements);
        EXPECT_LE(block.threads, largest_block_threads);
      }
}

TEST(BlockShape, AnElementThatFitsNowhereIsSaid) {
  for (const int limit : limits) {
    EXPECT_EQ(block_shape(lanes, limit + 8, 27, limit).elements, 0);
    EXPECT_EQ(block_shape(lanes, limit + 8, 27, limit).bytes, limit + 8);
    EXPECT_EQ(block_shape(lanes, limit, 27, limit).elements, 1);
  }
}

// 96 KB asked of a Turing card would be an error at the launch.
TEST(BlockShape, SmallElementsFillABatchAndLargeOnesLessWhereThereIsLess) {
  EXPECT_EQ(block_shape(lanes, 1000, 8, 64 << 10).elements, 8);
  EXPECT_EQ(block_shape(lanes, 10'000, 27, 227 << 10).elements, 8);
  EXPECT_EQ(block_shape(lanes, 10'000, 27, 64 << 10).elements, 4);
}

TEST(BlockShape, AThreadPerItemUpToTheLargestBlock) {
  EXPECT_EQ(block_shape(lanes, 1000, 8, 64 << 10).threads, 64);
  EXPECT_EQ(block_shape(lanes, 1000, 100, 64 << 10).threads, 256);
}

// Elements times lines fill the warps of a tensor kernel's block, whatever the order: order 5 had 56 % of them busy.
TEST(BlockShape, LinesOfTensorElementsKeepThreeQuartersOfTheLanesBusy) {
  constexpr int limit = 227 << 10, chunk = 48 << 10;
  for (int order = 2; order <= 8; ++order) {
    const int n = order + 1, lines = n * n, scratch = 8 * (24 + 3 * n * n * n);
    const BlockShape block = block_shape(lanes, scratch, lines, limit, chunk);
    const int ranks = block.threads / block.elements;
    EXPECT_GE(busy_lanes(block.elements, lines), 0.75) << "order " << order << ": " << block.elements << " x " << ranks;
  }
  EXPECT_EQ(block_shape(lanes, 8 * (24 + 3 * 216), 36, limit, chunk).threads, 4 * 36);
}

TEST(BlockShape, WhatABlockHoldsBesideCounts) {
  EXPECT_EQ(block_shape(lanes, 10'000, 27, 227 << 10, 48 << 10).elements, 4);
  EXPECT_EQ(block_shape(lanes, 10'000, 27, 227 << 10, 48 << 10).bytes, (48 << 10) + 40'000);
  EXPECT_EQ(block_shape(lanes, 10'000, 27, 64 << 10, 48 << 10).elements, 1);
  EXPECT_EQ(block_shape(lanes, 10'000, 27, 64 << 10, 60 << 10).elements, 0);
}

}  // namespace
}  // namespace ritz
