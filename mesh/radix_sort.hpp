// Sorting of keys that carry a number: least significant digit first, in parallel. Stable, so the result is the same
// for every thread count. Memory traffic: each pass reads the records twice and writes them once.
#pragma once

#include <cstdint>
#include <span>

namespace ritz {

struct KeyedIndex {
  std::uint64_t key;
  std::int64_t value;
};

// Sorts by the keys, which must be below 2^key_bits; equal keys stay in their order.
void radix_sort(std::span<KeyedIndex> records, int key_bits);
// The same for numbers that hold their keys in bits [first_bit, last_bit); higher bits must be zero. Half the memory.
void radix_sort(std::span<std::uint64_t> records, int first_bit, int last_bit);

}  // namespace ritz
