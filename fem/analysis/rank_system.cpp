#include "fem/analysis/rank_system.hpp"

#include "device/environment_variable.hpp"
#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "fem/operator/operator.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/multigrid/divided_aggregation.hpp"
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace ritz {
namespace {

// The first rows of a part's matrix, whose nodes are [owned | ghosts]. Values stay where they are: those of the other
// rows leave their room to the rows of ghosts.
BlockMatrix owned_rows(SparseMatrix K, Index owned) {
  const Device& device = K.device();
  const SparsityPattern& pattern = K.pattern();
  BlockMatrix rows{
      .rows = owned, .columns = pattern.rows(), .row_block = K.block_size(), .column_block = K.block_size()};
  const Index* const offsets = pattern.offsets().data();
  const std::span<const std::int32_t> columns(pattern.columns().data(), static_cast<std::size_t>(offsets[owned]));
  rows.offsets = Array<Index>(device, rows.columns + 1, "pattern");
  std::copy_n(offsets, owned + 1, rows.offsets.data());
  rows.column = Array<std::int32_t>(device, offsets[owned] + DividedMatrix::ghost_entries(columns, owned), "pattern");
  std::ranges::copy(columns, rows.column.data());
  rows.values = std::move(K.values());
  return rows;
}

}  // namespace

Index replicated_unknowns() {
  Index number = DividedAggregationOptions().replicated;
  const std::string text = environment("RITZ_REPLICATED_UNKNOWNS");  // for tests of small cases
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

RankSystem::RankSystem(PartData part, const Device& device, const LinearSolverOptions& options, Ranks& ranks)
    : ranks_(ranks),
      options_(options),
      part_(std::move(part), device),
      held_(part_.constraints()),
      equations_(part_.space(), part_.integrals()),
      ghosts_(std::make_shared<const Ghosts>(ranks, part_.owned(), part_.reached())),
      single_(options.multigrid.single_precision) {}

void RankSystem::assemble(const TangentPlace& at, std::span<const double> u, const std::function<void()>& evaluated) {
  M_.reset();
  A_.reset();
  Vector point = part_.space().zeros();
  if (!at.at_zero) {
    std::vector<double> extended(static_cast<std::size_t>(ghosts_->size() * components()));
    std::ranges::copy(u, extended.begin());
    ghosts_->fetch(extended.data(), components());
    point = Vector(device(), std::span<const double>(extended), "vectors");
  }
  A_ = std::make_unique<DividedMatrix>(ghosts_, owned_rows(part_matrix(at, point, evaluated), owned()));
  device().memory().trim();
  return_freed_host_memory();
}

SparseMatrix RankSystem::part_matrix(const TangentPlace& at, const Vector& point,
                                     const std::function<void()>& evaluated) {
  auto phase = device().profile().phase("assembly");
  for (std::size_t i = 0; i < part_.integral_of().size(); ++i)
    equations_.set_factor(i, at.factors[part_.integral_of()[i]]);
  equations_.set_time(at.time);
  equations_.take_numbers(Operator::Task::matrix);
  evaluated();
  SparseMatrix K = equations_.make_matrix();
  equations_.assemble_once(point, K);
  {
    const WorkTogether together(&ranks_);  // the same on all ranks
    held_.eliminate(K, std::max(max_abs(K.diagonal()), 1e-300));
  }
  return K;
}

std::string RankSystem::description() const {
  const auto range = [&](Index mine) {
    const std::vector<Index> all = ranks_.of_all(mine);
    const auto [low, high] = std::ranges::minmax(all);
    return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  };
  return fmt::format("{} ranks by {}: {} nodes, {} ghosts, {} cells and {} neighbours each", ranks_.count(),
                     ranks_.transport(), range(ghosts_->owned()), range(ghosts_->count()), range(part_.cell_count()),
                     range(std::ssize(ghosts_->neighbours())));
}

std::string RankSystem::exchanges() const {
  return fmt::format("rank {} sent {} nodes to {} neighbours in {} exchanges: {} messages, {} bytes", ranks_.rank(),
                     ghosts_->sent(), ghosts_->neighbours().size(), ghosts_->exchanges(), ghosts_->counts().messages,
                     ghosts_->counts().bytes);
}

std::string RankSystem::memory() const {
  std::vector<std::string> texts;
  for (const Index peak : ranks_.of_all(device().memory().statistics().peak))
    texts.push_back(fmt::format("{:.1f}", 1e-6 * double(peak)));
  return fmt::format("arrays of ranks at their peaks: {} MB", fmt::join(texts, ", "));
}

namespace {

// Seconds in phases of that name, inside others or not; of two within each other the inner one counts.
double seconds_in(const Profile& profile, const std::string& phase) {
  double inner = 0, outer = 0;
  for (const PhaseRecord& record : profile.phases()) {
    if (record.name.ends_with("/" + phase)) inner += record.seconds;
    if (record.name == phase) outer += record.seconds;
  }
  return inner > 0 ? inner : outer;
}

}  // namespace

std::string RankSystem::seconds() const {
  std::vector<std::string> texts;
  for (const char* const phase : {"assembly", "set-up", "iteration"}) {
    const double seconds = seconds_in(device().profile(), phase);
    std::vector<std::string> of_ranks;
    for (const Index milliseconds : ranks_.of_all(static_cast<Index>(1e3 * seconds)))
      of_ranks.push_back(fmt::format("{:.2f}", 1e-3 * double(milliseconds)));
    texts.push_back(fmt::format("{} {}", phase, fmt::join(of_ranks, ", ")));
  }
  return fmt::format("seconds of ranks: {}", fmt::join(texts, "; "));
}

std::unique_ptr<LinearOperator> RankSystem::preconditioner(bool single_precision) const {
  auto phase = device().profile().phase("set-up");
  switch (options_.preconditioner) {
    case PreconditionerKind::none: return nullptr;
    case PreconditionerKind::jacobi: return std::make_unique<JacobiPreconditioner>(A_->diagonal());
    case PreconditionerKind::chebyshev: return std::make_unique<ChebyshevPreconditioner>(*A_, A_->diagonal());
    default: break;
  }
  DividedAggregationOptions options{.multigrid = options_.multigrid};
  options.multigrid.coordinates = &part_.space().coordinates();
  options.multigrid.dimension = part_.space().mesh().dimension();
  options.multigrid.single_precision = single_precision;
  options.multigrid.half_storage = false;
  options.nesting = &nesting_;
  options.replicated = replicated_unknowns();
  return std::make_unique<DividedAggregation>(*A_, options);
}

SolveReport RankSystem::solve(const Vector& b, Vector& x, const LinearTolerance& tolerance) {
  SolveReport report;
  const WorkTogether together(&ranks_);
  while (true) {
    if (!M_) M_ = preconditioner(single_);
    auto phase = device().profile().phase("iteration");
    SolveReport next =
        ConjugateGradient{.relative = tolerance.relative, .max_iterations = options_.max_iterations}.solve(*A_, b, x,
                                                                                                           M_.get());
    next.iterations += report.iterations;
    next.fallbacks = std::move(report.fallbacks);
    report = std::move(next);
    report.preconditioner = M_ == nullptr ? "none" : M_->name();
    if (!single_ || !may_be_rounding(report)) break;
    single_ = false;
    M_.reset();
    report.fallbacks.push_back("single precision was not enough for the multigrid cycle: repeated in double");
  }
  estimate_error(report, dot(x, b));
  report.choice = fmt::format("divided among {} ranks", ranks_.count());
  return report;
}

}  // namespace ritz
