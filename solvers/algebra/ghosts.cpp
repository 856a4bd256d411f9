#include "solvers/algebra/ghosts.hpp"

#include "device/error.hpp"
#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/ghost_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

namespace ritz {
namespace ghosts {

constexpr const char* tag = "ghosts";

// Host memory for copies from and to a device, page-locked where the system locks so much.
class CopyBuffer {
 public:
  explicit CopyBuffer(const Device& device) : device_(device) {}
  ~CopyBuffer() {
    try {
      if (pinned_ != nullptr) device_.synchronize();  // a copy may be under way
    } catch (const Error&) {                          // whoever waits next is told
    }
    release();
  }
  CopyBuffer(const CopyBuffer&) = delete;
  CopyBuffer& operator=(const CopyBuffer&) = delete;

  std::byte* of_size(Index bytes) {
    if (bytes > size_) grow(bytes);
    return pinned_ != nullptr ? pinned_ : ordinary_.data();
  }
  // Is done after the next synchronize().
  void begin_copy_from(const void* device_memory, Index bytes) {
    Machine& machine = device_.machine();
    if (pinned_ != nullptr) machine.begin_copy_to_host(pinned_, device_memory, bytes);
    else machine.copy_to_host(ordinary_.data(), device_memory, bytes);
  }
  // The buffer stays as it is until the next synchronize().
  void begin_copy_to(void* device_memory, Index bytes) const {
    Machine& machine = device_.machine();
    if (pinned_ != nullptr) machine.begin_copy_to_device(device_memory, pinned_, bytes);
    else machine.copy_to_device(device_memory, ordinary_.data(), bytes);
  }

 private:
  void release() {
    if (pinned_ != nullptr) device_.pinned().release(std::exchange(pinned_, nullptr));
  }
  void grow(Index bytes) {
    device_.synchronize();
    release();
    size_ = bytes;
    try {
      pinned_ = static_cast<std::byte*>(device_.pinned().allocate(bytes, tag));
    } catch (const Error& error) {
      if (error.exit() != Exit::resources) throw;
      ordinary_.resize(static_cast<std::size_t>(bytes));
    }
  }

  Device device_;
  Index size_ = 0;
  std::byte* pinned_ = nullptr;
  std::vector<std::byte> ordinary_;
};

}  // namespace ghosts

// The buffers of an exchange on a device with memory of its own. One exchange at a time.
class Ghosts::OnDevice {
 public:
  OnDevice(const Device& device, const std::vector<Neighbour>& neighbours)
      : device_(device),
        kernels_(kernels<GhostKernels>(device, solver_kernels, "ghosts")),
        to_host_(device),
        to_device_(device) {
    std::vector<std::pair<std::int32_t, std::int32_t>> places;  // of a node, in what is sent: by rank
    std::vector<std::int32_t> sent;
    for (const Neighbour& each : neighbours)
      for (const std::int32_t node : each.sent) {
        places.emplace_back(node, static_cast<std::int32_t>(sent.size()));
        sent.push_back(node);
      }
    std::ranges::sort(places);
    std::vector<std::int32_t> nodes, begin, place;
    for (const auto& [node, at] : places) {
      if (nodes.empty() || nodes.back() != node) {
        nodes.push_back(node);
        begin.push_back(static_cast<std::int32_t>(place.size()));
      }
      place.push_back(at);
    }
    begin.push_back(static_cast<std::int32_t>(place.size()));
    sent_ = Array<std::int32_t>(device, std::span<const std::int32_t>(sent), ghosts::tag);
    nodes_ = Array<std::int32_t>(device, std::span<const std::int32_t>(nodes), ghosts::tag);
    begin_ = Array<std::int32_t>(device, std::span<const std::int32_t>(begin), ghosts::tag);
    place_ = Array<std::int32_t>(device, std::span<const std::int32_t>(place), ghosts::tag);
  }

  bool is_on(const Device& device) const { return device_ == device; }

