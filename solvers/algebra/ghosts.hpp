// The nodes of a matrix that this rank owns, and those of other ranks that its rows reach: its ghosts. Global numbers
// of the nodes of a rank are contiguous, rank after rank. An array that operators read is [owned | ghosts], the ghosts
// in ascending order, so that those of one owner are together and a message needs no unpacking.
//
//   const Ghosts ghosts(ranks, owned, reached);        // all ranks make theirs together
//   ghosts.fetch(x, 3);                                // x [owned | ghosts][3]: the tail has the owners' values
//   ghosts.add_to_owners(y, 3);                        // the other way: what stands in the tail adds to the owners'
//
// Arrays may be on a device with memory of its own: a kernel packs what is sent. Where Ranks::connects() devices,
// messages go from there to their place in the order of the stream, and the host waits for none. Otherwise they go from
// pinned memory to pinned memory, and what arrives is copied to its place after the kernels launched so far. Lists are
// on the device from the first exchange of such an array on.
#pragma once

#include "device/array.hpp"
#include "device/ranks/ranks.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ritz {

class Ghosts {
 public:
  // reached: global numbers of nodes of others, ascending, each once.
  Ghosts(Ranks& ranks, Index owned, std::vector<Index> reached);
  ~Ghosts();

  Ranks& ranks() const { return *ranks_; }
  Index owned() const { return owned_; }
  Index count() const { return static_cast<Index>(reached_.size()); }
  Index size() const { return owned_ + count(); }
  Index total() const { return first_.back(); }               // nodes of all ranks
  const std::vector<Index>& first() const { return first_; }  // [rank + 1] global number of the first node of a rank
  const std::vector<Index>& reached() const { return reached_; }  // global numbers of the ghosts
  Index global(Index local) const;
  Index local(Index global) const;  // of a node that is owned or reached
  int owner(Index global) const;

  // One message to and from each neighbour. T: double, float, std::uint64_t or std::int32_t; of numbers of the host
  // double or Index.
  template <class T>
  void fetch(Array<T>& values, int width) const;
  template <class T>
  void fetch(std::vector<T>& values, int width) const;  // of the host
  // The same in two parts, between which owned values are read and the tail is not; look() lets the messages move on.
  template <class T>
  void begin_fetch(Array<T>& values, int width) const;
  void look() const { ranks_->look(); }
  void finish_fetch() const;
  // Numbers of neighbours are added in ascending order of their ranks.
  template <class T>
  void add_to_owners(Array<T>& values, int width) const;
  // The same with the ghosts in an array of their own.
  template <class T>
  void fetch(const Array<T>& values, Array<T>& tail, int width) const;
  template <class T>
  void add_to_owners(const Array<T>& tail, Array<T>& values, int width) const;

  // A rank that reaches nodes of this one, or the other way, or both.
  struct Neighbour {
    int rank;
    std::vector<std::int32_t> sent;  // nodes that it reaches, ascending
    Index first = 0, count = 0;      // its nodes in the tail
  };
  const std::vector<Neighbour>& neighbours() const { return neighbours_; }
  Index sent() const;  // nodes, in all messages of one fetch
  // So far, by fetches and sums to owners: how often, and what this rank sent.
  std::int64_t exchanges() const { return exchanges_; }
  const ExchangeCounts& counts() const { return counts_; }
  // [rank] owned nodes of all, each `width` numbers: what every rank has stands at its place among all. Numbers of the
  // host, or of one device.
  template <class T>
  void gather(const T* mine, int width, T* all) const;
  template <class T>
  void gather(const Array<T>& mine, int width, Array<T>& all) const;

 private:
  class OnDevice;
  OnDevice& on(const Device& device) const;
  template <class T>
  void begin_fetch(const Device& device, const T* values, T* tail, int width) const;
  template <class T>
  void begin_fetch_on_host(const T* values, T* tail, int width) const;
  template <class T>
  void add_to_owners(const Device& device, const T* tail, T* values, int width) const;
  Ranks* ranks_;
  Index owned_;
  std::vector<Index> reached_, first_;
  std::vector<Neighbour> neighbours_;
  enum class Way { host, device };
  void begin(std::span<const Parcel> parcels, Way way) const;
  std::vector<Parcel> parcels_to(const std::byte* packed, std::byte* tail, Index item) const;
  std::vector<Parcel> parcels_back(const std::byte* tail, std::byte* received, Index item) const;
  template <class T>
  std::vector<std::vector<Parcel>> rounds_of_all(int width, T* all) const;
  mutable Way way_ = Way::host;  // of the fetch that has begun
  mutable std::vector<std::byte> buffer_;
  mutable std::unique_ptr<OnDevice> on_device_;  // null: arrays so far were those of the host
  mutable std::int64_t exchanges_ = 0;
  mutable ExchangeCounts counts_;
};

}  // namespace ritz
