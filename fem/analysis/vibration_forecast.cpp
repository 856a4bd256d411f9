#include "fem/analysis/vibration_forecast.hpp"

#include "device/error.hpp"
#include "fem/analysis/attached.hpp"
#include "fem/multigrid/p_multigrid_needs.hpp"
#include "fem/operator/matrix_free.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/operator/space_needs.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/eigen/eigen_needs.hpp"

#include <algorithm>

namespace ritz {
namespace {

using Task = Operator::Task;

constexpr double lobpcg_iterations = 25;

// Follows fem/analysis/vibration.cpp.
class WithMatrices {
 public:
  WithMatrices(const Operator& stiffness, const Operator& masses, const VibrationModel& model,
               const EigenOptions& options, bool factorised)
      : space_(stiffness.space()),
        options_(options),
        needs_(needs_of(space_, 1, factorised)),
        shape_(hierarchy_shape(stiffness, needs_)) {
    const auto needs_for = [&](const Operator& equations) {
      return model.lists_stay ? OperatorNeeds(equations).of(Task::matrix, needs_.size.pairs)
                              : OperatorNeeds(equations).assembled_once(needs_.size.pairs);
    };
    const MemoryNeeds of_stiffness = needs_for(stiffness), of_masses = needs_for(masses);
    const MemoryNeeds matrix = needs_.matrix(), standing = needs_.standing + needs_.pattern;
    const MemoryNeeds lists = model.lists_stay ? of_stiffness + of_masses : MemoryNeeds();
    assembly_ = model.lists_stay ? standing + matrix + matrix + lists
                                 : larger(standing + matrix + of_stiffness, standing + matrix + matrix + of_masses);
    assembly_ += needs_.vectors(1);
    assembly_.bytes("assembly lists", std::max(OperatorNeeds(stiffness).making_lists({Task::matrix}, needs_.size.pairs),
                                               OperatorNeeds(masses).making_lists({Task::matrix}, needs_.size.pairs)));
    // M t for each direction of the mesh.
    solve_ = standing + needs_.coordinates + matrix + matrix + lists +
             needs_.vectors(model.axisymmetric ? 1 : std::min(space_.components(), 3)) +
             attached_needs(space_, std::ssize(model.attached));
    const auto more_on_a_gpu = [&](const Operator& equations) {
      return OperatorNeeds(equations).slabs_on_a_gpu({Task::matrix}) +
             (model.lists_stay ? 0 : OperatorNeeds(equations).lists_on_a_gpu(needs_.size.pairs));
    };
    const Index slabs = more_on_a_gpu(stiffness), of_mass = more_on_a_gpu(masses);
    slabs_at_assembly_ = model.lists_stay ? slabs + of_mass : std::max(slabs, of_mass);
    slabs_later_ = model.lists_stay ? slabs + of_mass : 0;

    host_ = host_of_lists(larger(of_stiffness, of_masses)) + needs_.host_of_pattern;
  }

  // Throws where there is no direct solver, or no memory for its analysis.
  ForecastPath lanczos() const {
    const EigenNeeds needs = lanczos_needs(shape_, options_);
    ForecastPath path = with(SolverPath::lanczos, needs);
    const DirectSolver::Needs factor = factor_needs();
    path.factor = factor.memory;
    // One factor; some steps for each mode, in blocks, of two substitutions each.
    const double steps = (30.0 + 3 * options_.count) / MultiVector::lanes;
    path.bytes_moved =
        12 * 8.0 * double(needs_.size.pairs) * shape_.block * shape_.block + steps * 2 * double(path.factor);
    path.operations = factor_operations(factor.operations, space_.unknown_count());
    if (space_.device().is_gpu()) path.peak.bytes("factor", path.factor);
    else
      path.host_factor = resident_factor(path.factor, DirectKind::symmetric) +
                         8 * (needs_.size.pairs * shape_.block * shape_.block + space_.unknown_count());
    return path;
  }

  ForecastPath lobpcg() const {
    EigenNeeds needs = lobpcg_needs(shape_, options_);
    if (shape_.block == 2 || shape_.block == 3)  // the masses once more, as diagonal blocks
      needs.peak.array<double>("matrix", needs_.size.pairs * shape_.block);
    ForecastPath path = with(SolverPath::lobpcg, needs);
    const double matrix = 8.0 * double(needs_.size.pairs) * shape_.block * shape_.block,
                 vectors = 8.0 * double(space_.unknown_count()) * needs.width;
    const double groups = needs.width / double(MultiVector::lanes);
    // K, M and the cycle for each group of vectors, and about twenty passes over the basis.
    path.bytes_moved = 12 * matrix + lobpcg_iterations * (groups * 6 * matrix + 20 * 3 * vectors);
    return path;
  }

