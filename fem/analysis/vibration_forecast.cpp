#include "fem/analysis/vibration_forecast.hpp"

#include "device/error.hpp"
#include "fem/analysis/attached.hpp"
#include "fem/analysis/system_share.hpp"
#include "fem/operator/matrix_free.hpp"
#include "fem/operator/operator_needs.hpp"
#include "solvers/eigen/eigen_needs.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

using Task = Operator::Task;

constexpr double lobpcg_iterations = 25;

void raise(ForecastPath& path, const MemoryNeeds& needs, const char* moment) {
  if (needs.total() <= path.peak.total()) return;
  path.peak = needs;
  path.moment = moment;
}

// Follows fem/analysis/vibration.cpp: in one process, or of the part of a rank.
class WithMatrices {
 public:
  // share: of stiffness and masses.
  WithMatrices(const SystemShare& share, const VibrationModel& model, const EigenOptions& options)
      : share_(share), space_(share.space()), options_(options), block_(space_.components()) {
    const bool keeps_lists = model.lists_stay && !share.is_divided();
    const SpaceNeeds& needs = share.needs();
    const Index pairs = needs.size.pairs;
    const auto needs_for = [&](const OperatorNeeds& equations) {
      return keeps_lists ? equations.of(Task::matrix, pairs) : equations.assembled_once(pairs);
    };
    const OperatorNeeds stiffness(share.equations(0)), masses(share.equations(1));
    const MemoryNeeds of_stiffness = needs_for(stiffness), of_masses = needs_for(masses);
    const MemoryNeeds lists = keeps_lists ? of_stiffness + of_masses : MemoryNeeds();
    const MatrixShare& matrix = share.matrix();
    const MemoryNeeds standing = needs.standing + needs.pattern;
    MemoryNeeds before = standing + share.with_ghosts(1);
    before.bytes("assembly lists",
                 std::max(stiffness.making_lists({Task::matrix}, pairs), masses.making_lists({Task::matrix}, pairs)));
    raise(begin_, before + matrix.of_part + of_stiffness, "assembly");
    raise(begin_, before + matrix.kept() + matrix.of_part + (keeps_lists ? lists : of_masses), "assembly");
    raise(begin_, before + matrix.kept() + matrix.at_most(), "constraints");
    // M t for each direction of the mesh.
    solve_ = standing + needs.coordinates + matrix.kept() + matrix.kept() + lists +
             share.vectors(model.axisymmetric ? 1 : std::min(block_, 3)) + share.copies_with_ghosts(3) +
             attached_needs(space_, std::ssize(model.attached));
    const auto more_on_a_gpu = [&](const OperatorNeeds& equations) {
      return equations.slabs_on_a_gpu({Task::matrix}) + (keeps_lists ? 0 : equations.lists_on_a_gpu(pairs));
    };
    if (!share.is_divided()) {
      const Index slabs = more_on_a_gpu(stiffness), of_mass = more_on_a_gpu(masses);
      slabs_at_assembly_ = keeps_lists ? slabs + of_mass : std::max(slabs, of_mass);
      slabs_later_ = keeps_lists ? slabs + of_mass : 0;
    }
    begin_.host_lists = host_of_lists(larger(of_stiffness, of_masses)) + needs.host_of_pattern;
  }

  // Throws where there is no direct solver, or no memory for its analysis.
  ForecastPath lanczos() const {
    HierarchyShape shape = share_.matrix().shape(space_.mesh().dimension(), block_, Nesting::none);
    shape.rows = share_.matrix().owned;
    const EigenNeeds needs = lanczos_needs(shape, options_);
    MemoryNeeds solve = solve_ + needs.peak;
    if (share_.is_divided()) {  // lists of the shifted matrix, and products while modes are measured
      solve += share_.matrix().lists + share_.matrix().extended;
      solve.array<double>("eigenvectors", share_.unknowns() * MultiVector::lanes, 2);
    }
    ForecastPath path = with(SolverPath::lanczos, solve, needs.moment);
    const DirectSolver::Needs factor = share_.factor(DirectKind::symmetric);
    path.factor = factor.memory;
    // One factor; some steps for each mode, in blocks, of two substitutions each.
    const double steps = (30.0 + 3 * options_.count) / MultiVector::lanes;
    path.bytes_moved = 12 * matrix_bytes() + steps * 2 * double(path.factor);
    path.operations = factor_operations(factor.operations, share_.unknowns());
    if (space_.device().is_gpu() && !share_.is_divided()) path.peak.bytes("factor", path.factor);
    else path.host_factor = share_.host_of_factor(path.factor, DirectKind::symmetric);
    return path;
  }

