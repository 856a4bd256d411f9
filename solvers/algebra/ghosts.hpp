// The nodes of a matrix that this rank owns, and those of other ranks that its rows reach: its ghosts. Global numbers
// of the nodes of a rank are contiguous, rank after rank. An array that operators read is [owned | ghosts], the ghosts
// in ascending order, so that those of one owner are together and a message needs no unpacking.
//
//   const Ghosts ghosts(ranks, owned, reached);        // all ranks make theirs together
//   ghosts.fetch(x, 3);                                // x [owned | ghosts][3]: the tail has the owners' values
//   ghosts.add_to_owners(y, 3);                        // the other way: what stands in the tail adds to the owners'
//
// Memory of devices apart from the host is not read here: ranks compute on CPUs.
#pragma once

#include "device/machine.hpp"
#include "device/ranks/ranks.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ritz {

class Ghosts {
 public:
  // reached: global numbers of nodes of others, ascending, each once.
  Ghosts(Ranks& ranks, Index owned, std::vector<Index> reached);

  Ranks& ranks() const { return *ranks_; }
  Index owned() const { return owned_; }
  Index count() const { return static_cast<Index>(reached_.size()); }
  Index size() const { return owned_ + count(); }
  Index total() const { return first_.back(); }               // nodes of all ranks
  const std::vector<Index>& first() const { return first_; }  // [rank + 1] global number of the first node of a rank
  Index global(Index local) const;
  Index local(Index global) const;  // of a node that is owned or reached
  int owner(Index global) const;

  // One message to and from each neighbour.
  template <class T>
  void fetch(T* values, int width) const;
  // The same in two parts, between which owned values are read and the tail is not; look() lets the messages move on.
  template <class T>
  void begin_fetch(T* values, int width) const;
  void look() const { ranks_->look(); }
  void finish_fetch() const { ranks_->finish(); }
  // Numbers of neighbours are added in ascending order of their ranks.
  template <class T>
  void add_to_owners(T* values, int width) const;

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
  // [rank] owned nodes of all, each `width` numbers: what every rank has stands at its place among all.
  template <class T>
  void gather(const T* mine, int width, T* all) const;

 private:
  Ranks* ranks_;
  Index owned_;
  std::vector<Index> reached_, first_;
  std::vector<Neighbour> neighbours_;
  void begin(std::span<const Parcel> parcels) const;
  mutable std::vector<std::byte> buffer_;
  mutable std::int64_t exchanges_ = 0;
  mutable ExchangeCounts counts_;
};

}  // namespace ritz
