#include "fem/analysis/engine_order.hpp"

#include "fem/analysis/exciting_forces.hpp"
#include "fem/analysis/modal_columns.hpp"
#include "fem/analysis/sector_modes.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/analysis/static_answers.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <numbers>
#include <utility>

namespace ritz {
namespace {

// One copy, with the loads of the sector.
Model single_copy(const Model& sector, int waves) {
  Model model = with_waves(sector, waves);
  model.load_cases = sector.load_cases;
  return model;
}

Modal of_two_copies(Modal modal) {
  modal.count *= 2;
  const std::vector<double> state = modal.begin.u;
  modal.begin.u.insert(modal.begin.u.end(), state.begin(), state.end());
  return modal;
}

// [unknown of two copies] A vector of the sector in one of them.
Vector in_copy(const Vector& of_sector, bool second) {
  const std::vector<double> values = of_sector.host();
  std::vector<double> both(2 * values.size(), 0.0);
  std::ranges::copy(values, both.begin() + (second ? std::ssize(values) : 0));
  return Vector(of_sector.device(), std::span<const double>(both), "vectors");
}
Vector first_copy(const Vector& both) {
  std::vector<double> values = both.host();
  values.resize(values.size() / 2);
  return Vector(both.device(), std::span<const double>(values), "vectors");
}

// Columns of two copies become those of the first one. column(k): of all ranks.
template <class Column>
MultiVector first_copies(const OwnModel& sector, int count, const Column& column) {
  MultiVector result(sector.equations().device(), sector.layout().total(), count, "eigenvectors");
  for (int k = 0; k < count; ++k) result.set_column(k, sector.own(first_copy(column(k)).host()));
  return result;
}

// The modes, and their static answers, of two copies, as columns of the first.
void find_columns(const Model& both, const ModalBasis& basis, std::vector<Vector> loads, const Observer& observer,
                  ModalSpace& space) {
  const OwnModel& sector = *space.model;
  const Modal modal = of_two_copies(basis.modal);
  const Setup setup(both, {}, Setup::Held::not_needed, Setup::Rates::beside);
  space.modes = solve(both, modal, observer, setup.prepared());
  if (space.modes.frequencies.empty())
    throw Error(ErrorKind::vibration, "vibration on modes without a mode", "the band holds none", "widen it");
  if (space.modes.rigid_count > 0 || setup.fields().rigid_motions() > 0)
    throw Error(ErrorKind::vibration, "an engine order of a body that is free to move with one wave",
                "its rigid motions have no static answer", "hold the sector");
  LinearSolverOptions linear;
  linear.ranks = modal.ranks;
  StaticAnswers answers(both, modal.begin, linear, setup, false);
  for (Vector& each : loads) each = sector.gathered(std::move(each));
  std::vector<Vector> forces;
  for (const bool second : {false, true})
    for (const Vector& each : loads) forces.push_back(answers.own(in_copy(each, second)));
  ModalColumns columns(space, std::move(forces));
  columns.take_modes();
  if (basis.residual_vectors) columns.add_residual_vectors(answers);
  space.loads = columns.work();
  EigenSolution& found = space.modes.eigen;
  found.vectors =
      first_copies(sector, space.mode_count(), [&](int k) { return found.vector(static_cast<std::size_t>(k)); });
  found.layout = sector.layout();
  for (std::vector<std::vector<double>>* each : {&space.modes.participation, &space.modes.effective_mass})
    each->clear();
  space.modes.directions.clear();
  space.modes.total_mass.clear();
  if (!space.residual_vectors) return;
  space.residual_vectors = first_copies(sector, space.residual_vectors->columns(), [&](int k) {
    Vector x = answers.zeros();
    space.residual_vectors->get_column(k, x);
    return answers.gathered(std::move(x));
  });
}

SectorModal modes_of(const ModalBasis& basis, const EngineOrder& order) { return {basis.modal, {order.waves}}; }

}  // namespace

EngineOrder engine_order(const Model& sector, int order) {
  const int sectors = sector_count(sector);
  if (order < 0)
    throw Error(ErrorKind::modal_options, fmt::format("the engine order {}", order), "loads go around with the sectors",
                "give 0 or more");
  const int seen = order % sectors;  // by the sectors
  const bool backward = 2 * seen > sectors;
  const int waves = backward ? sectors - seen : seen;
  return {order, waves, waves > 0 && 2 * waves != sectors, backward};
}

void check(const Model& sector, const ModalBasis& basis, const EngineOrder& order) {
  if (sector.waves)
    throw Error(ErrorKind::modal_options, "an engine order of a body of revolution", "its loads have no waves",
                "model a sector in space");
  check(sector, basis);
  check(sector, modes_of(basis, order));
}

ModalSpace solve(const Model& sector, const ModalBasis& basis, const EngineOrder& order, const Observer& observer,
                 const Prepared& prepared) {
  check(sector, basis, order);
  if (!order.pair) {
    ModalSpace space = order.waves == 0 ? solve(sector, basis, observer, prepared)
                                        : solve(single_copy(sector, order.waves), basis, observer);
    space.base.clear();
    return space;
  }
  const Setup setup(sector, prepared, Setup::Held::not_needed, Setup::Rates::beside);
  LinearSolverOptions linear = options_of_answers(basis.linear, sector);
  linear.ranks = basis.modal.ranks;
  divide_for(setup.equations(), linear);
  ModalSpace space;
  space.model = std::make_shared<const OwnModel>(sector, operators_of(setup), linear);
  ExcitingForces exciting = exciting_forces(sector, basis.loads_excite, *space.model);
  space.load_names = std::move(exciting.names);
  space.translations = std::move(exciting.translations);
  find_columns(with_waves(sector, order.waves), basis, std::move(exciting.loads), observer, space);
  return space;
}

Forecast forecast(const Model& sector, const ModalBasis& basis, const EngineOrder& order, const Prepared& prepared) {
  if (!order.pair) return forecast(sector, basis, prepared);
  return forecast(sector, modes_of(basis, order), prepared);
}

std::vector<Excitation> around(std::vector<Excitation> of_sector, const ModalSpace& space, const EngineOrder& order) {
  if (!order.pair) return of_sector;
  const int loads = static_cast<int>(space.loads.size()) / 2;
  std::vector<Excitation> all = of_sector;
  for (Excitation& each : of_sector) {
    each.load += loads;
    each.phase += (order.backward ? -0.5 : 0.5) * std::numbers::pi;
    all.push_back(each);
  }
  return all;
}

}  // namespace ritz
