// Keeps the numbers of an array on the host while they are not needed: its block on the device returns to the pool. The
// copies are staged through pinned memory and show as a phase of the profile, "cold data".
//
//   ColdArray<double> cold;   cold.put_away(u);   ... solve something else ...   cold.bring_back(u, "vectors");
#pragma once

#include "device/array.hpp"

#include <chrono>
#include <vector>

namespace ritz {

// Bytes that went to the host and back, and how long that took.
struct ColdTraffic {
  Index out = 0, back = 0;  // [bytes]
  double seconds = 0;
};

template <class T>
class ColdArray {
 public:
  bool holds() const { return !values_.empty(); }
  Index bytes() const { return static_cast<Index>(values_.size() * sizeof(T)); }

  // The array is empty afterwards; nothing happens where it was before. Throws std::bad_alloc where the host has no
  // room either: then the array is as it was.
  void put_away(Array<T>& array, ColdTraffic* traffic = nullptr) {
    if (array.empty()) return;
    device_ = array.device();
    auto phase = device_.profile().phase("cold data");
    const auto begin = std::chrono::steady_clock::now();
    values_ = array.host();
    array = Array<T>();
    if (traffic == nullptr) return;
    traffic->out += bytes();
    traffic->seconds += since(begin);
  }
  // Restores the array as it was put away; does nothing if it was not. Throws Error: Exit::resources if the device has
  // no room: the numbers then stay on the host.
  void bring_back(Array<T>& array, const char* tag, ColdTraffic* traffic = nullptr) {
    if (!holds()) return;
    auto phase = device_.profile().phase("cold data");
    const auto begin = std::chrono::steady_clock::now();
    array = Array<T>(device_, std::span<const T>(values_), tag);
    if (traffic != nullptr) {
      traffic->back += bytes();
      traffic->seconds += since(begin);
    }
    values_ = {};
  }

 private:
  static double since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  Device device_;
  std::vector<T> values_;
};

}  // namespace ritz
