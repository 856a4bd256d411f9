#include "fem/ranks/rank_system.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "device/memory_needs.hpp"
#include "fem/ranks/rank_needs.hpp"
#include "fem/ranks/transposed_tangent.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/space/pattern_size.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <utility>

namespace ritz {

RankSystem::RankSystem(std::shared_ptr<PartEquations> equations, PartSupports supports,
                       const LinearSolverOptions& options, RankCalls calls)
    : equations_(std::move(equations)),
      ranks_(equations_->part().ranks()),
      options_(options),
      supports_(std::move(supports)),
      ghosts_(equations_->part().ghosts()),
      held_(equations_->part().part().constraints(supports_, acts_on_related() ? ghosts_.get() : nullptr)),
      field_{.ghosts = ghosts_,
             .cells = equations_->part().part().cells(),
             .along_curve = equations_->part().part().along_curve(),
             .relations = std::move(calls.relations),
             .nesting = std::move(calls.nesting),
             .replicated = replicated_unknowns()} {
  options_.multigrid = multigrid_over_ranks(options_.multigrid);
  supports_.held = {};
  if (acts_on_related()) supports_.relations = {};
}

RankRows RankSystem::rows() const { return equations_->part().rows(components()); }

void RankSystem::end() { cache_.end(); }

void RankSystem::assemble(const TangentPlace& at, const Vector& u) {
  cache_.matrix_replaced();
  A_.reset();
  const Vector point = equations_->on_part(u);
  if (options_.operator_kind == OperatorKind::matrix_free) linearise_without_matrix(at, point);
  else {
    if (!room_is_checked_) check_room();
    room_is_checked_ = true;
    A_ = matrix(at, point, Pivot::of_diagonal);
  }
  device().memory().trim();
  return_freed_host_memory();
}

void RankSystem::linearise_without_matrix(const TangentPlace& at, const Vector& point) {
  auto phase = device().profile().phase("assembly");
  equations_->take(at.at);
  if (at.anew) without_matrix_.reset();
  if (without_matrix_) without_matrix_->move_to(point);
  else without_matrix_.emplace(equations_->equations(), held_, point, &field_);
}

// A rank that lacks the room for its matrix, and what an iteration surely needs beside it, ends all before long work.
void RankSystem::check_room() {
  ranks_.agree([this] {
    const FunctionSpace& space = this->space();
    const Index b = components(), available = device().memory().available();
    const Index pairs =
        space.has_pattern()
            ? space.pattern()->nonzeros()
            : pattern_size(entity_counts(space.mesh()), space.isoparametric() ? 0 : space.order()).pairs;
    // With equations between unknowns, rows of another pattern are made of these.
    const Index own = std::llround(double(pairs) * double(owned()) / double(ghosts_->size())),
                related = supports_.related ? own + supports_.coupled.entries + supports_.coupled.to_others : 0;
    const Index needed = MemoryNeeds()
                             .array<double>("matrix", (pairs + related) * b * b)
                             .array<std::int32_t>("pattern", pairs + related, 2)
                             .array<double>("vectors", owned() * b, 6)
                             .total();
    if (needed <= available) return;
    throw Error(ErrorKind::device_memory,
                fmt::format("{}its part of the matrix needs {:.1f} MB, and {:.1f} MB are available",
                            ranks_.rank() == 0 ? "rank 0: " : "", 1e-6 * double(needed), 1e-6 * double(available)),
                fmt::format("{} nodes are its own, and {} it reaches", owned(), ghosts_->count()),
                "start more ranks on more machines, or raise --memory-limit; --estimate says what each takes");
  });
}

std::unique_ptr<DividedMatrix> RankSystem::matrix(const TangentPlace& at, const Vector& point, Pivot pivot) {
  BlockMatrix rows;
  double value = 0;
  {
    SparseMatrix K = part_matrix(at, point);
    auto phase = device().profile().phase("constraints");
    if (pivot == Pivot::of_diagonal) value = std::max(max_abs(K.diagonal()), 1e-300);
    held_.eliminate(K, value);
    rows = owned_rows_of(std::move(K), owned());
  }
  if (!supports_.related) return std::make_unique<DividedMatrix>(ghosts_, std::move(rows));
  auto phase = device().profile().phase("constraints");
  DividedRows whole = transformed(*ghosts_, rows, supports_.relations, value);
  return std::make_unique<DividedMatrix>(std::move(whole.ghosts), std::move(whole.matrix));
}

SparseMatrix RankSystem::part_matrix(const TangentPlace& at, const Vector& point) {
  auto phase = device().profile().phase("assembly");
  equations_->take(at.at);
  SparseMatrix K = equations_->equations().make_matrix();
  Linearisation(equations_->equations(), point).assemble_once(K);
  if (at.kind == Tangent::transposed) transpose(K);  // columns of owned nodes are complete, too
  return K;
}

std::string RankSystem::description() const {
  const auto range = [&](Index mine) {
    const std::vector<Index> all = ranks_.of_all(mine);
    const auto [low, high] = std::ranges::minmax(all);
    return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  };
  return fmt::format("{} ranks by {}: {} nodes, {} ghosts, {} cells and {} neighbours each", ranks_.count(),
                     ranks_.transport(), range(ghosts_->owned()), range(ghosts_->count()),
                     range(equations_->part().part().cell_count()), range(std::ssize(ghosts_->neighbours())));
}

std::string RankSystem::exchanges() const {
  const Ghosts& ghosts = A_ ? A_->ghosts() : *ghosts_;
  std::string text = fmt::format("rank {} sent {} nodes to {} neighbours in {} exchanges: {} messages, {} bytes",
                                 ranks_.rank(), ghosts.sent(), ghosts.neighbours().size(), ghosts.exchanges(),
                                 ghosts.counts().messages, ghosts.counts().bytes);
  if (first_solution_.messages > 0)
    text += fmt::format("; with coarser levels, set-up and sums {} messages, {} bytes", first_solution_.messages,
                        first_solution_.bytes);
  return text;
}

std::string RankSystem::memory() const {
  const std::string arrays = arrays_of_ranks(ranks_, device());
  if (!cache_.holds_factor()) return arrays;
  return fmt::format("{}; factors of ranks: {}", arrays, megabytes_of_ranks(ranks_, cache_.factor_bytes()));
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

SmoothedAggregationOptions RankSystem::multigrid_options() const {
  SmoothedAggregationOptions options = options_.multigrid;
  options.coordinates = &space().coordinates();
  options.dimension = space().mesh().dimension();
  options.nested = [this] { return nested_; };
  return options;
}

std::unique_ptr<LinearOperator> RankSystem::preconditioner(const DividedMatrix& A, PreconditionerKind kind) const {
  auto phase = device().profile().phase("set-up");
  return preconditioner_of(A, kind, multigrid_options());
}

// Predicted, since a rank that lacks memory in the midst of the set-up ends the job.
std::optional<Error> RankSystem::shortage_of(const Room& room) const {
  try {
    ranks_.agree([&] {
      const Index available = device().memory().available();
      if (available > room.plenty) return;
      const Index needed = room.needed();
      if (needed <= available) return;
      throw Error(ErrorKind::device_memory,
                  fmt::format("{} {:.1f} MB, and {:.1f} MB are available", room.what, 1e-6 * double(needed),
                              1e-6 * double(available)),
                  room.from, "start more ranks, or give them more memory");
    });
  } catch (const AgreedError& shortage) {
    if (shortage.exit() != Exit::resources) throw;
    return shortage;
  }
  return std::nullopt;
}

HierarchyNeeds RankSystem::multigrid_needs() const {
  const HierarchyShape shape{.rows = A_->ghosts().size(),
                             .nonzeros = A_->nonzeros_with_ghost_rows(),
                             .block = components(),
                             .dimension = space().mesh().dimension(),
                             .nesting = nested_ == nullptr ? Nesting::none : Nesting::mesh};
  HierarchyNeeds needs = hierarchy_needs(shape, A_->ghosts().total(), multigrid_options());
  if (supports_.related) needs.set_up += long_products_of(supports_.coupled, components(), shape.dimension);
  return needs;
}

SolveReport RankSystem::solve_without_matrix(const Vector& b, Vector& x, const LinearTolerance& tolerance) {
  LinearSolverOptions options = options_;
  options.relative = tolerance.relative;
  options.rounding_error = tolerance.rounding_error;
  SolveReport report = without_matrix_->solve(b, x, options);
  report.choice =
      fmt::format("divided among {} ranks; elements of order {} need no matrix", ranks_.count(), space().order());
  return report;
}

SolveReport RankSystem::solve(const Vector& b, Vector& x, const LinearTolerance& tolerance) {
  const ExchangeCounts before = ranks_.counts();
  SolveReport report =
      without_matrix_ ? solve_without_matrix(b, x, tolerance) : solve_by_plan({b, x}, tolerance).front();
  if (first_solution_.messages == 0)
    first_solution_ = {ranks_.counts().messages - before.messages, ranks_.counts().bytes - before.bytes};
  return report;
}

std::vector<SolveReport> RankSystem::solve(const MultiVector& B, MultiVector& X, const LinearTolerance& tolerance) {
  return solve_by_plan({B, X}, tolerance);
}

std::vector<SolveReport> RankSystem::solve_by_plan(const Columns& columns, const LinearTolerance& tolerance) {
  LinearSolverOptions options = options_;
  options.relative = tolerance.relative;
  options.rounding_error = tolerance.rounding_error;
  options.cache = &cache_;
  SolverGeometry geometry{.coordinates = &space().coordinates(),
                          .dimension = space().mesh().dimension(),
                          .nested = [this] { return nested_; }};
  if (supports_.related)
    geometry.more_for_products = long_products_of(supports_.coupled, components(), geometry.dimension).total();
  if (columns.together()) return solve_linear(*A_, columns.B(), columns.X(), options, geometry);
  return {solve_linear(*A_, columns.b(), columns.x(), options, geometry)};
}

}  // namespace ritz
