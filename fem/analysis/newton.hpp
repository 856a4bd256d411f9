// Newton's method with a line search for one state in balance: static analyses call it in each increment, time
// integration in each stage. Prescribed values are reached along the tangent together with the balance, so large ones
// do not tear the first row of cells. Deuflhard, Newton Methods for Nonlinear Problems, 2011, ch. 3.
//
//   Newton newton(equations, supports, system, {.relative = 1e-10}, progress);
//   newton.solve({.residual = forces_at, .prescribed = values, .place = "increment 1 of 5"}, u);
#pragma once

#include "device/function_ref.hpp"
#include "device/message_sink.hpp"
#include "fem/analysis/active_set.hpp"
#include "fem/analysis/force_norms.hpp"
#include "fem/analysis/path_constraint.hpp"
#include "fem/analysis/state.hpp"
#include "fem/analysis/tangent_system.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ritz {

struct NewtonOptions {
  double relative = 1e-8;  // of the largest force seen: loads, reactions, and what prescribed values ask for at first
  double rounding_error = 0;   // relative update below which a residual at rounding level counts as converged
  int max_steps = 50;          // per state
  double least_linear = 1e-8;  // relative tolerance of the linear systems, at most as tight as this
  bool at_rest = false;        // a body without forces counts as well: rounding in u is enough to judge its residual
  bool follows_loads = false;  // what is out of balance at the begin of a solve are loads: there may be a limit load
  bool keeps_tangent = false;  // the equations are linear, the system holds their tangent, u has its prescribed values
};

class Newton {
 public:
  struct Problem {
    FunctionRef<void(const Vector& u, Vector& r)> residual;  // it vanishes for the free unknowns
    const Vector& prescribed;                                // values of the others, times
    double part = 1;
    int increment = 1;       // for the history
    std::string place = {};  // for messages: "increment 3 of 5"
    // u at the begin of the path less what the constraints ask for there, without any part of their values, or with
    // values in time all of them; (1 - part) of it is left. Null: none.
    const Vector* excess = nullptr;
    bool values_in_time = false;  // prescribed values are not multiplied by the part: they are those of the time
    // A place to begin, if the residual is smaller there than at u. Null: none.
    const Vector* predicted = nullptr;
    // The part of the loads is an unknown, too. Null: it is `part`.
    PathConstraint* path = nullptr;
    // Steps are Newton's wherever forms have numbers: bodies that bend converge so, though the residual grows at first
    // by far, where a line search would shorten each step.
    bool full_steps = false;
    bool can_fail = false;  // another try follows: steps that lead nowhere end early
    // A tangent that is not definite is no place to go on from either, as long as another method would be dear.
    bool ends_when_indefinite = false;
    bool in_time = false;  // laws creep or relax: a body moves far under the loads that it has
  };

  // The system is that of the equations. active: its supports take the place of those given.
  Newton(const Equations& equations, const Supports& supports, std::shared_ptr<TangentSystem> system,
         const NewtonOptions& options, MessageSink progress = {}, std::shared_ptr<ActiveSet> active = nullptr);

  // From u. Throws Error: Exit::not_converged with the reason (step limit, no descent, the linear solve), its place,
  // and the history.
  void solve(const Problem& problem, Vector& u);

  // The active set has others than at the end of the last solve.
  void constraints_changed();

  // The residual at the end of the last solve: of the free unknowns, and of the prescribed ones; each is zero
  // elsewhere.
  const Vector& free_residual() const { return r_; }
  const Vector& held_residual() const { return trial_r_; }
  double free_norm() const { return free_norm_; }
  double relative_residual() const { return reference_ > 0 ? free_norm_ / reference_ : 0; }

  double reference() const { return reference_; }                   // the largest force seen
  void set_reference(double reference) { reference_ = reference; }  // seen before
  const std::vector<NewtonStep>& steps() const { return steps_; }   // of all solves
  int last_steps() const { return last_steps_; }                    // of the last solve
  bool met_indefinite() const { return met_indefinite_; }           // conjugate gradients did, in the last solve
  void set_steps(std::vector<NewtonStep> steps) { steps_ = std::move(steps); }
  void forget_steps() { steps_.clear(); }
  const SolveReport& last_solve() const { return report_; }
  const std::vector<std::string>& fallbacks() const { return fallbacks_; }  // of all linear systems, each kind once
  const std::string& remark() const { return remark_; }  // the last state that ended at the level of rounding; or empty

 private:
  void begin(const Problem& problem, Vector& u);
  void iterate(const Problem& problem, Vector& u);
  void divide_residual(int step);
  void update_constraints(const Vector& u, bool in_balance);
  bool is_solution(const Problem& problem, int step, const Vector& u);
  void find_gap(const Problem& problem, double part, const Vector& u);
  bool has_gap(const Problem& problem, const Vector& u) const;
  double rounding_level(const Vector& u);
  bool only_rounding_is_left(const Problem& problem, const Vector& u);
  void keep_fallbacks();
  bool take_step(const Problem& problem, int step, bool gap, Vector& u);  // false: u is as good as it can be
  double add_force_of(const Vector& gap, Vector& r);  // the tangent's, on the free unknowns; returns its norm
  void solve_linear_system(const Problem& problem, double relative, const Vector& b, Vector& x);
  void follow_path(const Problem& problem, double relative, Vector& u);
  void find_rate(const Problem& problem, const Vector& u);  // of the residual with the part of the loads, in trial_r_
  void search(const Problem& problem, int step, double asked, Vector& u);
  void keep_motion(int step, double asked, double length);
  double relative_flexibility() const;
  double size_of_first(const Vector& x) const;
  double linear_tolerance(int step, double residual);
  [[noreturn]] void stop_without_number(const Problem& problem) const;
  [[noreturn]] void stop(const Problem& problem, const std::string& reason, const std::string& advice) const;

  Profile& profile() const { return equations_->device().profile(); }

  std::shared_ptr<const Equations> equations_;
  std::shared_ptr<const Supports> supports_;
  std::shared_ptr<TangentSystem> system_;
  NewtonOptions options_;
  MessageSink progress_;
  std::shared_ptr<ActiveSet> active_;
  Vector r_, gap_, step_, trial_, trial_r_;
  Vector along_;  // where the part of the loads is an unknown: the change of u with it
  double reference_ = 0, free_norm_ = 0;
  ForceNorms norms_;
  double last_size_ = 0;           // of the residual in the last step, part of the largest force
  double largest_force_ = 0;       // of the first field, whatever the norms are relative to
  double first_flexibility_ = 0;   // length of the first step of all for the norm of the force; 0: none yet
  double pushed_ = 0, moved_ = 0;  // the force at the begin of the last solve, and the lengths of its steps
  std::vector<NewtonStep> steps_;
  int last_steps_ = 0;
  bool met_indefinite_ = false;
  bool in_time_ = false;     // Problem::in_time of the last solve
  std::string last_change_;  // of the active set, in the last step
  SolveReport report_;
  std::vector<std::string> fallbacks_;
  std::string remark_;
};

}  // namespace ritz
