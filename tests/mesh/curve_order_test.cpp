#include "mesh/curve_order.hpp"

#include "mesh/radix_sort.hpp"
#include "tests/mesh/meshes.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace ritz;

TEST(RadixSort, OfBitsKeepsTheOrderOfEqualOnes) {
  for (const std::size_t count : {std::size_t{5}, std::size_t{2047}, std::size_t{30000}}) {
    std::vector<std::uint64_t> records;
    for (std::size_t i = 0; i < count; ++i)
      records.push_back(mix(static_cast<std::uint64_t>(i % 1000)) >> 40 << 16 | i);  // keys of 24 bits, then a number
    std::vector<std::uint64_t> expected = records;
    std::ranges::sort(expected);
    radix_sort(records, 16, 40);
    EXPECT_EQ(records, expected);
  }
}

TEST(HilbertCurve, VisitsEveryPlaceOnceInStepsOfOneIn3d) {
  const int levels = 4, n = 1 << levels;
  std::vector<std::array<int, 3>> at(static_cast<std::size_t>(n * n * n), {-1, -1, -1});
  for (int x = 0; x < n; ++x)
    for (int y = 0; y < n; ++y)
      for (int z = 0; z < n; ++z)
        at[hilbert_position_3d({static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)},
                               levels)] = {x, y, z};
  for (std::size_t i = 1; i < at.size(); ++i)
    ASSERT_EQ(std::abs(at[i][0] - at[i - 1][0]) + std::abs(at[i][1] - at[i - 1][1]) + std::abs(at[i][2] - at[i - 1][2]),
              1)
        << i;
}

TEST(HilbertCurve, VisitsEveryPlaceOnceInStepsOfOneIn2d) {
  const int levels = 6, n = 1 << levels;
  std::vector<std::array<int, 2>> at(static_cast<std::size_t>(n * n), {-1, -1});
  for (int x = 0; x < n; ++x)
    for (int y = 0; y < n; ++y)
      at[hilbert_position_2d({static_cast<unsigned>(x), static_cast<unsigned>(y)}, levels)] = {x, y};
  for (std::size_t i = 1; i < at.size(); ++i)
    ASSERT_EQ(std::abs(at[i][0] - at[i - 1][0]) + std::abs(at[i][1] - at[i - 1][1]), 1) << i;
}

TEST(HilbertCurve, RefinesWhereItIsWithAllBits) {
  std::mt19937 random(7);
  for (int k = 0; k < 1000; ++k) {
    const unsigned x = random(), y = random(), z = random();
    const auto in_3d = [&](int levels) {
      return hilbert_position_3d({x >> (32 - levels), y >> (32 - levels), z >> (32 - levels)}, levels);
    };
    const auto in_2d = [&](int levels) {
      return hilbert_position_2d({x >> (32 - levels), y >> (32 - levels)}, levels);
    };
    for (int levels = 1; levels < 21; ++levels) ASSERT_EQ(in_3d(21) >> (3 * (21 - levels)), in_3d(levels));
    for (int levels = 1; levels < 31; ++levels) ASSERT_EQ(in_2d(31) >> (2 * (31 - levels)), in_2d(levels));
  }
}

TEST(CurveOrder, IsAPermutation) {
  for (const Mesh& mesh : {box(7, 6, 5, {1, 2, 3}, CellKind::tet4), rectangle(30, 20, {1, 1}, CellKind::tri6),
                           box_mixed(8, 3, 3, {1, 1, 1})}) {
    std::vector<Index> order = curve_order(mesh), all(order.size());
    std::iota(all.begin(), all.end(), Index{0});
    ASSERT_EQ(std::ssize(order), mesh.cell_count());
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, all);
  }
}

TEST(CurveOrder, IsTheSameForEveryThreadCount) {
  const Mesh mesh = box(20, 20, 20, {1, 1, 1}, CellKind::tet4, {.random = 0.05});
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const std::vector<Index> alone = curve_order(mesh);
  for (const int count : {2, 3, 7}) {
    omp_set_num_threads(count);
    EXPECT_EQ(curve_order(mesh), alone) << count;
  }
  omp_set_num_threads(threads);
}

// So many cells that their keys are sorted without the last bits, in places where these count: blocks of few cells
// alone are sorted with all bits.
TEST(CurveOrder, OfManyCellsIsThatOfEachBlockAlone) {
  MeshData data = box_mixed_data(40, 40, 40, {1, 1, 1});
  for (double& x : data.points) x = x * x * x * x;
  const Mesh mesh(std::move(data));
  ASSERT_GT(mesh.cell_count(), 1 << 17);
  const std::vector<Index> order = curve_order(mesh);
  int compared = 0;
  for (const CellBlock& block : mesh.blocks()) {
    if (block.cell_count() > 1 << 16) continue;
    ++compared;
    std::vector<Index> of_block;
    for (const Index cell : order)
      if (cell >= block.first_cell && cell < block.first_cell + block.cell_count())
        of_block.push_back(cell - block.first_cell);
    EXPECT_EQ(of_block, curve_order(mesh, block)) << traits(block.kind).name;
  }
  EXPECT_GT(compared, 1);
}