  // The nodes that neighbours reach, packed on the device.
  template <class T>
  const std::byte* pack(const T* values, int width) {
    T* const packed = packed_of_size<T>(sent_.size() * width * Index{sizeof(T)});
    if constexpr (sizeof(T) == sizeof(double))  // bits of any type
      kernels_.take(device_, sent_.size(), sent_.data(), width, reinterpret_cast<const double*>(values),
                    reinterpret_cast<double*>(packed));
    else
      kernels_.take_single(device_, sent_.size(), sent_.data(), width, reinterpret_cast<const float*>(values),
                           reinterpret_cast<float*>(packed));
    return reinterpret_cast<const std::byte*>(packed);
  }
  std::byte* read(const void* device_memory, Index bytes) {
    std::byte* const result = to_host_.of_size(bytes);
    if (bytes > 0) to_host_.begin_copy_from(device_memory, bytes);
    return result;
  }
  std::byte* room_for_received(Index bytes) { return to_device_.of_size(bytes); }
  template <class T>
  std::byte* room_on_device(int width) {
    return reinterpret_cast<std::byte*>(packed_of_size<T>(place_.size() * width * Index{sizeof(T)}));
  }

  // Numbers that arrive in room_for_received() belong there.
  void expect(void* tail, Index bytes) {
    tail_ = tail;
    tail_bytes_ = bytes;
  }
  void place_expected() {
    if (const Index bytes = std::exchange(tail_bytes_, 0); bytes > 0) to_device_.begin_copy_to(tail_, bytes);
  }

  template <class T>
  void add_from_host(T* values, int width) {
    const Index bytes = place_.size() * width * Index{sizeof(T)};
    if (bytes > 0) to_device_.begin_copy_to(packed_of_size<T>(bytes), bytes);
    add(values, width);
  }
  // Memory of room_on_device().
  template <class T>
  void add(T* values, int width) {
    T* const packed = packed_of_size<T>(place_.size() * width * Index{sizeof(T)});
    if constexpr (std::is_same_v<T, double>)
      kernels_.add(device_, nodes_.size(), nodes_.data(), begin_.data(), place_.data(), width, packed, values);
    else
      kernels_.add_single(device_, nodes_.size(), nodes_.data(), begin_.data(), place_.data(), width, packed, values);
  }

 private:
  template <class T>
  T* packed_of_size(Index bytes) {
    if (packed_.bytes() < bytes)
      packed_ = Vector(device_, (bytes + Index{sizeof(double)} - 1) / Index{sizeof(double)}, ghosts::tag);
    return reinterpret_cast<T*>(packed_.data());
  }

