#include "fem/analysis/modal_space.hpp"

#include "fem/analysis/exciting_forces.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/analysis/static_answers.hpp"
#include "solvers/algebra/dense_symmetric.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numbers>
#include <utility>

namespace ritz {
namespace {

// Vectors x_i, K x_i = f_i but for the modes, as columns on which stiffness and masses are diagonal.
struct Residuals {
  std::vector<Vector> x, Mx;
  std::vector<std::vector<double>> K;  // [i][j] x_i . K x_j
};

// Sums of vectors that are orthonormal by K; those that depend on others are left out.
std::vector<std::vector<double>> orthonormal_sums(const Residuals& found) {
  const std::size_t n = found.x.size();
  std::vector<double> scaled(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      scaled[i * n + j] = 0.5 * (found.K[i][j] + found.K[j][i]) / std::sqrt(found.K[i][i] * found.K[j][j]);
  const SymmetricEigen eigen = symmetric_eigen(std::move(scaled), static_cast<int>(n));
  std::vector<std::vector<double>> sums;
  for (std::size_t k = 0; k < n; ++k) {
    if (eigen.values[k] < 1e-9) continue;
    std::vector<double>& sum = sums.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) sum[i] = eigen.vectors[k * n + i] / std::sqrt(eigen.values[k] * found.K[i][i]);
  }
  return sums;
}

// [column][vector]
std::vector<std::vector<double>> diagonal_sums(const Residuals& found) {
  const std::vector<std::vector<double>> basis = orthonormal_sums(found);
  const std::size_t n = found.x.size(), m = basis.size();
  std::vector<double> M(n * n), projected(m * m, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) M[i * n + j] = dot(found.x[i], found.Mx[j]);
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t l = 0; l < m; ++l)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) projected[k * m + l] += basis[k][i] * M[i * n + j] * basis[l][j];
  const SymmetricEigen eigen = symmetric_eigen(std::move(projected), static_cast<int>(m));
  std::vector<std::vector<double>> columns;
  for (std::size_t c = m; c-- > 0;) {  // the heaviest is the lowest
    std::vector<double>& column = columns.emplace_back(n, 0.0);
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t i = 0; i < n; ++i) column[i] += eigen.vectors[c * m + k] * basis[k][i];
  }
  return columns;
}

class Builder {
 public:
  Builder(const Model& model, const ModalBasis& basis, const LinearSolverOptions& linear, const Setup& setup,
          ModalSpace& space)
      : model_(model), basis_(basis), linear_(linear), setup_(setup), space_(space) {}

  void find_forces() {
    ExcitingForces found = exciting_forces(model_, basis_.loads_excite, field(), setup_.rates());
    space_.load_names = std::move(found.names);
    space_.translations = std::move(found.translations);
    forces_ = std::move(found.loads);
    std::ranges::move(found.inertia, std::back_inserter(forces_));
    for (const std::vector<double>& each : basis_.more_forces) forces_.push_back(field().own(each));
  }

  void take_modes() {
    for (std::size_t k = 0; k < space_.modes.frequencies.size(); ++k) {
      space_.mass.push_back(1);
      space_.stiffness.push_back(static_cast<int>(k) < space_.modes.rigid_count ? 0 : space_.modes.eigen.values[k]);
    }
    Vector x = field().zeros();
    for (std::size_t k = 0; k < space_.modes.frequencies.size(); ++k) {
      space_.modes.eigen.vectors->get_column(static_cast<int>(k), x);
      add_work(x);
    }
  }

