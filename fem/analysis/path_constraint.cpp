#include "fem/analysis/path_constraint.hpp"

#include "solvers/algebra/vectors.hpp"

#include <cmath>

namespace ritz {

double PathConstraint::product(const Vector& a, const Vector& b) {
  multiply(weights_, a, weighted_);
  return dot(weighted_, b);
}

void PathConstraint::begin(const Vector& u, const Vector* direction, double length, double first_part) {
  if (change_.empty()) {
    change_ = Vector(u.device(), u.size(), "vectors");
    weighted_ = Vector(u.device(), u.size(), "vectors");
  }
  begin_ = &u;
  direction_ = direction;
  length_ = length;
  first_part_ = first_part;
  is_first_ = true;
}

// The path keeps its direction: that of the increment before (Feng, Peric and Owen, Comput. Struct. 1996), which turns
// neither at limit points nor where the tangent has more than one negative eigenvalue.
double PathConstraint::first_change(const Vector& t) {
  const double size = std::sqrt(product(t, t));
  if (length_ == 0) length_ = first_part_ * size;
  const double forward = direction_ == nullptr ? 1 : product(*direction_, t);
  return std::copysign(length_ / size, forward);
}

// |c + dp t| = length with c = u - begin + s: of two roots the one that continues the path (Crisfield).
std::optional<double> PathConstraint::change(const Vector& u, const Vector& s, const Vector& t) {
  if (is_first_) {
    is_first_ = false;
    return first_change(t);
  }
  copy(u, change_);
  axpy(-1.0, *begin_, change_);
  const double so_far_t = product(change_, t);
  axpy(1.0, s, change_);
  const double a = product(t, t), b = product(change_, t), c = product(change_, change_) - length_ * length_;
  const double root = b * b - a * c;
  if (!(root >= 0) || !(a > 0)) return {};
  const double farther = -(b + std::copysign(std::sqrt(root), b)) / a;  // no cancellation
  const double nearer = farther != 0 ? c / (a * farther) : 0;
  // (u - begin) . (c + dp t) is largest
  return so_far_t * farther >= so_far_t * nearer ? farther : nearer;
}

}  // namespace ritz
