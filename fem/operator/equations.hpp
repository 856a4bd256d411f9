// Equations r(u) = 0 as analyses see them: of one field (Operator) or of several (MixedOperator). A vector holds the
// unknowns of one field after the other; over ranks those that this rank owns.
//
//   equations.residual(u, r);   equations.action(u, x, y);            // y = d(residual)/du at u times x
#pragma once

#include "fem/forms/time.hpp"
#include "solvers/algebra/layout.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

class Equations {
 public:
  virtual ~Equations() = default;

  virtual const Device& device() const = 0;
  virtual const Layout& layout() const = 0;
  virtual bool symmetric() const = 0;  // every form promises a symmetric matrix
  virtual bool linear() const = 0;     // no form's tangent depends on u
  Vector zeros(const char* tag = "vectors") const;

  virtual void residual(const Vector& u, Vector& r) const = 0;                 // r = residual(u)
  virtual void action(const Vector& u, const Vector& x, Vector& y) const = 0;  // an empty u is zero
  virtual Vector diagonal(const Vector& u) const = 0;                          // of the tangent

  // Sets the time at which loads, coefficients and forms are evaluated; t = dt = 0 before the first call.
  virtual void set_time(const Time& time) = 0;
  virtual const Time& time() const = 0;
  virtual bool matrix_varies_in_time() const = 0;
  // Integral::factor of those that are rates, for all tasks from now on.
  virtual void set_factor_of_rates(double factor) = 0;
  // Likewise of loads that turn with the body: the part of them that acts.
  virtual void set_part_of_loads(double part) = 0;
  virtual std::unique_ptr<Equations> loads() const = 0;  // the forms without a matrix and without results, no rates

  // Internal variables of forms at their quadrature points (fem/forms/point_state.hpp). They are part of the solution,
  // as u is: all tasks read them as they were after the last commit.
  using PointStates = std::vector<std::vector<double>>;  // [integral on a group of cells][batch, point, number, lane]
  virtual bool has_state() const = 0;
  virtual void commit(const Vector& u) const = 0;  // it becomes what the forms make of it at u
  virtual PointStates state() const = 0;
  virtual void set_state(const PointStates& values) const = 0;  // of state(), of the same equations
  virtual void reset_state() const = 0;                         // as it was before the first commit

  virtual std::string name_of(Index unknown) const = 0;  // for messages: "node 17 (0.5, 0, 1)"
  // How results have forces: at the nodes of the mesh (FunctionSpace::forces_to_mesh); of several fields as they are,
  // [unknown].
  virtual std::vector<double> forces_for_results(const Vector& f) const = 0;
};

}  // namespace ritz
