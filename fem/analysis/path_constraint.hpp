// The part of the loads as an unknown of Newton's method: one more equation, that of the path. Each step is the sum of
// Newton's at fixed loads and a multiple of the solution's change with the loads:
//   K s = -r(u, p),   K t = -dr/dp,   u += s + dp t,   p += dp
// Crisfield, Comput. Struct. 13, 1981. Loads may fall along the path, so limit points are passed.
#pragma once

#include "device/array.hpp"

#include <optional>

namespace ritz {

// Increments of a given length |u - begin| = length, in a norm with weights: the cylindrical arc length.
class PathConstraint {
 public:
  // rate: dr/dp; held: dr/dp's counterpart of the constrained unknowns, their change with p; both and the weights
  // [unknown] must outlive it. part: of the loads at the begin, the unknown.
  PathConstraint(const Vector& rate, const Vector& held, const Vector& weights, double& part)
      : rate(rate), held(held), part(part), weights_(weights) {}

  const Vector& rate;
  const Vector& held;
  double& part;
  bool rate_varies = false;  // with u, as of loads that turn with the body: Newton's method finds it

  // Begins an increment. direction: the change of u in the one before; null: the first increment, which
  // raises the loads. length 0: that of the first increment is found from its change of the part.
  void begin(const Vector& u, const Vector* direction, double length, double first_part);
  double length() const { return length_; }

  // The change of p for the step s and the motion t with p, from u. nullopt: no point of the path has this distance.
  std::optional<double> change(const Vector& u, const Vector& s, const Vector& t);

 private:
  double product(const Vector& a, const Vector& b);
  double first_change(const Vector& t);

  const Vector& weights_;
  const Vector* direction_ = nullptr;
  const Vector* begin_ = nullptr;
  double length_ = 0, first_part_ = 0;
  bool is_first_ = true;  // step of the increment
  Vector change_, weighted_;
};

}  // namespace ritz
