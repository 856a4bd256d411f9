#include "solvers/algebra/ghosts.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ritz {

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
        throw Error(Exit::internal, fmt::format("rank {} asks for node {} of another rank", rank, node));
      neighbour.sent.push_back(static_cast<std::int32_t>(node - own_first));
    }
    neighbours_.push_back(std::move(neighbour));
  }
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
    throw Error(Exit::internal, fmt::format("node {} of another rank is no ghost of this one", global));
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

void Ghosts::begin(std::span<const Parcel> parcels) const {
  const ExchangeCounts before = ranks_->counts();
  ranks_->begin(parcels);
  ++exchanges_;
  counts_.messages += ranks_->counts().messages - before.messages;
  counts_.bytes += ranks_->counts().bytes - before.bytes;
}

template <class T>
void Ghosts::fetch(T* values, int width) const {
  begin_fetch(values, width);
  finish_fetch();
}

template <class T>
void Ghosts::begin_fetch(T* values, int width) const {
  const auto w = static_cast<std::size_t>(width);
  buffer_.resize(static_cast<std::size_t>(sent()) * w * sizeof(T));
  std::vector<Parcel> parcels;
  std::byte* next = buffer_.data();
  for (const Neighbour& each : neighbours_) {
    std::byte* const begin = next;
    for (const std::int32_t node : each.sent) {
      std::memcpy(next, values + static_cast<std::size_t>(node) * w, w * sizeof(T));
      next += w * sizeof(T);
    }
    parcels.push_back(
        {each.rank,
         {begin, next},
         std::as_writable_bytes(std::span(values + each.first * width, static_cast<std::size_t>(each.count) * w))});
  }
  begin(parcels);
}

template <class T>
void Ghosts::add_to_owners(T* values, int width) const {
  const auto w = static_cast<std::size_t>(width);
  std::vector<T> received(static_cast<std::size_t>(sent()) * w);
  std::vector<Parcel> parcels;
  T* next = received.data();
  for (const Neighbour& each : neighbours_) {
    const std::size_t size = each.sent.size() * w;
    parcels.push_back({each.rank,
                       std::as_bytes(std::span(values + each.first * width, static_cast<std::size_t>(each.count) * w)),
                       std::as_writable_bytes(std::span(next, size))});
    next += size;
  }
  begin(parcels);
  ranks_->finish();
  const T* number = received.data();
  for (const Neighbour& each : neighbours_)
    for (const std::int32_t node : each.sent)
      for (std::size_t k = 0; k < w; ++k) values[static_cast<std::size_t>(node) * w + k] += *number++;
}

template <class T>
void Ghosts::gather(const T* mine, int width, T* all) const {
  const auto piece = [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    return std::span(all + first_[r] * width, static_cast<std::size_t>((first_[r + 1] - first_[r]) * width));
  };
  const std::span<T> here = piece(ranks_->rank());
  std::copy_n(mine, here.size(), here.begin());
  std::vector<Parcel> parcels;
  for (int other = 0; other < ranks_->count(); ++other)
    if (other != ranks_->rank()) parcels.push_back({other, std::as_bytes(here), std::as_writable_bytes(piece(other))});
  ranks_->exchange(parcels);
}

template void Ghosts::begin_fetch(double*, int) const;
template void Ghosts::begin_fetch(float*, int) const;
template void Ghosts::fetch(double*, int) const;
template void Ghosts::fetch(float*, int) const;
template void Ghosts::fetch(Index*, int) const;
template void Ghosts::add_to_owners(double*, int) const;
template void Ghosts::add_to_owners(float*, int) const;
template void Ghosts::gather(const double*, int, double*) const;
template void Ghosts::gather(const float*, int, float*) const;

}  // namespace ritz
