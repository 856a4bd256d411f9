#include "fem/analysis/support_motion.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/smoothers/jacobi.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

// T^T D T of a diagonal D.
class DiagonalOfFollowed final : public LinearOperator {
 public:
  DiagonalOfFollowed(const Supports& supports, const Vector& diagonal, Vector zeros)
      : supports_(supports), diagonal_(diagonal), moved_(std::move(zeros)) {}
  const Device& device() const override { return diagonal_.device(); }
  Index rows() const override { return diagonal_.size(); }
  void apply(const Vector& x, Vector& y) const override {
    copy(x, moved_);
    supports_.set_zero(moved_);
    supports_.set_linear(moved_);
    multiply(moved_, diagonal_, y);
    supports_.gather(y);
    supports_.set_zero(y);
  }

 private:
  const Supports& supports_;
  const Vector& diagonal_;
  mutable Vector moved_;
};

}  // namespace

SupportMotion::SupportMotion(const Supports& supports, const Vector& zeros, double end)
    : supports_(supports.shared()), end_(end) {
  for (Vector* each : {&u_, &v_, &a_, &offset_, &work_}) {
    *each = Vector(zeros.device(), zeros.size(), "vectors");
    each->fill_zero();
  }
}

Vector SupportMotion::zeros() const {
  Vector x(u_.device(), u_.size(), "vectors");
  x.fill_zero();
  return x;
}

void SupportMotion::start(double t, double h) {
  supports_->set_values(u_);
  find_rates(t, h, true);
  find_offset();
}

void SupportMotion::move(double t, double h) {
  supports_->set_values(u_);
  find_rates(t, h, false);
}

void SupportMotion::resume() {
  supports_->set_values(u_);
  find_offset();
}

void SupportMotion::find_rates(double t, double h, bool is_begin) {
  if (!supports_->varies_in_time()) return;
  fill(0.0, v_);
  fill(0.0, a_);
  const bool is_end = t + h > end_;
  if (is_begin) h = std::min(h, (end_ - t) / 3);
  else if (is_end) h /= 3;  // back to the begin of the step
  const auto add = [&](double when, double to_v, double to_a) {
    supports_->set_time(std::min(when, end_));
    fill(0.0, work_);
    supports_->set_values(work_);
    supports_->keep_prescribed(work_);
    axpy(to_v / h, work_, v_);
    axpy(to_a / (h * h), work_, a_);
  };
  if (is_begin || is_end) {
    const double forwards = is_begin ? 1 : -1;
    add(t + forwards * h, forwards * 2, -5);
    add(t + forwards * 2 * h, forwards * -0.5, 4);
    add(t + forwards * 3 * h, 0, -1);
    add(t, forwards * -1.5, 2);
  } else {
    add(t - h, -0.5, 1);
    add(t + h, 0.5, 1);
    add(t, 0, -2);
  }
}

void SupportMotion::put_rates(const Vector& prescribed, Vector& x) const {
  supports_->set_zero(x);
  axpy(1.0, prescribed, x);
  supports_->set_linear(x);
}

void SupportMotion::find_offset() {
  copy(u_, work_);
  supports_->set_linear(work_);
  copy(u_, offset_);
  axpy(-1.0, work_, offset_);
}

void SupportMotion::fit(const Vector& masses, Vector& u) const {
  if (satisfies_equations(*supports_, offset_, u, work_)) return;
  std::vector<double> weight = masses.host();
  const double largest = max_abs(masses);
  for (double& each : weight) each = std::max(each, 1e-6 * largest);
  Vector weights = zeros(), rest = zeros();
  weights.upload(weight);
  multiply(work_, weights, rest);
  supports_->gather(rest);
  supports_->set_zero(rest);
  axpby(0.0, rest, -1.0, rest);
  fill(0.0, work_);
  Vector diagonal = zeros();
  copy(weights, diagonal);
  supports_->gather_diagonal(diagonal);
  const JacobiPreconditioner jacobi(std::move(diagonal));
  const SolveReport report = ConjugateGradient{.relative = 1e-13}.solve(
      DiagonalOfFollowed(*supports_, weights, zeros()), rest, work_, &jacobi);
  if (!(report.true_relative_residual <= 1e-8))
    throw Error(
        ErrorKind::not_converged,
        fmt::format("no motion at the begin was found that satisfies the equations: {}", name_of(report.reason)), {},
        "give [initial] equilibrium = true, or let the values of the equations begin at zero");
  axpy(1.0, work_, u);
}

bool satisfies_equations(const Supports& supports, const Vector& offset, const Vector& u, Vector& work) {
  if (!supports.has_dependent() || norm2(offset) == 0) return true;
  copy(u, work);
  supports.set_values(work);
  axpy(-1.0, u, work);
  return norm2(work) <= 1e-12 * norm2(u);
}

}  // namespace ritz
