#include "fem/analysis/prescribed_means.hpp"

#include "device/host_memory.hpp"
#include "fem/analysis/rigid_motions.hpp"
#include "solvers/algebra/dense_pivoted.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace ritz {
namespace {

using Rows = std::vector<std::vector<double>>;

// layout: of the fields of the model.
double value_of(const PrescribedMean& mean, std::span<const double> u, const Layout& layout) {
  const int field = mean.load.field;
  return value_of(mean.terms, u.subspan(static_cast<std::size_t>(layout.first(field))), layout.width(field));
}

std::vector<double> values_of(const std::vector<PrescribedMean>& means, std::span<const double> u,
                              const Layout& layout) {
  std::vector<double> values;
  for (const PrescribedMean& each : means) values.push_back(value_of(each, u, layout));
  return values;
}

// Sums of the sizes of their terms: what the means are computed from.
std::vector<double> sizes_of(const std::vector<PrescribedMean>& means, std::vector<double> u, const Layout& layout) {
  for (double& each : u) each = std::abs(each);
  std::vector<double> sizes;
  for (PrescribedMean each : means) {
    for (UnknownTerm& term : each.terms) term.factor = std::abs(term.factor);
    sizes.push_back(value_of(each, u, layout));
  }
  return sizes;
}

std::vector<double> values_of(const std::vector<PrescribedMean>& means, StaticSolution& s, const Layout& layout) {
  s.bring_back();
  return values_of(means, s.u.host(), layout);
}

[[noreturn]] void throw_dependent(const PrescribedMean& mean) {
  throw Error(ErrorKind::conflicting_conditions, "the mean motion is prescribed twice",
              "supports or other prescribed motions determine it: no force moves the surface there",
              "omit this value, or the support on the same surface")
      .at(mean.origin);
}

// Symmetric equations for the sizes of loads and for rigid motions that the means alone hold:
//
//   | compliances  means of motions |  | sizes   |   | gaps                      |
//   | their transpose            0  |  | motions | = | - work of what else acts  |
//
// compliance [mean][load], of_motions [motion][mean]. `independent`: the least pivot, by the accuracy of the solutions.
PivotedFactor balance_of(const std::vector<PrescribedMean>& means, const Rows& compliance, const Rows& of_motions,
                         double independent) {
  const std::size_t loads = means.size(), size = loads + of_motions.size();
  std::vector<double> rows(size * size, 0.0);
  for (std::size_t i = 0; i < loads; ++i) {
    if (!(compliance[i][i] > 0)) throw_dependent(means[i]);
    for (std::size_t j = 0; j < loads; ++j) rows[i * size + j] = 0.5 * (compliance[i][j] + compliance[j][i]);
  }
  for (std::size_t k = 0; k < of_motions.size(); ++k)
    for (std::size_t i = 0; i < loads; ++i)
      rows[i * size + loads + k] = rows[(loads + k) * size + i] = of_motions[k][i];
  PivotedFactor factor(std::move(rows), size, loads, independent);
  if (!factor.dependent().empty()) throw_dependent(means[std::min(factor.dependent().front(), loads - 1)]);
  return factor;
}

}  // namespace

// Superpositions whose means are the prescribed ones, as exactly as they were solved. The solutions are those of the
// load cases, then those of the load of each mean alone. Where means alone hold rigid motions, these are added in sizes
// such that no force acts on what stops them meanwhile.
class SolutionsWithMeans::Superposition {
 public:
  Superposition(StaticSolutions solutions, const Setup& setup, const Model& model, double relative)
      : solutions_(std::move(solutions)), means_(model.means), layout_(layout_of(model.spaces())), relative_(relative) {
    cases_ = solutions_.cases.size() - means_.size();
    find_motions(setup, model);
    compliance_.assign(means_.size(), std::vector<double>(means_.size(), 0.0));
    for (std::size_t j = 0; j < means_.size(); ++j) {
      const std::vector<double> values = values_of(means_, solutions_.cases[cases_ + j], layout_);
      for (std::size_t i = 0; i < means_.size(); ++i) compliance_[i][j] = values[i];
      sizes_.push_back(sizes_of(means_, solutions_.cases[cases_ + j].u.host(), layout_));
    }
    Rows with_springs = compliance_;
    for (std::size_t i = 0; i < means_.size(); ++i) with_springs[i][i] += means_[i].compliance;
    for (const Vector& motion : motions_) sizes_.push_back(sizes_of(means_, motion.host(), layout_));
    balance_.emplace(balance_of(means_, with_springs, means_of_motions_, 100 * relative));
  }

