#include "fem/analysis/beside_tangent.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {

void BesideTangent::set(std::shared_ptr<const Attached> attached, double stiffness, double mass) {
  weights_ = attached->weights(stiffness, mass);
  attached_ = std::move(attached);
}

void BesideTangent::add_product(const Vector& x, Vector& y) const {
  if (attached_ != nullptr) attached_->add(weights_, x, y);
}

void BesideTangent::find_stop_columns(Product multiply, const Supports& supports) {
  stop_columns_.clear();
  if (attached_ == nullptr) return;
  for (const Vector& stop : attached_->stops) {
    Vector column(stop.device(), stop.size(), "vectors");
    multiply(stop, column);
    supports.gather(column);
    std::vector<double> at_stops;
    for (const Vector& each : attached_->stops) at_stops.push_back(dot(each, column));
    supports.set_zero(column);
    for (std::size_t s = 0; s < at_stops.size(); ++s) axpy(at_stops[s], attached_->stops[s], column);
    stop_columns_.push_back(std::move(column));
  }
}

void BesideTangent::solve_for_motions(SolveAll all, const Supports& supports, bool is_symmetric) {
  if (!attached_->stops.empty() && !is_symmetric)
    throw Error(ErrorKind::conflicting_conditions,
                "springs or mean motions of couplings alone hold a body whose tangent is not symmetric",
                "a load that follows the surface, or a law, makes it so", "support the body at some nodes");
  const auto solve = [&](std::span<const Vector* const> b, std::span<Vector* const> x) {
    for (const SolveReport& report : all(b, x, LinearTolerance{1e-10, 1e-2}))
      if (!report.converged())
        throw Error(ErrorKind::not_converged,
                    fmt::format("the linear solver ({}) stopped for a motion of a reference point: {}", report.method,
                                name_of(report.reason)),
                    report.where, advice_for(report.reason));
  };
  bordered_.emplace(attached_, weights_, stop_columns_, supports, solve);
  solved_weights_ = weights_;
}

SolveReport BesideTangent::solve(Solve tangent, SolveAll all, const Vector& b, Vector& x, const Tolerance& tolerance,
                                 const Supports& supports, bool is_symmetric) {
  if (!std::ranges::any_of(weights_, [](double each) { return each != 0; })) return tangent(b, x, tolerance);
  if (!bordered_ || solved_weights_ != weights_) solve_for_motions(all, supports, is_symmetric);
  Vector rest;
  std::vector<double> at_stops;
  if (!attached_->stops.empty()) {
    rest = Vector(b.device(), b.size(), "vectors");
    copy(b, rest);
    at_stops = bordered_->take_stops(rest);
  }
  SolveReport report = tangent(rest.empty() ? b : rest, x, tolerance);
  bordered_->correct(at_stops, x);
  return report;
}

}  // namespace ritz