TEST(CurveOrder, NeighboursOnAPowerOfTwoGridFollowEachOther) {
  const Mesh mesh = box(8, 8, 8, {1, 1, 1}, CellKind::hex8);
  const std::vector<Index> order = curve_order(mesh);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto a = mesh.nodes_of(order[i - 1]), b = mesh.nodes_of(order[i]);
    const auto in_b = [&b](Node node) { return std::find(b.begin(), b.end(), node) != b.end(); };
    EXPECT_EQ(std::count_if(a.begin(), a.end(), in_b), 4);
  }
}

// By powers of two, so that the same cells stand at the borders of places.
TEST(CurveOrder, IsTheSameOfStretchedCells) {
  const auto in_a_box = [](std::array<double, 3> size) { return curve_order(box(16, 8, 4, size, CellKind::tet4)); };
  const std::vector<Index> of_cubes = in_a_box({16, 8, 4});
  EXPECT_EQ(in_a_box({16, 8, 4096}), of_cubes);
  EXPECT_EQ(in_a_box({16. / 256, 8, 4}), of_cubes);
  EXPECT_EQ(in_a_box({16. * 128, 8, 4. / 128}), of_cubes);
  const auto in_a_plane = [](std::array<double, 2> size) {
    const Mesh flat = rectangle(16, 8, size, CellKind::tri3);
    return curve_order(Mesh({.dimension = 3,
                             .structural = true,
                             .points = {flat.points().begin(), flat.points().end()},
                             .blocks = {flat.blocks().begin(), flat.blocks().end()},
                             .regions = {},
                             .source = "plate"}));
  };
  EXPECT_EQ(in_a_plane({16, 8. * 256}), in_a_plane({16, 8}));
}

// Places of the means of the corners, in coordinates that are measured in the cells' mean extents.
std::vector<std::uint64_t> positions_along_the_curve(const Mesh& mesh) {
  std::array<double, 3> low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300}, extent{}, scale{};
  std::vector<std::array<double, 3>> centres;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    auto& centre = centres.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      double least = 1e300, most = -1e300;
      for (const Node node : mesh.nodes_of(cell)) {
        const double x = mesh.point(node)[k];
        centre[k] += x;
        least = std::min(least, x);
        most = std::max(most, x);
      }
      centre[k] /= static_cast<double>(mesh.nodes_of(cell).size());
      extent[k] += most - least;
      low[k] = std::min(low[k], least);
      high[k] = std::max(high[k], most);
    }
  }
  const double widest = std::ranges::max(extent);
  for (double& each : extent) each /= widest;
  double size = 0;
  for (std::size_t k = 0; k < 3; ++k) size = std::max(size, (high[k] - low[k]) / extent[k]);
  for (std::size_t k = 0; k < 3; ++k) scale[k] = 65536 / size / extent[k];
  std::vector<std::uint64_t> positions;
  for (const auto& centre : centres) {
    std::array<std::uint32_t, 3> place;
    for (std::size_t k = 0; k < 3; ++k)
      place[k] = static_cast<std::uint32_t>(std::clamp((centre[k] - low[k]) * scale[k], 0.0, 65535.0));
    positions.push_back(hilbert_position_3d(place, 16));
  }
  return positions;
}

// Cells at a corner that are so much smaller than the others that thousands agree in the leading bits of their places.
TEST(CurveOrder, IsByPlaceAndNumberHoweverCellsCrowd) {
  for (const double corner : {8.0 / 11, 0.02, 0.005}) {  // the part of an edge where 8 of 11 cells are
    MeshData data = box_data(11, 11, 11, {1, 1, 1}, CellKind::tet4);
    ASSERT_LT(data.blocks[0].cell_count(), 8192) << "all cells count for the mean extents";
    for (double& x : data.points)
      x = x < 8.5 / 11 ? x * 11 / 8 * corner : corner + (x - 8.0 / 11) * 11 / 3 * (1 - corner);
    const Mesh mesh(std::move(data));
    const std::vector<std::uint64_t> position = positions_along_the_curve(mesh);
    std::vector<Index> expected(position.size());
    std::iota(expected.begin(), expected.end(), Index{0});
    std::ranges::stable_sort(expected, {}, [&](Index cell) { return position[static_cast<std::size_t>(cell)]; });
    EXPECT_EQ(curve_order(mesh), expected) << corner;
  }
}

TEST(CurveOrder, OfABlockCountsWithinIt) {
  const Mesh mesh = box_mixed(8, 3, 3, {1, 1, 1});
  for (const CellBlock& block : mesh.blocks()) {
    std::vector<Index> order = curve_order(mesh, block);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(std::ssize(order), block.cell_count());
    for (Index i = 0; i < block.cell_count(); ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

TEST(RadixSort, EqualsAStableSort) {
  for (const int bits : {7, 11, 33, 48, 64})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{50000}}) {
      std::vector<KeyedIndex> records;
      for (std::size_t i = 0; i < count; ++i)
        records.push_back({mix(static_cast<std::uint64_t>(i % 1000)) >> (64 - bits), static_cast<std::int64_t>(i)});
      std::vector<KeyedIndex> expected = records;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; });
      radix_sort(records, bits);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(records[i].value, expected[i].value) << bits << " " << i;
    }
}
