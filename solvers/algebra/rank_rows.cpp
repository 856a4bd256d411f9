#include "solvers/algebra/rank_rows.hpp"

#include "device/host_view.hpp"

#include <algorithm>
#include <vector>

namespace ritz {
namespace {

// The rows of a rank in a column of the whole.
template <class T>
std::span<T> piece(const RankRows& rows, std::span<T> all, int rank, int column) {
  const auto r = static_cast<std::size_t>(rank);
  return all.subspan(static_cast<std::size_t>(column * rows.total() + rows.first[r]),
                     static_cast<std::size_t>(rows.first[r + 1] - rows.first[r]));
}

template <class T>
std::span<T> own_piece(const RankRows& rows, std::span<T> mine, int column) {
  return mine.subspan(static_cast<std::size_t>(column * rows.count()), static_cast<std::size_t>(rows.count()));
}

}  // namespace

void RankRows::deal(std::span<const double> all, std::span<double> mine, int columns) const {
  std::vector<Parcel> parcels;
  for (int column = 0; column < columns; ++column) {
    const std::span<double> own = own_piece(*this, mine, column);
    if (ranks->rank() > 0) parcels.push_back({0, {}, std::as_writable_bytes(own)});
    else std::ranges::copy(piece(*this, all, 0, column), own.begin());
    for (int rank = 1; rank < ranks->count() && ranks->rank() == 0; ++rank)
      parcels.push_back({rank, std::as_bytes(piece(*this, all, rank, column)), {}});
  }
  ranks->exchange(parcels);
}

void RankRows::collect(std::span<const double> mine, std::span<double> all, int columns) const {
  std::vector<Parcel> parcels;
  for (int column = 0; column < columns; ++column) {
    const std::span<const double> own = own_piece(*this, mine, column);
    if (ranks->rank() > 0) parcels.push_back({0, std::as_bytes(own), {}});
    else std::ranges::copy(own, piece(*this, all, 0, column).begin());
    for (int rank = 1; rank < ranks->count() && ranks->rank() == 0; ++rank)
      parcels.push_back({rank, {}, std::as_writable_bytes(piece(*this, all, rank, column))});
  }
  ranks->exchange(parcels);
}

void RankRows::take(const Vector& all, Vector& mine) const {
  all.device().machine().copy_on_device(mine.data(), all.data() + begin(), count() * Index{sizeof(double)});
}

void RankRows::gather(const Vector& mine, Vector& all) const {
  const bool apart = all.device().machine().is_apart();
  std::vector<double> numbers(apart ? static_cast<std::size_t>(all.size()) : 0);
  const std::span<double> of_all =
      apart ? std::span<double>(numbers) : std::span<double>(all.data(), static_cast<std::size_t>(all.size()));
  const HostView<double> view(mine);
  const std::span<const double> own = view.span();
  std::ranges::copy(own, piece(*this, of_all, ranks->rank(), 0).begin());
  std::vector<Parcel> parcels;
  for (int other = 0; other < ranks->count(); ++other)
    if (other != ranks->rank())
      parcels.push_back({other, std::as_bytes(own), std::as_writable_bytes(piece(*this, of_all, other, 0))});
  ranks->exchange(parcels);
  if (apart) all.upload(numbers);
}

}  // namespace ritz
