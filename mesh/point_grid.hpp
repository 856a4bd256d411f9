// Points sorted into the cells of a uniform grid, found again by box. Only occupied grid cells cost memory (hashing).
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/hash.hpp"
#include "mesh/mesh.hpp"

#include <bit>
#include <cmath>
#include <vector>

namespace ritz {

class PointGrid {
 public:
  // `members` are the nodes that take part.
  PointGrid(const Mesh& mesh, std::vector<Node> members, double spacing)
      : mesh_(mesh), coordinates_(mesh.points()), spacing_(spacing), members_(std::move(members)) {
    start_.assign(std::bit_ceil(members_.size() + 1) + 1, 0);
    for (const Node node : members_) ++start_[bucket(place(node)) + 1];
    for (std::size_t b = 1; b < start_.size(); ++b) start_[b] += start_[b - 1];
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    sorted_.resize(members_.size());
    for (const Node node : members_) sorted_[next[bucket(place(node))]++] = node;
  }

  // Calls f(node) once for every member inside the box, in a fixed order.
  template <class F>
  void for_each_in(const Point& low, const Point& high, F f) const {
    const Place from = place(low), to = place(high);
    double places = 1;
    for (std::size_t k = 0; k < 3; ++k) places *= static_cast<double>(to[k] - from[k] + 1);
    const auto inside = [&](Node node) {
      for (std::size_t k = 0; k < 3; ++k)
        if (at(node)[k] < low[k] || at(node)[k] > high[k]) return false;
      return true;
    };
    if (places > static_cast<double>(members_.size())) {
      for (const Node node : members_)
        if (inside(node)) f(node);
      return;
    }
    Place p;
    for (p[2] = from[2]; p[2] <= to[2]; ++p[2])
      for (p[1] = from[1]; p[1] <= to[1]; ++p[1])
        for (p[0] = from[0]; p[0] <= to[0]; ++p[0])
          for (std::size_t i = start_[bucket(p)]; i < start_[bucket(p) + 1]; ++i)
            if (inside(sorted_[i]) && place(sorted_[i]) == p) f(sorted_[i]);
  }

 private:
  using Place = std::array<Index, 3>;
  const double* at(Node node) const { return coordinates_.data() + 3 * static_cast<Index>(node); }
  Place place(const Point& x) const {
    Place p;
    for (std::size_t k = 0; k < 3; ++k) p[k] = static_cast<Index>(std::floor(x[k] / spacing_));
    return p;
  }
  Place place(Node node) const { return place(Point{at(node)[0], at(node)[1], at(node)[2]}); }
  std::size_t bucket(const Place& p) const {
    // Places side by side along x lie side by side in memory.
    const std::uint64_t line = mix(mix(static_cast<std::uint64_t>(p[2])) + static_cast<std::uint64_t>(p[1]));
    return (line + static_cast<std::uint64_t>(p[0])) & (start_.size() - 2);
  }

  Mesh mesh_;
  std::span<const double> coordinates_;  // of its nodes, [node][3]
  double spacing_;
  std::vector<Node> members_, sorted_;
  std::vector<std::size_t> start_;
};

}  // namespace ritz
