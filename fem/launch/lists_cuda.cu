// The lists of where element entries go, on a GPU. Numbers of chunks that touch an item are counted by atomic
// operations on integers; all orders are those of stable sorts.
#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "device/pack.hpp"
#include "device/scan.hpp"
#include "device/sort_cuda.hpp"
#include "fem/launch/list_kernels.hpp"

#include <limits>
#include <utility>
#include <vector>

namespace ritz::RITZ_BACKEND {
namespace {

constexpr const char* lists_tag = "assembly lists";

// Consecutive chunks of a group, which are listed together. An entry is an element's node, or a pair of its nodes.
struct Slice {
  const std::int32_t* nodes;
  int width, columns;  // nodes of an element; entries of each of them
  Index first_element, elements, chunk_elements;
  Index first_chunk, chunks;  // of all groups
  Index first_source;
  constexpr Index pairs() const { return elements * width; }
  constexpr Index entries() const { return pairs() * columns; }
  constexpr Index chunk_entries() const { return chunk_elements * width * columns; }
  constexpr std::int32_t node(Index element, Index a) const {
    const Index e = first_element + element;
    return nodes[(e / lane_count * width + a) * lane_count + e % lane_count];
  }
};

struct PairKeys {
  Slice slice;
  std::uint64_t* key;
  std::uint32_t* pair;
  constexpr void operator()(Index p) const {
    const Index element = p / slice.width;
    const auto node = static_cast<std::uint32_t>(slice.node(element, p % slice.width));
    key[p] = static_cast<std::uint64_t>(element / slice.chunk_elements) << 32 | node;
    pair[p] = static_cast<std::uint32_t>(p);
  }
};

constexpr bool begins(const std::uint64_t* key, Index q) { return q == 0 || key[q - 1] != key[q]; }

struct MarkFirstUses {
  const std::uint64_t* key;
  const std::uint32_t* pair;
  std::int32_t* is_first;
  constexpr void operator()(Index q) const { is_first[pair[q]] = begins(key, q) ? 1 : 0; }
};

// Rows of the chunks in the order in which elements first use them.
struct NumberRows {
  const std::uint64_t* key;
  const std::uint32_t* pair;
  const Index* rows_before;
  std::uint32_t* row;
  constexpr void operator()(Index q) const {
    Index first = q;
    while (!begins(key, first)) --first;
    row[pair[q]] = static_cast<std::uint32_t>(rows_before[pair[first]]);
  }
};

// Position of a column in its row of the pattern.
constexpr Index position_of(const ListedItems& items, std::int32_t row, std::int32_t column) {
  Index low = items.offsets[row], high = items.offsets[row + 1] - 1;
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (items.columns[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low;
}

struct EntryKeys {
  Slice slice;
  ListedItems items;
  const std::uint32_t* row;
  std::uint64_t* key;
  std::uint32_t* entry;
  constexpr void operator()(Index i) const {
    const Index pair = i / slice.columns, element = pair / slice.width;
    Index place = 0;  // in the row
    if (items.offsets != nullptr) {
      const std::int32_t node = slice.node(element, pair % slice.width);
      place = position_of(items, node, slice.node(element, i % slice.columns)) - items.offsets[node];
    }
    key[i] = static_cast<std::uint64_t>(row[pair]) << 32 | static_cast<std::uint64_t>(place);
    entry[i] = static_cast<std::uint32_t>(i);
  }
};

struct MarkBegins {
  const std::uint64_t* key;
  std::int32_t* begin;
  constexpr void operator()(Index q) const { begin[q] = begins(key, q) ? 1 : 0; }
};

struct WriteSlots {
  Slice slice;
  ListedItems items;
  const std::uint64_t* key;
  const std::uint32_t* entry;
  const Index* number;  // slots before each sorted entry
  Index first_slot;     // of the slice
  std::uint32_t* destination;
  std::uint16_t *first, *sources;
  std::int32_t* touches;
  Index* chunk_slots;
  __device__ void operator()(Index q) const {
    const Index i = entry[q], pair = i / slice.columns, element = pair / slice.width;
    const Index item = pair % slice.width * slice.columns + i % slice.columns,
                size = Index{slice.width} * slice.columns;
    const Index local = element % slice.chunk_elements, chunk = element / slice.chunk_elements;
    sources[q] = static_cast<std::uint16_t>((local / lane_count * size + item) * lane_count + local % lane_count);
    const Index in_chunk = q - chunk * slice.chunk_entries();
    if (in_chunk == 0) chunk_slots[slice.first_chunk + chunk] = first_slot + number[q];
    if (!begins(key, q)) return;
    Index target = slice.node(element, pair % slice.width);
    if (items.offsets != nullptr) target = items.offsets[target] + static_cast<std::uint32_t>(key[q]);
    destination[number[q]] = static_cast<std::uint32_t>(target);
    first[number[q]] = static_cast<std::uint16_t>(in_chunk);
    atomicAdd(touches + target, 1);
  }
};

struct Store {
  Index* at;
  Index value;
  constexpr void operator()(Index) const { *at = value; }
};

// Items that nothing touches, that several chunks touch, and how often these do.
struct CountItems {
  const std::int32_t* touches;
  constexpr Sums<3> operator()(Index item) const {
    const double times = touches[item];
    return {{times == 0 ? 1.0 : 0.0, times > 1 ? 1.0 : 0.0, times > 1 ? times : 0.0}};
  }
};

struct MarkItems {
  const std::int32_t* touches;
  std::int32_t *untouched, *shared, *extension;
  constexpr void operator()(Index i) const {
    const std::int32_t times = touches[i];
    untouched[i] = times == 0 ? 1 : 0;
    shared[i] = times > 1 ? 1 : 0;
    extension[i] = times > 1 ? times : 0;
  }
};

// Replaces numbers of touches: by the first item of the extension, or -1 for items that are not shared.
struct WriteItems {
  Index first_item, first_untouched, first_shared, first_extension;
  const Index *untouched_before, *shared_before, *extension_before;
  std::int32_t* touches;
  std::uint32_t *untouched, *shared_items, *shared_begin;
  constexpr void operator()(Index i) const {
    const auto item = static_cast<std::uint32_t>(first_item + i);
    const std::int32_t times = touches[i];
    touches[i] = -1;
    if (times == 0) untouched[first_untouched + untouched_before[i]] = item;
    if (times < 2) return;
    const Index shared = first_shared + shared_before[i], begin = first_extension + extension_before[i];
    shared_items[shared] = item;
    shared_begin[shared] = static_cast<std::uint32_t>(begin);
    shared_begin[shared + 1] = static_cast<std::uint32_t>(begin + times);  // the next one writes the same
    touches[i] = static_cast<std::int32_t>(begin);
  }
};

// In any order; SortExtension mends it.
struct FillExtension {
  const std::uint32_t* destination;
  std::int32_t* next;  // [item], negative: not shared
  std::uint32_t* slot_of;
  std::uint8_t* is_shared;
  __device__ void operator()(Index slot) const {
    std::int32_t* const at = next + destination[slot];
    // volatile: others add to it meanwhile, which changes no sign.
    is_shared[slot] = *static_cast<const volatile std::int32_t*>(at) >= 0 ? 1 : 0;
    if (is_shared[slot] != 0) slot_of[atomicAdd(at, 1)] = static_cast<std::uint32_t>(slot);
  }
};

// Items of the extension follow the order of the chunks, which is that of the slots.
struct SortExtension {
  const std::uint32_t* shared_begin;
  std::uint32_t *slot_of, *destination;
  constexpr void operator()(Index shared) const {
    const Index begin = shared_begin[shared], end = shared_begin[shared + 1];
    for (Index k = begin + 1; k < end; ++k) {
      const std::uint32_t slot = slot_of[k];
      Index to = k;
      for (; to > begin && slot_of[to - 1] > slot; --to) slot_of[to] = slot_of[to - 1];
      slot_of[to] = slot;
    }
    for (Index k = begin; k < end; ++k) destination[slot_of[k]] = static_cast<std::uint32_t>(k);
  }
};

// Slots of a slice's chunks, whose sources lie from `first_source` on.
struct SlotsOfSlice {
  Index first_chunk, chunks, first_slot, slots, first_source;
  const Index *chunk_slots, *chunk_sources;  // of all chunks
  const std::uint16_t* first;                // [slot] of all slots, its first source in the chunk
  const std::uint8_t* is_shared;             // [slot]
  constexpr Index chunk_of(Index slot) const {
    Index low = first_chunk, high = first_chunk + chunks - 1;
    while (low < high) {
      const Index middle = (low + high + 1) / 2;
      if (chunk_slots[middle] <= slot) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  constexpr Index count_of(Index slot, Index chunk) const {
    const Index end =
        slot + 1 < chunk_slots[chunk + 1] ? first[slot + 1] : chunk_sources[chunk + 1] - chunk_sources[chunk];
    return end - first[slot];
  }
};

struct RunKeys {
  SlotsOfSlice of;
  std::uint64_t* key;
  std::uint32_t* slot;
  constexpr void operator()(Index j) const {
    const Index each = of.first_slot + j, chunk = of.chunk_of(each);
    key[j] = static_cast<std::uint64_t>(chunk - of.first_chunk) << 32 | std::uint64_t{of.is_shared[each]} << 20 |
             static_cast<std::uint64_t>(of.count_of(each, chunk));
    slot[j] = static_cast<std::uint32_t>(j);
  }
};

constexpr Index sources_of(std::uint64_t key) { return static_cast<Index>(key & 0xfffff); }

struct MarkRuns {
  const std::uint64_t* key;
  std::int32_t *begin, *sources;
  constexpr void operator()(Index j) const {
    begin[j] = begins(key, j) ? 1 : 0;
    sources[j] = static_cast<std::int32_t>(sources_of(key[j]));
  }
};

struct BeginRuns {
  const std::uint64_t* key;
  const Index* number;
  std::uint32_t* first_of_run;
  constexpr void operator()(Index j) const {
    if (begins(key, j)) first_of_run[number[j]] = static_cast<std::uint32_t>(j);
  }
};

struct WriteRuns {
  SlotsOfSlice of;
  const std::uint64_t* key;
  const std::uint32_t* slot;
  const Index *number, *sources_before;  // runs and sources before each sorted slot
  const std::uint32_t* first_of_run;
  Index runs, first_run;
  const std::uint32_t* old_destination;  // [slot of the slice]
  const std::uint16_t* old_sources;
  ScatterRun* run;
  Index* chunk_runs;
  std::uint32_t* destination;
  std::uint16_t* sources;
  constexpr void operator()(Index j) const {
    const bool is_first = begins(key, j);
    const Index number_of = number[j] + (is_first ? 0 : -1);
    const Index begin = first_of_run[number_of], end = number_of + 1 < runs ? first_of_run[number_of + 1] : of.slots;
    const Index size = end - begin, count = sources_of(key[j]),
                chunk = of.first_chunk + static_cast<Index>(key[j] >> 32);
    const std::uint32_t old = slot[j];
    destination[j] = old_destination[old];
    const std::uint16_t* from = old_sources + of.chunk_sources[chunk] - of.first_source + of.first[of.first_slot + old];
    std::uint16_t* to = sources + sources_before[begin] + (j - begin);
    for (Index k = 0; k < count; ++k) to[k * size] = from[k];
    if (!is_first) return;
    run[number_of] = {static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(size),
                      (key[j] >> 20 & 1) != 0 ? 1u : 0u};
    if (of.first_slot + j == of.chunk_slots[chunk]) chunk_runs[chunk] = first_run + number_of;
  }
};

// Arrays for the sorts of a slice, which all slices use.
struct Scratch {
  Array<std::uint64_t> key;
  Array<std::uint32_t> value, other;
  Array<std::int32_t> mark, second_mark, third_mark;
  Array<Index> before, second_before, third_before;
  Scratch(const Device& device, Index size)
      : key(device, size, lists_tag),
        value(device, size, lists_tag),
        other(device, size, lists_tag),
        mark(device, size, lists_tag),
        second_mark(device, size, lists_tag),
        third_mark(device, size, lists_tag),
        before(device, size + 1, lists_tag),
        second_before(device, size + 1, lists_tag),
        third_before(device, size + 1, lists_tag) {}
};

Index read(const Device& device, const Index* from) {
  Index value = 0;
  device.machine().copy_to_host(&value, from, Index{sizeof value});
  return value;
}

template <class T>
void append(const Device& device, Array<T>& all, Index& at, const Array<T>& part) {
  if (part.empty()) return;
  device.machine().copy_on_device(all.data() + at, part.data(), part.bytes());
  at += part.size();
}

// One part after the other, which it gives back on the way.
template <class T>
Array<T> joined(const Device& device, Index size, std::vector<Array<T>>& parts) {
  Array<T> all(device, size, lists_tag);
  Index at = 0;
  for (Array<T>& part : parts) {
    append(device, all, at, part);
    part = {};
  }
  return all;
}

class Lister {
 public:
  Lister(const Device& device, std::span<const ListedGroup> groups, const ListedItems& items, Index together)
      : device_(device), items_(items), together_(together) {
    cut(groups);
  }

  std::optional<ScatterLists> make() {
    Scratch scratch(device_, scratch_size());
    lists_.sources = Array<std::uint16_t>(device_, sources_, lists_tag);
    lists_.chunk_sources = Array<Index>(device_, std::span<const Index>(chunk_sources_), lists_tag);
    lists_.chunk_slots = Array<Index>(device_, chunks_ + 1, lists_tag);
    lists_.chunk_runs = Array<Index>(device_, chunks_ + 1, lists_tag);
    list_slots(scratch);
    if (slots_ > std::numeric_limits<std::uint32_t>::max() || !list_items(scratch)) return std::nullopt;
    touches_ = {};
    list_runs(scratch);
    return std::move(lists_);
  }

 private:
  // Slices of whole chunks; the sources of a chunk are as many as its entries.
  void cut(std::span<const ListedGroup> groups) {
    for (const ListedGroup& group : groups) {
      const int columns = items_.offsets != nullptr ? group.width : 1;
      const Index size = group.chunk_elements(), entries = size * group.width * columns;
      const Index together = std::max<Index>(1, together_ / entries);
      for (Index chunk = 0; chunk < group.chunk_count(); chunk += together) {
        const Index count = std::min(together, group.chunk_count() - chunk), first = chunk * size;
        const Index elements = std::min(group.elements - first, count * size);
        slices_.push_back({group.nodes, group.width, columns, first, elements, size, chunks_, count, sources_});
        for (Index c = 0; c < count; ++c) chunk_sources_.push_back(sources_ + c * entries);
        chunks_ += count;
        sources_ += slices_.back().entries();
      }
    }
    chunk_sources_.push_back(sources_);
  }

  Index scratch_size() const {
    Index size = std::min(items_.count, together_);
    for (const Slice& slice : slices_) size = std::max(size, slice.entries());
    return size;
  }

  void number_rows(const Slice& slice, Scratch& s) const {
    const Index pairs = slice.pairs();
    for_each(device_, "pair keys", pairs, PairKeys{slice, s.key.data(), s.value.data()});
    sort_by_key(device_, s.key.data(), s.value.data(), pairs);
    for_each(device_, "first uses", pairs, MarkFirstUses{s.key.data(), s.value.data(), s.mark.data()});
    exclusive_scan(device_, s.mark.data(), pairs, s.before.data());
    for_each(device_, "number rows", pairs, NumberRows{s.key.data(), s.value.data(), s.before.data(), s.other.data()});
  }

  void list_slots(Scratch& s) {
    touches_ = Array<std::int32_t>(device_, items_.count, lists_tag);
    touches_.fill_zero();
    std::vector<Array<std::uint32_t>> destinations;
    std::vector<Array<std::uint16_t>> firsts;
    for (const Slice& slice : slices_) {
      const Index entries = slice.entries();
      number_rows(slice, s);
      for_each(device_, "entry keys", entries, EntryKeys{slice, items_, s.other.data(), s.key.data(), s.value.data()});
      sort_by_key(device_, s.key.data(), s.value.data(), entries);
      for_each(device_, "slots", entries, MarkBegins{s.key.data(), s.mark.data()});
      exclusive_scan(device_, s.mark.data(), entries, s.before.data());
      const Index slots = read(device_, s.before.data() + entries);
      destinations.emplace_back(device_, slots, lists_tag);
      firsts.emplace_back(device_, slots, lists_tag);
      for_each(device_, "write slots", entries,
               WriteSlots{slice, items_, s.key.data(), s.value.data(), s.before.data(), slots_,
                          destinations.back().data(), firsts.back().data(), lists_.sources.data() + slice.first_source,
                          touches_.data(), lists_.chunk_slots.data()});
      first_slot_.push_back(slots_);
      slots_ += slots;
    }
    first_slot_.push_back(slots_);
    for_each(device_, "slots end", 1, Store{lists_.chunk_slots.data() + chunks_, slots_});
    lists_.destinations = joined(device_, slots_, destinations);
    first_ = joined(device_, slots_, firsts);
  }

  // Whether 31 bits count the extension.
  bool list_items(Scratch& s) {
    double counts[3] = {};
    {
      Array<double> sums(device_, 3, lists_tag);
      reduce<3>(device_, "count items", items_.count, CountItems{touches_.data()}, sums.data());
      sums.download(counts);
    }
    const auto untouched = static_cast<Index>(counts[0]), shared = static_cast<Index>(counts[1]);
    lists_.extension_items = static_cast<Index>(counts[2]);
    if (lists_.extension_items > std::numeric_limits<std::int32_t>::max()) return false;
    lists_.untouched = Array<std::uint32_t>(device_, untouched, lists_tag);
    lists_.shared_items = Array<std::uint32_t>(device_, shared, lists_tag);
    lists_.shared_begin = Array<std::uint32_t>(device_, shared + 1, lists_tag);
    lists_.shared_begin.fill_zero();
    Index sums[3] = {};
    for (Index first = 0; first < items_.count; first += s.mark.size()) {
      const Index count = std::min(s.mark.size(), items_.count - first);
      std::int32_t* const touches = touches_.data() + first;
      for_each(device_, "mark items", count,
               MarkItems{touches, s.mark.data(), s.second_mark.data(), s.third_mark.data()});
      exclusive_scan(device_, s.mark.data(), count, s.before.data());
      exclusive_scan(device_, s.second_mark.data(), count, s.second_before.data());
      exclusive_scan(device_, s.third_mark.data(), count, s.third_before.data());
      for_each(
          device_, "write items", count,
          WriteItems{first, sums[0], sums[1], sums[2], s.before.data(), s.second_before.data(), s.third_before.data(),
                     touches, lists_.untouched.data(), lists_.shared_items.data(), lists_.shared_begin.data()});
      if (first + count == items_.count) break;
      sums[0] += read(device_, s.before.data() + count);
      sums[1] += read(device_, s.second_before.data() + count);
      sums[2] += read(device_, s.third_before.data() + count);
    }
    is_shared_ = Array<std::uint8_t>(device_, slots_, lists_tag);
    Array<std::uint32_t> slot_of(device_, lists_.extension_items, lists_tag);
    for_each(device_, "fill extension", slots_,
             FillExtension{lists_.destinations.data(), touches_.data(), slot_of.data(), is_shared_.data()});
    for_each(device_, "sort extension", shared,
             SortExtension{lists_.shared_begin.data(), slot_of.data(), lists_.destinations.data()});
    return true;
  }

  void list_runs(Scratch& s) {
    std::vector<Array<ScatterRun>> parts;
    Index all = 0;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      const Slice& slice = slices_[i];
      const SlotsOfSlice of{slice.first_chunk,
                            slice.chunks,
                            first_slot_[i],
                            first_slot_[i + 1] - first_slot_[i],
                            slice.first_source,
                            lists_.chunk_slots.data(),
                            lists_.chunk_sources.data(),
                            first_.data(),
                            is_shared_.data()};
      for_each(device_, "run keys", of.slots, RunKeys{of, s.key.data(), s.value.data()});
      sort_by_key(device_, s.key.data(), s.value.data(), of.slots);
      for_each(device_, "runs", of.slots, MarkRuns{s.key.data(), s.mark.data(), s.second_mark.data()});
      exclusive_scan(device_, s.mark.data(), of.slots, s.before.data());
      exclusive_scan(device_, s.second_mark.data(), of.slots, s.second_before.data());
      const Index runs = read(device_, s.before.data() + of.slots);
      Array<std::uint32_t> first_of_run(device_, runs, lists_tag), old_destination(device_, of.slots, lists_tag);
      Array<std::uint16_t> old_sources(device_, slice.entries(), lists_tag);
      for_each(device_, "begin runs", of.slots, BeginRuns{s.key.data(), s.before.data(), first_of_run.data()});
      std::uint32_t* const destination = lists_.destinations.data() + of.first_slot;
      std::uint16_t* const sources = lists_.sources.data() + slice.first_source;
      device_.machine().copy_on_device(old_destination.data(), destination, old_destination.bytes());
      device_.machine().copy_on_device(old_sources.data(), sources, old_sources.bytes());
      parts.emplace_back(device_, runs, lists_tag);
      for_each(device_, "write runs", of.slots,
               WriteRuns{of, s.key.data(), s.value.data(), s.before.data(), s.second_before.data(), first_of_run.data(),
                         runs, all, old_destination.data(), old_sources.data(), parts.back().data(),
                         lists_.chunk_runs.data(), destination, sources});
      all += runs;
    }
    for_each(device_, "runs end", 1, Store{lists_.chunk_runs.data() + chunks_, all});
    lists_.runs = joined(device_, all, parts);
  }

  const Device& device_;
  ListedItems items_;
  Index together_;
  std::vector<Slice> slices_;
  std::vector<Index> chunk_sources_, first_slot_;  // [chunk + 1], [slice + 1]
  Index chunks_ = 0, sources_ = 0, slots_ = 0;
  ScatterLists lists_;
  Array<std::int32_t> touches_;  // [item]
  Array<std::uint16_t> first_;   // [slot]
  Array<std::uint8_t> is_shared_;
};

std::optional<ScatterLists> make(const Device& device, std::span<const ListedGroup> groups, const ListedItems& items,
                                 Index together) {
  return Lister(device, groups, items, together).make();
}

const ListKernels table{make};
const Registration registration("lists", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
