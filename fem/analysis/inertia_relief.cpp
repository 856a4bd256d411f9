#include "fem/analysis/inertia_relief.hpp"

#include "device/communicator.hpp"
#include "fem/analysis/own_model.hpp"
#include "fem/analysis/rigid_motions.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/analysis/stopped_body.hpp"
#include "fem/operator/operator_needs.hpp"
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
  RigidBody(const OwnModel& own, const std::vector<std::vector<double>>& motions) {
    for (const std::vector<double>& each : motions) {
      Vector r = own.own(each);
      for (int twice = 0; twice < 2; ++twice)
        for (std::size_t i = 0; i < motions_.size(); ++i) axpy(-dot(momenta_[i], r), motions_[i], r);
      Vector Mr = own.mass_times(r);
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

 private:
  std::vector<Vector> motions_, momenta_;  // r_i, M r_i
};

// [component] The mean of a motion over the mass.
std::vector<double> mean_over_mass(const OwnModel& own, const Vector& x) {
  std::vector<double> means;
  for (const int d : own.directions()) {
    const Vector t = own.translation(d), Mt = own.mass_times(t);
    means.push_back(dot(Mt, x) / dot(Mt, t));
  }
  return means;
}

// The sum of each component of the first field, with displacements of the others, and of all sizes.
void add_up(const OwnModel& own, const Vector& f, StaticSolution& s) {
  const Communicator all(f.device());
  const std::vector<double> values = f.host();
  const Layout& layout = own.layout();
  s.applied.assign(static_cast<std::size_t>(own.spaces().front().components()), 0.0);
  for (int field = 0; field < layout.count(); ++field) {
    const Index components = own.spaces()[static_cast<std::size_t>(field)].components();
    for (Index i = 0; i < layout.size(field); ++i) {
      const double value = values[static_cast<std::size_t>(layout.first(field) + i)];
      if (const auto c = static_cast<std::size_t>(i % components); c < s.applied.size()) s.applied[c] += value;
      s.load_size += std::abs(value);
    }
  }
  for (double& each : s.applied) each = all.sum_of(each);
  s.load_size = all.sum_of(s.load_size);
}

}  // namespace

void check(const Model& model, const InertiaRelief&) {
  check(model, Static{});
  require_no_prescribed_means(model, relief);
  if (model.has_fields() && !model.structural)
    throw Error(ErrorKind::inertia_relief, "inertia relief of a model of several fields on one mesh",
                "its rigid motions are not known", "take one displacement");
  if (model.inertia.empty())
    throw Error(ErrorKind::inertia_relief, "inertia relief of a model without inertia", "its masses balance the loads",
                "give the materials a density");
  if (!model.attached.empty())
    throw Error(ErrorKind::inertia_relief, "inertia relief of a model with springs or masses at reference points",
                "their inertia is not in its masses", "let masses act at nodes");
}

namespace {

void solve_balanced(const OwnModel& own, const LinearSolverOptions& linear, const Vector& f, StaticSolution& s) {
  const Supports& stops = own.supports();
  const std::unique_ptr<TangentSystem> system = own.tangent(Vector(), linear, OwnModel::Serves::once);
  Vector b = own.zeros();
  copy(f, b);
  stops.gather(b);
  stops.set_zero(b);
  s.report = system->solve(b, s.u);
  if (!s.report.converged())
    throw Error(ErrorKind::not_converged,
                fmt::format("the linear solver ({}) stopped: {}", s.report.method, name_of(s.report.reason)),
                s.report.where, advice_for(s.report.reason));
  stops.set_linear(s.u);
}

// Forces that are out of balance: those of supports are reactions; others, and what the stops take, are the error.
void certify(const Setup& without_stops, const OwnModel& own, const LinearSolverOptions& linear, const Vector& f,
             double size, StaticSolution& s) {
  const Equations& equations = own.equations();
  Vector r = own.zeros(), at_rest = own.zeros();
  equations.residual(s.u, r);
  equations.residual(own.zeros(), at_rest);
  axpy(-1.0, at_rest, r);
  axpy(-1.0, f, r);
  Vector forces = own.zeros();
  copy(r, forces);
  s.reaction = without_stops.any_equations().forces_for_results(own.gathered(std::move(forces)));
  const std::unique_ptr<PartOfModel> part =
      part_of(without_stops.any_equations(), without_stops.any_supports(), linear);
  const Supports& supports = part ? part->supports() : without_stops.any_supports();
  supports.gather(r);
  supports.set_zero(r);
  s.residual = size > 0 ? norm2(r) / size : 0;
}

// Throws where nothing is free, and for values other than zero.
void require_free(const StoppedBody& body) {
  if (body.motions().empty())
    throw Error(ErrorKind::inertia_relief, "inertia relief of a body that its supports hold", "nothing accelerates it",
                "omit [inertia_relief], or supports");
  if (!body.all_zero())
    throw Error(ErrorKind::inertia_relief, "inertia relief with prescribed displacements other than zero", {},
                "prescribe zero, or nothing");
}

}  // namespace

ReliefSolution solve(const Model& model, const InertiaRelief& analysis, const Observer& observer,
                     const Prepared& prepared) {
  check(model, analysis);
  const StoppedBody body(model);
  require_free(body);
  const Setup setup(model, prepared, Setup::Held::not_needed, Setup::Rates::beside);
  const LinearSolverOptions linear = promised(analysis.linear, model);
  require_rigid(setup.any_equations(), body.motions(), {});
  const OwnModel own(model, {setup.any_equations(), setup.any_rates(), body.supports()}, linear);
  const RigidBody rigid(own, body.motions());
  ReliefSolution result{
      .state = {.u = own.zeros()}, .acceleration = {}, .motions = static_cast<int>(body.motions().size())};
  StaticSolution& s = result.state;
  Vector f = own.zeros(), acceleration = own.zeros();
  own.equations().residual(own.zeros(), f);
  axpby(0.0, f, -1.0, f);
  const double size = norm2(f);
  add_up(own, f, s);
  rigid.relieve(f, acceleration);
  result.acceleration = mean_over_mass(own, acceleration);
  if (observer.progress) observer.progress("solving");
  solve_balanced(own, linear, f, s);
  rigid.remove_from(s.u);
  certify(setup, own, linear, f, size, s);
  s.u = own.gathered(std::move(s.u));
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
