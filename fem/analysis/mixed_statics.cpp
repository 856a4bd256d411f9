#include "fem/analysis/mixed_statics.hpp"

#include "fem/ranks/fields_of_rank.hpp"
#include "fem/preconditioners/edge_preconditioner.hpp"
#include "fem/preconditioners/fields_system.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

bool has_one_unknown_for_each_edge(const MixedOperator& equations) {
  const FunctionSpace& space = equations.space(0);
  return std::ranges::all_of(space.mesh().blocks(), [&](const CellBlock& block) {
    return space.element(block.kind).node_count() == std::ssize(traits(block.kind).edges);
  });
}

// Gradients in the field of one space of edges of order 1.
struct Gauge {
  bool free = false;  // the matrix maps gradients to zero
  Vector removed;     // from the right-hand side; empty: nothing
  std::string notice = {};
};

// The magnetic vector potential: what a current does on gradients has no counterpart in curls. r: the right-hand side,
// from which a small part of this kind, of rounding and of curved conductors, is removed.
Gauge gauge_of(const MixedOperator& equations, const FieldsConstraints& supports, Vector& r) {
  constexpr double weak = 1e-4, nothing = 1e-10, small = 0.02, zero = 1e-13;
  if (equations.field_count() != 1 || equations.terms().family(0) != Family::edge ||
      !has_one_unknown_for_each_edge(equations))
    return {};
  if (supports.has_dependent())
    throw Error(ErrorKind::several_fields,
                fmt::format("equations between unknowns of the field of edges '{}' were given",
                            equations.terms().field_name(0)),
                "the gradients in it would have to satisfy them, too",
                "prescribe values, or join the parts in the mesh");
  const EdgeGradients gradients(equations.space(0), supports[0]);
  const Vector none = equations.zeros();
  Vector at_none = equations.zeros();
  equations.residual(none, at_none);
  const double stiffness = gradients.stiffness(equations.device(), [&](const Vector& x, Vector& y) {
    equations.residual(x, y);
    axpy(-1.0, at_none, y);
    supports.set_zero(y);
  });
  // Edges along the body: gradients are held over its size, about b L^2 / (30 a).
  const int dimension = equations.space(0).mesh().dimension();
  const double along = std::pow(static_cast<double>(gradients.corner_count()), 1.0 / dimension);
  if (stiffness * along * along > weak) return {};
  Gauge gauge{.free = stiffness < zero};
  const double size = norm2(r);
  Vector part(r.device(), std::span<const double>(gradients.part_of(r.host())), "vectors");
  const double share = size > 0 ? norm2(part) / size : 0;
  if (share > small)
    throw Error(ErrorKind::not_free_of_divergence,
                fmt::format("the load of '{}' is not free of divergence: {:.2g} % of it works on gradients",
                            equations.terms().field_name(0), 100 * share),
                gauge.free ? "the matrix maps gradients to zero, so the equations have no solution"
                           : "only a small term, a gauge, holds gradients: they would be most of the solution, and "
                             "depend on that term alone",
                "close the current within the mesh, or let it leave where the field is prescribed along the surface; "
                "give currents per area that follow the conductor");
  if (share <= nothing) return gauge;
  axpy(-1.0, part, r);
  gauge.notice = fmt::format(
      "the load of '{}' is not quite free of divergence: {:.2g} % of it, which works on gradients, was left out",
      equations.terms().field_name(0), 100 * share);
  gauge.removed = std::move(part);
  return gauge;
}

}  // namespace

MixedPath first_path(const MixedOperator& equations, const LinearSolverOptions& options) {
  const LinearMethod first = methods_of(equations, options, size_of_system(equations)).front().method;
  return first == LinearMethod::direct ? MixedPath::direct : MixedPath::iterative;
}

namespace {

// Residuals of linear equations with further loads.
class LinearBalance {
 public:
  LinearBalance(const MixedOperator& equations, const MixedOperator* loads) : equations_(equations), loads_(loads) {
    if (!equations.facts().linear)
      throw Error(ErrorKind::analysis, "linear statics of nonlinear equations of several fields",
                  "their matrix depends on the solution",
                  "take a nonlinear analysis ([newton]), or a form that is linear");
  }

