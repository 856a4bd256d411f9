// A sample of the nodes of a space, for counts of a forecast: all of up to 4000, else some 2000, chosen by a hash,
// since numbers along a curve and structured meshes are periodic.
#pragma once

#include "fem/space/function_space.hpp"

#include <cstdint>
#include <vector>

namespace ritz {

class ChosenNodes {
 public:
  explicit ChosenNodes(const FunctionSpace& space);
  Index count() const { return count_; }
  // of the chosen; -1: not chosen
  std::int32_t number(Node node) const { return number_[static_cast<std::size_t>(node)]; }
  // is one of the cell's nodes chosen?
  bool has_near(Index cell) const { return near_[static_cast<std::size_t>(cell)] != 0; }
  // Scales a count around the sample to all nodes.
  double for_all(Index counted) const {
    return count_ == 0 ? 0 : double(counted) * double(number_.size()) / double(count_);
  }

 private:
  Index count_ = 0;
  std::vector<std::int32_t> number_;  // [node]
  std::vector<std::uint8_t> near_;    // [cell of the mesh]
};

}  // namespace ritz
