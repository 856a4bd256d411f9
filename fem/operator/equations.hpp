// Equations r(u) = 0 as analyses see them: of one field (Operator) or of several (FieldsOperator). A vector holds the
// unknowns of one field after the other; over ranks those that this rank owns. Copies share their contents: whoever
// keeps equations keeps a copy, shared().
//
//   equations.residual(u, r);   equations.action(u, x, y);            // y = d(residual)/du at u times x
//   if (!equations.facts().linear) equations.inputs().set_time({.t = 1});
#pragma once

#include "fem/forms/time.hpp"
#include "fem/operator/point_states.hpp"
#include "solvers/algebra/layout.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

class Operator;  // fem/operator/operator.hpp

// Properties of equations at all u and at all times.
struct EquationFacts {
  bool symmetric = true;               // every form promises a symmetric matrix
  bool linear = true;                  // no form's tangent depends on u
  bool varies_in_time = false;         // a form, a coefficient or a load does
  bool matrix_varies_in_time = false;  // one of a form that has a matrix
  bool has_states = false;             // internal variables: Equations::states()
};

EquationFacts together(const EquationFacts& some, const EquationFacts& others);

struct IntegralsOfFields;  // fem/operator/mixed_integral.hpp

// Data of equations that change between evaluations. Lists, buffers and point states stay.
class EquationInputs {
 public:
  virtual ~EquationInputs() = default;
  // Loads, coefficients and forms are evaluated at this time; t = dt = 0 before the first call.
  virtual void set_time(const Time& time) = 0;
  // Integral::factor of those that are rates, for all tasks from now on.
  virtual void set_factor_of_rates(double factor) = 0;
  // Likewise of loads that turn with the body: the part of them that acts.
  virtual void set_part_of_loads(double part) = 0;
  // Other numbers and factors in the same forms at the same places. False, and nothing happens, where forms or places
  // differ.
  virtual bool set_numbers(const IntegralsOfFields& integrals) = 0;
};

class Equations {
 public:
  virtual ~Equations() = default;
  const Device& device() const { return device_; }
  const Layout& layout() const { return layout_; }
  const Time& time() const { return *time_; }
  // The forms of this field alone, with their states; null: there are none. Of one field: the equations.
  virtual const Operator* of_field(int field) const = 0;
  Vector zeros(const char* tag = "vectors") const;
  virtual EquationFacts facts() const = 0;
  virtual std::shared_ptr<Equations> shared() const = 0;  // a copy

  void residual(const Vector& u, Vector& r) const;                 // r = residual(u)
  void action(const Vector& u, const Vector& x, Vector& y) const;  // an empty u is zero
  virtual Vector diagonal(const Vector& u) const = 0;              // of the tangent

  virtual EquationInputs& inputs() = 0;
  virtual PointStates& states() const = 0;
  // Loads: the forms without a matrix and without results. Elastic: forces of the body without internal variables, all
  // other forms. Rates are in neither.
  enum class Forces { loads, elastic };
  virtual std::unique_ptr<Equations> forces(Forces which) const = 0;

  virtual std::string name_of(Index unknown) const = 0;  // for messages: "node 17 (0.5, 0, 1)"
  // How results have forces: at the nodes of the mesh (FunctionSpace::forces_to_mesh); of several fields as they are,
  // [unknown].
  virtual std::vector<double> forces_for_results(const Vector& f) const = 0;

 protected:
  // The same on a part of a mesh, of vectors with ghosts: their rows are not complete.
  virtual void residual_of_part(const Vector& u, Vector& r) const = 0;
  virtual void action_of_part(const Vector& u, const Vector& x, Vector& y) const = 0;

  Equations(const Equations&) = default;
  Equations& operator=(const Equations&) = default;
  Equations(const Device& device, Layout layout) : device_(device), layout_(std::move(layout)) {}

  Device device_;
  Layout layout_;
  std::shared_ptr<Time> time_ = std::make_shared<Time>();
};

}  // namespace ritz
