// A body in balance under a part of its loads, and the way to another part by Newton's method. The loads are what is
// out of balance at the begin; internal variables are those of the last commit. Private to fem/analysis.
//
//   Balance balance(equations, supports, options, progress);
//   balance.go_to(0.5, {.place = "increment 1 of 2"});   balance.commit();
#pragma once

#include "device/message_sink.hpp"
#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/analysis/path_energies.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

class Balance {
 public:
  // How an increment is tried.
  struct Try {
    std::string place;  // for messages
    int increment = 1;
    Time time = {};                                                           // at its end
    bool full_steps = false, can_fail = false, ends_when_indefinite = false;  // of Newton::Problem
    const Vector* predicted = nullptr;
  };

  // Throws Error: Exit::model when the residual is not finite at the begin.
  Balance(const Equations& equations, const Supports& supports, std::shared_ptr<const Nonlinear> options,
          const MessageSink& progress);

  // A state from which an increment begins.
  void release_solvers(const std::string& stage = {}) { system_->begin(stage); }
  void remember();
  void go_back();  // to what was remembered

  // Throw what Newton::solve throws.
  void go_to(double part, const Try& attempt);
  void go_along(PathConstraint& path, const Try& attempt);
  void commit();
  // Internal variables as they are, and as a commit would leave them.
  PointStates::Values points() const { return equations_->states().values(); }
  PointStates::Values points_after() const;

  const Vector& u() const { return u_; }
  const Vector& before() const { return begin_; }  // as remembered
  double part() const { return part_; }
  double part_before() const { return part_before_; }
  const Newton& newton() const { return *newton_; }
  const EnergyBalance* energies() const { return energies_ ? &energies_->balance() : nullptr; }
  const std::string& turned() const { return turned_; }
  const Equations& equations() const { return *equations_; }

  // With the part of the loads as an unknown, which it refers to.
  PathConstraint path_constraint();

  std::vector<double> residual_of_equations() const;  // of all unknowns, under the part of the loads
  std::vector<double> reaction(const std::vector<double>& residual) const;
  std::vector<double> mean_loads(const std::vector<double>& residual) const;  // [prescribed mean]

  void resume(const State& state);
  void save(State& state) const;
  Vector take_u() { return std::move(u_); }

 private:
  void begin_at(const State& from);
  LinearSolverOptions linear_options() const;
  void find_weights();
  Vector rate_of_loads();  // of the residual, with their part
  void leave_to_supports(const std::vector<double>& residual_before);
  void enter(const Time& time);
  void whole_residual(const Vector& u, Vector& r) const;
  void residual(const Vector& u, Vector& r) const;
  void solve(const Try& attempt, PathConstraint* path);
  PathEnergies::Place place_of_energies();
  const Supports& supports() const { return options_->active != nullptr ? options_->active->supports() : *supports_; }
  bool values_in_time() const { return options_->time.is_given() && supports().varies_in_time(); }
  Profile& profile() const { return equations_->device().profile(); }

  const std::shared_ptr<const Equations> equations_;
  const std::shared_ptr<const Supports> supports_;
  const std::shared_ptr<const Nonlinear> options_;
  Vector u_, prescribed_, start_;
  Vector begin_;           // u as remembered
  Vector excess_;          // of the state at the begin of the path beyond its constraints there; empty: none
  Vector held_, weights_;  // of path_constraint()
  double part_ = 0, part_before_ = 0, reference_before_ = 0;
  Time time_;
  std::optional<double> entered_;  // part for which the equations are set
  std::vector<std::uint8_t> closed_before_;
  std::shared_ptr<TangentSystem> system_;
  std::optional<Newton> newton_;
  std::optional<PathEnergies> energies_;
  Vector unbalanced_;  // of these
  std::string turned_;
};

}  // namespace ritz
