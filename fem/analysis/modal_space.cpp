#include "fem/analysis/modal_space.hpp"

#include "fem/analysis/exciting_forces.hpp"
#include "fem/analysis/modal_columns.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/analysis/static_answers.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numbers>
#include <utility>

namespace ritz {
namespace {

void check_rigid(const ModalSpace& space, const ModalBasis& basis) {
  const VibrationModes& modes = space.modes;
  if (modes.rigid_count == modes.rigid_motions) return;
  throw Error(
      ErrorKind::vibration,
      fmt::format("vibration on modes that hold {} of {} rigid motions", modes.rigid_count, modes.rigid_motions),
      "a free body answers with its rigid motions first",
      basis.modal.band ? "begin the band at 0" : "ask for more modes");
}

void require_modes(const ModalSpace& space) {
  if (space.modes.frequencies.empty())
    throw Error(ErrorKind::vibration, "vibration on modes without a mode", "the band holds none", "widen it");
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
  Vector own = own_motion(q, carried);
  return model->gathered(std::move(own));
}

Vector ModalSpace::own_motion(const std::vector<double>& q, const std::vector<double>& carried) const {
  Vector u = model->zeros(), column = model->zeros();
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
  if (!model.linear && basis.modal.begin.u.empty())
    throw Error(ErrorKind::vibration, "vibration on modes of a model with nonlinear equations",
                "vibration is about a state, of which there is none", "make it a step after one that finds the state");
  if (std::ranges::any_of(model.attached, [](const AttachedMotion& each) { return std::isinf(each.stiffness); }))
    throw Error(ErrorKind::vibration, "vibration on modes of a model with a mean motion that is held",
                "its residual vectors are not known", "make the region rigid, or hold its nodes");
}

namespace {

// The columns of a space whose modes were found.
void find_columns(const Model& model, const ModalBasis& basis, const LinearSolverOptions& linear, const Setup& setup,
                  ModalSpace& space) {
  const OwnModel& own = *space.model;
  ExcitingForces exciting = exciting_forces(model, basis.loads_excite, own);
  space.load_names = std::move(exciting.names);
  space.translations = std::move(exciting.translations);
  std::vector<Vector> forces = std::move(exciting.loads);
  std::ranges::move(exciting.inertia, std::back_inserter(forces));
  for (const std::vector<double>& each : basis.more_forces) forces.push_back(own.own(each));
  ModalColumns columns(space, std::move(forces));
  columns.take_modes();
  // Else nothing elastic is to compare with.
  if (basis.residual_vectors && space.modes.rigid_count < space.mode_count()) {
    StaticAnswers answers(model, basis.modal.begin, linear, setup, space.modes.rigid_motions > 0);
    columns.add_residual_vectors(answers);
  }
  const auto base = columns.work().begin() + std::ssize(space.load_names);  // loads, then directions
  space.loads.assign(columns.work().begin(), base);
  space.base.assign(base, base + std::ssize(space.translations));
}

// Bodies of fields on several meshes, whose rigid motions are known as vectors.
void require_motions(const Model& model, const VibrationModes& modes) {
  if (!model.has_fields() || model.structural || modes.rigid_motions == 0) return;
  throw Error(ErrorKind::vibration, "vibration on modes of several fields that are free to move",
              "their rigid motions have no static answer", "hold the body");
}

}  // namespace

LinearMethod method_of_answers(LinearMethod asked, const Model& model) {
  return model.has_fields() && asked == LinearMethod::automatic ? LinearMethod::direct : asked;
}

ModalSpace solve(const Model& model, const ModalBasis& basis, const Observer& observer, const Prepared& prepared) {
  check(model, basis);
  const Setup setup(model, prepared, Setup::Held::not_needed, Setup::Rates::beside);
  LinearSolverOptions linear = options_of_answers(basis.linear, model);
  linear.ranks = basis.modal.ranks;
  if (!model.has_fields()) divide_for(setup.equations(), linear);
  Prepared same = setup.prepared();
  same.cache = prepared.cache;
  if (!model.has_fields()) same.rates = &setup.rates();
  ModalSpace space{.modes = solve(model, basis.modal, observer, same)};
  require_modes(space);
  require_motions(model, space.modes);
  if (basis.residual_vectors || space.modes.rigid_motions > 0) check_rigid(space, basis);
  auto phase = model.space.device().profile().phase("residual vectors");
  space.model = std::make_shared<const OwnModel>(model, operators_of(setup), linear);
  find_columns(model, basis, linear, setup, space);
  return space;
}

Forecast forecast(const Model& model, const ModalBasis& basis, const Prepared& prepared) {
  Forecast result = forecast(model, basis.modal, prepared);
  result.host_of_columns = 0;  // no mode is a result
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
  result.solver_stays = false;
  for (ForecastPath& path : result.paths) {
    path.at_results = answers.at_results + kept(model.space.node_count()).total();
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
