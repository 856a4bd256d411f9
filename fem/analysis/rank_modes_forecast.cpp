// Forecast of modes that ranks find together: follows fem/analysis/vibration.cpp.
#include "fem/analysis/attached.hpp"
#include "fem/analysis/ranks_forecast.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/ranks/rank_needs.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "fem/multigrid/p_multigrid_needs.hpp"
#include "solvers/eigen/eigen_needs.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

using Task = Operator::Task;

class ModesForecaster {
 public:
  // both: stiffness and masses.
  ModesForecaster(const Operator& both, const Operator& stiffness, const Operator& masses, const VibrationModel& model,
                  const EigenOptions& options, const RanksQuestion& question)
      : whole_(both),
        space_(both.space()),
        stiffness_count_(stiffness.integrals().size()),
        model_(model),
        options_(options),
        factor_(question.factor),
        factorised_(options.method == EigenMethod::lanczos),
        no_matrix_(!factorised_ && options.operator_kind != OperatorKind::matrix &&
                   modes_need_no_matrix(stiffness, masses) && space_.couplings() == nullptr),
        parts_(space_, no_matrix_ ? RankParts::Cut::whole_cells : RankParts::Cut::equal, question.ranks),
        pairs_(parts_.whole()),
        shape_(hierarchy_shape(stiffness, pairs_)) {
    if (factorised_ || options.multigrid.levels == MultigridLevels::aggregation || space_.couplings() != nullptr)
      shape_.nesting = Nesting::none;
    pairs_.size.pairs -= coupled_pairs(space_);
  }

  RanksForecast all() {
    RanksForecast result{.path = name_of(factorised_  ? SolverPath::lanczos
                                         : no_matrix_ ? SolverPath::lobpcg_without_matrix
                                                      : SolverPath::lobpcg),
                         .shares = {},
                         .products = 0};
    parts_.each(whole_.integrals(), [&](RankParts::Part& part) { result.shares.push_back(share(part)); });
    parts_.count_neighbours(result.shares);
    return result;
  }

 private:
  RankShare share(RankParts::Part& part) const {
    const Operator equations(part.space(), part.integrals.integrals, ElementLists::counted);
    RankShare result{.nodes = part.owned, .ghosts = part.ghosts, .cells = part.nodes.cell_count()};
    part.needs = parts_.needs_of_part(part.space());
    if (no_matrix_) without_matrix(part, result);
    else with_matrix(equations, part, result);
    add_whole(result);
    return result;
  }

  MemoryNeeds vectors(Index nodes, Index count) const {
    return MemoryNeeds().array<double>("vectors", nodes * space_.components(), count);
  }
  MemoryNeeds eigenvectors(Index nodes, Index count) const {
    constexpr Index lanes = MultiVector::lanes;
    return MemoryNeeds().array<double>("eigenvectors",
                                       nodes * space_.components() * ((count + lanes - 1) / lanes * lanes));
  }
  MemoryNeeds motions(Index nodes) const {
    return model_.attached.empty() ? MemoryNeeds() : eigenvectors(nodes, std::ssize(model_.attached));
  }
  bool shifted() const { return options_.zero_count > 0; }

