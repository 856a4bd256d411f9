#include "fem/analysis/buckling.hpp"

#include "fem/analysis/active_constraints.hpp"
#include "fem/analysis/eliminated_matrices.hpp"
#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/analysis/matrices_of_fields.hpp"
#include "fem/ranks/own_field.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/analysis/vibration_forecast.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/critical_factors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

constexpr const char* name = "linear buckling";

EigenOptions eigen_options(const Model& model, const Buckling& analysis) {
  EigenOptions options{.count = analysis.count,
                       .relative = analysis.relative,
                       .method = analysis.method,
                       .max_iterations = analysis.max_iterations,
                       .multigrid = analysis.linear.multigrid};
  // Bodies that buckle are slender: rounding in single precision hides how easily they bend.
  options.multigrid.single_precision = options.multigrid.half_storage = false;
  if ((model.ill_conditioned || model.has_fields()) && options.method == EigenMethod::automatic)
    options.method = EigenMethod::lanczos;
  return options;
}

// The largest entry becomes 1.
void normalise(MultiVector& X, const Supports& supports) {
  Vector x(X.device(), X.rows(), "vectors");
  for (int k = 0; k < X.columns(); ++k) {
    X.get_column(k, x);
    if (supports.has_dependent()) supports.set_linear(x);
    axpby(0.0, x, 1 / largest_entry(x), x);
    X.set_column(k, x);
  }
}

void require_factors(const CriticalFactors& s, const Buckling& analysis) {
  if (s.factors.empty())
    throw Error(ErrorKind::buckling, "the loads make nothing buckle: no factor is positive",
                s.negative != 0
                    ? fmt::format("they stiffen the body; turned around, they are critical times {:.6g}", -s.negative)
                    : "the stresses do no work on any motion",
                "check the signs of the loads");
  constexpr double of_rounding = 1e12;
  if (s.factors.front() > of_rounding)
    throw Error(
        ErrorKind::buckling, fmt::format("the loads make nothing buckle: the factor is {:.2g}", s.factors.front()),
        "such stresses are rounding, as of loads that act on supports alone", "check the loads and their regions");
  if (s.eigen.converged()) return;
  throw Error(ErrorKind::modes_not_converged,
              fmt::format("{} did not converge for {} factors: {} after {} iterations", s.eigen.method, analysis.count,
                          name_of(s.eigen.reason), s.eigen.iterations),
              s.eigen.verification, "allow more max_iterations, ask for fewer factors, or a larger tolerance");
}

CriticalFactors factors_of_fields(const Setup& setup, const Model& model, const Buckling& analysis, const Vector& u) {
  const OwnFields fields(*setup.fields().equations, *setup.fields().supports, analysis.linear.ranks);
  const Vector state = fields.own(u);
  BlockOperator K = fields.equations().make_matrix(), K_sigma = fields.equations().make_matrix();
  fields.equations().assemble(state, K);
  add_geometric_stiffness(fields, model, name, state, K_sigma);
  eliminate_held(fields, setup.fields().free.has_value(), K);
  fields.supports().eliminate(K_sigma, 0);
  CriticalFactors found = JoinedMatrices(fields, K, K_sigma).solve([&](const auto& A, const auto& B) {
    return critical_factors(A, B, eigen_options(model, analysis));
  });
  require_factors(found, analysis);
  found.eigen.layout = fields.layout();
  normalise(*found.eigen.vectors, fields.supports());
  return found;
}

// u: of the whole model. Over ranks vectors have owned unknowns, and are normalised as such.
CriticalFactors factors_of(const Setup& setup, const Model& model, const Buckling& analysis, const Vector& u) {
  if (model.has_fields()) return factors_of_fields(setup, model, analysis, u);
  LinearSolverOptions linear{
      .multigrid = analysis.linear.multigrid, .operator_kind = OperatorKind::matrix, .say = analysis.linear.say};
  EigenOptions options = eigen_options(model, analysis);
  if ((linear.ranks = analysis.linear.ranks) != nullptr)
    linear.multigrid = options.multigrid = multigrid_over_ranks(options.multigrid);
  const OwnField field(setup.equations(), setup.supports().common(), linear);
  EliminatedMatrices both(field.supports(), field.part(), linear, options.method != EigenMethod::lanczos);
  {
    const Vector state = field.with_ghosts(field.own(u));
    SparseMatrix K = tangent_matrix(field.equations(), state);
    const double pivot = max_abs(K.diagonal());
    both.add(std::move(K), pivot);
    both.add(tangent_matrix(field.of(geometric_integrals(model, name)), state), 0);
  }
  CriticalFactors found = both.solve([&](const auto& K, const auto& K_sigma, const SolverGeometry& geometry) {
    return critical_factors(K, K_sigma, options, geometry);
  });
  require_factors(found, analysis);
  found.eigen.layout = field.layout();
  normalise(*found.eigen.vectors, field.supports());
  return found;
}

}  // namespace

void check(const Model& model, const Buckling& analysis) {
  if (model.has_fields() && analysis.method == EigenMethod::lobpcg)
    throw Error(ErrorKind::several_fields, "the method 'lobpcg' was asked for, and the equations have several fields",
                "it takes one preconditioner for all of them", "use 'lanczos' or 'auto'");
  require_no_inequalities(model, "linear buckling");
  if (!model.linear)
    throw Error(ErrorKind::analysis, "linear buckling of a model with nonlinear equations",
                "factors are those of a linear static solution", "take linear materials and boundary conditions");
  if (!model.load_cases.empty())
    throw Error(ErrorKind::analysis, "linear buckling of a model with load cases", "each of them is another state",
                "make a case file of each");
  require_no_prescribed_means(model, name);
  if (!model.attached.empty())
    throw Error(ErrorKind::analysis, "linear buckling of a model with springs or masses at reference points",
                "the factor of its stiffness lacks them", "let springs act at nodes");
  geometric_integrals(model, name);
  const Spaces spaces = model.spaces();
  for (std::size_t k = 0; k < spaces.size(); ++k)
    if (!can_assemble(Operator(spaces[k], of_field(model.equations, static_cast<int>(k)), ElementLists::counted)))
      throw Error(ErrorKind::modal_options,
                  fmt::format("linear buckling with elements of order {}, which have no matrix", spaces[k].order()), {},
                  "take a lower order");
}

BucklingModes solve(const Model& model, const Buckling& analysis, const Observer& observer, const Prepared& prepared) {
  check(model, analysis);
  const Setup setup(model, prepared, Setup::Held::required);
  BucklingModes result{.state = solve(model, Static{.linear = analysis.linear}, observer, setup.prepared())};
  if (observer.progress) observer.progress("solving");
  CriticalFactors s = factors_of(setup, model, analysis, result.state.u);
  result.factors = std::move(s.factors);
  result.negative = s.negative;
  result.eigen = std::move(s.eigen);
  return result;
}

// The static solution takes less than the two matrices with a factor.
Forecast forecast(const Model& model, const Buckling& analysis, const Prepared&) {
  const Operator stiffness = counted(model, model.equations),
                 geometric = counted(model, geometric_integrals(model, name));
  EigenOptions options = eigen_options(model, analysis);
  options.below = -1;  // with matrices in any case
  return {.paths = forecast_vibration(stiffness, geometric, {}, options),
          .host_of_elements = OperatorNeeds(stiffness).host_bytes() + OperatorNeeds(geometric).host_bytes(),
          .host_of_columns = 2 * 8 * model.space.mesh().node_count() * model.space.components() * analysis.count};
}

}  // namespace ritz
