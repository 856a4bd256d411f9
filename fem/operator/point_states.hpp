// Internal variables of forms at their quadrature points (fem/forms/point_state.hpp). They are part of the solution, as
// u is: all tasks of equations read them as they were after the last commit.
//
//   equations.states().commit(u);                              // they become what the forms make of them at u
//   PointStates::Values kept = equations.states().values();    ...    equations.states().set(kept);
#pragma once

#include "solvers/algebra/layout.hpp"

#include <utility>
#include <vector>

namespace ritz {

class PointStates {
 public:
  using Values = std::vector<std::vector<double>>;  // [integral on a group of cells][batch, point, number, lane]
  virtual ~PointStates() = default;
  void commit(const Vector& u) {
    Vector room;
    commit_of_part(layout_.with_ghosts(u, room));
  }
  virtual void commit_of_part(const Vector& u) = 0;  // with ghosts, on a part of a mesh
  virtual Values values() const = 0;
  virtual void set(const Values& values) = 0;  // of values(), of the same equations
  virtual void reset() = 0;                    // to those before the first commit

 protected:
  explicit PointStates(Layout layout) : layout_(std::move(layout)) {}
  PointStates(const PointStates&) = default;
  PointStates& operator=(const PointStates&) = default;

  Layout layout_;  // of vectors
};

}  // namespace ritz
