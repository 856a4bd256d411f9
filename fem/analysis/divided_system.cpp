#include "fem/analysis/divided_system.hpp"

#include "device/environment_variable.hpp"
#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "fem/operator/operator.hpp"
#include "fem/analysis/space_part.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/multigrid/divided_aggregation.hpp"
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace ritz {

void refuse_ranks(const Ranks& ranks, const std::string& what, const std::string& fix) {
  throw Error(Exit::environment,
              fmt::format("started as {} ranks, and {} is not divided among them", ranks.count(), what),
              "what is divided: one linear static solution, by conjugate gradients with a matrix, on CPUs", fix);
}

namespace {

void check_divisible(const FunctionSpace& space, const Constraints& constraints, const LinearSolverOptions& options,
                     const Ranks& ranks) {
  if (space.device().machine().is_apart()) refuse_ranks(ranks, "work on a GPU", "take --device cpu, or one process");
  if (space.node_count() < ranks.count())
    refuse_ranks(ranks, fmt::format("a mesh of {} nodes", space.node_count()), "start fewer ranks");
  if (constraints.dependent() != nullptr)
    refuse_ranks(ranks, "a model with equations between unknowns", "start one process");
  if (options.method != LinearMethod::automatic && options.method != LinearMethod::conjugate_gradient)
    refuse_ranks(ranks, fmt::format("the method '{}'", name_of(options.method)),
                 "take method = \"cg\", or one process");
  if (options.operator_kind == OperatorKind::matrix_free)
    refuse_ranks(ranks, "an operator without a matrix", "take operator = \"matrix\", or one process");
}

// The first node of each rank.
Index first_of(Index nodes, int rank, int ranks) { return nodes * rank / ranks; }

// Owned rows of a part's matrix, with columns [owned | ghosts] in ascending order. place [node of the part].
BlockMatrix owned_rows(const SparseMatrix& K, const std::vector<std::int32_t>& place, Index owned) {
  const Device& device = K.device();
  const Index* const from = K.pattern().offsets().data();
  const std::int32_t* const column = K.pattern().columns().data();
  const Index block = Index{K.block_size()} * K.block_size();
  BlockMatrix rows{
      .rows = owned, .columns = std::ssize(place), .row_block = K.block_size(), .column_block = K.block_size()};
  std::vector<Index> row_at(static_cast<std::size_t>(owned));
  for (std::size_t node = 0; node < place.size(); ++node)
    if (place[node] < owned) row_at[static_cast<std::size_t>(place[node])] = static_cast<Index>(node);
  rows.offsets = Array<Index>(device, owned + 1, "pattern");
  Index* const to = rows.offsets.data();
  to[0] = 0;
  for (Index i = 0; i < owned; ++i) {
    const Index row = row_at[static_cast<std::size_t>(i)];
    to[i + 1] = to[i] + from[row + 1] - from[row];
  }
  rows.column = Array<std::int32_t>(device, to[owned], "pattern");
  rows.values = Vector(device, to[owned] * block, "matrix");
  std::int32_t* const new_column = rows.column.data();
  double* const values = rows.values.data();
#pragma omp parallel for num_threads(device.threads())
  for (Index i = 0; i < owned; ++i) {
    const Index row = row_at[static_cast<std::size_t>(i)];
    std::vector<std::pair<std::int32_t, Index>> entries;
    for (Index e = from[row]; e < from[row + 1]; ++e)
      entries.emplace_back(place[static_cast<std::size_t>(column[e])], e);
    std::ranges::sort(entries);
    Index next = to[i];
    for (const auto& [c, e] : entries) {
      new_column[next] = c;
      std::copy_n(K.values().data() + e * block, block, values + block * next++);
    }
  }
  return rows;
}

}  // namespace

DividedSystem::DividedSystem(const FunctionSpace& space, const std::vector<Integral>& integrals,
                             const Constraints& constraints, const LinearSolverOptions& options, Ranks& ranks)
    : ranks_(ranks), options_(options), dimension_(space.mesh().dimension()) {
  check_divisible(space, constraints, options, ranks);
  options_.cache = nullptr;
  assemble(space, integrals, constraints);
  space.device().memory().trim();
  return_freed_host_memory();
}

void DividedSystem::assemble(const FunctionSpace& space, const std::vector<Integral>& integrals,
                             const Constraints& constraints) {
  const Index nodes = space.node_count(), first = first_of(nodes, ranks_.rank(), ranks_.count()),
              last = first_of(nodes, ranks_.rank() + 1, ranks_.count()), owned = last - first;
  const std::vector<double> points = space.coordinates().host();
  coordinates_ = Vector(space.device(),
                        std::span(points).subspan(static_cast<std::size_t>(first * dimension_),
                                                  static_cast<std::size_t>(owned * dimension_)),
                        "space");
  std::optional<Profile::Phase> phase(std::in_place, space.device().profile(), "cut");
  const SpacePart part(space, first, last);
  std::vector<Index> reached;
  for (const Node node : part.nodes())
    if (node < first || node >= last) reached.push_back(node);
  std::ranges::sort(reached);
  std::vector<std::int32_t> place;
  for (const Node node : part.nodes())
    place.push_back(static_cast<std::int32_t>(
        node >= first && node < last ? node - first
                                     : owned + (std::ranges::lower_bound(reached, node) - reached.begin())));
  Constraints held(part.space());
  for (int c = 0; c < space.components(); ++c) {
    std::vector<Node> prescribed;
    for (std::size_t node = 0; node < place.size(); ++node)
      if (constraints.is_prescribed(part.nodes()[node], c)) prescribed.push_back(static_cast<Node>(node));
    held.prescribe_nodes(prescribed, c, 0.0, "the whole model");
  }
  held.finish();
  phase.emplace(space.device().profile(), "assembly");
  const Operator equations(part.space(), part.restricted(integrals));
  if (!equations.can_assemble()) refuse_ranks(ranks_, "a matrix of elements of so high an order", "start one process");
  SparseMatrix K = equations.make_matrix();
  equations.assemble_once(part.space().zeros(), K);
  const std::shared_ptr<const Ghosts> ghosts = std::make_shared<const Ghosts>(ranks_, owned, std::move(reached));
  {
    const WorkTogether together(&ranks_);  // the same on all ranks
    held.eliminate(K, std::max(max_abs(K.diagonal()), 1e-300));
  }
  A_ = std::make_unique<DividedMatrix>(ghosts, owned_rows(K, place, owned));
  tell(part.cell_count());
}

void DividedSystem::tell(Index cells) const {
  const Ghosts& ghosts = A_->ghosts();
  const auto range = [&](Index mine) {
    const std::vector<Index> all = ranks_.of_all(mine);
    const auto [low, high] = std::ranges::minmax(all);
    return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  };
  const std::string text = fmt::format("{} ranks by {}: {} nodes, {} ghosts, {} cells and {} neighbours each",
                                       ranks_.count(), ranks_.transport(), range(ghosts.owned()), range(ghosts.count()),
                                       range(cells), range(std::ssize(ghosts.neighbours())));
  if (options_.say) options_.say(text);
}

void DividedSystem::tell_exchanges() const {
  const Ghosts& ghosts = A_->ghosts();
  if (options_.say)
    options_.say(fmt::format("rank {} sent {} nodes to {} neighbours in {} exchanges: {} messages, {} bytes",
                             ranks_.rank(), ghosts.sent(), ghosts.neighbours().size(), ghosts.exchanges(),
                             ghosts.counts().messages, ghosts.counts().bytes));
}

std::unique_ptr<LinearOperator> DividedSystem::preconditioner(bool single_precision) const {
  auto phase = A_->device().profile().phase("set-up");
  switch (options_.preconditioner) {
    case PreconditionerKind::none: return nullptr;
    case PreconditionerKind::jacobi: return std::make_unique<JacobiPreconditioner>(A_->diagonal());
    case PreconditionerKind::chebyshev: return std::make_unique<ChebyshevPreconditioner>(*A_, A_->diagonal());
    default: break;
  }
  DividedAggregationOptions options{.multigrid = options_.multigrid};
  options.multigrid.coordinates = &coordinates_;
  options.multigrid.dimension = dimension_;
  options.multigrid.single_precision = single_precision;
  options.multigrid.half_storage = false;
  const std::string text = environment("RITZ_REPLICATED_UNKNOWNS");  // for tests of small cases
  std::from_chars(text.data(), text.data() + text.size(), options.replicated);
  return std::make_unique<DividedAggregation>(*A_, options);
}

// Each rank's piece of b, which the first one has.
Vector DividedSystem::dealt(const Vector* b) const {
  const std::vector<Index>& first = A_->ghosts().first();
  const Index width = A_->block_size();
  Vector mine(A_->device(), A_->rows(), "vectors");
  const auto own = std::as_writable_bytes(std::span(mine.data(), static_cast<std::size_t>(mine.size())));
  std::vector<Parcel> parcels;
  if (b == nullptr) {
    parcels.push_back({0, {}, own});
  } else {
    std::copy_n(b->data(), mine.size(), mine.data());
    for (int rank = 1; rank < ranks_.count(); ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      const std::span piece(b->data() + first[r] * width, static_cast<std::size_t>((first[r + 1] - first[r]) * width));
      parcels.push_back({rank, std::as_bytes(piece), {}});
    }
  }
  ranks_.exchange(parcels);
  return mine;
}

void DividedSystem::collect(const Vector& mine, Vector* x) const {
  const std::vector<Index>& first = A_->ghosts().first();
  const Index width = A_->block_size();
  std::vector<Parcel> parcels;
  if (x == nullptr) {
    parcels.push_back({0, std::as_bytes(std::span(mine.data(), static_cast<std::size_t>(mine.size()))), {}});
  } else {
    std::copy_n(mine.data(), mine.size(), x->data());
    for (int rank = 1; rank < ranks_.count(); ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      const std::span piece(x->data() + first[r] * width, static_cast<std::size_t>((first[r + 1] - first[r]) * width));
      parcels.push_back({rank, {}, std::as_writable_bytes(piece)});
    }
  }
  ranks_.exchange(parcels);
}

SolveReport DividedSystem::solve(const Vector* b, Vector* x) {
  const Vector mine = dealt(b);
  Vector solution(A_->device(), A_->rows(), "vectors");
  solution.fill_zero();
  SolveReport report;
  const WorkTogether together(&ranks_);
  for (bool single : {options_.multigrid.single_precision, false}) {
    const std::unique_ptr<LinearOperator> M = preconditioner(single);
    auto phase = A_->device().profile().phase("iteration");
    SolveReport next =
        ConjugateGradient{.relative = options_.relative, .max_iterations = options_.max_iterations}.solve(
            *A_, mine, solution, M.get());
    next.iterations += report.iterations;
    report = std::move(next);
    report.preconditioner = M == nullptr ? "none" : M->name();
    if (!single || !may_be_rounding(report)) break;
    report.fallbacks.push_back("single precision was not enough for the multigrid cycle: repeated in double");
  }
  estimate_error(report, dot(solution, mine));
  report.choice = fmt::format("divided among {} ranks", ranks_.count());
  tell_exchanges();
  collect(solution, x);
  return report;
}

}  // namespace ritz
