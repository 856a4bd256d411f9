#include "fem/analysis/ranks_forecast.hpp"

#include "device/error.hpp"
#include "fem/analysis/rank_system.hpp"
#include "fem/multigrid/p_multigrid_needs.hpp"
#include "fem/operator/space_needs.hpp"
#include "solvers/multigrid/divided_needs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

using Task = Operator::Task;

class RankForecaster {
 public:
  RankForecaster(const Operator& equations, const LinearSolverOptions& linear, const AnalysisNeeds& analysis, int ranks)
      : whole_(equations),
        space_(equations.space()),
        linear_(linear),
        analysis_(analysis),
        ranks_(ranks),
        no_matrix_(without_matrix(equations, linear)),
        of_whole_(needs_of(space_, analysis.supports, false)),
        shape_(hierarchy_shape(equations, of_whole_)) {
    if (linear.multigrid.levels == MultigridLevels::aggregation) shape_.nesting = Nesting::none;
    of_whole_.standing += analysis.beside;
  }

  RanksForecast all() {
    RanksForecast result{.path = path(), .shares = {}};
    count_messages(result);
    const Device device = Device::named("cpu", 1);  // with a pool of its own
    SpaceCutter cut = cutter();
    for (int rank = 0; rank < ranks_; ++rank) {
      PartData part = cut.part(rank);
      reached_.push_back(part.reached);
      first_.push_back(part.first);
      auto [mine, results] = share(std::move(part), cut.integrals(rank, whole_.integrals()), device);
      if (rank == 0) add_whole(mine, results);
      raise(mine, results, "results");
      result.shares.push_back(std::move(mine));
    }
    first_.push_back(space_.node_count());
    count_neighbours(result.shares);
    return result;
  }

 private:
  enum class Way { multigrid, chebyshev, diagonal, none, direct };
  Way way() const {
    if (linear_.method == LinearMethod::direct) return Way::direct;
    switch (linear_.preconditioner) {
      case PreconditionerKind::none: return Way::none;
      case PreconditionerKind::jacobi: return Way::diagonal;
      case PreconditionerKind::chebyshev: return Way::chebyshev;
      default: return no_matrix_ && space_.order() < 2 ? Way::chebyshev : Way::multigrid;
    }
  }
  std::string path() const {
    switch (way()) {
      case Way::direct: return name_of(SolverPath::direct);
      case Way::chebyshev:
        return no_matrix_ ? name_of(SolverPath::without_matrix) : "conjugate gradients with Chebyshev";
      case Way::diagonal: return name_of(SolverPath::diagonal);
      case Way::none: return "conjugate gradients";
      default: return name_of(no_matrix_ ? SolverPath::p_multigrid : SolverPath::multigrid_single);
    }
  }
  bool newton() const { return analysis_.stages > 0; }