  StaticSolution of(const std::vector<double>& factors) {
    std::vector<double> sizes(unknowns(), 0.0);  // of the loads, then of the rigid motions
    StaticSolution solution = combined(factors, sizes);
    const std::vector<double> without = sizes_of(means_, solution.u.host(), layout_), work = work_of(factors);
    std::vector<double> gap = gap_of(values_of(means_, solution, layout_), work, sizes);
    for (int round = 0; round < most_rounds && !(round > 0 && is_closed(gap, without, work, sizes, 1e-15)); ++round) {
      const std::vector<double> more = balance_->solve(gap);
      for (std::size_t j = 0; j < sizes.size(); ++j) sizes[j] += more[j];
      solution = combined(factors, sizes);
      gap = gap_of(values_of(means_, solution, layout_), work, sizes);
    }
    if (!is_closed(gap, without, work, sizes, 1e-12)) throw_dependent(means_[farthest(gap)]);
    solution.mean_loads.assign(sizes.begin(), sizes.begin() + std::ssize(means_));
    solution.report = solutions_.cases.front().report;  // how they were solved
    solution.report.true_relative_residual = solution.residual;
    return solution;
  }

 private:
  // what the first one leaves is the error of the solutions, squared by each more
  static constexpr int most_rounds = 3;

  std::size_t unknowns() const { return means_.size() + motions_.size(); }

  // Rigid motions, their means, and the work on them of loads outside of load cases and in each.
  void find_motions(const Setup& setup, const Model& model) {
    if (model.has_fields()) return;  // their bodies are held without means
    const FunctionSpace& space = model.space;
    const auto work_on_motions = [&](const Operator& equations) {
      Vector r = space.zeros();
      equations.residual(space.zeros(), r);
      std::vector<double> work;
      for (const Vector& motion : motions_) work.push_back(-dot(motion, r));
      return work;
    };
    for (const std::vector<double>& motion : setup.supports().floating()) {
      motions_.emplace_back(space.device(), std::span<const double>(motion), "vectors");
      means_of_motions_.push_back(values_of(means_, motion, layout_));
    }
    if (motions_.empty()) return;
    require_rigid(setup.equations(), setup.supports().floating(), means_.front().origin);
    work_.push_back(work_on_motions(setup.equations()));
    for (const ModelLoadCase& each : model.load_cases) work_.push_back(work_on_motions(Operator(space, each.loads)));
  }

  std::vector<double> work_of(const std::vector<double>& factors) const {
    std::vector<double> work(motions_.size(), 0.0);
    for (std::size_t k = 0; k < work.size(); ++k) {
      work[k] = work_.front()[k];
      for (std::size_t i = 0; i < factors.size(); ++i) work[k] += factors[i] * work_[i + 1][k];
    }
    return work;
  }

  StaticSolution combined(std::vector<double> factors, const std::vector<double>& sizes) {
    factors.insert(factors.end(), sizes.begin(), sizes.begin() + std::ssize(means_));
    StaticSolution solution = solutions_.combination({"", std::move(factors)});
    solution.bring_back();
    for (std::size_t k = 0; k < motions_.size(); ++k) axpy(sizes[means_.size() + k], motions_[k], solution.u);
    return solution;
  }

