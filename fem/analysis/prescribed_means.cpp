#include "fem/analysis/prescribed_means.hpp"

#include "device/host_memory.hpp"

#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace ritz {
namespace {

using Rows = std::vector<std::vector<double>>;

std::vector<double> values_of(std::span<const PrescribedMean> means, StaticSolution& s) {
  s.bring_back();
  const std::vector<double> u = s.u.host();
  std::vector<double> values;
  for (const PrescribedMean& each : means) values.push_back(each.value(u));
  return values;
}

[[noreturn]] void throw_dependent(const PrescribedMean& mean) {
  throw Error(Exit::model, fmt::format("the mean motion is prescribed twice{}", at_origin(mean.origin)),
              "supports or other prescribed motions determine it: no force moves the surface there",
              "omit this value, or the support on the same surface");
}

// Cholesky's factor of compliances [mean][load], which are symmetric and positive. `independent`: the least part of a
// compliance that other loads leave, by the accuracy of the solutions.
Rows factor_of(std::span<const PrescribedMean> means, Rows compliance, double independent) {
  for (std::size_t j = 0; j < means.size(); ++j) {
    const double whole = compliance[j][j];
    for (std::size_t k = 0; k < j; ++k) compliance[j][j] -= compliance[j][k] * compliance[j][k];
    if (!(whole > 0 && compliance[j][j] > independent * whole)) throw_dependent(means[j]);
    compliance[j][j] = std::sqrt(compliance[j][j]);
    for (std::size_t i = j + 1; i < means.size(); ++i) {
      for (std::size_t k = 0; k < j; ++k) compliance[i][j] -= compliance[i][k] * compliance[j][k];
      compliance[i][j] /= compliance[j][j];
    }
  }
  return compliance;
}

// Sizes of the loads that close a gap.
std::vector<double> solve(const Rows& factor, std::vector<double> gap) {
  const std::size_t count = gap.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < i; ++k) gap[i] -= factor[i][k] * gap[k];
    gap[i] /= factor[i][i];
  }
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t k = i + 1; k < count; ++k) gap[i] -= factor[k][i] * gap[k];
    gap[i] /= factor[i][i];
  }
  return gap;
}

// A superposition of solutions whose means are the prescribed ones, as exactly as they were solved.
class Superposition {
 public:
  Superposition(StaticSolutions& solutions, std::span<const PrescribedMean> means, double relative)
      : solutions_(&solutions), means_(means), relative_(relative), sizes_(means.size(), 0.0) {
    solution_ = solutions.combination({"", sizes_});
    without_ = values_of(means, solution_);
    compliance_.assign(means.size(), sizes_);
    for (std::size_t j = 0; j < means.size(); ++j) {
      const std::vector<double> values = values_of(means, solutions.cases[j]);
      for (std::size_t i = 0; i < means.size(); ++i) compliance_[i][j] = values[i] - without_[i];
    }
  }

  StaticSolution solve_for_sizes() {
    const Rows factor = factor_of(means_, compliance_, 100 * relative_);
    std::vector<double> gap = gap_of(without_);
    for (int round = 0; round < most_rounds && !(round > 0 && is_closed(gap)); ++round) {
      const std::vector<double> more = solve(factor, gap);
      for (std::size_t j = 0; j < sizes_.size(); ++j) sizes_[j] += more[j];
      solution_ = solutions_->combination({"", sizes_});
      gap = gap_of(values_of(means_, solution_));
    }
    if (!is_closed(gap)) throw_dependent(means_[farthest(gap)]);
    solution_.mean_loads = sizes_;
    return std::move(solution_);
  }

 private:
  static constexpr int most_rounds =
      3;  // what the first one leaves is the error of the solutions, squared by each more

  std::vector<double> gap_of(const std::vector<double>& values) const {
    std::vector<double> gap;
    for (std::size_t i = 0; i < means_.size(); ++i) gap.push_back(means_[i].prescribed - values[i]);
    return gap;
  }
  static std::size_t farthest(const std::vector<double>& gap) {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < gap.size(); ++i)
      if (std::abs(gap[i]) > std::abs(gap[worst])) worst = i;
    return worst;
  }
  // Relative to what is added up.
  bool is_closed(const std::vector<double>& gap) const {
    for (std::size_t i = 0; i < gap.size(); ++i) {
      double size = std::abs(means_[i].prescribed) + std::abs(without_[i]);
      for (std::size_t j = 0; j < sizes_.size(); ++j) size += std::abs(compliance_[i][j] * sizes_[j]);
      if (std::abs(gap[i]) > 0.1 * relative_ * size) return false;
    }
    return true;
  }

  StaticSolutions* solutions_;
  std::span<const PrescribedMean> means_;
  double relative_;
  std::vector<double> sizes_, without_;
  Rows compliance_;
  StaticSolution solution_;
};

}  // namespace

StaticSolution solve_with_means(const Setup& setup, std::span<const PrescribedMean> means,
                                const LinearSolverOptions& options, const Observer& observer, SystemCache* cache) {
  const Constraints& supports = setup.supports().common();
  const std::vector<double> none(means.size(), 0.0);
  LoadVectors loads{.combinations = {{"", none}}, .common = &supports};
  for (const PrescribedMean& each : means) loads.cases.push_back({"", {&each.load, 1}, &supports});
  StaticSolutions solutions = solve_static(setup.equations(), loads, options, {.progress = observer.progress}, cache);

  StaticSolution s = Superposition(solutions, means, options.relative).solve_for_sizes();
  s.report = solutions.cases.front().report;  // how they were solved
  s.report.true_relative_residual = s.residual;
  if (cache == nullptr) {
    setup.equations().space().device().memory().trim();
    return_freed_host_memory();
  }
  return s;
}

}  // namespace ritz