  SpaceCutter cutter() const {
    if (space_.node_count() < ranks_) refuse(fmt::format("a mesh of {} nodes", space_.node_count()));
    if (!no_matrix_) return {space_, equal_parts(space_, ranks_)};
    WholeCells parts = parts_of_whole_cells(space_, ranks_);
    if (!parts.all_have) refuse(fmt::format("a mesh of {} cells without a matrix", space_.mesh().cell_count()));
    return {space_, std::move(parts.first), SpaceCutter::Cells::inner_first};
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Exit::environment, fmt::format("{} is not divided among {} ranks", what, ranks_),
                "each rank has nodes of its own", "take fewer ranks");
  }

  // Follows solvers/multigrid/divided_aggregation.cpp, fem/multigrid/p_multigrid.cpp and solvers/smoothers/chebyshev.
  void count_messages(RanksForecast& result) const {
    const Index number = space_.components();
    const SmoothedAggregationOptions& m = linear_.multigrid;
    if (way() == Way::direct) result.products = 0;
    if (way() == Way::chebyshev) result.products += chebyshev_degree - 1;
    // A step of the smoother from zero needs no product, and the residual needs one.
    if (way() == Way::multigrid) result.products_of_cycle = 2 * m.smoothing_degree;
    const Index of_cycle = m.single_precision ? sizeof(float) : sizeof(double);
    result.bytes_per_node = number * (result.products * Index{sizeof(double)} + result.products_of_cycle * of_cycle);
  }

  void count_neighbours(std::vector<RankShare>& shares) const {
    std::vector<std::vector<bool>> meet(shares.size(), std::vector<bool>(shares.size(), false));
    for (std::size_t rank = 0; rank < shares.size(); ++rank)
      for (const Index node : reached_[rank]) {
        const auto owner = static_cast<std::size_t>(std::ranges::upper_bound(first_, node) - first_.begin() - 1);
        ++shares[owner].sent;
        meet[rank][owner] = meet[owner][rank] = true;
      }
    for (std::size_t rank = 0; rank < shares.size(); ++rank)
      shares[rank].neighbours = static_cast<int>(std::ranges::count(meet[rank], true));
  }

  // And what it has while results are derived.
  std::pair<RankShare, MemoryNeeds> share(PartData data, PartIntegrals own, const Device& device) const {
    const SpacePart part(std::move(data), device);
    const Operator equations(part.space(), std::move(own.integrals), Layout::counted);
    RankShare result{.nodes = part.owned(), .ghosts = std::ssize(part.reached()), .cells = part.cell_count()};
    SpaceNeeds needs = needs_of(part.space(), 1, false);
    needs.standing.bytes("reference cells", no_matrix_ ? tables() * 4 / 3 : tables());  // coarser orders, too
    // Residuals stay where they are taken often, with their numbers at points elsewhere.
    const MemoryNeeds residual =
        newton() ? equations.memory_needs(Task::residual) : equations.needs_without_lists(Task::residual);
    needs.standing += residual;
    if (no_matrix_) add_without_matrix(equations, needs, result);
    else add_with_matrix(equations, needs, result);
    const MemoryNeeds derived = vectors(result.nodes + result.ghosts, 1) +
                                equations.needs_without_lists(Task::evaluate) +
                                needs_of_results(part.space(), equations.integrals());
    return {result, derived + (keeps_systems() ? result.peak : needs.standing)};
  }
  bool keeps_systems() const { return newton() || analysis_.reuses; }

  // [bytes] Shape functions of the cells, which each rank has.
  Index tables() const {
    const auto found = of_whole_.standing.by_tag().find("reference cells");
    return found == of_whole_.standing.by_tag().end() ? 0 : found->second;
  }

  static void raise(RankShare& share, const MemoryNeeds& needs, const char* moment) {
    if (needs.total() <= share.peak.total()) return;
    share.peak = needs;
    share.moment = moment;
  }
  MemoryNeeds vectors(Index nodes, Index count) const {
    return MemoryNeeds().array<double>("vectors", nodes * space_.components(), count);
  }

  // Follows RankSystem::matrix, preconditioner and iterate.
  void add_with_matrix(const Operator& equations, const SpaceNeeds& needs, RankShare& result) const {
    const Index all = result.nodes + result.ghosts, b = space_.components();
    const Index owned_pairs = std::min<Index>(
        needs.size.pairs,
        std::llround(double(result.nodes) * double(of_whole_.size.pairs) / double(of_whole_.size.nodes)));
    // Rows of ghosts in the part have those entries that reach owned nodes, and about as many more.
    const Index reaching = (needs.size.pairs - owned_pairs) / 2;
    const MemoryNeeds matrix = needs.standing + needs.pattern + needs.matrix();
    raise(result, matrix + equations.single_assembly_needs(needs.size.pairs) + vectors(all, 1), "assembly");
    MemoryNeeds kept = matrix + needs.coordinates + vectors(all, 1) + vectors(result.nodes, 2);
    kept.array<Index>("pattern", all + 1)
        .array<std::int32_t>("pattern", owned_pairs + reaching)
        .array<Index>("pattern", result.nodes + 1);
    if (way() == Way::direct) return raise(result, kept + vectors(result.nodes, 2), "factorisation");
    MemoryNeeds beside = vectors(result.nodes, way() == Way::chebyshev ? 5 : way() == Way::diagonal ? 1 : 0);
    if (way() == Way::multigrid) {
      const HierarchyShape local{.rows = all,
                                 .nonzeros = owned_pairs + reaching,
                                 .block = static_cast<int>(b),
                                 .dimension = shape_.dimension,
                                 .nesting = shape_.nesting};
      const HierarchyNeeds hierarchy = divided_needs(local, of_whole_.size.nodes, hierarchy_options());
      raise(result, kept + hierarchy.set_up, "set-up");
      beside += hierarchy.live;
    }
    raise(result, kept + beside + vectors(result.nodes, 4), "iteration");
  }

  void add_without_matrix(const Operator& equations, const SpaceNeeds& needs, RankShare& result) const {
    MemoryNeeds kept =
        needs.standing + equations.memory_needs({Task::diagonal, Task::action}) + MatrixFree::point_needs(equations);
    for (const ElementGroup& group : equations.groups()) kept.array<Node>("connectivity", group.nodes.size());
    const Index all = result.nodes + result.ghosts;
    kept += vectors(all, newton() ? 3 : 1) + vectors(result.nodes, 3);
    MemoryNeeds beside = vectors(all, way() == Way::multigrid ? 0 : 4);
    if (way() == Way::multigrid) {
      const PMultigridNeeds cycle = p_multigrid_needs(equations, {.divided = true});
      const HierarchyNeeds more =
          replicated_needs(corner_shape(equations.space()), corner_count(space_), hierarchy_options());
      raise(result, kept + cycle.set_up + more.set_up, "set-up");
      beside += cycle.live + more.live;
    }
    raise(result, kept + beside + vectors(result.nodes, 4), "iteration");
  }

  static Index corner_count(const FunctionSpace& space) {
    std::vector<bool> met(static_cast<std::size_t>(space.mesh().node_count()), false);
    Index count = 0;
    for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
      const std::span<const Node> nodes = space.mesh().nodes_of(cell);
      const auto corners = static_cast<std::size_t>(traits(space.mesh().kind_of(cell)).corner_count);
      for (const Node node : nodes.first(corners)) {
        count += met[static_cast<std::size_t>(node)] ? 0 : 1;
        met[static_cast<std::size_t>(node)] = true;
      }
    }
    return count;
  }
  HierarchyShape corner_shape(const FunctionSpace& part) const {
    const Index corners = corner_count(part);
    const double row = shape_.dimension == 3 ? 27 : 9;
    return {.rows = corners,
            .nonzeros = std::llround(row * double(corners)),
            .block = space_.components(),
            .dimension = shape_.dimension,
            .nesting = shape_.nesting == Nesting::cells ? Nesting::mesh : shape_.nesting};
  }

  DividedAggregationOptions hierarchy_options() const {
    return {.multigrid = linear_.multigrid, .replicated = replicated_unknowns()};
  }

  // Arrays of the whole model on the first rank, while systems are solved and while results are derived.
  void add_whole(RankShare& first, MemoryNeeds& results) const {
    const Index n = space_.unknown_count();
    const auto of_model = [&](Index count) { return MemoryNeeds().array<double>("vectors", n, count); };
    const Index columns = analysis_.columns, loads = columns + analysis_.own_loads;
    for (MemoryNeeds* const each : {&first.peak, &results}) {
      each->bytes("reference cells", -tables());
      *each += of_whole_.standing;
    }
    first.peak += of_model(newton() ? 10 : loads + columns);
    results += of_model(newton() ? 10 : analysis_.combines ? loads + columns + 1 : columns);
  }

  static constexpr int chebyshev_degree = 4;

  const Operator& whole_;
  const FunctionSpace& space_;
  LinearSolverOptions linear_;
  AnalysisNeeds analysis_;
  int ranks_;
  bool no_matrix_;
  SpaceNeeds of_whole_;
  HierarchyShape shape_;
  std::vector<std::vector<Index>> reached_;  // [rank]
  std::vector<Index> first_;                 // [rank + 1]
};

}  // namespace

Index RanksForecast::messages(int rank) const {
  return Index{products + products_of_cycle} * shares[static_cast<std::size_t>(rank)].neighbours;
}

Index RanksForecast::bytes(int rank) const { return bytes_per_node * shares[static_cast<std::size_t>(rank)].sent; }

int RanksForecast::largest_of_others() const {
  const auto others = shares.begin() + 1;
  return static_cast<int>(
      std::ranges::max_element(others, shares.end(), {}, [](const RankShare& share) { return share.peak.total(); }) -
      shares.begin());
}

RanksForecast forecast_ranks(const Operator& equations, const LinearSolverOptions& linear, const AnalysisNeeds& needs,
                             int ranks) {
  auto phase = equations.space().device().profile().phase("ranks");
  return RankForecaster(equations, linear, needs, ranks).all();
}

}  // namespace ritz
