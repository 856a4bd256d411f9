#include "solvers/eigen/vector_pieces.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/multi_vector_kernels.hpp"

#include <algorithm>

namespace ritz {
namespace {

constexpr int lanes = MultiVector::lanes;
constexpr const char* tag = "eigenvectors";
constexpr Index row_bytes = lanes * Index{sizeof(double)};  // of a piece

// Pieces for so many columns. Columns that are there keep their values.
void provide(VectorPieces& X, const Device& device, Index rows, int columns) {
  while (static_cast<int>(X.size()) * lanes < columns) X.emplace_back(device, rows, lanes, tag);
}

void recount(VectorPieces& X, int columns) {
  X.resize(static_cast<std::size_t>((columns + lanes - 1) / lanes));
  for (std::size_t p = 0; p < X.size(); ++p) X[p].recount(std::min(lanes, columns - lanes * static_cast<int>(p)));
}

struct Source {
  const double* group;
  int columns;
};

std::vector<Source> sources_in(const PieceBlocks& blocks) {
  std::vector<Source> sources;
  for (const VectorPieces* block : blocks)
    for (const MultiVector& piece : *block) sources.push_back({piece.group(0), piece.columns()});
  return sources;
}

struct Target {
  double* group;
  std::vector<LaneMatrices> parts;  // [source]
};

// Columns first .. first + count - 1 of C, which has `all`.
Target target_of(const std::vector<Source>& sources, const SmallMatrix& C, int all, int first, int count,
                 double* group) {
  Target target{group, {}};
  int row = 0;
  for (const Source& source : sources) {
    LaneMatrices& small = target.parts.emplace_back();
    small.count = 1;
    for (int i = 0; i < source.columns; ++i, ++row)
      for (int j = 0; j < count; ++j) small.value[i][j] = C[static_cast<std::size_t>(row * all + first + j)];
  }
  return target;
}

// In one pass over the rows.
void sum_at_once(const Device& device, const MultiVectorKernels& kernel, Index rows, const std::vector<Source>& sources,
                 const std::vector<Target>& plan) {
  std::vector<const double*> x;
  std::vector<double*> y;
  SmallMatrix C;
  for (const Source& source : sources) x.push_back(source.group);
  for (const Target& target : plan) {
    y.push_back(target.group);
    for (const LaneMatrices& part : target.parts)
      C.insert(C.end(), &part.value[0][0], &part.value[0][0] + lanes * lanes);
  }
  kernel.sums(device, rows, {x.data(), y.data(), static_cast<int>(x.size()), static_cast<int>(y.size()), C.data()});
}

void copy_group(const MultiVector& from, int from_group, MultiVector& to, int to_group) {
  from.device().machine().copy_on_device(to.group(to_group), from.group(from_group), from.rows() * row_bytes);
}

}  // namespace

int column_count(const VectorPieces& X) {
  return X.empty() ? 0 : lanes * static_cast<int>(X.size() - 1) + X.back().columns();
}

int column_count(const PieceBlocks& blocks) {
  int sum = 0;
  for (const VectorPieces* block : blocks) sum += column_count(*block);
  return sum;
}

SmallMatrix gram(const PieceBlocks& blocks, const MultiVector& Y) {
  const std::vector<Source> sources = sources_in(blocks);
  std::vector<const double*> groups;
  for (const Source& source : sources) groups.push_back(source.group);
  std::vector<double> products(sources.size() * lanes * lanes);
  if (sources.empty()) return {};
  Vector on_device(Y.device(), static_cast<Index>(products.size()), "reductions");
  Y.device().profile().count(Y.rows() * row_bytes * static_cast<Index>(2 * sources.size()));
  kernels<MultiVectorKernels>(Y.device(), solver_kernels, "multi vector")
      .grams(Y.device(), Y.rows(), groups.data(), static_cast<int>(groups.size()), Y.group(0), on_device.data());
  Communicator(Y.device()).sum(on_device.data(), products);
  SmallMatrix result;
  for (std::size_t s = 0; s < sources.size(); ++s)
    for (int i = 0; i < sources[s].columns; ++i) {
      const auto row =
          products.begin() + static_cast<std::ptrdiff_t>((s * lanes + static_cast<std::size_t>(i)) * lanes);
      result.insert(result.end(), row, row + Y.columns());
    }
  return result;
}

SmallMatrix projected(const LinearOperator& A, const PieceBlocks& blocks, const VectorPieces& Y) {
  const auto rows = static_cast<std::size_t>(column_count(blocks)), columns = static_cast<std::size_t>(column_count(Y));
  SmallMatrix result(rows * columns);
  std::size_t first = 0;
  for (const MultiVector& piece : Y) {
    const SmallMatrix part = gram(blocks, applied(A, piece));
    const auto count = static_cast<std::size_t>(piece.columns());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < count; ++j) result[i * columns + first + j] = part[i * count + j];
    first += count;
  }
  return result;
}

