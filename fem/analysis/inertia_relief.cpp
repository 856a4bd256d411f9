#include "fem/analysis/inertia_relief.hpp"

#include "device/communicator.hpp"
#include "fem/analysis/linear_system.hpp"
#include "fem/ranks/own_field.hpp"
#include "fem/analysis/rigid_motions.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/physics/free_body.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

constexpr const char* relief = "inertia relief";

// Free motions, orthonormal by the mass.
class RigidBody {
 public:
  // motions: of the whole model.
  RigidBody(const OwnField& field, const Operator& masses, const std::vector<std::vector<double>>& motions)
      : masses_(field.own(masses)) {
    for (const std::vector<double>& each : motions) {
      Vector r = field.own(each);
      for (int twice = 0; twice < 2; ++twice)
        for (std::size_t i = 0; i < motions_.size(); ++i) axpy(-dot(momenta_[i], r), motions_[i], r);
      Vector Mr = times(r);
      const double size = std::sqrt(dot(r, Mr));
      axpby(0.0, r, 1 / size, r);
      axpby(0.0, Mr, 1 / size, Mr);
      motions_.push_back(std::move(r));
      momenta_.push_back(std::move(Mr));
    }
  }
  // f without what accelerates the body as a rigid one; that is added to the acceleration.
  void relieve(Vector& f, Vector& acceleration) const {
    for (std::size_t i = 0; i < motions_.size(); ++i) {
      const double along = dot(motions_[i], f);
      axpy(along, motions_[i], acceleration);
      axpy(-along, momenta_[i], f);
    }
  }
  // u without rigid motions.
  void remove_from(Vector& u) const {
    for (std::size_t i = 0; i < motions_.size(); ++i) axpy(-dot(momenta_[i], u), motions_[i], u);
  }
  Vector times(const Vector& x) const {
    Vector y = masses_.zeros();
    masses_.residual(x, y);
    return y;
  }

 private:
  const Operator& masses_;
  std::vector<Vector> motions_, momenta_;  // r_i, M r_i
};

// [component] The mean of a field over the mass.
std::vector<double> mean_over_mass(const FunctionSpace& space, const OwnField& field, const RigidBody& body,
                                   const Vector& x) {
  std::vector<double> means;
  for (int d = 0; d < std::min(space.components(), space.mesh().dimension()); ++d) {
    const Vector t = field.translation(d), Mt = body.times(t);
    means.push_back(dot(Mt, x) / dot(Mt, t));
  }
  return means;
}

// The sum of each component, and of all sizes.
void add_up(const Vector& f, int components, StaticSolution& s) {
  const Communicator all(f.device());
  const std::vector<double> values = f.host();
  s.applied.assign(static_cast<std::size_t>(components), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    s.applied[i % s.applied.size()] += values[i];
    s.load_size += std::abs(values[i]);
  }
  for (double& each : s.applied) each = all.sum_of(each);
  s.load_size = all.sum_of(s.load_size);
}

}  // namespace

void check(const Model& model, const InertiaRelief&) {
  check(model, Static{});
  require_no_prescribed_means(model, relief);
  if (model.has_fields())
    throw Error(ErrorKind::inertia_relief, "inertia relief of a model of several fields", {}, "take one displacement");
  if (model.inertia.empty())
    throw Error(ErrorKind::inertia_relief, "inertia relief of a model without inertia", "its masses balance the loads",
                "give the materials a density");
  if (!model.attached.empty())
    throw Error(ErrorKind::inertia_relief, "inertia relief of a model with springs or masses at reference points",
                "their inertia is not in its masses", "let masses act at nodes");
}

