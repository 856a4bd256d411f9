#include "fem/ranks/divided_system.hpp"

#include "fem/operator/linearisation.hpp"
#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "device/memory_needs.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "fem/ranks/divisible.hpp"
#include "fem/ranks/nested_share.hpp"
#include "fem/ranks/rank_needs.hpp"
#include "fem/ranks/transposed_tangent.hpp"
#include "fem/space/pattern_size.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace ritz {
namespace {

// With a matrix or without one as in one process.
LinearSolverOptions options_over_ranks(const Operator& equations, LinearSolverOptions options) {
  options.operator_kind = without_matrix(equations, options) ? OperatorKind::matrix_free : OperatorKind::matrix;
  if (options.promise == MatrixPromise::none && equations.facts().symmetric) options.promise = MatrixPromise::symmetric;
  options.multigrid = multigrid_over_ranks(options.multigrid);
  options.cache = nullptr;
  return options;
}

bool may_nest(const LinearSolverOptions& options) {
  const bool multigrid = options.preconditioner == PreconditionerKind::automatic ||
                         options.preconditioner == PreconditionerKind::multigrid;
  return multigrid && options.multigrid.levels != MultigridLevels::aggregation;
}

PartSupports supports_of_matrix(const DividedSpace& part, const Constraints& constraints) {
  if (!constraints.has_dependent()) return {};
  const PartCouplings couplings(constraints.space());
  PartSupports supports = part.supports(constraints, &couplings);
  supports.held = {};
  return supports;
}

}  // namespace

DividedSystem::DividedSystem(const FieldOfRank& part_of_rank, const LinearSolverOptions& options)
    : part_(part_of_rank),
      ranks_(part().ranks()),
      options_(options_over_ranks(part_.equations_of_all(), options)),
      related_(part_.supports().has_dependent()),
      linear_(part_.equations_of_all().facts().linear),
      nests_(has_matrix() && may_nest(options) && !related_),
      coarser_(related_ && !has_matrix() ? std::make_unique<WholeCoarserFields>(part_.supports_of_all()) : nullptr),
      supports_(has_matrix() ? supports_of_matrix(part(), part_.supports_of_all()) : PartSupports()),
      field_{.ghosts = part().ghosts(),
             .cells = part().part().cells(),
             .along_curve = part().part().along_curve(),
             .relations = [this](int order, const Ghosts& nodes) { return coarser_->relations(order, nodes); },
             .nesting = [this](const std::vector<Index>& first) { return nesting_of_corners(first); },
             .replicated = replicated_unknowns()} {
  say(description());
  if (const std::string& how = ranks_.device_transport(); !how.empty())
    say(fmt::format("messages between GPUs {}", how));
}

// A factor goes by all ranks together, unless one is lost.
DividedSystem::~DividedSystem() {
  try {
    if (std::uncaught_exceptions() == unwinding_) cache_.end();
  } catch (const Error&) {  // the job ends
  }
}

void DividedSystem::say(const std::string& line) const {
  if (options_.say) options_.say(line);
}

void DividedSystem::find_nested_levels() {
  if (std::exchange(nests_, false))
    nested_ = nested_levels_of_rank(part_.equations_of_all().space(), ghosts().first(), ranks_.rank());
}

// The coarsest field without a matrix has the corners of the cells as nodes. Equations between unknowns join its nodes.
NestedLevels DividedSystem::nesting_of_corners(const std::vector<Index>& first) {
  NestedLevels levels;
  if (may_nest(options_)) {
    const FunctionSpace& whole = part_.equations_of_all().space();
    std::optional<FunctionSpace> made;
    if (!coarser_)
      made.emplace(whole.mesh(), whole.components(), whole.device(), SpaceOptions{.order = 1, .beside = whole});
    const FunctionSpace& corners = coarser_ ? coarser_->coarsest() : *made;
    if (corners.node_count() != first.back())
      throw Error(ErrorKind::internal, "the ranks' nodes of order 1 are not those of the whole mesh");
    levels = nested_levels_of_rank(corners, first, ranks_.rank());
  }
  if (coarser_) coarser_->forget();
  return levels;
}