  void add_residual_vectors() {
    if (space_.modes.rigid_count >= space_.mode_count()) return;  // nothing elastic to compare with
    StaticAnswers answers(model_, basis_.modal.begin, linear_, setup_, space_.modes.rigid_motions > 0);
    Residuals found;
    std::vector<std::size_t> of;  // [vector] its force
    for (std::size_t i = 0; i < forces_.size(); ++i) {
      Vector x = static_rest(answers, i);
      const double all = work_of_modes_[i], rest = dot(x, forces_[i]);
      if (!(rest > 1e-10 * (all + rest))) continue;  // the modes have it all
      copy(answers.mass_times(x), found.Mx.emplace_back(field().zeros()));
      found.x.push_back(std::move(x));
      of.push_back(i);
    }
    if (of.empty()) return;
    for (const Vector& x : found.x) {
      std::vector<double>& row = found.K.emplace_back();
      for (const std::size_t i : of) row.push_back(dot(x, forces_[i]));
    }
    take(found, diagonal_sums(found));
  }

  // Loads, then directions.
  void share_out() {
    const std::size_t loads = space_.load_names.size();
    work_.resize(forces_.size());
    space_.loads.assign(work_.begin(), work_.begin() + static_cast<std::ptrdiff_t>(loads));
    const auto base = work_.begin() + static_cast<std::ptrdiff_t>(loads);
    space_.base.assign(base, base + std::ssize(space_.translations));
  }

 private:
  const OwnField& field() const { return *space_.field; }

  void add_work(const Vector& column) {
    work_.resize(forces_.size());
    for (std::size_t i = 0; i < forces_.size(); ++i) work_[i].push_back(dot(column, forces_[i]));
  }

  // The static answer to the elastic part of a force, without that of the modes.
  Vector static_rest(StaticAnswers& answers, std::size_t force) {
    const auto rigid = static_cast<std::size_t>(space_.modes.rigid_count);
    Vector f = field().zeros(), phi = field().zeros();
    copy(forces_[force], f);
    for (std::size_t k = 0; k < rigid; ++k) {
      space_.modes.eigen.vectors->get_column(static_cast<int>(k), phi);
      axpy(-work_[force][k], answers.mass_times(phi), f);
    }
    work_of_modes_.resize(forces_.size());
    Vector free = field().zeros();
    copy(f, free);
    field().supports().gather(free);
    field().supports().set_zero(free);
    if (norm2(free) <= 1e-10 * norm2(forces_[force]))
      return field().zeros();  // it moves the body as a rigid one, or
                               // acts on supports
    Vector x = answers.to(f);
    double of_modes = 0;
    for (std::size_t k = 0; k < space_.modes.frequencies.size(); ++k) {
      space_.modes.eigen.vectors->get_column(static_cast<int>(k), phi);
      const double part = k < rigid ? dot(phi, answers.mass_times(x)) : work_[force][k] / space_.stiffness[k];
      if (k >= rigid) of_modes += part * work_[force][k];
      axpy(-part, phi, x);
    }
    work_of_modes_[force] = of_modes;
    // The static answer of slender parts is nearly all in the lowest modes: rounding leaves some of it there.
    const Vector& Mx = answers.mass_times(x);
    for (std::size_t k = 0; k < space_.modes.frequencies.size(); ++k) {
      space_.modes.eigen.vectors->get_column(static_cast<int>(k), phi);
      axpy(-dot(phi, Mx), phi, x);
    }
    return x;
  }

  void take(const Residuals& found, const std::vector<std::vector<double>>& sums) {
    MultiVector& X = space_.residual_vectors.emplace(field().equations().device(), field().layout().total(),
                                                     static_cast<int>(sums.size()), "eigenvectors");
    Vector x = field().zeros(), Mx = field().zeros();
    for (std::size_t c = 0; c < sums.size(); ++c) {
      fill(0.0, x);
      fill(0.0, Mx);
      for (std::size_t i = 0; i < found.x.size(); ++i) {
        axpy(sums[c][i], found.x[i], x);
        axpy(sums[c][i], found.Mx[i], Mx);
      }
      X.set_column(static_cast<int>(c), x);
      space_.mass.push_back(dot(x, Mx));
      space_.stiffness.push_back(1);
      add_work(x);
    }
  }

