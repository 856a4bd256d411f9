#include "fem/analysis/ranks_forecast.hpp"

#include "fem/operator/abilities.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/ranks/rank_needs.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "fem/multigrid/p_multigrid_needs.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

using Task = Operator::Task;

// The method by which a system of all ranks is solved.
enum class Way { multigrid, chebyshev, diagonal, none, direct };

Way way_of(const LinearSolverOptions& linear, const Operator& equations, bool no_matrix) {
  if (linear.method == LinearMethod::direct) return Way::direct;
  switch (linear.preconditioner) {
    case PreconditionerKind::none: return Way::none;
    case PreconditionerKind::jacobi: return Way::diagonal;
    case PreconditionerKind::chebyshev: return Way::chebyshev;
    default: return no_matrix && !can_coarsen(equations) ? Way::chebyshev : Way::multigrid;
  }
}

std::string path_of(Way way, bool no_matrix) {
  switch (way) {
    case Way::direct: return name_of(SolverPath::direct);
    case Way::chebyshev: return no_matrix ? name_of(SolverPath::without_matrix) : "conjugate gradients with Chebyshev";
    case Way::diagonal: return name_of(SolverPath::diagonal);
    case Way::none: return "conjugate gradients";
    default: return name_of(no_matrix ? SolverPath::p_multigrid : SolverPath::multigrid_single);
  }
}

class RankForecaster {
 public:
  RankForecaster(const Operator& equations, const LinearSolverOptions& linear, const AnalysisNeeds& analysis,
                 const RanksQuestion& question)
      : whole_(equations),
        space_(equations.space()),
        linear_(linear),
        analysis_(analysis),
        factor_(question.factor),
        no_matrix_(without_matrix(equations, linear) && space_.couplings() == nullptr),
        parts_(space_, no_matrix_ ? RankParts::Cut::whole_cells : RankParts::Cut::equal, question.ranks,
               analysis.supports),
        of_whole_(parts_.whole().standing),
        pairs_(parts_.whole()),
        shape_(hierarchy_shape(equations, pairs_)) {
    if (linear.multigrid.levels == MultigridLevels::aggregation || space_.couplings() != nullptr)
      shape_.nesting = Nesting::none;
    pairs_.size.pairs -= coupled_pairs(space_);
    of_whole_ += analysis.beside;
    of_whole_.bytes("connectivity", -bytes_of_cells(equations.terms().groups()));  // which each rank gives back
  }

  RanksForecast all() {
    RanksForecast result{.path = path_of(way(), no_matrix_), .shares = {}};
    count_messages(result);
    parts_.each(whole_.integrals(), [&](RankParts::Part& part) {
      auto [mine, results] = share(part);
      add_vectors(part.owned, mine, results);
      raise(mine, results, "results");
      result.shares.push_back(std::move(mine));
    });
    parts_.count_neighbours(result.shares);
    return result;
  }

 private:
  Way way() const { return way_of(linear_, whole_, no_matrix_); }
  bool newton() const { return analysis_.stages > 0; }

  // Follows solvers/multigrid/smoothed_aggregation.cpp, fem/multigrid/p_multigrid.cpp and solvers/smoothers/chebyshev.
  void count_messages(RanksForecast& result) const {
    const Index number = space_.components();
    const SmoothedAggregationOptions& m = linear_.multigrid;
    if (way() == Way::direct) result.products = 0;
    if (way() == Way::chebyshev) result.products += chebyshev_degree - 1;
    // A step of the smoother from zero needs no product, and the residual needs one.
    const Index inverted = no_matrix_ ? 0 : std::min(replicated_unknowns(), m.coarsest_size);  // by each rank
    if (way() == Way::multigrid && space_.unknown_count() > inverted) result.products_of_cycle = 2 * m.smoothing_degree;
    const Index of_cycle = m.single_precision ? sizeof(float) : sizeof(double);
    result.bytes_per_node = number * (result.products * Index{sizeof(double)} + result.products_of_cycle * of_cycle);
  }

  // And what it has while results are derived.
  std::pair<RankShare, MemoryNeeds> share(RankParts::Part& part) const {
    const Operator equations(part.space(), part.integrals.integrals, ElementLists::counted);
    RankShare result{.nodes = part.owned, .ghosts = part.ghosts, .cells = part.nodes.cell_count()};
    part.needs = parts_.needs_of_part(part.space());
    if (no_matrix_) part.needs.standing.bytes("reference cells", parts_.tables().total() / 3);  // of coarser orders
    // Residuals stay where they are taken often, with their numbers at points elsewhere.
    part.needs.standing +=
        newton() ? OperatorNeeds(equations).of(Task::residual) : OperatorNeeds(equations).without_lists(Task::residual);
    if (no_matrix_) add_without_matrix(equations, part, result);
    else add_with_matrix(equations, part, result);
    const MemoryNeeds derived = vectors(part.all(), 1) + OperatorNeeds(equations).without_lists(Task::evaluate) +
                                needs_of_results(part.space(), equations.integrals());
    return {result, derived + (keeps_systems() ? result.peak : part.needs.standing)};
  }
  bool keeps_systems() const { return newton() || analysis_.reuses; }