void DividedSystem::linearise(const Vector& u, Tangent kind) {
  if (kind == Tangent::transposed && !has_matrix())
    throw Error(ErrorKind::internal, "a transposed tangent without a matrix");
  find_nested_levels();
  point_ = {};
  if (!linear_ && !u.empty()) {
    point_ = part_.equations().zeros();
    copy(u, point_);
  }
  assemble(point_, kind);
}

void DividedSystem::assemble(const Vector& u, Tangent kind) {
  cache_.matrix_replaced();
  A_.reset();
  const Operator& own = part_.equations();
  const Vector point = part().with_ghosts(u);
  if (!has_matrix()) {
    auto phase = device().profile().phase("assembly");
    if (std::exchange(begins_, false)) without_matrix_.reset();
    if (without_matrix_) without_matrix_->move_to(point);
    else without_matrix_.emplace(own, part_.supports(), point, &field_);
  } else {
    if (!room_is_checked_) check_room();
    room_is_checked_ = true;
    A_ = matrix(own, point, Pivot::of_diagonal, kind);
  }
  device().memory().trim();
  return_freed_host_memory();
}

// A rank that lacks the room for its matrix, and what an iteration surely needs beside it, ends all before long work.
void DividedSystem::check_room() {
  ranks_.agree([this] {
    const FunctionSpace& space = this->space();
    const Index b = components(), owned = ghosts().owned(), available = device().memory().available();
    const Index pairs =
        space.has_pattern()
            ? space.pattern()->nonzeros()
            : pattern_size(entity_counts(space.mesh()), space.isoparametric() ? 0 : space.order()).pairs;
    // With equations between unknowns, rows of another pattern are made of these.
    const Index own = std::llround(double(pairs) * double(owned) / double(ghosts().size())),
                related = related_ ? own + supports_.coupled.entries + supports_.coupled.to_others : 0;
    const Index needed = MemoryNeeds()
                             .array<double>("matrix", (pairs + related) * b * b)
                             .array<std::int32_t>("pattern", pairs + related, 2)
                             .array<double>("vectors", owned * b, 6)
                             .total();
    if (needed <= available) return;
    throw Error(ErrorKind::device_memory,
                fmt::format("{}its part of the matrix needs {:.1f} MB, and {:.1f} MB are available",
                            ranks_.rank() == 0 ? "rank 0: " : "", 1e-6 * double(needed), 1e-6 * double(available)),
                fmt::format("{} nodes are its own, and {} it reaches", owned, ghosts().count()),
                "start more ranks on more machines, or raise --memory-limit; --estimate says what each takes");
  });
}

std::unique_ptr<DividedMatrix> DividedSystem::matrix(const Operator& own, const Vector& point, Pivot pivot,
                                                     Tangent kind) {
  std::optional<Profile::Phase> phase(std::in_place, device().profile(), "assembly");
  SparseMatrix K = own.make_matrix();
  Linearisation(own, point).assemble_once(K);
  if (kind == Tangent::transposed) transpose(K);  // columns of owned nodes are complete, too
  phase.emplace(device().profile(), "constraints");
  const double value = pivot == Pivot::of_diagonal ? std::max(max_abs(K.diagonal()), 1e-300) : 0;
  part_.supports().eliminate_prescribed(K, value);
  BlockMatrix rows = owned_rows_of(std::move(K), ghosts().owned());
  if (!related_) return std::make_unique<DividedMatrix>(part().ghosts(), std::move(rows));
  DividedRows whole = transformed(ghosts(), rows, supports_.relations, value);
  return std::make_unique<DividedMatrix>(std::move(whole.ghosts), std::move(whole.matrix));
}

