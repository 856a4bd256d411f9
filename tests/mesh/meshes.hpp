// Meshes and helpers that several tests use.
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/generators.hpp"
#include "mesh/hash.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ritz::testing {

inline std::vector<CellKind> kinds_of_dimension(int dimension) {
  std::vector<CellKind> kinds;
  for (const CellKind kind : all_cell_kinds())
    if (traits(kind).dimension == dimension) kinds.push_back(kind);
  return kinds;
}
inline std::vector<CellKind> cells_with_area() {
  std::vector<CellKind> kinds = kinds_of_dimension(2);
  for (const CellKind kind : kinds_of_dimension(3)) kinds.push_back(kind);
  return kinds;
}
inline std::string name_of(const ::testing::TestParamInfo<CellKind>& info) {
  return std::string(traits(info.param).name);
}

// One cell in the shape of its reference cell, moved by up to `amount` per node: curved where the kind allows it.
inline MeshData single_cell(CellKind kind, double amount = 0, std::uint64_t seed = 7) {
  MeshData data{.dimension = traits(kind).dimension, .points = {}, .blocks = {{kind, {}}}, .regions = {}};
  for (const Point& x : reference_nodes(kind)) {
    const auto node = static_cast<Node>(data.blocks[0].nodes.size());
    data.blocks[0].nodes.push_back(node);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint64_t bits = mix(seed * 1000003 + static_cast<std::uint64_t>(3 * node) + k);
      const bool moves = k < static_cast<std::size_t>(data.dimension);
      data.points.push_back(x[k] + (moves ? amount * (static_cast<double>(bits >> 11) * 0x1p-52 - 1) : 0));
    }
  }
  return data;
}

// A box or rectangle of the kind's dimension; lengths differ, so that mixed-up axes show.
inline MeshData block_of(CellKind kind, Index n, const Distortion& distortion = {}) {
  return traits(kind).dimension == 3 ? box_data(n, n + 1, n, {1, 2, 0.5}, kind, distortion)
                                     : rectangle_data(n, n + 1, {1, 2}, kind, distortion);
}
inline double volume_of_block(int dimension) { return dimension == 3 ? 1.0 : 2.0; }

// Runs f and hands over the error it throws.
template <class F>
Error error_of(F f) {
  try {
    f();
  } catch (const Error& error) { return error; }
  ADD_FAILURE() << "no error was thrown";
  return Error(ErrorKind{}, "");
}

}  // namespace ritz::testing
