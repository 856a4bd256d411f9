// Affine constraints u = T v + g as analyses see them: of one field (Constraints) or of several (FieldsConstraints).
//
//   supports.set_values(u);                              // u satisfies all of them
//   supports.gather(r);   supports.set_zero(r);          // K dv = -r
//   supports.set_linear(dv);                             // u + dv satisfies them
//
// Copies share their contents.
#pragma once

#include "device/array.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

class Supports {
 public:
  virtual ~Supports() = default;

  // u_i = part * prescribed value; then dependent unknowns follow the others and part * their offsets.
  virtual void set_values(Vector& u, double part = 1) const = 0;
  virtual void set_linear(Vector& x) const = 0;       // dependent unknowns follow the others, without offsets
  virtual void gather(Vector& r) const = 0;           // forces on dependent unknowns act on those that they follow
  virtual void gather_diagonal(Vector& d) const = 0;  // of a matrix: d becomes about that of T^T diag(d) T
  virtual void set_zero(Vector& r) const = 0;         // r_i = 0 where eliminated: prescribed or dependent
  virtual void keep_prescribed(Vector& r) const = 0;  // r_i = 0 where not eliminated
  // r_i = 0 where neither prescribed values nor equations exert a force: what they do exert, where r is a residual that
  // was not gathered.
  virtual void keep_constrained(Vector& r) const = 0;

  // Those that eliminate unknowns: all, unless means of many unknowns are prescribed, too
  // (fem/analysis/mean_supports.hpp).
  virtual const Supports& eliminating() const { return *this; }

  virtual bool has_dependent() const = 0;                          // do unknowns follow others by equations?
  virtual const std::vector<std::uint8_t>& host_mask() const = 0;  // [unknown] 1: prescribed
  virtual bool varies_in_time() const = 0;
  // Evaluates functions that vary in time. Throws Error: Exit::model where sources disagree at this time.
  virtual void set_time(double t) = 0;
  virtual std::string name_of(Index unknown) const = 0;  // for messages: "component x at node 17 (0.5, 0, 1)"
  virtual std::shared_ptr<Supports> shared() const = 0;  // a copy: whoever keeps supports keeps one
};

}  // namespace ritz
