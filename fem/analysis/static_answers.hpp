// Static answers of a body, free or held, to forces: what residual vectors and the modes of interfaces are made of.
// Private to fem/analysis.
#pragma once

#include "fem/analysis/answers_to_forces.hpp"
#include "fem/analysis/attached.hpp"
#include "fem/analysis/linear_system.hpp"
#include "fem/ranks/own_field.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/analysis/state.hpp"
#include "fem/physics/model.hpp"

#include <memory>
#include <optional>

namespace ritz {

// Accurate, for many right-hand sides.
LinearSolverOptions options_of_answers(const LinearSolverOptions& options, const Model& model);

class StaticAnswers final : public AnswersToForces {
 public:
  // begin: the state about which the body vibrates, or none. is_free: supports leave rigid motions, with whose inertia
  // forces are in balance. Refers to setup, which has the inertia next to the equations. Vectors are those of an
  // OwnField of these equations.
  StaticAnswers(const Model& model, const State& begin, const LinearSolverOptions& linear, const Setup& setup,
                bool is_free);

  Vector zeros() const override { return field_->zeros(); }
  const Vector& mass_times(const Vector& x) override;

 private:
  const Constraints& supports() const override { return field_->supports(); }
  SolveReport solve(const Vector& b, Vector& x) override { return system_->solve(b, x); }

  const Setup& setup_;
  std::optional<ModelSupports> stopped_;  // of a free body
  std::optional<Operator> stressed_;
  std::optional<OwnField> field_;
  std::shared_ptr<const Attached> attached_;
  std::optional<LinearSystem> system_;
  Vector moved_;
};

}  // namespace ritz