  const Model& model_;
  const ModalBasis& basis_;
  const LinearSolverOptions& linear_;
  const Setup& setup_;
  ModalSpace& space_;
  std::vector<Vector> forces_;
  std::vector<std::vector<double>> work_;  // [force][column]
  std::vector<double> work_of_modes_;      // [force] of its static answer
};

void check_rigid(const ModalSpace& space, const ModalBasis& basis) {
  const VibrationModes& modes = space.modes;
  if (modes.rigid_count == modes.rigid_motions) return;
  throw Error(
      ErrorKind::vibration,
      fmt::format("vibration on modes that hold {} of {} rigid motions", modes.rigid_count, modes.rigid_motions),
      "a free body answers with its rigid motions first",
      basis.modal.band ? "begin the band at 0" : "ask for more modes");
}

}  // namespace

double ModalSpace::frequency(int column) const {
  const auto k = static_cast<std::size_t>(column);
  return std::sqrt(std::max(0.0, stiffness[k] / mass[k])) / (2 * std::numbers::pi);
}

double ModalSpace::missing_mass(std::size_t direction) const {
  double moved = 0;
  for (const std::vector<double>& each : modes.effective_mass) moved += each[direction];
  return std::max(0.0, 1 - moved / modes.total_mass[direction]);
}

Vector ModalSpace::motion(const std::vector<double>& q, const std::vector<double>& carried) const {
  return field->gathered(own_motion(q, carried));
}

Vector ModalSpace::own_motion(const std::vector<double>& q, const std::vector<double>& carried) const {
  const Vector& any = translations.front();
  Vector u(any.device(), any.size(), "vectors"), column(any.device(), any.size(), "vectors");
  fill(0.0, u);
  for (int k = 0; k < columns(); ++k) {
    const double factor = q[static_cast<std::size_t>(k)];
    if (factor == 0) continue;
    if (k < mode_count()) modes.eigen.vectors->get_column(k, column);
    else residual_vectors->get_column(k - mode_count(), column);
    axpy(factor, column, u);
  }
  for (std::size_t d = 0; d < carried.size(); ++d)
    if (carried[d] != 0) axpy(carried[d], translations[d], u);
  return u;
}

double ModalDamping::viscous(const ModalSpace& space, int column) const {
  const auto k = static_cast<std::size_t>(column);
  return 2 * ratio(space.frequency(column)) * std::sqrt(space.stiffness[k] * space.mass[k]) +
         rayleigh.mass * space.mass[k] + rayleigh.stiffness * space.stiffness[k];
}

double ModalDamping::ratio_of(const ModalSpace& space, int column) const {
  const auto k = static_cast<std::size_t>(column);
  const double critical = 2 * std::sqrt(space.stiffness[k] * space.mass[k]);
  return critical > 0 ? viscous(space, column) / critical + structural / 2 : 0;
}

std::vector<double> carried_by(const ModalSpace& space, const Excitation& excitation) {
  std::vector<double> carried(space.base.size(), 0.0);
  if (excitation.load >= 0) return carried;
  for (int d = 0; d < 3; ++d) {
    const double along = excitation.direction[static_cast<std::size_t>(d)];
    if (along == 0) continue;
    const auto place = std::ranges::find(space.modes.directions, d);
    if (place == space.modes.directions.end())
      throw Error(ErrorKind::vibration, fmt::format("a motion of the base along {}", "xyz"[d]),
                  "the model does not move in this direction", "take another direction");
    carried[static_cast<std::size_t>(place - space.modes.directions.begin())] = along;
  }
  return carried;
}

std::vector<double> forces_of(const ModalSpace& space, const Excitation& excitation) {
  if (excitation.load >= static_cast<int>(space.loads.size()))
    throw Error(ErrorKind::vibration,
                fmt::format("load {} of a model with {} loads", excitation.load, space.loads.size()));
  if (excitation.load >= 0) return space.loads[static_cast<std::size_t>(excitation.load)];
  const std::vector<double> carried = carried_by(space, excitation);
  std::vector<double> forces(static_cast<std::size_t>(space.columns()), 0.0);
  for (std::size_t d = 0; d < carried.size(); ++d)
    for (std::size_t k = 0; k < forces.size(); ++k) forces[k] -= carried[d] * space.base[d][k];
  return forces;
}