namespace {

void solve_balanced(const OwnField& field, const LinearSolverOptions& linear, const Vector& f, StaticSolution& s) {
  const Constraints& stops = field.supports();
  LinearSystem system(field.equations(), linear, LinearSystem::Keeps::nothing, field.part());
  system.linearise(Vector(), stops);
  Vector b = field.zeros();
  copy(f, b);
  stops.gather(b);
  stops.set_zero(b);
  s.report = system.solve(b, s.u);
  if (!s.report.converged())
    throw Error(ErrorKind::not_converged,
                fmt::format("the linear solver ({}) stopped: {}", s.report.method, name_of(s.report.reason)),
                s.report.where, advice_for(s.report.reason));
  stops.set_linear(s.u);
}

// Forces that are out of balance: those of supports are reactions; others, and what the stops take, are the error.
void certify(const Model& model, const OwnField& field, const Vector& f, double size, StaticSolution& s) {
  const Operator& equations = field.equations();
  Vector r = field.zeros(), at_rest = field.zeros();
  equations.residual(s.u, r);
  equations.residual(field.zeros(), at_rest);
  axpy(-1.0, at_rest, r);
  axpy(-1.0, f, r);
  s.reaction = field.equations_of_all().forces_for_results(field.gathered(r));
  ModelSupports all(model);
  for (Constraints* each : all.all()) each->finish();
  const Constraints supports = field.own(all.common());
  supports.gather(r);
  supports.set_zero(r);
  s.residual = size > 0 ? norm2(r) / size : 0;
}

// Supports with stops of the motions that they leave free.
std::vector<std::vector<double>> stop(const Model& model, ModelSupports& supports) {
  std::vector<std::vector<double>> motions = stop_free_motions(model, supports);
  if (motions.empty())
    throw Error(ErrorKind::inertia_relief, "inertia relief of a body that its supports hold", "nothing accelerates it",
                "omit [inertia_relief], or supports");
  for (Constraints* each : supports.all()) each->finish();
  if (!supports.common().all_zero())
    throw Error(ErrorKind::inertia_relief, "inertia relief with prescribed displacements other than zero", {},
                "prescribe zero, or nothing");
  return motions;
}

}  // namespace

ReliefSolution solve(const Model& model, const InertiaRelief& analysis, const Observer& observer,
                     const Prepared& prepared) {
  check(model, analysis);
  ModelSupports supports(model);
  const std::vector<std::vector<double>> motions = stop(model, supports);
  const Setup setup(model, {.equations = prepared.equations, .rates = prepared.rates, .supports = &supports},
                    Setup::Held::not_needed, Setup::Rates::beside);
  const LinearSolverOptions linear = promised(analysis.linear, model);
  require_rigid(setup.equations(), motions, {});
  const OwnField field(setup.equations(), supports.common(), linear);
  const RigidBody body(field, setup.rates(), motions);
  ReliefSolution result{.state = {.u = field.zeros()}, .acceleration = {}, .motions = static_cast<int>(motions.size())};
  StaticSolution& s = result.state;
  Vector f = field.zeros(), acceleration = field.zeros();
  field.equations().residual(field.zeros(), f);
  axpby(0.0, f, -1.0, f);
  const double size = norm2(f);
  add_up(f, model.space.components(), s);
  body.relieve(f, acceleration);
  result.acceleration = mean_over_mass(model.space, field, body, acceleration);
  if (observer.progress) observer.progress("solving");
  solve_balanced(field, linear, f, s);
  body.remove_from(s.u);
  certify(model, field, f, size, s);
  s.u = field.gathered(s.u);
  if (observer.record) observer.record(s.report);
  if (observer.show) {
    SolutionView view = view_of(s, analysis.linear.relative);
    view.applied = {};  // reactions do not balance the loads
    observer.show(view);
  }
  return result;
}

// Statics, with the masses and the rigid motions.
Forecast forecast(const Model& model, const InertiaRelief& analysis, const Prepared&) {
  Forecast result = forecast_of(model, model.equations, analysis.linear, {.columns = 1, .supports = 2});
  const MemoryNeeds more = MemoryNeeds().array<double>("vectors", model.space.unknown_count(), 2 * 6 + 6);
  for (ForecastPath& path : result.paths) {
    path.peak += more;
    path.at_solve += more.total();
  }
  add_to_ranks(result, model.space, "vectors", 2 * 6 + 6);
  result.host_of_elements += OperatorNeeds(counted(model, model.inertia)).host_bytes();
  return result;
}

}  // namespace ritz
