#include "fem/analysis/prescribed_means.hpp"

#include "device/host_memory.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <vector>

namespace ritz {
namespace {

using Rows = std::vector<std::vector<double>>;

// `largest`: receives that of the unknowns.
std::vector<double> values_of(const std::vector<PrescribedMean>& means, StaticSolution& s, double* largest = nullptr) {
  s.bring_back();
  const std::vector<double> u = s.u.host();
  if (largest != nullptr)
    *largest = std::accumulate(u.begin(), u.end(), 0.0, [](double a, double b) { return std::max(a, std::abs(b)); });
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
Rows factor_of(const std::vector<PrescribedMean>& means, Rows compliance, double independent) {
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

}  // namespace

// Superpositions whose means are the prescribed ones, as exactly as they were solved. The solutions are those of the
// load cases, then those with the load of each mean.
class SolutionsWithMeans::Superposition {
 public:
  Superposition(StaticSolutions solutions, const std::vector<PrescribedMean>& means, double relative)
      : solutions_(std::move(solutions)), means_(means), relative_(relative) {
    cases_ = solutions_.cases.size() - means.size();
    StaticSolution without = combined(std::vector<double>(cases_, 0.0), std::vector<double>(means.size(), 0.0));
    const std::vector<double> before = values_of(means, without);
    compliance_.assign(means.size(), std::vector<double>(means.size(), 0.0));
    for (std::size_t j = 0; j < means.size(); ++j) {
      double largest = 0;
      const std::vector<double> values = values_of(means, solutions_.cases[cases_ + j], &largest);
      for (std::size_t i = 0; i < means.size(); ++i) compliance_[i][j] = values[i] - before[i];
      share_.push_back(largest > 0 ? std::abs(compliance_[j][j]) / largest : 0);
    }
    Rows with_springs = compliance_;
    for (std::size_t i = 0; i < means.size(); ++i) with_springs[i][i] += means[i].compliance;
    factor_ = factor_of(means, std::move(with_springs), 100 * relative);
  }

  StaticSolution of(const std::vector<double>& factors) {
    std::vector<double> sizes(means_.size(), 0.0);
    StaticSolution solution = combined(factors, sizes);
    double largest = 0, largest_now = 0;
    const std::vector<double> without = values_of(means_, solution, &largest);
    std::vector<double> gap = gap_of(without, sizes);
    for (int round = 0; round < most_rounds && !(round > 0 && is_closed(gap, without, sizes, largest)); ++round) {
      const std::vector<double> more = solve(factor_, gap);
      for (std::size_t j = 0; j < sizes.size(); ++j) sizes[j] += more[j];
      solution = combined(factors, sizes);
      gap = gap_of(values_of(means_, solution, &largest_now), sizes);
      largest = std::max(largest, largest_now);
    }
    if (!is_closed(gap, without, sizes, largest)) throw_dependent(means_[farthest(gap)]);
    solution.mean_loads = std::move(sizes);
    solution.report = solutions_.cases.front().report;  // how they were solved
    solution.report.true_relative_residual = solution.residual;
    return solution;
  }

 private:
  static constexpr int most_rounds =
      3;  // what the first one leaves is the error of the solutions, squared by each more

  StaticSolution combined(std::vector<double> factors, const std::vector<double>& sizes) {
    factors.insert(factors.end(), sizes.begin(), sizes.end());
    return solutions_.combination({"", std::move(factors)});
  }
  // Gaps that prescribed values and springs leave.
  std::vector<double> gap_of(const std::vector<double>& values, const std::vector<double>& sizes) const {
    std::vector<double> gap;
    for (std::size_t i = 0; i < means_.size(); ++i)
      gap.push_back(means_[i].prescribed - values[i] - means_[i].compliance * sizes[i]);
    return gap;
  }
  static std::size_t farthest(const std::vector<double>& gap) {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < gap.size(); ++i)
      if (std::abs(gap[i]) > std::abs(gap[worst])) worst = i;
    return worst;
  }
  // Relative to what is added up; a mean that is zero by symmetry has the rounding of the `largest` unknowns.
  bool is_closed(const std::vector<double>& gap, const std::vector<double>& without, const std::vector<double>& sizes,
                 double largest) const {
    constexpr double rounding = 1e-12;
    for (std::size_t i = 0; i < gap.size(); ++i) {
      double size = std::abs(means_[i].prescribed) + std::abs(without[i]) + means_[i].compliance * std::abs(sizes[i]);
      for (std::size_t j = 0; j < sizes.size(); ++j) size += std::abs(compliance_[i][j] * sizes[j]);
      if (std::abs(gap[i]) > 0.1 * relative_ * size + rounding * share_[i] * largest) return false;
    }
    return true;
  }

  StaticSolutions solutions_;
  const std::vector<PrescribedMean>& means_;
  double relative_;
  std::size_t cases_ = 0;
  Rows compliance_, factor_;
  std::vector<double> share_;  // [mean] of its own unit load, per largest unknown
};

SolutionsWithMeans::SolutionsWithMeans(const Setup& setup, const Model& model, const LinearSolverOptions& options,
                                       const Observer& observer, SystemCache* cache)
    : setup_(setup), keeps_memory_(cache != nullptr) {
  const Constraints& supports = setup.supports().common();
  LoadVectors loads{.common = &supports};
  for (std::size_t i = 0; i < model.load_cases.size(); ++i)
    loads.cases.push_back({model.load_cases[i].name, model.load_cases[i].loads, &setup.supports().of(i)});
  for (const PrescribedMean& each : model.means) loads.cases.push_back({"", {&each.load, 1}, &supports});
  loads.combinations = {{"", std::vector<double>(loads.cases.size(), 0.0)}};
  superposition_ = std::make_unique<Superposition>(
      solve_static(setup.equations(), loads, options, {.progress = observer.progress}, cache), model.means,
      options.relative);
}

SolutionsWithMeans::~SolutionsWithMeans() = default;

StaticSolution SolutionsWithMeans::of(const std::vector<double>& factors) {
  StaticSolution solution = superposition_->of(factors);
  if (!keeps_memory_) {
    setup_.equations().space().device().memory().trim();
    return_freed_host_memory();
  }
  return solution;
}

}  // namespace ritz