  ForecastPath lobpcg() const {
    const bool single = options_.multigrid.single_precision, in_lanes = !share_.is_divided();
    const HierarchyNeeds hierarchy = share_.hierarchy(options_.multigrid, single);
    const EigenNeeds vectors = lobpcg_needs(share_.unknowns(), options_, in_lanes);
    MemoryNeeds stay = solve_ + share_.vectors(1);
    if (share_.is_divided())  // of products, and lists of the rows of both matrices
      stay += share_.copies_with_ghosts(4) + share_.matrix().part_lists + share_.matrix().part_lists;
    if (options_.zero_count > 0) stay += share_.matrix().apart();  // K + reference M
    if (in_lanes && (block_ == 2 || block_ == 3))                  // the masses once more, as diagonal blocks
      stay.array<double>("matrix", share_.matrix().entries * block_);
    ForecastPath path = with(SolverPath::lobpcg, stay + hierarchy.set_up, "set-up");
    add(path,
        stay + hierarchy.live + (in_lanes ? lanes_of_cycle(share_.unknowns(), single) : MemoryNeeds()) + vectors.peak,
        vectors.moment);
    const double of_vectors = 8.0 * double(share_.unknowns()) * vectors.width,
                 groups = vectors.width / double(MultiVector::lanes);
    // K, M and the cycle for each group of vectors, and about twenty passes over the basis.
    path.bytes_moved = 12 * matrix_bytes() + lobpcg_iterations * (groups * 6 * matrix_bytes() + 20 * 3 * of_vectors);
    return path;
  }

 private:
  double matrix_bytes() const { return 8.0 * double(share_.matrix().entries) * block_ * block_; }
  ForecastPath with(SolverPath kind, const MemoryNeeds& solve, const char* moment) const {
    ForecastPath path = begin_;
    path.path = kind;
    path.at_assembly = begin_.peak.total();
    add(path, solve, moment);
    return path;
  }
  void add(ForecastPath& path, const MemoryNeeds& solve, const char* moment) const {
    path.at_solve = std::max(path.at_solve, solve.total());
    raise(path, solve, moment);
    path.more_on_a_gpu = std::max(path.at_assembly + slabs_at_assembly_, path.at_solve + slabs_later_) -
                         std::max(path.at_assembly, path.at_solve);
  }

  const SystemShare& share_;
  const FunctionSpace& space_;
  EigenOptions options_;
  int block_;
  ForecastPath begin_ = {.path = SolverPath::lobpcg, .peak = {}, .moment = {}};  // until both matrices are there
  MemoryNeeds solve_;
  Index slabs_at_assembly_ = 0, slabs_later_ = 0;  // [bytes]
};

ForecastPath without_matrices(const SystemShare& share, const EigenOptions& options) {
  const FunctionSpace& space = share.space();
  // Both diagonals, that of K twice.
  MemoryNeeds stays = share.needs().standing + share.with_ghosts(2) + share.vectors(1) + share.copies_with_ghosts(2);
  Index slabs = 0, lists = 0;
  for (std::size_t i = 0; i < share.equation_count(); ++i) {
    const OperatorNeeds needs(share.equations(i));
    stays += needs.of({Task::diagonal, Task::action}) + MatrixFree::point_needs(share.equations(i)) +
             share.marked_nodes(share.equations(i));
    slabs += needs.slabs_on_a_gpu({Task::diagonal, Task::action});
    if (i == 0) lists = host_of_lists(needs.of(Task::action));
  }
  const EigenNeeds vectors = lobpcg_needs(share.unknowns(), options, false);
  const PMultigridNeeds cycle = share.p_multigrid(options.multigrid, options.zero_count > 0);
  ForecastPath path{.path = SolverPath::lobpcg_without_matrix,
                    .peak = stays + vectors.peak + cycle.live + share.vectors(9),  // columns, and the image of one
                    .moment = vectors.moment};
  raise(path, stays + cycle.set_up + share.vectors(1), "set-up");
  path.at_assembly = stays.total();
  path.at_solve = path.peak.total();
  path.host_lists = lists;
  path.more_on_a_gpu = slabs + cycle.lists_on_a_gpu;
  // A cycle, two products with K and two with M for each vector, whose arithmetic a CPU does in four times the time of
  // the moves; and about twenty passes over the basis.
  const double n = double(share.unknowns());
  path.bytes_moved = lobpcg_iterations * vectors.width *
                     ((space.device().is_gpu() ? 1 : 4) * (cycle.cycle + 4 * 64.0 * n) + 20 * 3 * 8.0 * n);
  return path;
}

