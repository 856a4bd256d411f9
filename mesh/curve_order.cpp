#include "mesh/curve_order.hpp"

#include "device/parallel_errors.hpp"
#include "mesh/radix_sort.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

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

// Two levels in one step: corners of both, the upper one's first.
template <int n>
struct TwoLevels {
  struct Step {
    std::uint8_t digits, state;
  };
  Step steps[CurveTable<n>::corner_count * n][1u << (2 * n)];
  constexpr explicit TwoLevels(const CurveTable<n>& one) : steps{} {
    for (unsigned state = 0; state < CurveTable<n>::corner_count * n; ++state)
      for (unsigned corners = 0; corners < 1u << (2 * n); ++corners) {
        const auto upper = one.steps[state][corners >> n];
        const auto lower = one.steps[upper.state][corners & (CurveTable<n>::corner_count - 1)];
        steps[state][corners] = {static_cast<std::uint8_t>(upper.digit << n | lower.digit), lower.state};
      }
  }
};

// The bits of a number below 2^(63 / n), n places apart.
template <int n>
std::uint64_t spread(std::uint64_t x) {
  if constexpr (n == 3) {
    x = (x | x << 32) & 0x001F00000000FFFF;
    x = (x | x << 16) & 0x001F0000FF0000FF;
    x = (x | x << 8) & 0x100F00F00F00F00F;
    x = (x | x << 4) & 0x10C30C30C30C30C3;
    return (x | x << 2) & 0x1249249249249249;
  } else {
    x = (x | x << 16) & 0x0000FFFF0000FFFF;
    x = (x | x << 8) & 0x00FF00FF00FF00FF;
    x = (x | x << 4) & 0x0F0F0F0F0F0F0F0F;
    x = (x | x << 2) & 0x3333333333333333;
    return (x | x << 1) & 0x5555555555555555;
  }
}

// Finds several places at once: each waits for one step after the other.
template <int n, int lanes>
void hilbert_positions(const std::uint32_t (&place)[lanes][n], int levels, std::uint64_t (&position)[lanes]) {
  static constexpr CurveTable<n> one;
  static constexpr TwoLevels<n> two(one);
  std::uint64_t corners[lanes];  // of all levels, the lowest level's last
  unsigned state[lanes] = {};
  for (int lane = 0; lane < lanes; ++lane) {
    position[lane] = corners[lane] = 0;
    for (int k = 0; k < n; ++k) corners[lane] |= spread<n>(place[lane][k]) << k;
  }
  int level = levels;
  if (level % 2 == 1) {
    --level;
    for (int lane = 0; lane < lanes; ++lane) {
      const auto step = one.steps[0][corners[lane] >> (n * level) & (CurveTable<n>::corner_count - 1)];
      position[lane] = step.digit;
      state[lane] = step.state;
    }
  }
  for (level -= 2; level >= 0; level -= 2)
    for (int lane = 0; lane < lanes; ++lane) {
      const auto step = two.steps[state[lane]][corners[lane] >> (n * level) & ((1u << (2 * n)) - 1)];
      position[lane] = position[lane] << (2 * n) | step.digits;
      state[lane] = step.state;
    }
}

