#include "fem/analysis/path_energies.hpp"

#include "solvers/algebra/vectors.hpp"

#include <cmath>
#include <utility>

namespace ritz {

PathEnergies::PathEnergies(const Equations& equations)
    : equations_(equations.shared()),
      dead_loads_(equations.forces(Equations::Forces::loads)),
      elastic_(equations.forces(Equations::Forces::elastic)),
      u_(equations.zeros()),
      work_(equations.zeros()),
      force_(equations.zeros()),
      pair_{equations.zeros(), equations.zeros()} {
  for (Forces* each : {&before_, &after_})
    for (Vector* forces : {&each->elastic, &each->inelastic, &each->loads, &each->supports})
      *forces = equations.zeros();
}

void PathEnergies::begin(const Place& place) {
  copy(place.u, u_);
  find(place, before_);
}

// All forces of the body are those of the equations without loads; what then is missing to balance are the loads.
void PathEnergies::find(const Place& place, Forces& forces) {
  const Time time = equations_->time();
  forces.time = time.t;
  for (Equations* each : {dead_loads_.get(), elastic_.get()}) each->inputs().set_time(time);
  equations_->inputs().set_part_of_loads(0);
  equations_->residual(place.u, forces.inelastic);
  equations_->inputs().set_part_of_loads(place.part);
  dead_loads_->residual(place.u, force_);
  axpy(-1.0, force_, forces.inelastic);
  copy(forces.inelastic, forces.loads);
  axpy(-1.0, place.unbalanced, forces.loads);
  elastic_->residual(place.u, forces.elastic);
  axpy(-1.0, forces.elastic, forces.inelastic);
  copy(place.unbalanced, forces.supports);
}

void PathEnergies::end(const Place& place) {
  find(place, after_);
  copy(place.u, work_);
  axpy(-1.0, u_, work_);
  const auto trapezoid = [this](Vector Forces::*forces) {
    return 0.5 * (dot(work_, before_.*forces) + dot(work_, after_.*forces));
  };
  balance_.by_loads += trapezoid(&Forces::loads);
  balance_.by_supports += trapezoid(&Forces::supports);
  const double inelastic = trapezoid(&Forces::inelastic);
  balance_.inelastic += inelastic;
  balance_.strain += elastic_work(work_);
  compare_pair(place.u, inelastic);
}

void PathEnergies::compare_pair(const Vector& end, double work) {
  if (std::exchange(pair_.has_first, !pair_.has_first)) {
    copy(end, force_);
    axpy(-1.0, pair_.u, force_);
    const double coarse = 0.5 * (dot(force_, pair_.force) + dot(force_, after_.inelastic));
    balance_.inelastic_error += std::abs(coarse - pair_.work - work) / 3;
  } else {
    copy(u_, pair_.u);
    copy(before_.inelastic, pair_.force);
    pair_.work = work;
  }
}

double PathEnergies::elastic_work(const Vector& change) {
  const double outer = std::sqrt(0.6) / 2;
  double sum = 0;
  for (const auto& [place, weight] : {std::pair{0.5 - outer, 5.0 / 18}, {0.5, 8.0 / 18}, {0.5 + outer, 5.0 / 18}}) {
    elastic_->inputs().set_time({.t = before_.time + place * (after_.time - before_.time)});
    copy(u_, force_);
    axpy(place, change, force_);
    elastic_->residual(force_, before_.elastic);
    sum += weight * dot(change, before_.elastic);
  }
  return sum;
}

}  // namespace ritz
