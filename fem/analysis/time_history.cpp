#include "fem/analysis/time_history.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

using Matrix4 = std::array<std::array<double, 4>, 4>;

Matrix4 product(const Matrix4& A, const Matrix4& B) {
  Matrix4 C{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t j = 0; j < 4; ++j) C[i][j] += A[i][k] * B[k][j];
  return C;
}

// By its series after halving, and squares (Moler and Van Loan, SIAM Review 45, 2003, method 3).
Matrix4 exponential(Matrix4 A) {
  double norm = 0;
  for (const auto& row : A) {
    double sum = 0;
    for (const double each : row) sum += std::abs(each);
    norm = std::max(norm, sum);
  }
  const int halvings = std::max(0, static_cast<int>(std::ceil(std::log2(std::max(norm, 1e-300)))) + 1);
  for (auto& row : A)
    for (double& each : row) each = std::ldexp(each, -halvings);
  Matrix4 sum{}, term{};
  for (std::size_t i = 0; i < 4; ++i) sum[i][i] = term[i][i] = 1;
  for (int n = 1; n <= 16; ++n) {
    term = product(term, A);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        term[i][j] /= n;
        sum[i][j] += term[i][j];
      }
  }
  for (int n = 0; n < halvings; ++n) sum = product(sum, sum);
  return sum;
}

double viscous_force(const ModalSpace& space, const ModalDamping& damping, int column) {
  const auto k = static_cast<std::size_t>(column);
  return damping.viscous(space, column) + damping.structural * std::sqrt(space.stiffness[k] * space.mass[k]);
}

}  // namespace

double HistoryMotion::of(const ModalQuantity& quantity) const {
  const std::vector<double>& moved = quantity.is_acceleration ? acceleration : q;
  double sum = 0;
  for (std::size_t k = 0; k < moved.size(); ++k) sum += quantity.columns[k] * moved[k];
  for (std::size_t d = 0; quantity.is_acceleration && d < quantity.carried.size(); ++d)
    sum += quantity.carried[d] * carried[d];
  return sum;
}

MotionInTime::MotionInTime(const ModalSpace& space, const TimeHistory& history) : space_(space), history_(history) {
  const std::vector<double>& times = history.times;
  if (times.empty()) throw Error(ErrorKind::vibration, "a time history without times", {}, "give its begin and end");
  for (std::size_t i = 1; i < times.size(); ++i)
    if (!(times[i - 1] < times[i]))
      throw Error(ErrorKind::vibration,
                  fmt::format("the times {:g} and {:g} s of a time history do not ascend", times[i - 1], times[i]));
  for (const ForceInTime& each : history.forces) {
    if (each.amplitude.size() != times.size())
      throw Error(ErrorKind::vibration,
                  fmt::format("{} amplitudes at {} times of a time history", each.amplitude.size(), times.size()));
    forces_.push_back(forces_of(space, each.excitation));
    carried_.push_back(carried_by(space, each.excitation));
  }
  const auto columns = static_cast<std::size_t>(space.columns());
  now_.q.assign(columns, 0.0);
  now_.velocity.assign(columns, 0.0);
  set_forces();
}

// Forces and accelerations at the time.
void MotionInTime::set_forces() {
  now_.time = history_.times[place_];
  force_.assign(now_.q.size(), 0.0);
  now_.carried.assign(space_.base.size(), 0.0);
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    const double amplitude = history_.forces[i].amplitude[place_];
    for (std::size_t k = 0; k < force_.size(); ++k) force_[k] += amplitude * forces_[i][k];
    for (std::size_t d = 0; d < now_.carried.size(); ++d) now_.carried[d] += amplitude * carried_[i][d];
  }
  now_.acceleration.resize(force_.size());
  for (std::size_t k = 0; k < force_.size(); ++k)
    now_.acceleration[k] =
        (force_[k] - viscous_force(space_, history_.damping, static_cast<int>(k)) * now_.velocity[k] -
         space_.stiffness[k] * now_.q[k]) /
        space_.mass[k];
}

// With the time in parts of the step, y = (q, h v / s, h^2 f / m, h^3 f' / m) follows y' = A y; the scale s of the
// velocity makes A small where the period is short.
void MotionInTime::make_steps(double h) {
  if (std::abs(h - length_) <= 1e-12 * length_) return;
  length_ = h;
  steps_.clear();
  for (std::size_t k = 0; k < now_.q.size(); ++k) {
    const double m = space_.mass[k], stiff = h * h * space_.stiffness[k] / m, s = std::max(1.0, std::sqrt(stiff));
    Matrix4 A{};
    A[0][1] = s;
    A[1][0] = -stiff / s;
    A[1][1] = -h * viscous_force(space_, history_.damping, static_cast<int>(k)) / m;
    A[1][2] = 1 / s;
    A[2][3] = 1;
    const Matrix4 E = exponential(A);
    Step& step = steps_.emplace_back();
    for (std::size_t i = 0; i < 2; ++i) {
      const double unit = i == 0 ? 1 : s / h, force = unit * h * h / m;
      step[i] = {unit * E[i][0], unit * h / s * E[i][1], force * (E[i][2] - E[i][3]), force * E[i][3]};
    }
  }
}

void MotionInTime::advance() {
  make_steps(history_.times[place_ + 1] - history_.times[place_]);
  ++place_;
  const std::vector<double> before = force_;
  std::vector<double> q(before.size()), v(before.size());
  set_forces();
  for (std::size_t k = 0; k < before.size(); ++k) {
    const auto& [of_q, of_v] = steps_[k];
    const std::array<double, 4> state = {now_.q[k], now_.velocity[k], before[k], force_[k]};
    for (std::size_t i = 0; i < 4; ++i) {
      q[k] += of_q[i] * state[i];
      v[k] += of_v[i] * state[i];
    }
  }
  now_.q = std::move(q);
  now_.velocity = std::move(v);
  set_forces();
}

}  // namespace ritz
