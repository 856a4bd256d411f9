#include "mesh/radix_sort.hpp"

#include <omp.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace ritz {
namespace {

constexpr int digit_bits = 11;
constexpr std::size_t bucket_count = std::size_t{1} << digit_bits;

struct Range {
  std::size_t first, last;
};

Range share_of(std::size_t count, std::size_t part, std::size_t parts) {
  return {count * part / parts, count * (part + 1) / parts};
}

std::uint64_t key_of(const KeyedIndex& record) { return record.key; }
std::uint64_t key_of(std::uint64_t record) { return record; }

// One stable pass: each thread counts its share, the starts are summed bucket by bucket, each thread scatters.
template <class Record>
void sort_by_digit(const Record* from, Record* to, std::size_t count, int shift) {
  std::vector<std::size_t> start(static_cast<std::size_t>(omp_get_max_threads()) * bucket_count);  // [thread][bucket]
  std::vector<std::size_t> positions(start.size());  // of each thread's own
  const auto digit = [shift](const Record& r) { return (key_of(r) >> shift) & (bucket_count - 1); };
#pragma omp parallel
  {
    const auto parts = static_cast<std::size_t>(omp_get_num_threads());  // the team may be smaller than requested
    const auto part = static_cast<std::size_t>(omp_get_thread_num());
    const Range mine = share_of(count, part, parts);
    std::size_t* const position = positions.data() + part * bucket_count;
    for (std::size_t i = mine.first; i < mine.last; ++i) ++position[digit(from[i])];
    std::copy_n(position, bucket_count, start.begin() + static_cast<std::ptrdiff_t>(part * bucket_count));
#pragma omp barrier
#pragma omp single
    {
      std::size_t sum = 0;
      for (std::size_t bucket = 0; bucket < bucket_count; ++bucket)
        for (std::size_t p = 0; p < parts; ++p) {
          const std::size_t size = start[p * bucket_count + bucket];
          start[p * bucket_count + bucket] = sum;
          sum += size;
        }
    }
    std::copy_n(start.begin() + static_cast<std::ptrdiff_t>(part * bucket_count), bucket_count, position);
    for (std::size_t i = mine.first; i < mine.last; ++i) to[position[digit(from[i])]++] = from[i];
  }
}

template <class Record>
void sort_by_bits(std::span<Record> records, int first_bit, int last_bit) {
  const std::size_t count = records.size();
  if (count < 2048) {
    std::stable_sort(records.begin(), records.end(), [first_bit](const Record& a, const Record& b) {
      return key_of(a) >> first_bit < key_of(b) >> first_bit;
    });
    return;
  }
  const auto scratch = std::make_unique_for_overwrite<Record[]>(count);
  Record* from = records.data();
  Record* to = scratch.get();
  for (int shift = first_bit; shift < last_bit; shift += digit_bits) {
    sort_by_digit(from, to, count, shift);
    std::swap(from, to);
  }
  if (from != records.data()) std::copy(from, from + count, records.data());
}

}  // namespace

void radix_sort(std::span<KeyedIndex> records, int key_bits) { sort_by_bits(records, 0, key_bits); }
void radix_sort(std::span<std::uint64_t> records, int first_bit, int last_bit) {
  sort_by_bits(records, first_bit, last_bit);
}

}  // namespace ritz
