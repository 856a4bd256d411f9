#include "fem/ranks/rank_matrices.hpp"

#include "device/error.hpp"
#include "device/memory_needs.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "fem/ranks/nested_share.hpp"
#include "fem/ranks/rank_needs.hpp"
#include "fem/space/pattern_size.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

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

LinearSolverOptions options_over_ranks(const OwnField& part, LinearSolverOptions options) {
  const Operator& equations = part.equations_of_all();
  options.operator_kind = without_matrix(equations, options) ? OperatorKind::matrix_free : OperatorKind::matrix;
  if (options.promise == MatrixPromise::none && equations.facts().symmetric) options.promise = MatrixPromise::symmetric;
  options.multigrid = multigrid_over_ranks(options.multigrid);
  return options;
}

RankMatrices::RankMatrices(const OwnField& part, const LinearSolverOptions& options)
    : part_(part),
      say_(options.say),
      has_matrix_(options.operator_kind == OperatorKind::matrix),
      may_nest_(may_nest(options)),
      related_(part.supports().has_dependent()),
      coarser_(related_ && !has_matrix_ ? std::make_unique<WholeCoarserFields>(part.supports_of_all()) : nullptr),
      supports_(has_matrix_ ? supports_of_matrix(part.divided(), part.supports_of_all()) : PartSupports()),
      field_{.ghosts = space().ghosts(),
             .cells = space().part().cells(),
             .along_curve = space().part().along_curve(),
             .relations = [this](int order, const Ghosts& nodes) { return coarser_->relations(order, nodes); },
             .nesting = [this](const std::vector<Index>& first) { return nesting_of_corners(first); },
             .replicated = replicated_unknowns()},
      nests_(has_matrix_ && may_nest_ && !related_) {
  say(description());
  if (const std::string& how = ranks().device_transport(); !how.empty())
    say(fmt::format("messages between GPUs {}", how));
}

void RankMatrices::say(const std::string& line) const {
  if (say_) say_(line);
}

void RankMatrices::find_nested_levels() {
  if (std::exchange(nests_, false))
    nested_ = nested_levels_of_rank(part_.equations_of_all().space(), ghosts().first(), ranks().rank());
}

// The coarsest field without a matrix has the corners of the cells as nodes. Equations between unknowns join its nodes.
NestedLevels RankMatrices::nesting_of_corners(const std::vector<Index>& first) {
  NestedLevels levels;
  if (may_nest_) {
    const FunctionSpace& whole = part_.equations_of_all().space();
    std::optional<FunctionSpace> made;
    if (!coarser_)
      made.emplace(whole.mesh(), whole.components(), whole.device(), SpaceOptions{.order = 1, .beside = whole});
    const FunctionSpace& corners = coarser_ ? coarser_->coarsest() : *made;
    if (corners.node_count() != first.back())
      throw Error(ErrorKind::internal, "the ranks' nodes of order 1 are not those of the whole mesh");
    levels = nested_levels_of_rank(corners, first, ranks().rank());
  }
  if (coarser_) coarser_->forget();
  return levels;
}

SolverGeometry RankMatrices::geometry() const {
  const FunctionSpace& own = space().space();
  const int dimension = own.mesh().dimension();
  return {.coordinates = &own.coordinates(),
          .dimension = dimension,
          .nested = [this] { return nested_; },
          .more_for_products = related_ ? long_products_of(supports_.coupled, own.components(), dimension).total() : 0};
}

std::unique_ptr<const DividedMatrix> RankMatrices::eliminated(SparseMatrix K, double pivot) const {
  auto phase = device().profile().phase("constraints");
  part_.supports().eliminate_prescribed(K, pivot);
  BlockMatrix rows = owned_rows_of(std::move(K), ghosts().owned());
  if (!related_) return std::make_unique<const DividedMatrix>(space().ghosts(), std::move(rows));
  DividedRows whole = transformed(ghosts(), rows, supports_.relations, pivot);
  return std::make_unique<const DividedMatrix>(std::move(whole.ghosts), std::move(whole.matrix));
}

// All ranks end before the assembly where one has too little memory for its matrix and the vectors of an iteration.
void RankMatrices::check_room() {
  if (std::exchange(room_is_checked_, true)) return;
  ranks().agree([this] {
    const FunctionSpace& own = space().space();
    const Index b = own.components(), owned = ghosts().owned(), available = device().memory().available();
    const Index pairs = own.has_pattern()
                            ? own.pattern()->nonzeros()
                            : pattern_size(entity_counts(own.mesh()), own.isoparametric() ? 0 : own.order()).pairs;
    // With equations between unknowns, rows of another pattern are made of these.
    const Index rows = std::llround(double(pairs) * double(owned) / double(ghosts().size())),
                related = related_ ? rows + supports_.coupled.entries + supports_.coupled.to_others : 0;
    const Index needed = MemoryNeeds()
                             .array<double>("matrix", (pairs + related) * b * b)
                             .array<std::int32_t>("pattern", pairs + related, 2)
                             .array<double>("vectors", owned * b, 6)
                             .total();
    if (needed <= available) return;
    throw Error(ErrorKind::device_memory,
                fmt::format("{}its part of the matrix needs {:.1f} MB, and {:.1f} MB are available",
                            ranks().rank() == 0 ? "rank 0: " : "", 1e-6 * double(needed), 1e-6 * double(available)),
                fmt::format("{} nodes are its own, and {} it reaches", owned, ghosts().count()),
                "start more ranks on more machines, or raise --memory-limit; --estimate says what each takes");
  });
}

std::string RankMatrices::description() const {
  const auto range = [&](Index mine) {
    const std::vector<Index> all = ranks().of_all(mine);
    const auto [low, high] = std::ranges::minmax(all);
    return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  };
  return fmt::format("{} ranks by {}: {} nodes, {} ghosts, {} cells and {} neighbours each", ranks().count(),
                     ranks().transport(), range(ghosts().owned()), range(ghosts().count()),
                     range(space().part().cell_count()), range(std::ssize(ghosts().neighbours())));
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

// Messages of this rank.
std::string exchanges(const Ranks& ranks, const Ghosts& ghosts, const ExchangeCounts& by_solution) {
  std::string text = fmt::format("rank {} sent {} nodes to {} neighbours in {} exchanges: {} messages, {} bytes",
                                 ranks.rank(), ghosts.sent(), ghosts.neighbours().size(), ghosts.exchanges(),
                                 ghosts.counts().messages, ghosts.counts().bytes);
  if (by_solution.messages > 0)
    text += fmt::format("; with coarser levels, set-up and sums {} messages, {} bytes", by_solution.messages,
                        by_solution.bytes);
  return text;
}

}  // namespace

void RankMatrices::report(const DividedMatrix* A, const SolverCache* cache, const ExchangeCounts& sent_by_solution) {
  if (std::exchange(is_reported_, true)) return;
  say(exchanges(ranks(), A != nullptr ? A->ghosts() : ghosts(), sent_by_solution));
  std::string memory = arrays_of_ranks(ranks(), device());
  if (cache != nullptr && cache->holds_factor())
    memory += fmt::format("; factors of ranks: {}", megabytes_of_ranks(ranks(), cache->factor_bytes()));
  say(memory);
  say(seconds_of_ranks(ranks(), device().profile()));
}

}  // namespace ritz
