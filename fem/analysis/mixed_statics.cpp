#include "fem/analysis/mixed_statics.hpp"

#include "fem/ranks/fields_of_rank.hpp"
#include "fem/preconditioners/edge_preconditioner.hpp"
#include "fem/preconditioners/fields_system.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
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
Gauge gauge_of(const MixedOperator& equations, const MixedConstraints& supports, Vector& r) {
  constexpr double weak = 1e-4, nothing = 1e-10, small = 0.02, zero = 1e-13;
  if (equations.field_count() != 1 || equations.family(0) != Family::edge || !has_one_unknown_for_each_edge(equations))
    return {};
  if (supports.has_dependent())
    throw Error(
        ErrorKind::several_fields,
        fmt::format("equations between unknowns of the field of edges '{}' were given", equations.field_name(0)),
        "the gradients in it would have to satisfy them, too", "prescribe values, or join the parts in the mesh");
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
                            equations.field_name(0), 100 * share),
                gauge.free ? "the matrix maps gradients to zero, so the equations have no solution"
                           : "only a small term, a gauge, holds gradients: they would be most of the solution, and "
                             "depend on that term alone",
                "close the current within the mesh, or let it leave where the field is prescribed along the surface; "
                "give currents per area that follow the conductor");
  if (share <= nothing) return gauge;
  axpy(-1.0, part, r);
  gauge.notice = fmt::format(
      "the load of '{}' is not quite free of divergence: {:.2g} % of it, which works on gradients, was left out",
      equations.field_name(0), 100 * share);
  gauge.removed = std::move(part);
  return gauge;
}

}  // namespace