  void with_matrix(const Operator& equations, const RankParts::Part& part, RankShare& result) const {
    const SpaceNeeds& needs = part.needs;
    const MemoryNeeds standing = needs.standing + needs.pattern + motions(part.owned);
    const RankMatrixNeeds matrix(part, pairs_);
    const MemoryNeeds lists = OperatorNeeds(equations).assembled_once(needs.size.pairs);
    const MemoryNeeds before = standing + matrix.kept() + vectors(part.all(), 1);
    raise(result, standing + matrix.of_part + lists + vectors(part.all(), 1), "assembly");
    raise(result, before + matrix.of_part + lists, "assembly");
    raise(result, before + matrix.at_most(), "constraints");
    const int directions = model_.axisymmetric ? 1 : std::min(space_.components(), 3);
    MemoryNeeds kept =
        standing + matrix.kept() + matrix.kept() + needs.coordinates + vectors(part.owned, 3 + directions);
    const HierarchyShape local = matrix.shape(shape_.dimension, space_.components(), shape_.nesting);
    if (factorised_) {
      HierarchyShape rows = local;
      rows.rows = part.owned;
      const EigenNeeds eigen = lanczos_needs(rows, options_);
      result.factor = factor_of_rank(factor_, parts_.ranks());
      // With the lists of the shifted matrix, and products while modes are measured.
      raise(result,
            kept + matrix.lists + matrix.extended + eigen.peak + eigenvectors(part.owned, 2 * MultiVector::lanes),
            eigen.moment);
      return;
    }
    if (shifted()) kept += matrix.apart();
    const HierarchyNeeds hierarchy =
        hierarchy_needs(local, space_.node_count(), multigrid_over_ranks(options_.multigrid));
    raise(result, kept + hierarchy.set_up + matrix.long_products, "set-up");
    raise(result, kept + hierarchy.live + lobpcg_needs(part.owned * space_.components(), options_, false).peak,
          "iteration");
  }
  void without_matrix(RankParts::Part& part, RankShare& result) const {
    std::vector<Integral> of_stiffness, of_masses;
    for (std::size_t i = 0; i < part.integrals.integrals.size(); ++i)
      (part.integrals.integral_of[i] < stiffness_count_ ? of_stiffness : of_masses)
          .push_back(part.integrals.integrals[i]);
    const Operator stiffness(part.space(), std::move(of_stiffness), ElementLists::counted),
        masses(part.space(), std::move(of_masses), ElementLists::counted);
    part.needs = parts_.needs_of_part(part.space());
    part.needs.standing.bytes("reference cells", parts_.tables().total() / 3);  // of coarser orders
    const MemoryNeeds standing = part.needs.standing + motions(part.owned);
    MemoryNeeds stays = standing + vectors(part.all(), 2) + vectors(part.owned, 4);  // diagonals
    for (const Operator* equations : {&stiffness, &masses}) {
      stays += OperatorNeeds(*equations).of({Task::diagonal, Task::action}) + MatrixFree::point_needs(*equations);
      for (const ElementGroup& group : equations->terms().groups())
        stays.array<Node>("connectivity", group.nodes.size());
    }
    const PMultigridNeeds cycle = p_multigrid_needs(stiffness, {.shifted = shifted(), .divided = true});
    const HierarchyNeeds whole = level_of_all_ranks(part.space(), space_, shape_, options_.multigrid);
    raise(result, stays + cycle.set_up + whole.set_up, "set-up");
    raise(result,
          stays + cycle.live + whole.live + lobpcg_needs(part.owned * space_.components(), options_, false).peak +
              vectors(part.owned, 12),
          "iteration");
  }

  // Arrays of the whole model.
  void add_whole(RankShare& share) const {
    MemoryNeeds standing = parts_.whole().standing;
    standing.bytes("reference cells", -parts_.tables().total());
    share.peak += standing + vectors(space_.node_count(), 1);
  }

  const Operator& whole_;
  const FunctionSpace& space_;
  std::size_t stiffness_count_;
  VibrationModel model_;
  EigenOptions options_;
  Index factor_;  // [bytes] of one process
  bool factorised_, no_matrix_;
  RankParts parts_;
  SpaceNeeds pairs_;  // of the whole space, without those that equations between unknowns add
  HierarchyShape shape_;
};

}  // namespace

RanksForecast forecast_ranks_of_modes(const Operator& stiffness, const Operator& masses, const VibrationModel& model,
                                      EigenOptions options, const RanksQuestion& question) {
  const FunctionSpace& space = stiffness.space();
  auto phase = space.device().profile().phase("ranks");
  options.count = modes_to_solve(options, model);
  options.zero_count = model.rigid_motions + model.spring_motions;
  if (options.method == EigenMethod::automatic)
    options.method = options.band || has_springs(model) ? EigenMethod::lanczos : EigenMethod::lobpcg;
  std::vector<Integral> all = stiffness.integrals();
  all.insert(all.end(), masses.integrals().begin(), masses.integrals().end());
  const Operator both(space, std::move(all), ElementLists::counted);
  return ModesForecaster(both, stiffness, masses, model, options, question).all();
}

}  // namespace ritz
