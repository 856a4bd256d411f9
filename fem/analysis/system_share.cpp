#include "fem/analysis/system_share.hpp"

#include "fem/analysis/static_forecast.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/preconditioners/over_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ritz {

MatrixShare::MatrixShare(const SpaceNeeds& whole)
    : owned(whole.size.nodes),
      all(whole.size.nodes),
      entries(whole.size.pairs),
      of_part(whole.matrix()),
      values(whole.matrix()) {}

MatrixShare::MatrixShare(const RankParts::Part& part, const SpaceNeeds& whole)
    : owned(part.owned), all(part.all()), of_part(part.needs.matrix()), transformed(part.related) {
  const FunctionSpace& space = part.space();
  const Index b = space.components(), pairs_of_part = part.needs.size.pairs;
  const Index owned_pairs = std::min<Index>(
      pairs_of_part, std::llround(double(part.owned) * double(whole.size.pairs) / double(whole.size.nodes)));
  // Rows of ghosts in the part have those entries that reach owned nodes, and about as many more.
  const Index reaching = (pairs_of_part - owned_pairs) / 2;
  entries = owned_pairs + reaching;
  if (transformed) {
    all = part.owned + std::ssize(part.coupled.reached);
    entries += part.coupled.entries + part.coupled.to_others;
  }
  const auto lists_of = [](Index nodes, Index blocks) {
    return MemoryNeeds().array<Index>("pattern", nodes + 1).array<std::int32_t>("pattern", blocks);
  };
  part_lists = lists_of(part.all(), owned_pairs + reaching).array<Index>("pattern", part.owned + 1);
  lists = lists_of(all, entries).array<Index>("pattern", part.owned + 1);
  values = MemoryNeeds().array<double>("matrix", entries * b * b);
  extended = MemoryNeeds().array<double>("vectors", all * b);
  long_products = long_products_of(part.coupled, space.components(), space.mesh().dimension());
}

HierarchyShape MatrixShare::shape(int dimension, int block, Nesting nesting) const {
  const Index rows = nesting == Nesting::none ? (all + owned) / 2 : all;
  return {.rows = rows,
          .nonzeros = std::llround(double(entries) * double(rows) / double(all)),
          .block = block,
          .dimension = dimension,
          .nesting = nesting};
}

SystemShare::SystemShare(std::vector<const Operator*> equations, int supports, bool counted)
    : equations_(std::move(equations)),
      needs_(needs_of(space(), supports, counted)),
      matrix_(needs_),
      all_(space().node_count()) {}

namespace {

Index bytes_of_cells(const std::vector<const Operator*>& equations) {
  Index sum = 0;
  for (const Operator* each : equations) sum += ritz::bytes_of_cells(each->terms().groups());
  return sum;
}

}  // namespace

// Arrays of the whole model stand on every rank, except lists of its cells, which each rank gives back.
SystemShare::SystemShare(std::vector<const Operator*> equations, const SharesOfRanks& ranks,
                         const RankParts::Part& part)
    : equations_(std::move(equations)),
      ranks_(&ranks),
      needs_(part.needs),
      matrix_(part, ranks.pairs_),
      all_(part.all()) {
  needs_.standing += ranks.parts_.whole().standing;
  needs_.standing.bytes("reference cells", -ranks.parts_.tables().total());
  needs_.standing.bytes("connectivity", -bytes_of_cells(ranks.equations_));
}

MemoryNeeds SystemShare::of_model(Index count) const {
  return ranks_ == nullptr ? vectors(count) : vectors_of(ranks_->equations_.front()->space().node_count(), count);
}

MemoryNeeds SystemShare::part_of(const MemoryNeeds& of_model) const {
  if (ranks_ == nullptr) return of_model;
  return scaled(of_model, double(all_) / double(ranks_->equations_.front()->space().node_count()));
}

MemoryNeeds SystemShare::marked_nodes(const Operator& equations) const {
  MemoryNeeds needs;
  for (const ElementGroup& group : equations.terms().groups()) needs.array<Node>("connectivity", group.nodes.size());
  return needs;
}

const HierarchyShape& SystemShare::shape() const {
  if (!shape_)
    shape_ = ranks_ == nullptr ? hierarchy_shape(equations(), needs_)
                               : matrix_.shape(ranks_->shape_.dimension, ranks_->shape_.block, ranks_->shape_.nesting);
  return *shape_;
}