  // Gaps that prescribed values and springs leave, then forces on rigid motions with the other sign.
  std::vector<double> gap_of(const std::vector<double>& values, const std::vector<double>& work,
                             const std::vector<double>& sizes) const {
    std::vector<double> gap;
    for (std::size_t i = 0; i < means_.size(); ++i)
      gap.push_back(means_[i].prescribed - values[i] - means_[i].compliance * sizes[i]);
    for (std::size_t k = 0; k < motions_.size(); ++k) {
      gap.push_back(-work[k]);
      for (std::size_t i = 0; i < means_.size(); ++i) gap.back() -= means_of_motions_[k][i] * sizes[i];
    }
    return gap;
  }

  std::size_t farthest(const std::vector<double>& gap) const {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < means_.size(); ++i)
      if (std::abs(gap[i]) > std::abs(gap[worst])) worst = i;
    return worst;
  }

  // Relative to what is added up. Rigid motions have one size, so forces on them have one, too. `rounding`: what
  // remains of a mean in which all terms cancel, relative to their sizes.
  bool is_closed(const std::vector<double>& gap, const std::vector<double>& without, const std::vector<double>& work,
                 const std::vector<double>& sizes, double rounding) const {
    const std::size_t count = means_.size();
    double force = 0;
    for (std::size_t k = 0; k < motions_.size(); ++k) {
      double on_motion = std::abs(work[k]);
      for (std::size_t i = 0; i < count; ++i) on_motion += std::abs(means_of_motions_[k][i] * sizes[i]);
      force = std::max(force, on_motion);
    }
    for (std::size_t i = 0; i < gap.size(); ++i) {
      double scale = force, terms = 0;
      if (i < count) {
        scale = std::abs(means_[i].prescribed) + means_[i].compliance * std::abs(sizes[i]);
        for (std::size_t j = 0; j < count; ++j) scale += std::abs(compliance_[i][j] * sizes[j]);
        terms = without[i];
        for (std::size_t j = 0; j < sizes.size(); ++j) terms += std::abs(sizes[j]) * sizes_[j][i];
      }
      if (std::abs(gap[i]) > 0.1 * relative_ * scale + rounding * terms) return false;
    }
    return true;
  }

  StaticSolutions solutions_;
  const std::vector<PrescribedMean>& means_;
  Layout layout_;
  double relative_;
  std::size_t cases_ = 0;
  std::vector<Vector> motions_;
  Rows means_of_motions_;    // [motion][mean]
  Rows work_;                // [outside of load cases, each load case][motion]
  Rows compliance_, sizes_;  // sizes_ [load, then motion][mean]
  std::optional<PivotedFactor> balance_;
};

SolutionsWithMeans::SolutionsWithMeans(const Setup& setup, const Model& model, const LinearSolverOptions& options,
                                       const Observer& observer, SystemCache* cache)
    : setup_(setup), keeps_memory_(cache != nullptr) {
  const Supports& supports = setup.any_supports();
  LoadVectors loads{.common = &supports, .ground = setup.on_ground()};
  for (std::size_t i = 0; i < model.load_cases.size(); ++i)
    loads.cases.push_back({.name = model.load_cases[i].name,
                           .loads = model.load_cases[i].loads,
                           .supports = &setup.any_supports_of(i),
                           .loads_of_fields = model.load_cases[i].loads_of_fields});
  for (const PrescribedMean& each : model.means)
    loads.cases.push_back({.name = "", .loads = {&each.load, 1}, .supports = &supports, .alone = true});
  loads.combinations = {{"", std::vector<double>(loads.cases.size(), 0.0)}};
  superposition_ = std::make_unique<Superposition>(
      solve_static(setup.any_equations(), loads, options, {.progress = observer.progress}, cache), setup, model,
      options.relative);
}

SolutionsWithMeans::~SolutionsWithMeans() = default;

StaticSolution SolutionsWithMeans::of(const std::vector<double>& factors) {
  StaticSolution solution = superposition_->of(factors);
  if (!keeps_memory_) {
    setup_.any_equations().device().memory().trim();
    return_freed_host_memory();
  }
  return solution;
}

}  // namespace ritz