EigenOptions with_motions(EigenOptions options, const VibrationModel& model) {
  options.count = modes_to_solve(options, model);
  options.zero_count = model.rigid_motions + model.spring_motions;
  return options;
}

}  // namespace

std::vector<ForecastPath> forecast_vibration(const Operator& stiffness, const Operator& masses,
                                             const VibrationModel& model, EigenOptions options) {
  options = with_motions(std::move(options), model);
  const FunctionSpace& space = stiffness.space();
  const bool springs = has_springs(model);
  const EigenMethod chosen = choose_method(space.unknown_count(), options, space.mesh().dimension(), springs).method;
  const bool iterates =
      chosen == EigenMethod::lobpcg || (options.method == EigenMethod::automatic && !options.band && !springs);
  const auto share = [&](bool counted) { return SystemShare({&stiffness, &masses}, 1, counted); };
  std::vector<ForecastPath> paths;
  if (iterates && !options.below && modes_need_no_matrix(stiffness, masses)) {
    const SystemShare whole = share(false);
    if (chosen == EigenMethod::lobpcg && !modes_take_no_matrix(stiffness, masses, options))
      paths.push_back(WithMatrices(whole, model, options).lobpcg());
    if (paths.empty() || options.operator_kind != OperatorKind::matrix)
      paths.push_back(without_matrices(whole, options));
    if (chosen == EigenMethod::lobpcg) return paths;
  }
  try {
    const SystemShare whole = share(chosen == EigenMethod::lanczos);
    const WithMatrices matrices(whole, model, options);
    if (iterates && paths.empty()) paths.push_back(matrices.lobpcg());
    if (chosen == EigenMethod::lanczos) paths.insert(paths.begin(), matrices.lanczos());
  } catch (const Error& error) {
    if (!iterates || paths.empty() || (error.exit() != Exit::environment && error.exit() != Exit::resources)) throw;
  }
  return paths;
}

RanksForecast forecast_ranks_of_modes(const Operator& stiffness, const Operator& masses, const VibrationModel& model,
                                      EigenOptions options, const RanksQuestion& question) {
  const FunctionSpace& space = stiffness.space();
  auto phase = space.device().profile().phase("ranks");
  options = with_motions(std::move(options), model);
  if (options.method == EigenMethod::automatic)
    options.method = options.band || has_springs(model) ? EigenMethod::lanczos : EigenMethod::lobpcg;
  const bool factorised = options.method == EigenMethod::lanczos,
             no_matrix = !factorised && options.operator_kind != OperatorKind::matrix &&
                         modes_need_no_matrix(stiffness, masses) && space.couplings() == nullptr;
  SharesOfRanks shares({&stiffness, &masses}, options.multigrid, no_matrix, 1, question);
  RanksForecast result = shares.forecast([&](const SystemShare& share) {
    if (no_matrix) return without_matrices(share, options);
    const WithMatrices matrices(share, model, options);
    return factorised ? matrices.lanczos() : matrices.lobpcg();
  });
  result.path = name_of(factorised  ? SolverPath::lanczos
                        : no_matrix ? SolverPath::lobpcg_without_matrix
                                    : SolverPath::lobpcg);
  result.products = 0;
  return result;
}

}  // namespace ritz