  MemoryNeeds vectors(Index nodes, Index count) const {
    return MemoryNeeds().array<double>("vectors", nodes * space_.components(), count);
  }

  // Follows LinearSystem::linearise and MatrixSystem of solvers/linear.
  void add_with_matrix(const Operator& equations, const RankParts::Part& part, RankShare& result) const {
    const SpaceNeeds& needs = part.needs;
    const MemoryNeeds standing = needs.standing + needs.pattern;
    const RankMatrixNeeds matrix(part, pairs_);
    raise(
        result,
        standing + matrix.of_part + OperatorNeeds(equations).assembled_once(needs.size.pairs) + vectors(part.all(), 1),
        "assembly");
    raise(result, standing + matrix.at_most() + vectors(part.all(), 1), "constraints");
    const MemoryNeeds kept = standing + matrix.kept() + needs.coordinates + vectors(part.owned, 2);
    if (way() == Way::direct) {
      result.factor = factor_of_rank(factor_, parts_.ranks());
      return raise(result, kept + vectors(part.owned, 2), "factorisation");
    }
    MemoryNeeds beside = vectors(part.owned, way() == Way::chebyshev ? 5 : way() == Way::diagonal ? 1 : 0);
    if (way() == Way::multigrid) {
      const HierarchyShape local = matrix.shape(shape_.dimension, space_.components(), shape_.nesting);
      const HierarchyNeeds hierarchy =
          hierarchy_needs(local, space_.node_count(), multigrid_over_ranks(linear_.multigrid));
      raise(result, kept + hierarchy.set_up + matrix.long_products, "set-up");
      beside += hierarchy.live;
    }
    raise(result, kept + beside + vectors(part.owned, 4), "iteration");
  }

  void add_without_matrix(const Operator& equations, const RankParts::Part& part, RankShare& result) const {
    MemoryNeeds kept = part.needs.standing + OperatorNeeds(equations).of({Task::diagonal, Task::action}) +
                       MatrixFree::point_needs(equations);
    for (const ElementGroup& group : equations.terms().groups()) kept.array<Node>("connectivity", group.nodes.size());
    kept += vectors(part.all(), newton() ? 3 : 1) + vectors(part.owned, 3);
    MemoryNeeds beside = vectors(part.all(), way() == Way::multigrid ? 0 : 4);
    if (way() == Way::multigrid) {
      const PMultigridNeeds cycle = p_multigrid_needs(equations, {.divided = true});
      const HierarchyNeeds more = level_of_all_ranks(part.space(), space_, shape_, linear_.multigrid);
      raise(result, kept + cycle.set_up + more.set_up, "set-up");
      beside += cycle.live + more.live;
    }
    raise(result, kept + beside + vectors(part.owned, 4), "iteration");
  }

  // Vectors of the analysis, and arrays of the whole model, while systems are solved and while results are derived.
  void add_vectors(Index owned, RankShare& share, MemoryNeeds& results) const {
    const Index n = space_.unknown_count();
    const auto of_model = [&](Index count) { return MemoryNeeds().array<double>("vectors", n, count); };
    const Index columns = analysis_.columns, loads = columns + analysis_.own_loads;
    for (MemoryNeeds* const each : {&share.peak, &results}) {
      each->bytes("reference cells", -parts_.tables().total());
      *each += of_whole_;
    }
    const bool together = way() == Way::direct && columns > 1;  // else a load and a solution go while it is solved
    const Index solved = (together || analysis_.combines ? loads : analysis_.own_loads) + columns - (together ? 0 : 1);
    share.peak += vectors(owned, newton() ? 9 : solved);
    results += vectors(owned, newton() ? 9 : analysis_.combines ? loads : 0);
    results += of_model(newton() ? 1 : analysis_.combines ? columns + 1 : columns);
  }

  static constexpr int chebyshev_degree = 4;

  const Operator& whole_;
  const FunctionSpace& space_;
  LinearSolverOptions linear_;
  AnalysisNeeds analysis_;
  Index factor_;  // [bytes] of one process
  bool no_matrix_;
  RankParts parts_;
  MemoryNeeds of_whole_;
  SpaceNeeds pairs_;  // of the whole space, without those that equations between unknowns add
  HierarchyShape shape_;
};

}  // namespace

RanksForecast forecast_ranks(const Operator& equations, const LinearSolverOptions& linear, const AnalysisNeeds& needs,
                             const RanksQuestion& question) {
  auto phase = equations.space().device().profile().phase("ranks");
  return RankForecaster(equations, linear, needs, question).all();
}

}  // namespace ritz