std::string DividedSystem::description() const {
  const auto range = [&](Index mine) {
    const std::vector<Index> all = ranks_.of_all(mine);
    const auto [low, high] = std::ranges::minmax(all);
    return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  };
  return fmt::format("{} ranks by {}: {} nodes, {} ghosts, {} cells and {} neighbours each", ranks_.count(),
                     ranks_.transport(), range(ghosts().owned()), range(ghosts().count()),
                     range(part().part().cell_count()), range(std::ssize(ghosts().neighbours())));
}

std::string DividedSystem::exchanges() const {
  const Ghosts& ghosts = A_ ? A_->ghosts() : this->ghosts();
  std::string text = fmt::format("rank {} sent {} nodes to {} neighbours in {} exchanges: {} messages, {} bytes",
                                 ranks_.rank(), ghosts.sent(), ghosts.neighbours().size(), ghosts.exchanges(),
                                 ghosts.counts().messages, ghosts.counts().bytes);
  if (first_solution_.messages > 0)
    text += fmt::format("; with coarser levels, set-up and sums {} messages, {} bytes", first_solution_.messages,
                        first_solution_.bytes);
  return text;
}

std::string DividedSystem::memory() const {
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

std::string seconds_of_ranks(Ranks& ranks, const Profile& profile) {
  std::vector<std::string> texts;
  for (const char* const phase : {"assembly", "set-up", "iteration"}) {
    const double seconds = seconds_in(profile, phase);
    std::vector<std::string> of_ranks;
    for (const Index milliseconds : ranks.of_all(static_cast<Index>(1e3 * seconds)))
      of_ranks.push_back(fmt::format("{:.2f}", 1e-3 * double(milliseconds)));
    texts.push_back(fmt::format("{} {}", phase, fmt::join(of_ranks, ", ")));
  }
  return fmt::format("seconds of ranks: {}", fmt::join(texts, "; "));
}

}  // namespace

void DividedSystem::report_once() {
  if (std::exchange(is_reported_, true)) return;
  for (const std::string& line : {exchanges(), memory(), seconds_of_ranks(ranks_, device().profile())}) say(line);
}

SolverGeometry DividedSystem::geometry() const {
  return {.coordinates = &space().coordinates(), .dimension = space().mesh().dimension(), .nested = [this] {
            return nested_;
          }};
}

SolveReport DividedSystem::solve(const Vector& b, Vector& x, const LinearTolerance& tolerance) {
  const ExchangeCounts before = ranks_.counts();
  SolveReport report =
      without_matrix_ ? solve_without_matrix(b, x, tolerance) : solve_by_plan({b, x}, tolerance).front();
  if (first_solution_.messages == 0)
    first_solution_ = {ranks_.counts().messages - before.messages, ranks_.counts().bytes - before.bytes};
  report_once();
  return report;
}

SolveReport DividedSystem::solve_without_matrix(const Vector& b, Vector& x, const LinearTolerance& tolerance) {
  LinearSolverOptions options = options_;
  options.relative = tolerance.relative;
  options.rounding_error = tolerance.rounding_error;
  SolveReport report = without_matrix_->solve(b, x, options);
  report.choice =
      fmt::format("divided among {} ranks; elements of order {} need no matrix", ranks_.count(), space().order());
  return report;
}

std::vector<SolveReport> DividedSystem::solve(const MultiVector& B, MultiVector& X, const LinearTolerance& tolerance) {
  std::vector<SolveReport> reports = solve_by_plan({B, X}, tolerance);
  report_once();
  return reports;
}

std::vector<SolveReport> DividedSystem::solve_by_plan(const Columns& columns, const LinearTolerance& tolerance) {
  LinearSolverOptions options = options_;
  options.relative = tolerance.relative;
  options.rounding_error = tolerance.rounding_error;
  options.cache = &cache_;
  SolverGeometry of_part = geometry();
  if (related_)
    of_part.more_for_products = long_products_of(supports_.coupled, components(), of_part.dimension).total();
  if (columns.together()) return solve_linear(*A_, columns.B(), columns.X(), options, of_part);
  return {solve_linear(*A_, columns.b(), columns.x(), options, of_part)};
}

}  // namespace ritz
