// Static answers of a body, free or held, to forces, whatever its fields: what residual vectors and the modes of
// interfaces are made of. Private to fem/analysis.
#pragma once

#include "fem/analysis/own_model.hpp"
#include "fem/analysis/state.hpp"
#include "fem/analysis/stopped_body.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace ritz {

// Accurate, for many right-hand sides.
LinearSolverOptions options_of_answers(const LinearSolverOptions& options, const Model& model);

class StaticAnswers {
 public:
  // begin: the state about which the body vibrates, or none. is_free: supports leave rigid motions, with whose inertia
  // forces are in balance. Refers to setup, which has the inertia next to the equations. Vectors are those of an
  // OwnModel of these equations.
  StaticAnswers(const Model& model, const State& begin, const LinearSolverOptions& linear, const Setup& setup,
                bool is_free);

  Vector zeros() const { return own_->zeros(); }
  Vector mass_times(const Vector& x) const { return own_->mass_times(x); }
  Vector own(const Vector& of_all) const { return own_->own(of_all.host()); }
  Vector gathered(Vector own) const { return own_->gathered(std::move(own)); }
  Vector free_part(const Vector& f) const;  // with what dependent unknowns pass on; 0 where it is held
  Vector to(const Vector& f);               // u with K u = f

 private:
  std::optional<StoppedBody> stopped_;              // of a free body
  std::shared_ptr<const Equations> stressed_ = {};  // with the stiffness of the stress
  std::optional<OwnModel> own_;
  std::unique_ptr<TangentSystem> system_;
};

}  // namespace ritz