HierarchyNeeds SystemShare::hierarchy(SmoothedAggregationOptions multigrid, bool single_precision) const {
  multigrid.single_precision = single_precision;
  if (ranks_ == nullptr) {
    HierarchyShape of_matrix = shape();
    of_matrix.half_storage = multigrid.half_storage;
    return hierarchy_needs(of_matrix, single_precision);
  }
  HierarchyNeeds needs = hierarchy_needs(shape(), ranks_->equations_.front()->space().node_count(),
                                         multigrid_over_ranks(std::move(multigrid)));
  needs.set_up += matrix_.long_products;
  return needs;
}

PMultigridNeeds SystemShare::p_multigrid(const SmoothedAggregationOptions& multigrid, bool shifted) const {
  auto phase = space().device().profile().phase("coarser spaces");
  PMultigridNeeds needs = p_multigrid_needs(equations(), {.shifted = shifted, .divided = is_divided()});
  if (ranks_ == nullptr) return needs;
  const HierarchyNeeds more =
      level_of_all_ranks(space(), ranks_->equations_.front()->space(), ranks_->shape_, multigrid);
  const MemoryNeeds tables =
      MemoryNeeds().bytes("reference cells", ranks_->parts_.tables().total() / 3);  // of coarser orders
  needs.live += more.live + tables;
  needs.set_up += more.set_up + tables;
  return needs;
}

DirectSolver::Needs SystemShare::factor(DirectKind kind) const {
  if (ranks_ != nullptr)
    return {.memory = factor_of_rank(ranks_->question_.factor, ranks_->question_.ranks), .operations = 0};
  auto phase = space().device().profile().phase("analysis");
  SparseMatrix A(space().pattern(), space().components());
  A.values().fill_zero();
  return DirectSolver::needs(A, kind, {.coordinates = &space().coordinates(), .dimension = space().mesh().dimension()});
}

Index SystemShare::host_of_factor(Index memory, DirectKind kind) const {
  const Index b = space().components();
  return resident_factor(memory, kind) + Index{sizeof(double)} * (matrix_.entries * b * b + unknowns());
}

SharesOfRanks::SharesOfRanks(std::vector<const Operator*> equations, const SmoothedAggregationOptions& multigrid,
                             bool no_matrix, int supports, const RanksQuestion& question)
    : equations_(std::move(equations)),
      question_(question),
      parts_(equations_.front()->space(), no_matrix ? RankParts::Cut::whole_cells : RankParts::Cut::equal,
             question.ranks, supports),
      pairs_(parts_.whole()),
      shape_(hierarchy_shape(*equations_.front(), pairs_)) {
  const FunctionSpace& space = equations_.front()->space();
  if (multigrid.levels == MultigridLevels::aggregation || space.couplings() != nullptr) shape_.nesting = Nesting::none;
  pairs_.size.pairs -= coupled_pairs(space);
}

RanksForecast SharesOfRanks::forecast(FunctionRef<ForecastPath(const SystemShare&)> of_share) {
  RanksForecast result;
  std::vector<Integral> all;
  std::vector<std::size_t> ends;  // [equations] in the integrals of all
  for (const Operator* each : equations_) {
    all.insert(all.end(), each->integrals().begin(), each->integrals().end());
    ends.push_back(all.size());
  }
  parts_.each(all, [&](RankParts::Part& part) {
    std::vector<std::vector<Integral>> integrals(equations_.size());
    for (std::size_t i = 0; i < part.integrals.integrals.size(); ++i) {
      const auto of = std::ranges::upper_bound(ends, part.integrals.integral_of[i]) - ends.begin();
      integrals[static_cast<std::size_t>(of)].push_back(part.integrals.integrals[i]);
    }
    std::vector<Operator> laid_out;
    laid_out.reserve(equations_.size());
    for (std::vector<Integral>& each : integrals)
      laid_out.emplace_back(part.space(), std::move(each), ElementLists::counted);
    std::vector<const Operator*> equations;
    for (const Operator& each : laid_out) equations.push_back(&each);
    part.needs = parts_.needs_of_part(part.space());
    ForecastPath path = of_share(SystemShare(std::move(equations), *this, part));
    result.shares.push_back({.nodes = part.owned,
                             .ghosts = part.ghosts,
                             .cells = part.nodes.cell_count(),
                             .peak = std::move(path.peak),
                             .moment = std::move(path.moment),
                             .factor = path.factor});
  });
  parts_.count_neighbours(result.shares);
  return result;
}

}  // namespace ritz