  Device device_;
  const GhostKernels& kernels_;
  Array<std::int32_t> sent_, nodes_, begin_, place_;  // nodes_: each once, with its places in what is sent
  Vector packed_;
  ghosts::CopyBuffer to_host_, to_device_;
  void* tail_ = nullptr;
  Index tail_bytes_ = 0;
};

Ghosts::Ghosts(Ranks& ranks, Index owned, std::vector<Index> reached)
    : ranks_(&ranks), owned_(owned), reached_(std::move(reached)), first_{0} {
  for (const Index each : ranks.of_all(owned)) first_.push_back(first_.back() + each);
  const auto count = static_cast<std::size_t>(ranks.count());
  std::vector<std::vector<std::byte>> wanted(count);
  std::vector<Index> begin(count + 1, 0);
  for (std::size_t rank = 0; rank < count; ++rank) {
    const auto last = std::ranges::lower_bound(reached_, first_[rank + 1]);
    begin[rank + 1] = last - reached_.begin();
    const std::span<const Index> nodes(reached_.data() + begin[rank], reached_.data() + begin[rank + 1]);
    const std::span<const std::byte> bytes = std::as_bytes(nodes);
    wanted[rank].assign(bytes.begin(), bytes.end());
  }
  const std::vector<std::vector<std::byte>> asked = ranks.swap(wanted);
  const Index own_first = first_[static_cast<std::size_t>(ranks.rank())];
  for (std::size_t rank = 0; rank < count; ++rank) {
    if (static_cast<int>(rank) == ranks.rank() || (asked[rank].empty() && begin[rank] == begin[rank + 1])) continue;
    Neighbour neighbour{.rank = static_cast<int>(rank),
                        .sent = {},
                        .first = owned_ + begin[rank],
                        .count = begin[rank + 1] - begin[rank]};
    std::vector<Index> nodes(asked[rank].size() / sizeof(Index));
    std::memcpy(nodes.data(), asked[rank].data(), asked[rank].size());
    for (const Index node : nodes) {
      if (node < own_first || node >= own_first + owned_)
        throw Error(ErrorKind::internal, fmt::format("rank {} asks for node {} of another rank", rank, node));
      neighbour.sent.push_back(static_cast<std::int32_t>(node - own_first));
    }
    neighbours_.push_back(std::move(neighbour));
  }
}

Ghosts::~Ghosts() = default;

Ghosts::OnDevice& Ghosts::on(const Device& device) const {
  if (!on_device_ || !on_device_->is_on(device)) on_device_ = std::make_unique<OnDevice>(device, neighbours_);
  return *on_device_;
}

Index Ghosts::global(Index local) const {
  return local < owned_ ? first_[static_cast<std::size_t>(ranks_->rank())] + local
                        : reached_[static_cast<std::size_t>(local - owned_)];
}

Index Ghosts::local(Index global) const {
  const Index own = global - first_[static_cast<std::size_t>(ranks_->rank())];
  if (own >= 0 && own < owned_) return own;
  const auto place = std::ranges::lower_bound(reached_, global);
  if (place == reached_.end() || *place != global)
    throw Error(ErrorKind::internal, fmt::format("node {} of another rank is no ghost of this one", global));
  return owned_ + (place - reached_.begin());
}

int Ghosts::owner(Index global) const {
  return static_cast<int>(std::ranges::upper_bound(first_, global) - first_.begin()) - 1;
}

Index Ghosts::sent() const {
  Index sum = 0;
  for (const Neighbour& each : neighbours_) sum += static_cast<Index>(each.sent.size());
  return sum;
}

void Ghosts::begin(std::span<const Parcel> parcels, Way way) const {
  const ExchangeCounts before = ranks_->counts();
  if (way == Way::device) ranks_->begin_on_device(parcels);
  else ranks_->begin(parcels);
  way_ = way;
  ++exchanges_;
  counts_.messages += ranks_->counts().messages - before.messages;
  counts_.bytes += ranks_->counts().bytes - before.bytes;
}

// item: [bytes] of a node
std::vector<Parcel> Ghosts::parcels_to(const std::byte* packed, std::byte* tail, Index item) const {
  std::vector<Parcel> parcels;
  for (const Neighbour& each : neighbours_) {
    const std::size_t bytes = each.sent.size() * static_cast<std::size_t>(item);
    parcels.push_back({each.rank,
                       {packed, bytes},
                       {tail + (each.first - owned_) * item, static_cast<std::size_t>(each.count * item)}});
    packed += bytes;
  }
  return parcels;
}

std::vector<Parcel> Ghosts::parcels_back(const std::byte* tail, std::byte* received, Index item) const {
  std::vector<Parcel> parcels;
  for (const Neighbour& each : neighbours_) {
    const std::size_t bytes = each.sent.size() * static_cast<std::size_t>(item);
    parcels.push_back({each.rank,
                       {tail + (each.first - owned_) * item, static_cast<std::size_t>(each.count * item)},
                       {received, bytes}});
    received += bytes;
  }
  return parcels;
}

template <class T>
void Ghosts::fetch(Array<T>& values, int width) const {
  begin_fetch(values, width);
  finish_fetch();
}

template <class T>
void Ghosts::fetch(std::vector<T>& values, int width) const {
  begin_fetch_on_host(values.data(), values.data() + owned_ * width, width);
  ranks_->finish();
}

template <class T>
void Ghosts::fetch(const Array<T>& values, Array<T>& tail, int width) const {
  begin_fetch(values.device(), values.data(), tail.data(), width);
  finish_fetch();
}

template <class T>
void Ghosts::begin_fetch(Array<T>& values, int width) const {
  begin_fetch(values.device(), values.data(), values.data() + owned_ * width, width);
}

template <class T>
void Ghosts::begin_fetch(const Device& device, const T* values, T* tail, int width) const {
  if (!device.machine().is_apart()) return begin_fetch_on_host(values, tail, width);
  OnDevice& here = on(device);
  const Index item = width * Index{sizeof(T)};
  const std::byte* const packed = here.pack(values, width);
  if (ranks_->connects(device)) return begin(parcels_to(packed, reinterpret_cast<std::byte*>(tail), item), Way::device);
  const std::byte* const sent_from = here.read(packed, sent() * item);
  std::byte* const room = here.room_for_received(count() * item);
  device.synchronize();  // packed, and what arrived before has left
  begin(parcels_to(sent_from, room, item), Way::host);
  here.expect(tail, count() * item);
}

void Ghosts::finish_fetch() const {
  if (way_ == Way::device) return ranks_->finish_on_device();
  ranks_->finish();
  if (on_device_) on_device_->place_expected();
}

template <class T>
void Ghosts::begin_fetch_on_host(const T* values, T* tail, int width) const {
  const auto w = static_cast<std::size_t>(width);
  buffer_.resize(static_cast<std::size_t>(sent()) * w * sizeof(T));
  std::byte* next = buffer_.data();
  for (const Neighbour& each : neighbours_)
    for (const std::int32_t node : each.sent) {
      std::memcpy(next, values + static_cast<std::size_t>(node) * w, w * sizeof(T));
      next += w * sizeof(T);
    }
  begin(parcels_to(buffer_.data(), reinterpret_cast<std::byte*>(tail), width * Index{sizeof(T)}), Way::host);
}

template <class T>
void Ghosts::add_to_owners(Array<T>& values, int width) const {
  add_to_owners(values.device(), values.data() + owned_ * width, values.data(), width);
}

template <class T>
void Ghosts::add_to_owners(const Array<T>& tail, Array<T>& values, int width) const {
  add_to_owners(values.device(), tail.data(), values.data(), width);
}

template <class T>
void Ghosts::add_to_owners(const Device& device, const T* numbers, T* values, int width) const {
  const Index item = width * Index{sizeof(T)};
  const std::byte* const tail = reinterpret_cast<const std::byte*>(numbers);
  if (device.machine().is_apart()) {
    OnDevice& here = on(device);
    if (ranks_->connects(device)) {
      begin(parcels_back(tail, here.room_on_device<T>(width), item), Way::device);
      ranks_->finish_on_device();
      return here.add(values, width);
    }
    const std::byte* const sent_from = here.read(tail, count() * item);
    std::byte* const room = here.room_for_received(sent() * item);
    device.synchronize();
    begin(parcels_back(sent_from, room, item), Way::host);
    ranks_->finish();
    return here.add_from_host(values, width);
  }
  buffer_.resize(static_cast<std::size_t>(sent() * item));
  begin(parcels_back(tail, buffer_.data(), item), Way::host);
  ranks_->finish();
  const T* number = reinterpret_cast<const T*>(buffer_.data());
  for (const Neighbour& each : neighbours_)
    for (const std::int32_t node : each.sent)
      for (int k = 0; k < width; ++k) values[Index{node} * width + k] += *number++;
}

// Each rank has the rows of as many ranks from its own on, counted around, and gets as many more from the rank after
// these: log2 of the ranks rounds of one message (Bruck et al., 1997, Efficient Algorithms for All-to-All
// Communications, section 4). Rows that go around the end are two messages.
template <class T>
std::vector<std::vector<Parcel>> Ghosts::rounds_of_all(int width, T* all) const {
  const int count = ranks_->count(), rank = ranks_->rank();
  const auto for_rows = [&](int begin, int ranks, const auto& visit) {
    const auto visit_rows = [&](int b, int e) {
      const Index from = first_[static_cast<std::size_t>(b)], to = first_[static_cast<std::size_t>(e)];
      if (from < to) visit(std::span<T>(all + from * width, static_cast<std::size_t>((to - from) * width)));
    };
    visit_rows(begin, std::min(begin + ranks, count));
    if (begin + ranks > count) visit_rows(0, begin + ranks - count);
  };
  std::vector<std::vector<Parcel>> rounds;
  for (int have = 1; have < count; have *= 2) {
    const int more = std::min(have, count - have), to = (rank - have + count) % count, from = (rank + have) % count;
    std::vector<Parcel>& parcels = rounds.emplace_back();
    for_rows(rank, more, [&](std::span<T> rows) { parcels.push_back({to, std::as_bytes(rows), {}}); });
    for_rows(from, more, [&](std::span<T> rows) { parcels.push_back({from, {}, std::as_writable_bytes(rows)}); });
  }
  return rounds;
}

template <class T>
void Ghosts::gather(const T* mine, int width, T* all) const {
  std::copy_n(mine, owned_ * width, all + first_[static_cast<std::size_t>(ranks_->rank())] * width);
  for (const std::vector<Parcel>& parcels : rounds_of_all(width, all)) ranks_->exchange(parcels);
}

template <class T>
void Ghosts::gather(const Array<T>& mine, int width, Array<T>& all) const {
  const Device& device = mine.device();
  if (!device.machine().is_apart()) return gather(mine.data(), width, all.data());
  if (ranks_->connects(device)) {
    T* const here = all.data() + first_[static_cast<std::size_t>(ranks_->rank())] * width;
    device.machine().copy_on_device(here, mine.data(), owned_ * width * Index{sizeof(T)});
    for (const std::vector<Parcel>& parcels : rounds_of_all(width, all.data())) {
      ranks_->begin_on_device(parcels);
      ranks_->finish_on_device();
    }
    return;
  }
  const HostView<T> own(device, mine.data(), owned_ * width);
  std::vector<T> numbers(static_cast<std::size_t>(total() * width));
  gather(own.data(), width, numbers.data());
  all.upload(numbers);
}

template void Ghosts::begin_fetch(Array<double>&, int) const;
template void Ghosts::begin_fetch(Array<float>&, int) const;
template void Ghosts::fetch(Array<double>&, int) const;
template void Ghosts::fetch(Array<float>&, int) const;
template void Ghosts::fetch(Array<std::uint64_t>&, int) const;
template void Ghosts::fetch(Array<std::int32_t>&, int) const;
template void Ghosts::fetch(std::vector<double>&, int) const;
template void Ghosts::fetch(std::vector<Index>&, int) const;
template void Ghosts::add_to_owners(Array<double>&, int) const;
template void Ghosts::add_to_owners(Array<float>&, int) const;
template void Ghosts::fetch(const Array<double>&, Array<double>&, int) const;
template void Ghosts::fetch(const Array<float>&, Array<float>&, int) const;
template void Ghosts::add_to_owners(const Array<double>&, Array<double>&, int) const;
template void Ghosts::add_to_owners(const Array<float>&, Array<float>&, int) const;
template void Ghosts::gather(const double*, int, double*) const;
template void Ghosts::gather(const float*, int, float*) const;
template void Ghosts::gather(const Array<double>&, int, Array<double>&) const;
template void Ghosts::gather(const Array<float>&, int, Array<float>&) const;

}  // namespace ritz