 private:
  ForecastPath with(SolverPath kind, const EigenNeeds& needs) const {
    ForecastPath path{.path = kind,
                      .peak = solve_ + needs.peak,
                      .moment = needs.moment,
                      .at_assembly = assembly_.total(),
                      .host_lists = host_};
    path.at_solve = path.peak.total();
    path.more_on_a_gpu = std::max(assembly_.total() + slabs_at_assembly_, path.at_solve + slabs_later_) -
                         std::max(assembly_.total(), path.at_solve);
    if (path.peak.total() < assembly_.total()) path.peak = assembly_, path.moment = "assembly";
    return path;
  }
  DirectSolver::Needs factor_needs() const {
    SparseMatrix A(space_.pattern(), shape_.block);
    A.values().fill_zero();
    return DirectSolver::needs(A, DirectKind::symmetric,
                               {.coordinates = &space_.coordinates(), .dimension = space_.mesh().dimension()});
  }

  const FunctionSpace& space_;
  EigenOptions options_;
  SpaceNeeds needs_;
  HierarchyShape shape_;
  MemoryNeeds assembly_, solve_;
  Index host_ = 0, slabs_at_assembly_ = 0, slabs_later_ = 0;  // [bytes]
};

ForecastPath without_matrices(const Operator& stiffness, const Operator& masses, const EigenOptions& options) {
  const FunctionSpace& space = stiffness.space();
  const SpaceNeeds needs = needs_of(space, 1, false);
  MemoryNeeds stays = needs.standing + needs.vectors(3);  // both diagonals, that of K twice
  for (const Operator* equations : {&stiffness, &masses}) {
    stays += OperatorNeeds(*equations).of({Task::diagonal, Task::action}) + MatrixFree::point_needs(*equations);
    for (const ElementGroup& group : equations->terms().groups()) stays.array<Node>("connectivity", group.nodes.size());
  }
  const EigenNeeds vectors = lobpcg_needs(space.unknown_count(), options, false);
  const PMultigridNeeds cycle = p_multigrid_needs(stiffness, {.shifted = options.zero_count > 0});
  ForecastPath path{.path = SolverPath::lobpcg_without_matrix,
                    .peak = stays + vectors.peak + cycle.live + needs.vectors(9),  // columns, and the image of one
                    .moment = vectors.moment};
  if (const MemoryNeeds set_up = stays + cycle.set_up + needs.vectors(1); set_up.total() > path.peak.total())
    path.peak = set_up, path.moment = "set-up";
  path.at_assembly = stays.total();
  path.at_solve = path.peak.total();
  path.host_lists = host_of_lists(OperatorNeeds(stiffness).of(Task::action));
  path.more_on_a_gpu = OperatorNeeds(stiffness).slabs_on_a_gpu({Task::diagonal, Task::action}) +
                       OperatorNeeds(masses).slabs_on_a_gpu({Task::diagonal, Task::action}) + cycle.lists_on_a_gpu;
  // A cycle, two products with K and two with M for each vector, whose arithmetic a CPU does in four times the time of
  // the moves; and about twenty passes over the basis.
  const double n = double(space.unknown_count());
  path.bytes_moved = lobpcg_iterations * vectors.width *
                     ((space.device().is_gpu() ? 1 : 4) * (cycle.cycle + 4 * 64.0 * n) + 20 * 3 * 8.0 * n);
  return path;
}

}  // namespace

std::vector<ForecastPath> forecast_vibration(const Operator& stiffness, const Operator& masses,
                                             const VibrationModel& model, EigenOptions options) {
  options.count = modes_to_solve(options, model);
  options.zero_count = model.rigid_motions + model.spring_motions;
  const FunctionSpace& space = stiffness.space();
  const bool springs = has_springs(model);
  const EigenMethod chosen = choose_method(space.unknown_count(), options, space.mesh().dimension(), springs).method;
  const bool iterates =
      chosen == EigenMethod::lobpcg || (options.method == EigenMethod::automatic && !options.band && !springs);
  std::vector<ForecastPath> paths;
  if (iterates && !options.below && modes_need_no_matrix(stiffness, masses)) {
    if (chosen == EigenMethod::lobpcg && !modes_take_no_matrix(stiffness, masses, options))
      paths.push_back(WithMatrices(stiffness, masses, model, options, false).lobpcg());
    if (paths.empty() || options.operator_kind != OperatorKind::matrix)
      paths.push_back(without_matrices(stiffness, masses, options));
    if (chosen == EigenMethod::lobpcg) return paths;
  }
  try {
    const WithMatrices matrices(stiffness, masses, model, options, chosen == EigenMethod::lanczos);
    if (iterates && paths.empty()) paths.push_back(matrices.lobpcg());
    if (chosen == EigenMethod::lanczos) paths.insert(paths.begin(), matrices.lanczos());
  } catch (const Error& error) {
    if (!iterates || paths.empty() || (error.exit() != Exit::environment && error.exit() != Exit::resources)) throw;
  }
  return paths;
}

}  // namespace ritz