void replace(const PieceBlocks& blocks, const SmallMatrix& C,
             const std::vector<std::pair<VectorPieces*, int>>& targets) {
  const VectorPieces& some = **std::ranges::find_if(blocks, [](const VectorPieces* block) { return !block->empty(); });
  const Device device = some.front().device();
  const Index rows = some.front().rows();
  const std::vector<Source> sources = sources_in(blocks);  // a target may be among them, and get more pieces
  int all = 0;
  for (const auto& [target, columns] : targets) all += columns;
  if (static_cast<Index>(C.size()) != Index{column_count(blocks)} * all)
    throw_size_mismatch(Index{column_count(blocks)} * all, static_cast<Index>(C.size()));
  std::vector<Target> plan;
  for (int column = 0; const auto& [target, columns] : targets) {
    provide(*target, device, rows, columns);
    for (int first = 0; first < columns; first += lanes)
      plan.push_back(target_of(sources, C, all, column + first, std::min(lanes, columns - first),
                               (*target)[static_cast<std::size_t>(first / lanes)].group(0)));
    column += columns;
  }
  const auto& kernel = kernels<MultiVectorKernels>(device, solver_kernels, "multi vector");
  device.profile().count(rows * row_bytes * static_cast<Index>(sources.size() + plan.size()));
  if (kernel.sums != nullptr) {
    sum_at_once(device, kernel, rows, sources, plan);
    for (const auto& [target, columns] : targets) recount(*target, columns);
    return;
  }
  constexpr Index least = 2048;  // rows that stay in a core's cache
  const Index slab = std::min(rows, std::max(least, rows / 64));
  MultiVector fresh(device, slab, lanes * static_cast<int>(plan.size()), tag);
  for (Index row = 0; row < rows; row += slab) {
    const Index count = std::min(slab, rows - row);
    for (std::size_t t = 0; t < plan.size(); ++t)
      for (std::size_t s = 0; s < sources.size(); ++s)
        kernel.combine(device, count, sources[s].group + row * lanes, plan[t].parts[s], s == 0 ? 0.0 : 1.0,
                       fresh.group(static_cast<int>(t)));
    for (std::size_t t = 0; t < plan.size(); ++t)
      device.machine().copy_on_device(plan[t].group + row * lanes, fresh.group(static_cast<int>(t)), count * row_bytes);
  }
  for (const auto& [target, columns] : targets) recount(*target, columns);
}

MultiVector applied(const LinearOperator& A, const MultiVector& X) {
  MultiVector Y(X.device(), X.rows(), X.columns(), tag);
  A.apply_block(X, Y);
  return Y;
}

void apply_to_pieces(const LinearOperator& A, VectorPieces& X) {
  for (MultiVector& piece : X) piece = applied(A, piece);
}

VectorPieces in_pieces(const MultiVector& X) {
  VectorPieces result;
  for (int g = 0; g < X.groups(); ++g) {
    result.emplace_back(X.device(), X.rows(), std::min(lanes, X.columns() - g * lanes), tag);
    copy_group(X, g, result.back(), 0);
  }
  return result;
}

MultiVector joined(const VectorPieces& X) {
  MultiVector result(X.front().device(), X.front().rows(), column_count(X), tag);
  for (std::size_t p = 0; p < X.size(); ++p) copy_group(X[p], 0, result, static_cast<int>(p));
  return result;
}

}  // namespace ritz