Index krylov_vectors(const MixedOperator& equations, const LinearSolverOptions& options) {
  const bool gmres = options.method == LinearMethod::gmres ||
                     (options.method == LinearMethod::automatic && !equations.facts().symmetric);
  return gmres ? 2 * ((options.restart + 8) / 8 * 8 + 4) : 8;
}

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
  void begin(const MixedConstraints& supports, Vector& u, Vector& r) const {
    supports.set_values(u);
    residual(u, r);
    supports.gather(r);
    supports.set_zero(r);
  }

  // The solution u - du, with its reactions and what is left. asked: norm of the first residual; removed: part of it
  // that was left out.
  void finish(const MixedConstraints& supports, const LinearSolverOptions& options, Vector& du, double asked,
              const Vector& removed, MixedSolution& s) const {
    if (!s.report.converged() && options.on_failure) options.on_failure(s.report, s.u.size());
    throw_unless_converged(s.report);
    supports.set_linear(du);
    axpy(-1.0, du, s.u);
    judge(supports, asked, removed, s);
  }

  void judge(const MixedConstraints& supports, double asked, const Vector& removed, MixedSolution& s) const {
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

class FieldsStatics::Work {
 public:
  Work(const MixedOperator& equations, const MixedConstraints& supports, LinearSolverOptions options)
      : equations_(equations), supports_(supports), options_(std::move(options)) {
    if (options_.ranks == nullptr) return;
    rank_ = std::make_shared<FieldsOfRank>(equations, supports, *options_.ranks);
    equations.divide(rank_);
  }

  MixedSolution solve(const MixedConstraints& values, const MixedOperator* loads) {
    MixedSolution s{.u = equations_.zeros()};
    const LinearBalance balance(equations_, loads);
    Vector r = equations_.zeros(), du = equations_.zeros();
    balance.begin(values, s.u, r);
    const double asked = norm2(r);
    Gauge gauge = gauge_of(equations_, values, r);
    s.notice = std::move(gauge.notice);
    s.report = solved(gauge.free, r, du);
    balance.finish(values, options_, du, asked, gauge.removed, s);
    return s;
  }

  MixedSolution sum(const MixedSolution& common, std::span<const Term> terms) {
    MixedSolution s{.u = equations_.zeros(), .report = common.report};
    s.report.method = "sum of solutions";
    double of_common = 1;
    for (const Term& term : terms) {
      axpy(term.factor, term.solution->u, s.u);
      of_common -= term.factor;
    }
    axpy(of_common, common.u, s.u);
    const auto residual = [&](const Vector& u, Vector& r) {
      equations_.residual(u, r);
      Vector own = equations_.zeros();
      for (const Term& term : terms)
        if (term.loads != nullptr) {
          term.loads->residual(u, own);
          axpy(term.factor, own, r);
        }
    };
    // Residual of loads and prescribed values, where free unknowns are zero.
    Vector start = equations_.zeros(), r = equations_.zeros(), one = equations_.zeros();
    const auto add_values = [&](double factor, const MixedConstraints& values) {
      one.fill_zero();
      values.set_values(one);
      axpy(factor, one, start);
    };
    for (const Term& term : terms) add_values(term.factor, *term.values);
    add_values(of_common, supports_);
    const auto norm_at = [&](const Vector& u) {
      residual(u, r);
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
      WholeProblem whole = rank_ ? rank_->whole() : whole_problem(equations_, supports_);
      whole.singular = singular;
      if (rank_) system_.emplace(rank_->equations(), rank_->supports(), options_, std::move(whole));
      else system_.emplace(equations_, supports_, options_, std::move(whole));
      system_->linearise({});
    }
    if (!rank_) return system_->solve(r, du, tolerance_of(options_));
    Vector x = rank_->own(du);
    const SolveReport report = system_->solve(rank_->own(r), x, tolerance_of(options_));
    du = rank_->gathered(x);
    return report;
  }

  const MixedOperator& equations_;
  const MixedConstraints& supports_;
  const LinearSolverOptions options_;
  std::shared_ptr<FieldsOfRank> rank_;  // over ranks: their parts, which the system is of
  std::optional<FieldsSystem> system_;
};

FieldsStatics::FieldsStatics(const MixedOperator& equations, const MixedConstraints& supports,
                             LinearSolverOptions options)
    : work_(std::make_unique<Work>(equations, supports, std::move(options))) {}
FieldsStatics::~FieldsStatics() = default;

MixedSolution FieldsStatics::solve(const MixedConstraints& values, const MixedOperator* loads) {
  return work_->solve(values, loads);
}
MixedSolution FieldsStatics::sum(const MixedSolution& common, std::span<const Term> terms) {
  return work_->sum(common, terms);
}

MixedSolution solve(const MixedOperator& equations, const MixedConstraints& supports,
                    const LinearSolverOptions& options) {
  return FieldsStatics(equations, supports, options).solve(supports);
}

namespace {

// Gauge of the whole mesh, which every rank has; r and what is removed from it are of this rank.
Gauge gauge_of(const FieldsOfRank& rank, Vector& r) {
  const MixedOperator& all = rank.equations_of_all();
  if (all.family(0) != Family::edge) return {};
  Vector u = all.zeros(), of_all = all.zeros();
  LinearBalance(all, nullptr).begin(rank.supports_of_all(), u, of_all);
  Gauge gauge = gauge_of(all, rank.supports_of_all(), of_all);
  if (gauge.removed.empty()) return gauge;
  gauge.removed = rank.own(gauge.removed);
  axpy(-1.0, gauge.removed, r);
  return gauge;
}

}  // namespace

MixedSolution solve(const FieldsOfRank& rank, const LinearSolverOptions& options) {
  const MixedOperator& equations = rank.equations();
  const LinearBalance balance(equations, nullptr);
  MixedSolution s{.u = equations.zeros()};
  Vector r = equations.zeros(), du = equations.zeros();
  balance.begin(rank.supports(), s.u, r);
  const double asked = norm2(r);
  const Gauge gauge = gauge_of(rank, r);
  s.notice = gauge.notice;
  {
    WholeProblem whole = rank.whole();
    whole.singular = gauge.free;
    FieldsSystem system(equations, rank.supports(), options, std::move(whole));
    system.linearise({});
    s.report = system.solve(r, du, tolerance_of(options));
  }
  balance.finish(rank.supports(), options, du, asked, gauge.removed, s);
  return s;
}

MemoryNeeds mixed_statics_needs(const MixedOperator& equations, MixedPath path, const LinearSolverOptions& options) {
  const Index n = equations.layout().total();
  const MemoryNeeds matrix = equations.matrix_needs(), lists = equations.list_needs(true, true),
                    solution = MemoryNeeds().array<double>("vectors", n, 3);
  if (path == MixedPath::iterative) {
    const MixedPreconditionerNeeds preconditioner = mixed_preconditioner_needs(equations, options.multigrid);
    const MemoryNeeds iteration =
        preconditioner.live + MemoryNeeds().array<double>("vectors", n, 3 + krylov_vectors(equations, options));
    return matrix + lists + solution + larger(iteration, preconditioner.set_up);
  }
  const Index entries = size_of_system(equations).nonzeros;
  // Blocks and their scalar copy, with the columns of each entry and the places of rows; afterwards vectors of the
  // refinement.
  const MemoryNeeds copy = MemoryNeeds()
                               .array<double>("matrix", entries)
                               .array<std::int32_t>("pattern", entries)
                               .array<Index>("pattern", n + 1, 2);
  return matrix + lists + solution + copy;
}

MixedFactorNeeds mixed_factor_needs(const MixedOperator& equations) {
  auto phase = equations.device().profile().phase("analysis");
  const SparseMatrix A = joined_matrix(equations.make_matrix());
  const Index copy = A.pattern().offsets().bytes() + A.pattern().columns().bytes() + A.values().bytes();
  return {DirectSolver::needs(A, equations.facts().symmetric ? DirectKind::symmetric : DirectKind::general).memory,
          A.device().is_gpu() ? 0 : 2 * copy};
}

}  // namespace ritz
