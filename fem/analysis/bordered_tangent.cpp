#include "fem/analysis/bordered_tangent.hpp"

#include "solvers/algebra/vectors.hpp"

#include <cmath>
#include <utility>

namespace ritz {
namespace {

Vector like(const Vector& x) {
  Vector result(x.device(), x.size(), "vectors");
  result.fill_zero();
  return result;
}

}  // namespace

BorderedTangent::BorderedTangent(std::shared_ptr<const Attached> attached, std::vector<double> weights,
                                 std::span<const Vector> stop_columns, const Supports& supports, Solve solve)
    : attached_(std::move(attached)), stop_columns_(stop_columns) {
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (weights[j] != 0) add_border(j, weights[j]);
  find_answers(supports, solve);
  factorise();
}

void BorderedTangent::add_border(std::size_t motion, double weight) {
  const Vector& whole = attached_->whole[motion];
  Border border{motion, std::isinf(weight) ? 0 : 1 / weight, like(whole), like(whole), {}};
  attached_->motions.U.get_column(static_cast<int>(motion), border.row);
  borders_.push_back(std::move(border));
}

std::vector<Vector> BorderedTangent::forces_of_stops(const Supports& supports) const {
  std::vector<Vector> forces;
  for (const Vector& column : stop_columns_) {
    Vector& force = forces.emplace_back(like(column));
    axpy(-1.0, column, force);
    supports.set_zero(force);
  }
  return forces;
}

void BorderedTangent::find_answers(const Supports& supports, Solve solve) {
  const std::vector<Vector> forces = forces_of_stops(supports);
  for (const Vector& force : forces) motions_.push_back(like(force));
  std::vector<const Vector*> b;
  std::vector<Vector*> x;
  for (Border& each : borders_) b.push_back(&each.row), x.push_back(&each.answer);
  for (std::size_t s = 0; s < forces.size(); ++s) b.push_back(&forces[s]), x.push_back(&motions_[s]);
  solve(b, x);
  for (Border& each : borders_)
    for (const Vector& stop : attached_->stops) {
      each.at_stops.push_back(dot(stop, attached_->whole[each.motion]));
      axpy(each.at_stops.back(), stop, each.row);
    }
  for (std::size_t s = 0; s < motions_.size(); ++s) axpy(1.0, attached_->stops[s], motions_[s]);
}

// Rows: the motions of the columns, then the balance at the stops.
void BorderedTangent::factorise() {
  const std::size_t borders = borders_.size(), size = borders + motions_.size();
  std::vector<double> rows(size * size, 0.0);
  for (std::size_t i = 0; i < borders; ++i) {
    for (std::size_t j = 0; j < borders; ++j) rows[i * size + j] = -dot(borders_[i].row, borders_[j].answer);
    for (std::size_t k = 0; k < motions_.size(); ++k) rows[i * size + borders + k] = dot(borders_[i].row, motions_[k]);
    rows[i * size + i] -= borders_[i].compliance;
  }
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const std::size_t row = (borders + i) * size;
    for (std::size_t j = 0; j < borders; ++j)
      rows[row + j] = borders_[j].at_stops[i] - dot(stop_columns_[i], borders_[j].answer);
    for (std::size_t k = 0; k < motions_.size(); ++k) rows[row + borders + k] = dot(stop_columns_[i], motions_[k]);
  }
  factor_.emplace(std::move(rows), size, borders, 1e-13);  // what has no pivot follows from others
}

std::vector<double> BorderedTangent::take_stops(Vector& b) const {
  std::vector<double> forces;
  for (const Vector& stop : attached_->stops) {
    forces.push_back(dot(stop, b));
    axpy(-forces.back(), stop, b);
  }
  return forces;
}

std::vector<double> BorderedTangent::gap(const std::vector<double>& forces_at_stops, const std::vector<double>& sizes,
                                         const Vector& x) const {
  const std::size_t borders = borders_.size();
  std::vector<double> result;
  for (std::size_t j = 0; j < borders; ++j)
    result.push_back(borders_[j].compliance * sizes[j] - dot(borders_[j].row, x));
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    result.push_back(forces_at_stops[i] - dot(stop_columns_[i], x));
    for (std::size_t j = 0; j < borders; ++j) result.back() -= borders_[j].at_stops[i] * sizes[j];
  }
  return result;
}

// Twice: held means are then met to rounding, whatever the accuracy of the answers.
void BorderedTangent::correct(const std::vector<double>& forces_at_stops, Vector& x) const {
  const std::size_t borders = borders_.size();
  std::vector<double> sizes(borders + motions_.size(), 0.0);
  for (int round = 0; round < 2; ++round) {
    const std::vector<double> more = factor_->solve(gap(forces_at_stops, sizes, x));
    for (std::size_t j = 0; j < borders; ++j) axpy(-more[j], borders_[j].answer, x);
    for (std::size_t k = 0; k < motions_.size(); ++k) axpy(more[borders + k], motions_[k], x);
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += more[i];
  }
}

}  // namespace ritz
