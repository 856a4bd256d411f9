#include "fem/analysis/vibration.hpp"

#include "device/communicator.hpp"
#include "device/memory_shortage.hpp"
#include "fem/analysis/attached.hpp"
#include "fem/analysis/eliminated_matrices.hpp"
#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/analysis/own_model.hpp"
#include "fem/ranks/own_field.hpp"
#include "fem/multigrid/p_multigrid.hpp"
#include "fem/multigrid/p_multigrid_needs.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/operator/space_needs.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "fem/ranks/divisible.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/eigen_needs.hpp"
#include "solvers/smoothers/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <numbers>
#include <optional>

namespace ritz {
namespace {

// A body that vibrates.
struct Vibrating {
  const OwnField& field;
  const Operator &stiffness, &masses;  // the field's, as the next
  const Constraints& supports;
  const VibrationModel& model;

  const FunctionSpace& space() const { return stiffness.space(); }
  const Layout& layout() const { return stiffness.layout(); }
  Profile& profile() const { return space().device().profile(); }
};

SparseMatrix assembled(const Operator& equations, bool lists_stay) {
  if (!lists_stay) return tangent_matrix(equations, equations.space().zeros());
  auto phase = equations.space().device().profile().phase("assembly");
  SparseMatrix matrix = equations.make_matrix();
  equations.assemble(equations.space().zeros(), matrix);
  return matrix;
}

SparseMatrix stiffness_matrix(const Vibrating& body) {
  const VibrationModel& model = body.model;
  if (model.state == nullptr) return assembled(body.stiffness, model.lists_stay);
  std::vector<Integral> geometric;
  if (model.stressed != nullptr) geometric = geometric_integrals(*model.stressed, modes_under_preload);
  const OwnField& field = body.field;
  return stiffness_at(body.stiffness, field.own(geometric), field.with_ghosts(field.own(model.state->host())));
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
  if (largest_entry(x) >= 0) return;
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

// K + shift M, and a polynomial of it.
class ShiftedPolynomial final : public LinearOperator {
 public:
  ShiftedPolynomial(const MatrixFree& K, const MatrixFree& M, double shift)
      : sum_(K, M, shift), polynomial_(sum_, sum_.diagonal()) {}
  const Device& device() const override { return polynomial_.device(); }
  Index rows() const override { return polynomial_.rows(); }
  void apply(const Vector& b, Vector& x) const override { polynomial_.apply(b, x); }
  std::string name() const override { return polynomial_.name(); }

 private:
  class Sum final : public LinearOperator {
   public:
    Sum(const MatrixFree& K, const MatrixFree& M, double shift)
        : K_(K), M_(M), shift_(shift), product_(K.device(), shift == 0 ? 0 : K.rows(), "vectors") {}
    const Device& device() const override { return K_.device(); }
    Index rows() const override { return K_.rows(); }
    void apply(const Vector& x, Vector& y) const override {
      K_.apply(x, y);
      if (shift_ == 0) return;
      M_.apply(x, product_);
      axpy(shift_, product_, y);
    }
    Vector diagonal() const {
      Vector d(device(), rows(), "vectors");
      copy(K_.diagonal(), d);
      if (shift_ != 0) axpy(shift_, M_.diagonal(), d);
      return d;
    }

   private:
    const MatrixFree &K_, &M_;
    double shift_;
    mutable Vector product_;
  };
  Sum sum_;
  ChebyshevPreconditioner polynomial_;
};

}  // namespace

double largest_entry(const Vector& x) {
  const std::vector<double> values = x.host();
  const auto largest = std::ranges::max_element(values, {}, [](double v) { return std::abs(v); });
  const Communicator all(x.device());
  const double mine = values.empty() ? 0 : *largest, size = all.largest_of(std::abs(mine));
  const double first = -all.largest_of(std::abs(mine) == size ? -all.rank() : -all.ranks());
  return all.sum_of(all.rank() == first ? mine : 0.0);
}

void throw_if_unstable(const EigenSolution& s) {
  constexpr const char* remedy = "take smaller loads; [buckling] finds the critical ones";
  if (s.reason == StopReason::stagnated)
    throw Error(ErrorKind::buckling, "the modes about the loaded state are not found: it may be unstable",
                fmt::format("{} stagnated{}{}", s.method, s.verification.empty() ? "" : "; ", s.verification), remedy);
  if (s.values.empty() || !(s.values.front() < -1e-6 * std::abs(s.values.back()))) return;
  throw Error(ErrorKind::buckling,
              fmt::format("the loaded state is unstable: omega^2 = {:.6g} 1/s^2", s.values.front()),
              "the loads are beyond those at which the body buckles", remedy);
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

MovedMasses moved_masses(const Vibrating& body, const Attached& attached,
                         FunctionRef<void(const Vector&, Vector&)> apply_masses) {
  MovedMasses moved;
  for (int d = 0; d < std::min(body.space().components(), 3); ++d) {  // beams and shells: not their rotations
    if (body.model.axisymmetric && d != 1) continue;
    const Vector t = translation_of(body.field.equations(), {0}, {body.space()}, d);
    moved.forces.push_back(body.masses.zeros());
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

Attached attached_to(const Vibrating& body) {
  return attached_to(Spaces{body.field.space()}, body.model.attached, body.supports, body.field.part());
}

LinearSolverOptions linear_options(const EigenOptions& options, OperatorKind kind) {
  return {.multigrid = options.multigrid, .operator_kind = kind, .say = options.say};
}

Solved solve_with_matrices(const Vibrating& body, const EigenOptions& options) {
  EliminatedMatrices both(body.supports, body.field.part(), linear_options(options, OperatorKind::matrix),
                          options.method != EigenMethod::lanczos);
  SparseMatrix K = stiffness_matrix(body);
  const double pivot = max_abs(K.diagonal());
  both.add(std::move(K), pivot);
  SparseMatrix M = assembled(body.masses, body.model.lists_stay);
  const Attached attached = attached_to(body);
  MovedMasses moved = moved_masses(body, attached, [&](const Vector& t, Vector& f) { body.layout().apply(M, t, f); });
  both.add(std::move(M), 0);
  return {both.solve([&](const auto& of_stiffness, const auto& of_masses, const SolverGeometry& geometry) {
            return solve_eigen(of_stiffness, of_masses, options, geometry, attached.motions);
          }),
          std::move(moved)};
}

PreconditionerKind preconditioner_without_matrices(const Vibrating& body, const DividedField& field,
                                                   const EigenOptions& options, std::vector<std::string>& fallbacks) {
  const Index vectors = lobpcg_needs(body.layout().total(), options, false).peak.total();
  const Device& device = body.space().device();
  const auto needed = [&] {
    const PMultigridNeeds cycle = p_multigrid_needs(body.stiffness, field, options.zero_count > 0);
    return std::max(cycle.set_up.total(), cycle.live.total() + vectors);
  };
  return preconditioner_in_room(field.ghosts->ranks(), device,
                                {.what = "p-multigrid and the vectors of the modes need",
                                 .from = "predicted from the cells of this rank",
                                 .plenty = 8 * device.memory().statistics().live + vectors,
                                 .needed = needed},
                                options, fallbacks);
}

// LOBPCG with p-multigrid.
Solved solve_without_matrices(const Vibrating& body, const EigenOptions& options) {
  const Attached attached = attached_to(body);
  std::optional<RankMatrices> of_part;
  if (const OwnField* const part = body.field.part())
    of_part.emplace(*part, linear_options(options, OperatorKind::matrix_free));
  const DividedField* const field = of_part ? &of_part->field() : nullptr;
  Solved solved;
  {
    auto solving = body.profile().phase("solve");
    const MatrixFree K(body.stiffness, body.supports, Vector(), {}, field),
        M(body.masses, body.supports, Vector(), 0.0, field);
    const WithMotions heavy(M, attached.motions, attached.motions.mass);
    std::vector<std::string> fallbacks;
    const PreconditionerKind kind = field != nullptr ? preconditioner_without_matrices(body, *field, options, fallbacks)
                                                     : PreconditionerKind::multigrid;
    const PMultigridOptions cycle{
        .single_precision = options.multigrid.single_precision, .coarsest = options.multigrid, .masses = &body.masses};
    solved.eigen =
        solve_by_lobpcg({.K = K,
                         .M = attached.any() ? static_cast<const LinearOperator&>(heavy) : M,
                         .stiffness = K.diagonal(),
                         .mass = M.diagonal(),
                         .block = body.space().components(),
                         .motions = &attached.motions},
                        options, body.space().mesh().dimension(), [&](double shift) -> std::unique_ptr<LinearOperator> {
                          if (kind != PreconditionerKind::multigrid)
                            return std::make_unique<ShiftedPolynomial>(K, M, shift);
                          PMultigridOptions shifted = cycle;
                          shifted.shift = shift;
                          return std::make_unique<PMultigrid>(K, shifted);
                        });
    solved.eigen.fallbacks = std::move(fallbacks);
  }
  if (of_part) {
    solved.eigen.choice = fmt::format("divided among {} ranks", field->ghosts->ranks().count());
    of_part->report(nullptr, nullptr, {});
  }
  solved.moved = moved_masses(body, attached, [&](const Vector& t, Vector& f) { body.masses.action(Vector(), t, f); });
  return solved;
}

// Over ranks: iterations where nothing takes a factor, with matrices or without any as in one process.
EigenOptions options_of_ranks(const Operator& stiffness, const Operator& masses, const VibrationModel& model,
                              EigenOptions options) {
  const bool takes_factor = options.band || has_springs(model) || model.state != nullptr;
  if (options.method == EigenMethod::automatic)
    options.method = takes_factor ? EigenMethod::lanczos : EigenMethod::lobpcg;
  const bool factorised = options.method == EigenMethod::lanczos;
  if (factorised && !(can_assemble(stiffness) && can_assemble(masses)))
    throw_not_over_ranks(*options.ranks, "a factorisation of elements without a matrix",
                         "leave out bands, springs and method = \"lanczos\", or take one process");
  const bool no_matrix = !factorised && model.state == nullptr && options.operator_kind != OperatorKind::matrix &&
                         modes_need_no_matrix(stiffness, masses);
  options.operator_kind = no_matrix ? OperatorKind::matrix_free : OperatorKind::matrix;
  options.multigrid = multigrid_over_ranks(options.multigrid);
  return options;
}

// With matrices, or without where these have no room, no library, or no use for so many unknowns.
Solved solve_modes(const Vibrating& body, const EigenOptions& options) {
  const VibrationModel& model = body.model;
  if (body.field.part() != nullptr)
    return options.operator_kind == OperatorKind::matrix_free ? solve_without_matrices(body, options)
                                                              : solve_with_matrices(body, options);
  if (!modes_need_no_matrix(body.stiffness, body.masses) || has_springs(model) || model.state != nullptr)
    return solve_with_matrices(body, options);
  const FunctionSpace& space = body.space();
  EigenChoice choice = choose_method(space.unknown_count(), options, space.mesh().dimension());
  const bool factorised = choice.method == EigenMethod::lanczos;
  if (factorised || !modes_take_no_matrix(body.stiffness, body.masses, options)) {
    EigenOptions chosen = options;
    chosen.method = choice.method;
    Solved solved;
    const std::optional<Error> shortage = shortage_or_no_library([&] { solved = solve_with_matrices(body, chosen); });
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
  Solved solved = solve_without_matrices(body, options);
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
  VibrationModes modes{.rigid_motions = model.rigid_motions};
  const int asked = options.count;
  options.zero_count = model.rigid_motions + model.spring_motions;
  options.count = modes_to_solve(options, model);
  if (model.state != nullptr) options.verify = true;  // negative eigenvalues are not to be missed
  if (options.ranks != nullptr) options = options_of_ranks(stiffness, masses, model, options);
  LinearSolverOptions linear = linear_options(options, options.operator_kind);
  linear.ranks = options.ranks;
  const OwnField field(stiffness, supports, linear);
  const Vibrating body{.field = field,
                       .stiffness = field.equations(),
                       .masses = field.own(masses),
                       .supports = field.supports(),
                       .model = model};
  Solved solved = solve_modes(body, options);
  modes.eigen = std::move(solved.eigen);
  modes.eigen.layout = body.layout();
  if (model.state != nullptr) throw_if_unstable(modes.eigen);
  modes.directions = solved.moved.directions;
  modes.total_mass = solved.moved.sums;
  auto phase = body.profile().phase("fields");
  finish_modes(asked, options, body.supports, solved.moved.forces, modes);
  return modes;
}

}  // namespace ritz
