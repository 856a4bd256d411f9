#include "fem/analysis/constraint_forces.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

// Conjugate gradients for min |A l + r|, A[unknown][row] from rows of terms (Bjoerck, Numerical Methods for Least
// Squares Problems, 1996, algorithm 7.4.1). Groups are small, or their rows share one unknown.
class LeastSquares {
 public:
  LeastSquares(std::vector<std::vector<std::pair<std::size_t, double>>> rows, std::vector<double> r)
      : rows_(std::move(rows)), r_(std::move(r)) {}

  std::vector<double> solve() {
    std::vector<double> l(rows_.size(), 0.0), s = gradient(), p = s;
    double gamma = dot(s, s);
    const double enough = 1e-30 * gamma;
    for (std::size_t step = 0; gamma > enough && step < 10 * rows_.size() + 10; ++step) {
      std::vector<double> q(r_.size(), 0.0);
      for (std::size_t i = 0; i < rows_.size(); ++i)
        for (const auto& [d, factor] : rows_[i]) q[d] += factor * p[i];
      const double curvature = dot(q, q);
      if (!(curvature > 0)) break;
      const double alpha = gamma / curvature;
      for (std::size_t i = 0; i < l.size(); ++i) l[i] += alpha * p[i];
      for (std::size_t d = 0; d < r_.size(); ++d) r_[d] += alpha * q[d];
      s = gradient();
      const double next = dot(s, s);
      for (std::size_t i = 0; i < p.size(); ++i) p[i] = s[i] + next / gamma * p[i];
      gamma = next;
    }
    return l;
  }

 private:
  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  std::vector<double> gradient() const {  // -A^T r
    std::vector<double> result;
    for (const auto& row : rows_) {
      double& sum = result.emplace_back(0.0);
      for (const auto& [d, factor] : row) sum -= factor * r_[d];
    }
    return result;
  }

  std::vector<std::vector<std::pair<std::size_t, double>>> rows_;  // (position in r, factor)
  std::vector<double> r_;
};

}  // namespace

std::size_t ConstraintForces::add(std::vector<ConstraintTerm> row) {
  for (const ConstraintTerm& term : row) rows_with_[term.unknown].push_back(rows_.size());
  rows_.push_back(std::move(row));
  return rows_.size() - 1;
}

ConstraintForces::Group ConstraintForces::group_of(std::size_t row, const ActingConstraints& acting) const {
  Group group{{row}, {}};
  std::map<std::size_t, bool> is_listed{{row, true}}, is_met;
  for (std::size_t k = 0; k < group.rows.size(); ++k)
    for (const ConstraintTerm& term : rows_[group.rows[k]]) {
      if (acting.dependent[term.unknown] == 0 || std::exchange(is_met[term.unknown], true)) continue;
      group.unknowns.push_back(term.unknown);
      for (const std::size_t other : rows_with_.at(term.unknown))
        if (acting.acts[other] != 0 && !std::exchange(is_listed[other], true)) group.rows.push_back(other);
    }
  return group;
}

double ConstraintForces::of(std::size_t row, const ActingConstraints& acting) const {
  const Group group = group_of(row, acting);
  std::map<std::size_t, std::size_t> position;
  std::vector<double> r;
  for (const std::size_t unknown : group.unknowns) {
    position[unknown] = r.size();
    r.push_back(acting.residual[unknown]);
  }
  std::vector<std::vector<std::pair<std::size_t, double>>> rows;
  for (const std::size_t each : group.rows) {
    auto& terms = rows.emplace_back();
    for (const ConstraintTerm& term : rows_[each])
      if (const auto found = position.find(term.unknown); found != position.end())
        terms.emplace_back(found->second, term.factor);
  }
  return LeastSquares(std::move(rows), std::move(r)).solve().front();
}

}  // namespace ritz
