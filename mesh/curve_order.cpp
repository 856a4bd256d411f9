#include "mesh/curve_order.hpp"

#include "mesh/radix_sort.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>

namespace ritz {
namespace {

// Hamilton, "Compact Hilbert indices" (2006), as a table: the state (entry corner, direction) of a subcube and the
// corner digit of the place give the digit of the position and the state of the next level.
template <int n>
struct CurveTable {
  static constexpr unsigned corner_count = 1u << n;
  struct Step {
    std::uint8_t digit, state;
  };
  Step steps[corner_count * n][corner_count];  // [entry * n + direction][corner]

  static constexpr unsigned rotate_right(unsigned b, unsigned by) {
    by %= n;
    return ((b >> by) | (b << (n - by))) & (corner_count - 1);
  }
  static constexpr unsigned rotate_left(unsigned b, unsigned by) { return rotate_right(b, n - by % n); }
  static constexpr unsigned gray(unsigned i) { return i ^ (i >> 1); }
  static constexpr unsigned gray_inverse(unsigned g) {
    unsigned i = 0;
    for (; g != 0; g >>= 1) i ^= g;
    return i;
  }
  static constexpr unsigned entry_of(unsigned i) { return i == 0 ? 0 : gray(2 * ((i - 1) / 2)); }
  static constexpr unsigned direction_of(unsigned i) {
    if (i == 0) return 0;
    return static_cast<unsigned>(std::countr_one(i % 2 == 0 ? i - 1 : i)) % n;
  }

  constexpr CurveTable() : steps{} {
    for (unsigned entry = 0; entry < corner_count; ++entry)
      for (unsigned direction = 0; direction < n; ++direction)
        for (unsigned corner = 0; corner < corner_count; ++corner) {
          const unsigned digit = gray_inverse(rotate_right(corner ^ entry, direction + 1));
          const unsigned next_entry = entry ^ rotate_left(entry_of(digit), direction + 1);
          const unsigned next_direction = (direction + direction_of(digit) + 1) % n;
          steps[entry * n + direction][corner] = {static_cast<std::uint8_t>(digit),
                                                  static_cast<std::uint8_t>(next_entry * n + next_direction)};
        }
  }
};

template <int n>
std::uint64_t hilbert_position(const std::uint32_t (&place)[n], int levels) {
  static constexpr CurveTable<n> table;
  std::uint64_t position = 0;
  unsigned state = 0;
  for (int level = levels - 1; level >= 0; --level) {
    unsigned corner = 0;
    for (int k = 0; k < n; ++k) corner |= ((place[k] >> level) & 1u) << k;
    const auto step = table.steps[state][corner];
    position = position << n | step.digit;
    state = step.state;
  }
  return position;
}

// carries coordinates to the grid of the curve, whose spacing in a direction is a multiple of the cells' extent there
struct CurveFrame {
  double low[3];
  double scale[3];
  int levels;
  std::uint32_t place(double x, int axis) const {
    const double at = (x - low[axis]) * scale[axis];
    return static_cast<std::uint32_t>(std::clamp(at, 0.0, static_cast<double>((1u << levels) - 1)));
  }
};

// Mean extent of a cell in each direction, over about four thousand cells; where cells are flat, at least that of the
// widest direction.
Point mean_extent(const Mesh& mesh) {
  constexpr Index some = 4096;
  Point sum{};
  for (Index cell = 0; cell < mesh.cell_count(); cell += std::max<Index>(1, mesh.cell_count() / some)) {
    const auto corners = mesh.nodes_of(cell).first(static_cast<std::size_t>(traits(mesh.kind_of(cell)).corner_count));
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::ranges::minmax(corners, {}, [&](Node node) { return mesh.point(node)[k]; });
      sum[k] += mesh.point(high)[k] - mesh.point(low)[k];
    }
  }
  const double widest = std::ranges::max(sum);
  for (double& extent : sum) extent = extent > 1e-6 * widest ? extent / widest : 1;
  return sum;
}

// Coordinates are divided by the cells' mean extents: a piece of the curve through stretched cells has as little
// surface, counted in nodes, as any.
CurveFrame frame_around(const Mesh& mesh) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double low[3] = {infinite, infinite, infinite}, high[3] = {-infinite, -infinite, -infinite};
  const double* const x = mesh.points().data();
  const Index count = mesh.node_count();
#pragma omp parallel for schedule(static) reduction(min : low[:3]) reduction(max : high[:3])
  for (Index node = 0; node < count; ++node)
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[3 * node + k]);
      high[k] = std::max(high[k], x[3 * node + k]);
    }
  const Point extent = mean_extent(mesh);
  const double size =
      std::max({(high[0] - low[0]) / extent[0], (high[1] - low[1]) / extent[1], (high[2] - low[2]) / extent[2]});
  const int levels = mesh.dimension() == 2 ? 24 : 16;
  const double places = size > 0 ? static_cast<double>(1u << levels) / size : 0;
  return {{low[0], low[1], low[2]}, {places / extent[0], places / extent[1], places / extent[2]}, levels};
}

void key_block(const Mesh& mesh, const CellBlock& block, const CurveFrame& frame, Index first_value, KeyedIndex* out) {
  const double* const points = mesh.points().data();
  const int n = traits(block.kind).node_count, corners = traits(block.kind).corner_count;
  const bool flat = mesh.dimension() == 2;
  const Index count = block.cell_count();
#pragma omp parallel for schedule(static)
  for (Index c = 0; c < count; ++c) {
    const Node* const cell = block.nodes.data() + c * n;
    double centre[3] = {};
    for (int i = 0; i < corners; ++i)
      for (int k = 0; k < 3; ++k) centre[k] += points[3 * static_cast<Index>(cell[i]) + k];
    std::uint32_t place[3];
    for (int k = 0; k < 3; ++k) place[k] = frame.place(centre[k] / corners, k);
    const std::uint64_t key = flat ? hilbert_position<2>({place[0], place[1]}, frame.levels)
                                   : hilbert_position<3>({place[0], place[1], place[2]}, frame.levels);
    out[c] = {key, first_value + c};
  }
}

std::vector<Index> sorted_values(KeyedIndex* records, Index count) {
  radix_sort({records, static_cast<std::size_t>(count)}, 48);
  std::vector<Index> order(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = records[i].value;
  return order;
}

}  // namespace

std::vector<Index> curve_order(const Mesh& mesh) {
  const auto records = std::make_unique_for_overwrite<KeyedIndex[]>(static_cast<std::size_t>(mesh.cell_count()));
  const CurveFrame frame = frame_around(mesh);
  for (const CellBlock& block : mesh.blocks())
    key_block(mesh, block, frame, block.first_cell, records.get() + block.first_cell);
  return sorted_values(records.get(), mesh.cell_count());
}

std::vector<Index> curve_order(const Mesh& mesh, const CellBlock& block) {
  const auto records = std::make_unique_for_overwrite<KeyedIndex[]>(static_cast<std::size_t>(block.cell_count()));
  key_block(mesh, block, frame_around(mesh), 0, records.get());
  return sorted_values(records.get(), block.cell_count());
}

std::uint64_t hilbert_position_3d(std::array<std::uint32_t, 3> place, int levels) {
  return hilbert_position<3>({place[0], place[1], place[2]}, levels);
}
std::uint64_t hilbert_position_2d(std::array<std::uint32_t, 2> place, int levels) {
  return hilbert_position<2>({place[0], place[1]}, levels);
}

}  // namespace ritz