  void residual(const Vector& u, Vector& r) const {
    equations_.residual(u, r);
    if (loads_ == nullptr) return;
    Vector own = loads_->zeros();
    loads_->residual(u, own);
    axpy(1.0, own, r);
  }

  // u that meets the supports, and the residual there.
  void begin(const FieldsConstraints& supports, Vector& u, Vector& r) const {
    supports.set_values(u);
    residual(u, r);
    supports.gather(r);
    supports.set_zero(r);
  }

  // The solution u - du, with its reactions and what is left. asked: norm of the first residual; removed: part of it
  // that was left out.
  void finish(const FieldsConstraints& supports, const LinearSolverOptions& options, Vector& du, double asked,
              const Vector& removed, MixedSolution& s) const {
    if (!s.report.converged() && options.on_failure) options.on_failure(s.report, s.u.size());
    throw_unless_converged(s.report);
    supports.set_linear(du);
    axpy(-1.0, du, s.u);
    judge(supports, asked, removed, s);
  }

  void judge(const FieldsConstraints& supports, double asked, const Vector& removed, MixedSolution& s) const {
    auto phase = equations_.device().profile().phase("reactions");
    Vector r = equations_.zeros();
    residual(s.u, r);
    s.reaction = equations_.zeros();
    copy(r, s.reaction);
    supports.keep_constrained(s.reaction);
    supports.gather(r);
    supports.set_zero(r);
    if (removed.size() > 0) axpy(-1.0, removed, r);
    s.residual = asked > 0 ? norm2(r) / asked : 0;
  }

 private:
  const MixedOperator& equations_;
  const MixedOperator* loads_;
};

LinearTolerance tolerance_of(const LinearSolverOptions& options) { return {options.relative, options.rounding_error}; }

}  // namespace

// Linear statics of the equations of one process, or of the part of a rank. Vectors are those of these equations.
class FieldsStatics::Work {
 public:
  Work(const MixedOperator& equations, const FieldsConstraints& supports, WholeProblem whole,
       LinearSolverOptions options)
      : equations_(equations), supports_(supports), whole_(std::move(whole)), options_(std::move(options)) {}

  const MixedOperator& equations() const { return equations_; }

  // without_gauge(r): takes from the right-hand side what nothing but a gauge holds.
  template <class WithoutGauge>
  MixedSolution solve(const FieldsConstraints& values, const MixedOperator* loads, const WithoutGauge& without_gauge) {
    MixedSolution s{.u = equations_.zeros()};
    const LinearBalance balance(equations_, loads);
    Vector r = equations_.zeros(), du = equations_.zeros();
    balance.begin(values, s.u, r);
    const double asked = norm2(r);
    Gauge gauge = without_gauge(r);
    s.notice = std::move(gauge.notice);
    s.report = solved(gauge.free, r, du);
    balance.finish(values, options_, du, asked, gauge.removed, s);
    return s;
  }

  struct Part {
    double factor;
    const MixedOperator* loads;  // null: none
  };
  // u: the sum of solutions; start: their prescribed values, zero elsewhere.
  MixedSolution sum(Vector u, const Vector& start, std::span<const Part> parts, SolveReport report) {
    MixedSolution s{.u = std::move(u), .report = std::move(report)};
    s.report.method = "sum of solutions";
    Vector r = equations_.zeros(), own = equations_.zeros();
    const auto residual = [&](const Vector& at, Vector& result) {
      equations_.residual(at, result);
      for (const Part& part : parts)
        if (part.loads != nullptr) {
          part.loads->residual(at, own);
          axpy(part.factor, own, result);
        }
    };
    const auto norm_at = [&](const Vector& at) {
      residual(at, r);
      supports_.gather(r);
      supports_.set_zero(r);
      return norm2(r);
    };
    const double asked = norm_at(start);
    double left = norm_at(s.u);
    if (left > options_.relative * asked) {
      Vector du = equations_.zeros();
      s.report = solved(false, r, du);
      throw_unless_converged(s.report);
      supports_.set_linear(du);
      axpy(-1.0, du, s.u);
      left = norm_at(s.u);
    }
    s.residual = asked > 0 ? left / asked : 0;
    s.reaction = equations_.zeros();
    residual(s.u, s.reaction);
    supports_.keep_constrained(s.reaction);
    return s;
  }

