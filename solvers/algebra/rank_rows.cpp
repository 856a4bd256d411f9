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

// An array for the host to fill: the array itself, or numbers that become its own at the end.
class Filled {
 public:
  explicit Filled(Vector& array) : array_(array) {
    if (apart()) numbers_.resize(static_cast<std::size_t>(array.size()));
  }
  std::span<double> span() {
    if (apart()) return numbers_;
    return {array_.data(), static_cast<std::size_t>(array_.size())};
  }
  void complete() {
    if (apart()) array_.upload(numbers_);
  }

 private:
  bool apart() const { return !array_.empty() && array_.device().machine().is_apart(); }
  Vector& array_;
  std::vector<double> numbers_;
};

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

void RankRows::deal(const Vector& all, Vector& mine) const {
  Filled filled(mine);
  deal(HostView<double>(all).span(), filled.span());
  filled.complete();
}

void RankRows::collect(const Vector& mine, Vector& all) const {
  Filled filled(all);
  collect(HostView<double>(mine).span(), filled.span());
  filled.complete();
}

}  // namespace ritz