template <int n>
std::uint64_t hilbert_position(const std::uint32_t (&place)[1][n], int levels) {
  std::uint64_t position[1];
  hilbert_positions(place, levels, position);
  return position[0];
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

constexpr int key_bits = 48;

// Keys of the cells of a block.
template <int n>
class BlockKeys {
 public:
  BlockKeys(const Mesh& mesh, const CellBlock& block, const CurveFrame& frame)
      : points_(mesh.points().data()),
        nodes_(block.nodes.data()),
        width_(traits(block.kind).node_count),
        corners_(traits(block.kind).corner_count),
        frame_(frame) {}

  // Takes cells first, first + 1, ..., of which the last is `last`.
  template <int lanes>
  void find(Index first, Index last, std::uint64_t (&keys)[lanes]) const {
    std::uint32_t place[lanes][n];
    for (int lane = 0; lane < lanes; ++lane) {
      const Node* const cell = nodes_ + std::min(first + lane, last) * width_;
      double centre[n] = {};
      for (int i = 0; i < corners_; ++i)
        for (int k = 0; k < n; ++k) centre[k] += points_[3 * static_cast<Index>(cell[i]) + k];
      for (int k = 0; k < n; ++k) place[lane][k] = frame_.place(centre[k] / corners_, k);
    }
    hilbert_positions(place, frame_.levels, keys);
  }

 private:
  const double* points_;
  const Node* nodes_;
  Index width_;
  int corners_;
  const CurveFrame& frame_;
};

// use(cell of the block, key) for cells [first, last), in order.
template <int n, class Use>
void each_key(const BlockKeys<n>& keys, Index first, Index last, const Use& use) {
  constexpr int lanes = 8;
  for (Index cell = first; cell < last; cell += lanes) {
    std::uint64_t found[lanes];
    keys.find(cell, last - 1, found);
    for (int lane = 0; lane < std::min<Index>(lanes, last - cell); ++lane) use(cell + lane, found[lane]);
  }
}

template <class Use>
void each_key(const Mesh& mesh, const CellBlock& block, const CurveFrame& frame, Index first, Index last,
              const Use& use) {
  if (mesh.dimension() == 2) each_key(BlockKeys<2>(mesh, block, frame), first, last, use);
  else each_key(BlockKeys<3>(mesh, block, frame), first, last, use);
}

// The order of the cells of consecutive blocks, as numbers that begin with 0.
class BlockOrder {
 public:
  BlockOrder(const Mesh& mesh, std::span<const CellBlock> blocks) : mesh_(mesh), blocks_(blocks), first_{0} {
    for (const CellBlock& block : blocks) first_.push_back(first_.back() + block.cell_count());
    index_bits_ = std::bit_width(static_cast<std::uint64_t>(std::max<Index>(1, first_.back() - 1)));
  }

  std::vector<Index> find() const {
    const auto count = static_cast<std::size_t>(first_.back());
    const auto records = std::make_unique_for_overwrite<std::uint64_t[]>(count);
    fill(records.get());
    sort(std::span(records.get(), count));
    std::vector<Index> order(count);
    const std::uint64_t index_mask = (std::uint64_t{1} << index_bits_) - 1;
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<Index>(records[i] & index_mask);
    if (dropped_bits() == 0) return order;
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      end = end_of_group({records.get(), count}, begin, index_bits_);
      if (end - begin > 1) sort_by_whole_keys(std::span(order).subspan(begin, end - begin));
    }
    return order;
  }

 private:
  // A record holds the number of a cell below as much of its key as fits.
  int dropped_bits() const { return std::max(0, key_bits + index_bits_ - 64); }

  void fill(std::uint64_t* records) const {
    constexpr Index grain = 4096;
    for (std::size_t b = 0; b < blocks_.size(); ++b)
#pragma omp parallel for schedule(static)
      for (Index cell = 0; cell < blocks_[b].cell_count(); cell += grain)
        each_key(mesh_, blocks_[b], frame_, cell, std::min(cell + grain, blocks_[b].cell_count()),
                 [&](Index each, std::uint64_t key) {
                   records[first_[b] + each] =
                       key >> dropped_bits() << index_bits_ | static_cast<std::uint64_t>(first_[b] + each);
                 });
  }

  // The first record after those that agree with the one at `begin` in the bits from `shift` on.
  static std::size_t end_of_group(std::span<const std::uint64_t> records, std::size_t begin, int shift) {
    const std::uint64_t* const last = records.data() + records.size();
    const std::uint64_t* record = records.data() + begin;
    const std::uint64_t group = *record >> shift;
    do ++record;
    while (record != last && *record >> shift == group);
    return static_cast<std::size_t>(record - records.data());
  }

  // By as many leading bits as tell most cells apart, and then those that agree in these.
  void sort(std::span<std::uint64_t> records) const {
    constexpr int digit_bits = 11;  // of radix_sort
    const int last_bit = std::min(64, index_bits_ + key_bits);
    const int passes = std::max(1, (index_bits_ - 1 + digit_bits - 1) / digit_bits);
    const int first_bit = std::max(index_bits_, last_bit - passes * digit_bits);
    radix_sort(records, first_bit, last_bit);
    if (first_bit == index_bits_) return;
    constexpr std::size_t parts = 64;
    const auto begin_of_part = [&](std::size_t part) {
      const std::size_t at = records.size() * part / parts;
      const bool inside = at > 0 && at < records.size() && records[at] >> first_bit == records[at - 1] >> first_bit;
      return inside ? end_of_group(records, at, first_bit) : at;
    };
    std::array<std::size_t, parts + 1> begins;
    for (std::size_t part = 0; part <= parts; ++part) begins[part] = begin_of_part(part);
    ParallelErrors errors;
#pragma omp parallel for schedule(static)
    for (std::size_t part = 0; part < parts; ++part)
      errors.run([&] { sort_groups(records.subspan(begins[part], begins[part + 1] - begins[part]), first_bit); });
    errors.rethrow();
  }

  void sort_groups(std::span<std::uint64_t> records, int first_bit) const {
    constexpr std::size_t few = 16, many = 2048;
    for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
      end = end_of_group(records, begin, first_bit);
      const std::span<std::uint64_t> group = records.subspan(begin, end - begin);
      if (group.size() <= few) insert_in_order(group);
      else if (group.size() <= many) std::ranges::sort(group);
      else radix_sort(group, index_bits_, first_bit);
    }
  }

  static void insert_in_order(std::span<std::uint64_t> records) {
    std::uint64_t* const record = records.data();
    for (std::size_t i = 1; i < records.size(); ++i) {
      const std::uint64_t moved = record[i];
      std::size_t to = i;
      for (; to > 0 && record[to - 1] > moved; --to) record[to] = record[to - 1];
      record[to] = moved;
    }
  }

  // Cells that agree in the part of the key that the records have.
  void sort_by_whole_keys(std::span<Index> cells) const {
    std::vector<std::pair<std::uint64_t, Index>> keyed;
    for (const Index cell : cells) {
      const auto b = static_cast<std::size_t>(std::ranges::upper_bound(first_, cell) - first_.begin() - 1);
      each_key(mesh_, blocks_[b], frame_, cell - first_[b], cell - first_[b] + 1,
               [&](Index, std::uint64_t key) { keyed.emplace_back(key, cell); });
    }
    std::ranges::sort(keyed);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = keyed[i].second;
  }

  const Mesh& mesh_;
  std::span<const CellBlock> blocks_;
  std::vector<Index> first_;  // [block + 1]
  CurveFrame frame_ = frame_around(mesh_);
  int index_bits_ = 0;
};

}  // namespace

std::vector<Index> curve_order(const Mesh& mesh) { return BlockOrder(mesh, mesh.blocks()).find(); }

std::vector<Index> curve_order(const Mesh& mesh, const CellBlock& block) {
  return BlockOrder(mesh, std::span(&block, 1)).find();
}

std::uint64_t hilbert_position_3d(std::array<std::uint32_t, 3> place, int levels) {
  return hilbert_position<3>({{place[0], place[1], place[2]}}, levels);
}
std::uint64_t hilbert_position_2d(std::array<std::uint32_t, 2> place, int levels) {
  return hilbert_position<2>({{place[0], place[1]}}, levels);
}

}  // namespace ritz