 private:
  SolveReport solved(bool singular, const Vector& r, Vector& du) {
    if (!system_) {
      whole_.singular = singular;
      system_.emplace(equations_, supports_, options_, std::move(whole_));
      system_->linearise({});
    }
    return system_->solve(r, du, tolerance_of(options_));
  }

  MixedOperator equations_;
  FieldsConstraints supports_;
  WholeProblem whole_;  // for the system
  const LinearSolverOptions options_;
  std::optional<FieldsSystem> system_;
};

namespace {

// The same of the whole mesh, which every rank has; r and what is removed from it are of this rank.
Gauge gauge_of(const FieldsOfRank& rank, const FieldsConstraints& values, const MixedOperator* loads, Vector& r) {
  const MixedOperator& all = rank.equations_of_all();
  if (all.terms().family(0) != Family::edge) return {};
  Vector u = all.zeros(), of_all = all.zeros();
  LinearBalance(all, loads).begin(values, u, of_all);
  Gauge gauge = gauge_of(all, values, of_all);
  if (gauge.removed.empty()) return gauge;
  gauge.removed = rank.own(gauge.removed);
  axpy(-1.0, gauge.removed, r);
  return gauge;
}

}  // namespace

FieldsStatics::FieldsStatics(const MixedOperator& equations, const FieldsConstraints& supports,
                             LinearSolverOptions options, FieldsOfRank* rank)
    : equations_(equations),
      supports_(supports),
      rank_(rank),
      work_(std::make_unique<Work>(
          rank != nullptr ? rank->equations() : equations, rank != nullptr ? rank->supports() : supports,
          rank != nullptr ? rank->whole() : whole_problem(equations, supports), std::move(options))) {}
FieldsStatics::~FieldsStatics() = default;

const FieldsConstraints& FieldsStatics::own(const FieldsConstraints& values) {
  if (!rank_) return values;
  rank_->supports().take_values(values);
  return rank_->supports();
}

MixedSolution FieldsStatics::solve(const FieldsConstraints& values, const MixedOperator* loads) {
  const std::unique_ptr<MixedOperator> of_rank = rank_ && loads != nullptr ? rank_->own(*loads) : nullptr;
  return work_->solve(own(values), rank_ ? of_rank.get() : loads, [&](Vector& r) {
    return rank_ ? gauge_of(*rank_, values, loads, r) : gauge_of(equations_, values, r);
  });
}

MixedSolution FieldsStatics::sum(const MixedSolution& common, std::span<const Term> terms) {
  Vector u = work_->equations().zeros(), start = work_->equations().zeros(), one = work_->equations().zeros();
  const auto add = [&](double factor, const MixedSolution& solution, const FieldsConstraints& values) {
    axpy(factor, solution.u, u);
    one.fill_zero();
    own(values).set_values(one);
    axpy(factor, one, start);
  };
  double of_common = 1;
  std::vector<Work::Part> parts;
  std::vector<std::unique_ptr<MixedOperator>> of_rank;
  for (const Term& term : terms) {
    add(term.factor, *term.solution, *term.values);
    of_common -= term.factor;
    if (rank_ && term.loads != nullptr) of_rank.push_back(rank_->own(*term.loads));
    parts.push_back({term.factor, rank_ && term.loads != nullptr ? of_rank.back().get() : term.loads});
  }
  add(of_common, common, supports_);
  return work_->sum(std::move(u), start, parts, common.report);
}

MixedSolution solve(const MixedOperator& equations, const FieldsConstraints& supports,
                    const LinearSolverOptions& options) {
  return FieldsStatics(equations, supports, options).solve(supports);
}

MixedSolution solve(const FieldsOfRank& rank, const LinearSolverOptions& options) {
  FieldsStatics::Work work(rank.equations(), rank.supports(), rank.whole(), options);
  return work.solve(rank.supports(), nullptr,
                    [&](Vector& r) { return gauge_of(rank, rank.supports_of_all(), nullptr, r); });
}

}  // namespace ritz