void check(const Model& model, const ModalBasis& basis) {
  check(model, basis.modal);
  if (model.has_fields())
    throw Error(ErrorKind::vibration, "vibration on modes of a model of several fields",
                "responses are of one displacement", "take one field, or [time]");
  if (!model.linear && basis.modal.begin.u.empty())
    throw Error(ErrorKind::vibration, "vibration on modes of a model with nonlinear equations",
                "vibration is about a state, of which there is none", "make it a step after one that finds the state");
  if (std::ranges::any_of(model.attached, [](const AttachedMotion& each) { return std::isinf(each.stiffness); }))
    throw Error(ErrorKind::vibration, "vibration on modes of a model with a mean motion that is held",
                "its residual vectors are not known", "make the region rigid, or hold its nodes");
}

ModalSpace solve(const Model& model, const ModalBasis& basis, const Observer& observer, const Prepared& prepared) {
  check(model, basis);
  const Setup setup(model, prepared, Setup::Held::not_needed, Setup::Rates::beside);
  LinearSolverOptions linear = options_of_answers(basis.linear, model);
  linear.ranks = basis.modal.ranks;
  divide_for(setup.equations(), linear);
  ModalSpace space{.modes = solve(model, basis.modal, observer,
                                  {.equations = &setup.equations(),
                                   .rates = &setup.rates(),
                                   .supports = &setup.supports(),
                                   .cache = prepared.cache})};
  if (space.modes.frequencies.empty())
    throw Error(ErrorKind::vibration, "vibration on modes without a mode", "the band holds none", "widen it");
  if (basis.residual_vectors || space.modes.rigid_motions > 0) check_rigid(space, basis);
  auto phase = model.space.device().profile().phase("residual vectors");
  space.field = std::make_shared<const OwnField>(setup.equations(), setup.supports().common(), linear);
  Builder builder(model, basis, linear, setup, space);
  builder.find_forces();
  builder.take_modes();
  if (basis.residual_vectors) builder.add_residual_vectors();
  builder.share_out();
  return space;
}

Forecast forecast(const Model& model, const ModalBasis& basis, const Prepared& prepared) {
  Forecast result = forecast(model, basis.modal, prepared);
  const Index forces = std::ssize(model.load_cases) + 1 + 3 + std::ssize(basis.more_forces);
  const Index columns = basis.modal.count + forces;
  const auto kept = [&](Index nodes) {
    const Index unknowns = nodes * model.space.components();
    return MemoryNeeds()
        .array<double>("eigenvectors", unknowns, (columns + 7) / 8 * 8)
        .array<double>("vectors", unknowns, 3 * forces + 6);
  };
  if (!basis.residual_vectors) return result;
  const Forecast of_answers = forecast_of(model, model.equations, basis.linear, {.columns = 1, .supports = 1});
  if (result.ranks && of_answers.ranks)
    for (std::size_t rank = 0; rank < result.ranks->shares.size(); ++rank) {
      RankShare& share = result.ranks->shares[rank];
      const RankShare& of_rank = of_answers.ranks->shares[rank];
      share.factor = std::max(share.factor, of_rank.factor);
      const MemoryNeeds later = of_rank.peak + kept(share.nodes);
      if (later.total() <= share.peak.total()) continue;
      share.peak = later;
      share.moment = "residual vectors";
    }
  if (of_answers.paths.empty()) return result;
  const ForecastPath& answers = of_answers.paths.front();
  for (ForecastPath& path : result.paths) {
    path.host_factor = std::max(path.host_factor, answers.host_factor);
    const MemoryNeeds later = answers.peak + kept(model.space.node_count());
    if (later.total() <= path.peak.total()) continue;
    path.peak = later;
    path.moment = "residual vectors";
    path.at_solve = later.total();
  }
  return result;
}

}  // namespace ritz
