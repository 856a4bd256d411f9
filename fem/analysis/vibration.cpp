#include "fem/analysis/vibration.hpp"

#include "device/memory_shortage.hpp"
#include "fem/analysis/attached.hpp"
#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/ranks/divisible.hpp"
#include "fem/ranks/divided_system.hpp"
#include "fem/multigrid/p_multigrid.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/space/nested_nodes.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <numbers>
#include <optional>

namespace ritz {
namespace {

SparseMatrix assembled(const Operator& equations, bool lists_stay, const Vector* at = nullptr) {
  auto phase = equations.space().device().profile().phase("assembly");
  SparseMatrix matrix = equations.make_matrix();
  const Vector rest = at == nullptr ? equations.space().zeros() : Vector();
  const Vector& u = at == nullptr ? rest : *at;
  if (lists_stay) equations.assemble(u, matrix);
  else Linearisation(equations, u).assemble_once(matrix);
  return matrix;
}

Vector translation(const FunctionSpace& space, int direction) {
  std::vector<double> values(static_cast<std::size_t>(space.unknown_count()), 0.0);
  for (std::size_t i = static_cast<std::size_t>(direction); i < values.size();
       i += static_cast<std::size_t>(space.components()))
    values[i] = 1;
  return Vector(space.device(), std::span<const double>(values), "vectors");
}

void throw_unless_converged(const EigenSolution& s, const EigenOptions& options) {
  if (s.converged()) return;
  std::size_t good = 0;
  while (good < s.values.size() && (s.residuals[good] <= options.relative || s.residuals[good] <= s.rounding[good]))
    ++good;
  const std::string asked = options.band ? "the modes of the band" : fmt::format("{} modes", options.count);
  throw Error(ErrorKind::modes_not_converged,
              fmt::format("{} did not converge for {}: {} after {} iterations, {} are done", s.method, asked,
                          name_of(s.reason), s.iterations, good),
              s.verification,
              s.method == "LOBPCG"
                  ? "allow more max_iterations, a larger tolerance, or use method = \"lanczos\" with enough memory"
                  : "allow more max_iterations, ask for fewer modes or a narrower band, or a larger tolerance");
}

// Makes the entry of largest size positive.
void fix_sign(MultiVector& X, int column, Vector& x) {
  X.get_column(column, x);
  const std::vector<double> values = x.host();
  const auto largest = std::ranges::max_element(values, {}, [](double v) { return std::abs(v); });
  if (*largest >= 0) return;
  axpby(0.0, x, -1.0, x);
  X.set_column(column, x);
}

// Number of the first modes that are as good as zero compared with the first elastic one.
int count_rigid(const std::vector<double>& values, int expected) {
  int count = 0;
  const double elastic = static_cast<int>(values.size()) > expected ? values[static_cast<std::size_t>(expected)] : 0;
  while (count < std::min<int>(expected, static_cast<int>(values.size())) &&
         std::abs(values[static_cast<std::size_t>(count)]) <= 1e-6 * elastic)
    ++count;
  return count;
}

}  // namespace

void throw_if_unstable(const EigenSolution& s) {
  if (s.values.empty() || !(s.values.front() < -1e-6 * std::abs(s.values.back()))) return;
  throw Error(
      ErrorKind::buckling, fmt::format("the loaded state is unstable: omega^2 = {:.6g} 1/s^2", s.values.front()),
      "the loads are beyond those at which the body buckles", "take smaller loads; [buckling] finds the critical ones");
}

bool has_springs(const VibrationModel& model) {
  return std::ranges::any_of(model.attached, [](const AttachedMotion& each) { return each.stiffness > 0; });
}

int modes_to_solve(const EigenOptions& options, const VibrationModel& model) {
  return options.band || model.rigid_motions == 0 ? options.count : std::max(options.count, model.rigid_motions + 1);
}

bool modes_need_no_matrix(const Operator& stiffness, const Operator& masses) {
  return can_coarsen(stiffness) && can_coarsen(masses) && (acts_quickly(stiffness) || !can_assemble(stiffness));
}

bool modes_take_no_matrix(const Operator& stiffness, const Operator& masses, const EigenOptions& options) {
  if (!modes_need_no_matrix(stiffness, masses) || options.operator_kind == OperatorKind::matrix) return false;
  const FunctionSpace& space = stiffness.space();
  const Device& device = space.device();
  if (options.operator_kind == OperatorKind::matrix_free || !can_assemble(stiffness) || !can_assemble(masses) ||
      device.machine().is_apart() || sum_factorised(stiffness))
    return true;
  const Index block = space.components(), limit = device.memory().limit();
  const double matrix = 8.0 * double(pairs_of_nodes(space) * block * block);
  const double memory = double(limit > 0 ? limit : device.info().memory_total);
  return 3 * matrix > memory / 4;  // K and M, and the hierarchy in single precision
}

namespace {

// Translations t of the whole body along the axes, and M t with attached masses.
struct MovedMasses {
  std::vector<int> directions;
  std::vector<Vector> forces;
  std::vector<double> sums;  // t^T M t
};

MovedMasses moved_masses(const FunctionSpace& space, const VibrationModel& model, const Attached& attached,
                         const std::function<void(const Vector&, Vector&)>& apply_masses) {
  MovedMasses moved;
  for (int d = 0; d < std::min(space.components(), 3); ++d) {  // beams and shells: not their rotations
    if (model.axisymmetric && d != 1) continue;
    const Vector t = translation(space, d);
    moved.forces.push_back(space.zeros());
    apply_masses(t, moved.forces.back());
    attached.add_masses(1, t, moved.forces.back());
    moved.directions.push_back(d);
    moved.sums.push_back(dot(t, moved.forces.back()));
  }
  return moved;
}

struct Solved {
  EigenSolution eigen;
  MovedMasses moved;
};

Solved solve_with_matrices(const Operator& stiffness, const Operator& masses, const Constraints& supports,
                           const VibrationModel& model, const EigenOptions& options) {
  const FunctionSpace& space = stiffness.space();
  Profile& profile = space.device().profile();
  SparseMatrix K = model.stressed != nullptr
                       ? stiffness_at(*model.stressed, stiffness, *model.state, modes_under_preload)
                       : assembled(stiffness, model.lists_stay, model.state);
  SparseMatrix M = assembled(masses, model.lists_stay);
  std::optional<Profile::Phase> phase(std::in_place, profile, "constraints");
  const Attached attached = attached_to(space, model.attached, supports);
  MovedMasses moved = moved_masses(space, model, attached, [&](const Vector& t, Vector& f) { M.apply(t, f); });
  supports.eliminate(K, max_abs(K.diagonal()));
  supports.eliminate(M, 0);
  phase.reset();
  auto solving = profile.phase("solve");
  return {solve_eigen(K, M, options, solver_geometry(space), attached.motions), std::move(moved)};
}

// LOBPCG with p-multigrid.
Solved solve_without_matrices(const Operator& stiffness, const Operator& masses, const Constraints& supports,
                              const VibrationModel& model, const EigenOptions& options) {
  const FunctionSpace& space = stiffness.space();
  const Attached attached = attached_to(space, model.attached, supports);
  Solved solved;
  {
    auto solving = space.device().profile().phase("solve");
    const MatrixFree K(stiffness, supports, Vector()), M(masses, supports, Vector(), 0.0);
    const WithMotions heavy(M, attached.motions, attached.motions.mass);
    const LinearOperator& whole_M = model.attached.empty() ? static_cast<const LinearOperator&>(M) : heavy;
    const PMultigridOptions cycle{
        .single_precision = options.multigrid.single_precision, .coarsest = options.multigrid, .masses = &masses};
    solved.eigen = solve_by_lobpcg({K, whole_M, K.diagonal(), M.diagonal(), space.components()}, options,
                                   space.mesh().dimension(), [&](double shift) {
                                     PMultigridOptions shifted = cycle;
                                     shifted.shift = shift;
                                     return std::make_unique<PMultigrid>(K, shifted);
                                   });
  }
  solved.moved =
      moved_masses(space, model, attached, [&](const Vector& t, Vector& f) { masses.action(Vector(), t, f); });
  return solved;
}

AttachedMotions own_motions(const FieldOfRank& part, const AttachedMotions& motions) {
  const Vector zeros = part.equations().zeros();
  AttachedMotions own{.U = MultiVector(zeros.device(), zeros.size(), motions.count(), "eigenvectors"),
                      .stiffness = motions.stiffness,
                      .mass = motions.mass};
  Vector whole = part.equations_of_all().zeros();
  for (int motion = 0; motion < motions.count(); ++motion) {
    motions.U.get_column(motion, whole);
    own.U.set_column(motion, part.own(whole));
  }
  return own;
}

// Over ranks, with matrices whose rows are divided, or without any as in one process.
Solved solve_over_ranks(const Operator& stiffness, const Operator& masses, const Constraints& supports,
                        const VibrationModel& model, const EigenOptions& options) {
  Ranks& ranks = *options.ranks;
  const FunctionSpace& space = stiffness.space();
  std::optional<Operator> stressed;  // with the geometric stiffness
  if (model.stressed != nullptr) {
    std::vector<Integral> all = stiffness.integrals();
    std::ranges::move(geometric_integrals(*model.stressed, modes_under_preload), std::back_inserter(all));
    divide_like(stiffness, stressed.emplace(space, std::move(all)));
  }
  const Attached attached = attached_to(space, model.attached, supports);
  Solved solved;
  {
    auto solving = space.device().profile().phase("solve");
    EigenOptions chosen = options;
    const bool takes_factor = options.band || has_springs(model) || model.state != nullptr;
    if (options.method == EigenMethod::automatic)  // iterations, where nothing takes a factor
      chosen.method = takes_factor ? EigenMethod::lanczos : EigenMethod::lobpcg;
    const bool factorised = chosen.method == EigenMethod::lanczos;
    if (factorised && !(can_assemble(stiffness) && can_assemble(masses)))
      throw_not_over_ranks(ranks, "a factorisation of elements without a matrix",
                           "leave out bands, springs and method = \"lanczos\", or take one process");
    const bool no_matrix = !factorised && model.state == nullptr && options.operator_kind != OperatorKind::matrix &&
                           modes_need_no_matrix(stiffness, masses);
    const LinearSolverOptions linear{.multigrid = options.multigrid,
                                     .operator_kind = no_matrix ? OperatorKind::matrix_free : OperatorKind::matrix,
                                     .say = options.say};
    const FieldOfRank part(stressed ? *stressed : stiffness, supports, linear, ranks);
    const Vector state = model.state != nullptr ? part.own(*model.state) : Vector();
    DividedSystem system(part, linear);
    solved.eigen = system.modes(part.own(masses), chosen, own_motions(part, attached.motions),
                                model.state != nullptr ? &state : nullptr);
    part.gather(solved.eigen.vectors);
    const Operator& own_masses = part.own(masses);
    solved.moved = moved_masses(space, model, attached, [&](const Vector& t, Vector& f) {
      Vector forces = own_masses.zeros();
      own_masses.residual(part.own(t), forces);
      copy(part.gathered(forces), f);
    });
  }
  return solved;
}

// With matrices, or without where these have no room, no library, or no use for so many unknowns.
Solved solve_modes(const Operator& stiffness, const Operator& masses, const Constraints& supports,
                   const VibrationModel& model, const EigenOptions& options) {
  if (options.ranks != nullptr) return solve_over_ranks(stiffness, masses, supports, model, options);
  if (!modes_need_no_matrix(stiffness, masses) || has_springs(model) || model.state != nullptr)
    return solve_with_matrices(stiffness, masses, supports, model, options);
  const FunctionSpace& space = stiffness.space();
  EigenChoice choice = choose_method(space.unknown_count(), options, space.mesh().dimension());
  const bool factorised = choice.method == EigenMethod::lanczos;
  if (factorised || !modes_take_no_matrix(stiffness, masses, options)) {
    EigenOptions chosen = options;
    chosen.method = choice.method;
    Solved solved;
    const std::optional<Error> shortage =
        shortage_or_no_library([&] { solved = solve_with_matrices(stiffness, masses, supports, model, chosen); });
    if (!shortage) {
      solved.eigen.choice = choice.why;
      return solved;
    }
    const bool named = factorised ? options.method == EigenMethod::lanczos || options.band.has_value()
                                  : options.operator_kind == OperatorKind::matrix;
    if (named) throw *shortage;
    choice.why = (factorised ? "not factorised: " : "without matrices: ") + shortage->message();
    space.forget_pattern();
    space.device().memory().trim();
  }
  Solved solved = solve_without_matrices(stiffness, masses, supports, model, options);
  solved.eigen.choice = choice.why;
  return solved;
}

}  // namespace

namespace {

// Frequencies and shares of the mass of all modes, whose number of rigid ones is known.
void find_shares(const Supports& supports, std::span<const Vector> forces, VibrationModes& modes) {
  EigenSolution& s = modes.eigen;
  if (!s.vectors) return;
  Vector x(s.vectors->device(), s.vectors->rows(), "vectors");
  for (std::size_t k = 0; k < s.values.size(); ++k) {
    const bool rigid = static_cast<int>(k) < modes.rigid_count;
    modes.frequencies.push_back(rigid ? 0 : std::sqrt(std::max(0.0, s.values[k])) / (2 * std::numbers::pi));
    fix_sign(*s.vectors, static_cast<int>(k), x);
    s.vectors->get_column(static_cast<int>(k), x);
    if (supports.has_dependent()) {
      supports.set_linear(x);
      s.vectors->set_column(static_cast<int>(k), x);
    }
    modes.participation.emplace_back();
    modes.effective_mass.emplace_back();
    for (const Vector& Mt : forces) {
      const double factor = dot(x, Mt);
      modes.participation.back().push_back(factor);
      modes.effective_mass.back().push_back(factor * factor);
    }
  }
}

}  // namespace

void finish_modes(int asked, const EigenOptions& options, const Supports& supports, std::span<const Vector> forces,
                  VibrationModes& modes) {
  EigenSolution& s = modes.eigen;
  throw_unless_converged(s, options);
  if (!options.band || options.band->low <= 0) modes.rigid_count = count_rigid(s.values, modes.rigid_motions);
  if (!options.band && asked < static_cast<int>(s.values.size())) {
    s.values.resize(static_cast<std::size_t>(asked));
    s.residuals.resize(static_cast<std::size_t>(asked));
    s.rounding.resize(static_cast<std::size_t>(asked));
    modes.rigid_count = std::min(modes.rigid_count, asked);
  }
  find_shares(supports, forces, modes);
}

VibrationModes solve_vibration(const Operator& stiffness, const Operator& masses, const Constraints& supports,
                               const VibrationModel& model, EigenOptions options) {
  const FunctionSpace& space = stiffness.space();
  VibrationModes modes{.rigid_motions = model.rigid_motions};
  const int asked = options.count;
  options.zero_count = model.rigid_motions + model.spring_motions;
  options.count = modes_to_solve(options, model);
  if (model.state != nullptr) options.verify = true;  // negative eigenvalues are not to be missed
  Solved solved = solve_modes(stiffness, masses, supports, model, options);
  const MovedMasses moved = std::move(solved.moved);
  modes.eigen = std::move(solved.eigen);
  if (model.state != nullptr) throw_if_unstable(modes.eigen);
  modes.directions = moved.directions;
  modes.total_mass = moved.sums;
  auto phase = space.device().profile().phase("fields");
  finish_modes(asked, options, supports, moved.forces, modes);
  return modes;
}

}  // namespace ritz
