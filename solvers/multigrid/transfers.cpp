#include "solvers/multigrid/transfers.hpp"

#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "solvers/multigrid/aggregates.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

// Over ranks, [owned | ghosts]: of its aggregate in their order here. Aggregates of ghosts are reached.
std::vector<std::int32_t> aggregates_here(const LevelMatrix& A, const std::int32_t* aggregate,
                                          CoarseNodes& aggregates) {
  const HostView<std::int32_t> owned(A.device, aggregate, A.view.rows);
  std::vector<Index> numbers(static_cast<std::size_t>(A.ghosts()->size()));
  std::ranges::copy(owned.span(), numbers.begin());
  A.ghosts()->fetch(numbers, 1);
  aggregates.reach(numbers);
  std::vector<std::int32_t> result;
  for (const Index number : numbers) result.push_back(number < 0 ? -1 : aggregates.local(number));
  return result;
}

Index bytes_of_blocks(const BlockMatrixView<double>& A, int K) {  // a block of each node
  return A.rows * A.row_block * K * Index{sizeof(double)};
}

}  // namespace

Transfers::Transfers(const Device& device, const NearNull& near_null, bool single_precision)
    : device_(device),
      near_null_(near_null),
      kernels_(kernels<TransferKernels>(device_, solver_kernels, "transfer")),
      single_precision_(single_precision) {}

// Calls make(input) for the prolongator over these aggregates, and replaces the near-null space by that of the
// coarser level.
template <class Make>
auto Transfers::with_input(const LevelMatrix& A, const Vector& inverse_diagonal, double largest,
                           const std::int32_t* aggregate, CoarseNodes& aggregates, const GraphView& strong,
                           const Vector& reached, Vector& near_null, const Make& make) const {
  Vector coarse;
  const Vector T = tentative_prolongator(A, aggregate, aggregates, near_null_.count(), near_null, coarse);
  // Copied, then made orthonormal; members of aggregates are listed, and the list read.
  count(4 * T.bytes() + coarse.bytes() + A.view.rows * (Index{sizeof(std::int32_t)} + Index{2} * sizeof(Index)) +
        2 * aggregates.own() * Index{sizeof(Index)});
  Array<std::int32_t> here;
  if (A.ghosts() != nullptr)
    here = Array<std::int32_t>(device_, std::span<const std::int32_t>(aggregates_here(A, aggregate, aggregates)),
                               setup_tag);
  const Vector extends = near_null_.extension(coarse, aggregates);
  const Vector fine = std::exchange(near_null, std::move(coarse));
  return make(ProlongatorInput{
      A.view, inverse_diagonal.data(), 4.0 / 3.0 / largest, here.empty() ? aggregate : here.data(), T.data(), strong,
      reached.empty() ? fine.data() : reached.data(), extends.empty() ? nullptr : extends.data()});
}

void Transfers::interpolate(const NestedNodes& nodes, SetupLevel& fine, Vector& near_null, CoarseNodes& coarser) const {
  const int C = fine.A.block();
  std::vector<std::int32_t> here;
  if (fine.A.ghosts() != nullptr) {
    coarser.reach(nodes.parents);
    for (const std::int32_t parent : nodes.parents) here.push_back(coarser.local(parent));
  }
  fine.P.rows = fine.A.view.rows;
  fine.P.columns = coarser.count();
  fine.P.row_block = fine.P.column_block = C;
  fine.P.offsets = Array<Index>(device_, std::span<const Index>(nodes.first), "multigrid");
  fine.P.column = Array<std::int32_t>(
      device_, std::span<const std::int32_t>(fine.A.ghosts() == nullptr ? nodes.parents : here), "multigrid");
  fine.P.values = Vector(device_, fine.P.nonzeros() * C * C, "multigrid");
  Vector coarse_near_null = near_null_.injected(nodes, fine.A.view, near_null), of_parents;
  if (fine.A.ghosts() != nullptr) {
    of_parents = Vector(device_, coarser.count() * C * near_null_.count(), setup_tag);
    device_.machine().copy_on_device(of_parents.data(), coarse_near_null.data(), coarse_near_null.bytes());
    coarser.fetch(of_parents, C * near_null_.count());
  }
  const Vector weights(device_, std::span<const double>(nodes.weights), "multigrid");
  kernels_.sum_of_parents(device_, fine.P.view(), weights.data(), near_null.data(),
                          of_parents.empty() ? coarse_near_null.data() : of_parents.data(), near_null_.count(),
                          fine.P.values.data());
  count(bytes_of(fine.P) + near_null.bytes() + coarse_near_null.bytes());
  near_null = std::move(coarse_near_null);
}

