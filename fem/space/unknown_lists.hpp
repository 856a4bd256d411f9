// Rows of a sparse matrix on the device for a list of unknowns, or of entries of an array: sums of multiples of others.
//
//   UnknownLists::Host rows;   rows.begin_row(7);   rows.add(3, 0.5);   rows.add(4, 0.5);
//   const UnknownLists lists(device, rows);   kernels.add(device, lists.count(), lists.view(), y, x);
#pragma once

#include "device/array.hpp"
#include "fem/launch/dependent_kernels.hpp"

#include <cstdint>
#include <vector>

namespace ritz {

struct UnknownLists {
  struct Share {  // value[target] += factor value[source]
    std::int32_t target, source;
    double factor;
  };
  struct Host {
    std::vector<std::int32_t> unknown, other;
    std::vector<Index> begin{0};
    std::vector<double> factor;
    void begin_row(std::int32_t of) {
      unknown.push_back(of);
      begin.push_back(begin.back());
    }
    void add(std::int32_t of, double times) {  // to the last row
      other.push_back(of);
      factor.push_back(times);
      ++begin.back();
    }
    Host transposed() const;
    static Host by_targets(std::vector<Share> shares);
  };

  UnknownLists(const Device& device, const Host& host);
  Index count() const { return unknown.size(); }
  UnknownRows view() const { return {unknown.data(), begin.data(), other.data(), factor.data()}; }

  Array<std::int32_t> unknown, other;
  Array<Index> begin;
  Vector factor;
};

}  // namespace ritz
