#include "solvers/multigrid/gathered_level.hpp"

#include "device/ranks/packed.hpp"
#include "solvers/multigrid/global_rows.hpp"
#include "solvers/multigrid/host_rows.hpp"
#include "solvers/multigrid/level_matrix.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

namespace ritz {

GatheredLevel gathered(const DividedMatrix& A, const Vector& near_null, int count) {
  const Ghosts& ghosts = A.ghosts();
  const BlockMatrixView<double> own = A.owned_rows();
  const Device device = A.device().alone();
  const int block = A.block_size(), width = block * count;
  const auto packed = [&] {
    GlobalRows mine;
    const HostRows rows(device, own);
    const HostBlocks blocks(device, own, rows, 0, own.rows);
    for (Index i = 0; i < own.rows; ++i)
      mine.append(ghosts.global(i), rows.columns(i), blocks.of(i), [&](Index c) { return ghosts.global(c); });
    return Packed().add(mine.row).add(mine.count).add(mine.column).add(mine.values).take();
  };
  constexpr std::size_t missing = static_cast<std::size_t>(-1);  // a diagonal entry that products have left out
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  const std::vector<Index> entries = ghosts.ranks().of_all(A.nonzeros());
  const Index most = std::reduce(entries.begin(), entries.end()) + ghosts.total();
  columns.reserve(static_cast<std::size_t>(most));
  values.reserve(static_cast<std::size_t>(most * block * block));
  each_text(ghosts.ranks(), packed(), Receivers::all, [&](int, std::string_view text) {
    Unpacked from(text);
    GlobalRows rows{.row = from.list<Index>(), .count = from.list<Index>(), .column = from.list<Index>()};
    rows.values = from.list<double>();
    std::size_t begin = 0;
    for (std::size_t r = 0; r < rows.row.size(); ++r) {
      const auto column = [&](std::size_t e) { return e == missing ? rows.row[r] : rows.column[e]; };
      std::vector<std::size_t> order(static_cast<std::size_t>(rows.count[r]));
      std::iota(order.begin(), order.end(), begin);
      begin += order.size();
      if (std::ranges::find(order, rows.row[r], column) == order.end()) order.push_back(missing);
      std::ranges::sort(order, {}, column);
      for (const std::size_t e : order) {
        columns.push_back(static_cast<std::int32_t>(column(e)));
        const auto first = values.size();
        values.resize(first + static_cast<std::size_t>(block) * static_cast<std::size_t>(block), 0.0);
        if (e != missing)
          std::copy_n(rows.values.begin() + static_cast<std::ptrdiff_t>(e) * block * block, block * block,
                      values.begin() + static_cast<std::ptrdiff_t>(first));
        for (int c = 0; column(e) == rows.row[r] && c < block; ++c)
          if (double& entry = values[first + static_cast<std::size_t>(c * block + c)]; entry == 0) entry = 1;
      }
      offsets.push_back(static_cast<Index>(columns.size()));
    }
  });
  std::vector<double> near_null_of_all(static_cast<std::size_t>(ghosts.total() * width));
  ghosts.gather(HostView<double>(near_null).data(), width, near_null_of_all.data());
  GatheredLevel result{SparseMatrix(std::make_shared<SparsityPattern>(device, offsets, columns), block),
                       Vector(device, std::span<const double>(near_null_of_all), setup_tag), count};
  result.A.values().upload(values);
  return result;
}

}  // namespace ritz