void Transfers::smooth(const GraphView& strong, const Vector& reached, SetupLevel& fine, Vector& near_null,
                       CoarseNodes& aggregates) const {
  with_input(fine.A, fine.inverse_diagonal, fine.largest_eigenvalue.full, fine.aggregate.data(), aggregates, strong,
             reached, near_null, [&](const ProlongatorInput& input) {
               kernels_.smooth_prolongator(device_, input, aggregates.count(), near_null_.count(), fine.P);
             });
  count(bytes_of(fine.A.view, fine.A.nonzeros) + fine.inverse_diagonal.bytes() + fine.aggregate.bytes() +
        bytes_of_blocks(fine.A.view, near_null_.count()) + bytes_of(fine.P));
}

// P is read and R written; between them rows and places of entries are listed.
void Transfers::transpose(SetupLevel& fine) const {
  kernels_.transpose(device_, fine.P, fine.R);
  count(bytes_of(fine.P) + bytes_of(fine.R) +
        2 * fine.P.nonzeros() * (Index{sizeof(Index)} + Index{sizeof(std::int32_t)}));
}

bool Transfers::refresh(const NestedNodes* nodes, KnownLevel& known, RefreshedLevel& fine, Vector& near_null) const {
  auto phase = device_.profile().phase("transfers");
  const Index size = known.transfer_nonzeros * known.P.row_block * known.P.column_block;
  fine.P = Vector(device_, size, setup_tag);
  fine.R = Vector(device_, size, setup_tag);
  if (nodes != nullptr) {
    Vector coarse_near_null = near_null_.injected(*nodes, fine.A, near_null);
    const Vector weights(device_, std::span<const double>(nodes->weights), "multigrid");
    kernels_.sum_of_parents(device_, known.P, weights.data(), near_null.data(), coarse_near_null.data(),
                            near_null_.count(), fine.P.data());
    near_null = std::move(coarse_near_null);
  } else {
    CoarseNodes aggregates(nullptr, known.P.columns);
    const bool fits = with_input({device_, fine.A, known.nonzeros}, fine.inverse_diagonal, fine.largest_eigenvalue.full,
                                 known.aggregate, aggregates, {}, {}, near_null, [&](const ProlongatorInput& input) {
                                   return kernels_.smooth_prolongator_again(device_, input, known.P, fine.P.data());
                                 });
    if (!fits) return false;
    count(bytes_of(fine.A, known.nonzeros) + fine.inverse_diagonal.bytes() + fine.A.rows * Index{sizeof(std::int32_t)} +
          bytes_of_blocks(fine.A, near_null_.count()));
  }
  round_as_cycle(fine.P);
  known.P.values = fine.P.data();
  kernels_.transpose_again(device_, known.P, known.R, fine.R.data());
  // P written, and read for R
  count(2 * bytes_of(known.P, known.transfer_nonzeros) + bytes_of(known.R, known.transfer_nonzeros));
  known.R.values = fine.R.data();
  return true;
}

void Transfers::round_as_cycle(Vector& values) const {
  if (!single_precision_) return;
  kernels_.round_to_single(device_, values.size(), values.data());
  count(2 * values.bytes());
}

}  // namespace ritz
