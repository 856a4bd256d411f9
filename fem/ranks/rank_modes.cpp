// Modes of vibration that ranks find together: RankSystem::modes.
#include "device/kernels.hpp"
#include "fem/ranks/rank_system.hpp"
#include "fem/multigrid/p_multigrid.hpp"
#include "fem/multigrid/p_multigrid_needs.hpp"
#include "fem/operator/operator.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vector_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/eigen_needs.hpp"
#include "solvers/linear/memory_steps.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"
#include "solvers/smoothers/chebyshev.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

// K + shift M, on the pattern that both have.
BlockMatrix shifted(const DividedMatrix& K, double shift, const DividedMatrix& M) {
  const BlockMatrixView<double> k = K.owned_rows(), m = M.owned_rows();
  const Index entries = K.nonzeros_with_ghost_rows(), values = K.nonzeros() * k.row_block * k.column_block;
  BlockMatrix sum{.rows = k.rows, .columns = k.columns, .row_block = k.row_block, .column_block = k.column_block};
  sum.offsets = Array<Index>(K.device(), k.columns + 1, "pattern");
  sum.column = Array<std::int32_t>(K.device(), entries, "pattern");
  sum.values = Vector(K.device(), entries * k.row_block * k.column_block, "matrix");
  Machine& machine = K.device().machine();
  machine.copy_on_device(sum.offsets.data(), k.offsets, (k.rows + 1) * Index{sizeof(Index)});
  machine.copy_on_device(sum.column.data(), k.column, K.nonzeros() * Index{sizeof(std::int32_t)});
  machine.copy_on_device(sum.values.data(), k.values, values * Index{sizeof(double)});
  kernels<VectorKernels>(K.device(), solver_kernels, "vector")
      .axpby(K.device(), values, shift, m.values, 1.0, sum.values.data());
  return sum;
}

Index bytes_of_shifted(const DividedMatrix& K) {
  const Index entries = K.nonzeros_with_ghost_rows(), block = K.block_size();
  return entries * (block * block * Index{sizeof(double)} + Index{sizeof(std::int32_t)}) +
         K.owned_rows().columns * Index{sizeof(Index)};
}

// A preconditioner with the matrix that it is of.
class WithItsMatrix final : public LinearOperator {
 public:
  template <class Make>
  WithItsMatrix(std::unique_ptr<const DividedMatrix> A, const Make& make) : A_(std::move(A)), M_(make(*A_)) {}
  const Device& device() const override { return M_->device(); }
  Index rows() const override { return M_->rows(); }
  void apply(const Vector& b, Vector& x) const override { M_->apply(b, x); }
  std::string name() const override { return M_->name(); }

 private:
  std::unique_ptr<const DividedMatrix> A_;
  std::unique_ptr<LinearOperator> M_;
};

// K + shift M, and a polynomial of it.
class ShiftedPolynomial final : public LinearOperator {
 public:
  ShiftedPolynomial(const MatrixFree& K, const MatrixFree& M, double shift)
      : sum_(K, M, shift), polynomial_(sum_, sum_.diagonal()) {}
  const Device& device() const override { return polynomial_.device(); }
  Index rows() const override { return polynomial_.rows(); }
  void apply(const Vector& b, Vector& x) const override { polynomial_.apply(b, x); }
  std::string name() const override { return polynomial_.name(); }

 private:
  class Sum final : public LinearOperator {
   public:
    Sum(const MatrixFree& K, const MatrixFree& M, double shift)
        : K_(K), M_(M), shift_(shift), product_(K.device(), shift == 0 ? 0 : K.rows(), "vectors") {}
    const Device& device() const override { return K_.device(); }
    Index rows() const override { return K_.rows(); }
    void apply(const Vector& x, Vector& y) const override {
      K_.apply(x, y);
      if (shift_ == 0) return;
      M_.apply(x, product_);
      axpy(shift_, product_, y);
    }
    Vector diagonal() const {
      Vector d(device(), rows(), "vectors");
      copy(K_.diagonal(), d);
      if (shift_ != 0) axpy(shift_, M_.diagonal(), d);
      return d;
    }

   private:
    const MatrixFree &K_, &M_;
    double shift_;
    mutable Vector product_;
  };
  Sum sum_;
  ChebyshevPreconditioner polynomial_;
};

}  // namespace

// Multigrid where every rank predicts the room for it, else what all take in its place.
PreconditionerKind RankSystem::preconditioner_of_modes(const Room& room, std::vector<std::string>& fallbacks) const {
  MemorySavings memory{.preconditioner = PreconditionerKind::multigrid, .half_storage = true, .needs_matrix = true};
  if (const std::optional<Error> shortage = shortage_of(room)) {
    fallbacks.push_back(*step_down(MemoryLevel::cycle, memory, *shortage));
    if (options_.say) options_.say(fallbacks.back());
  }
  return memory.preconditioner;
}

// The integrals of the part with the factors, but for those with none.
Operator RankSystem::sum_of(const std::vector<double>& factors) const {
  std::vector<Integral> integrals;
  const std::vector<Integral>& own = equations_->equations().integrals();
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double factor = factors[equations_->integral_of()[i]];
    if (factor == 0) continue;
    integrals.push_back(own[i]);
    integrals.back().factor = factor;
  }
  return Operator(space(), std::move(integrals));
}

EigenSolution RankSystem::modes_without_matrix(const ModesWanted& wanted) {
  const Operator stiffness = sum_of(wanted.stiffness), masses = sum_of(wanted.masses);
  auto phase = device().profile().phase("solve");
  const AttachedMotions& motions = wanted.motions;
  const MatrixFree K(stiffness, held_, Vector(), {}, &field_), M(masses, held_, Vector(), 0.0, &field_);
  const WithMotions heavy(M, motions, motions.mass);
  const bool is_singular = wanted.options.zero_count > 0;
  const Index vectors = lobpcg_needs(M.rows(), wanted.options, false).peak.total();
  std::vector<std::string> fallbacks;
  const PreconditionerKind kind =
      preconditioner_of_modes({.what = "p-multigrid and the vectors of the modes need",
                               .from = "predicted from the cells of this rank",
                               .plenty = 8 * device().memory().statistics().live + vectors,
                               .needed =
                                   [&] {
                                     const PMultigridNeeds cycle = p_multigrid_needs(stiffness, field_, is_singular);
                                     return std::max(cycle.set_up.total(), cycle.live.total() + vectors);
                                   }},
                              fallbacks);
  EigenSolution found =
      solve_by_lobpcg({.K = K,
                       .M = motions.count() == 0 ? static_cast<const LinearOperator&>(M) : heavy,
                       .stiffness = K.diagonal(),
                       .mass = M.diagonal(),
                       .block = components(),
                       .motions = &motions},
                      wanted.options, space().mesh().dimension(), [&](double shift) -> std::unique_ptr<LinearOperator> {
                        if (kind != PreconditionerKind::multigrid)
                          return std::make_unique<ShiftedPolynomial>(K, M, shift);
                        return std::make_unique<PMultigrid>(
                            K, PMultigridOptions{.single_precision = options_.multigrid.single_precision,
                                                 .coarsest = options_.multigrid,
                                                 .masses = &masses,
                                                 .shift = shift});
                      });
  found.fallbacks = std::move(fallbacks);
  return found;
}

EigenSolution RankSystem::modes(const ModesWanted& wanted) {
  if (options_.operator_kind == OperatorKind::matrix_free) return modes_without_matrix(wanted);
  const Vector zero;
  assemble({.at = {.factors = wanted.stiffness}}, wanted.state != nullptr ? *wanted.state : zero);
  const std::unique_ptr<const DividedMatrix> masses =
      matrix({.at = {.factors = wanted.masses}}, space().zeros(), Pivot::zero);
  auto phase = device().profile().phase("solve");
  if (wanted.options.method == EigenMethod::lanczos) return modes_by_factor(wanted, *masses);
  return modes_by_iteration(wanted, *masses);
}

CriticalFactors RankSystem::critical_factors(const FactorsWanted& wanted) {
  assemble({.at = {.factors = wanted.stiffness}}, wanted.state);
  const std::unique_ptr<const DividedMatrix> G =
      matrix({.at = {.factors = wanted.geometric}}, equations_->on_part(wanted.state), Pivot::zero);
  auto phase = device().profile().phase("solve");
  std::unique_ptr<const DividedMatrix> sum;
  const auto difference = [&](double shift) -> DirectInput {
    sum.reset();
    sum = std::make_unique<const DividedMatrix>(A_->shared_ghosts(), shifted(*G, -shift, *A_));
    return *sum;
  };
  return ritz::critical_factors({.K = *A_,
                                 .G = *G,
                                 .stiffness = A_->diagonal(),
                                 .geometric = G->diagonal(),
                                 .block = components(),
                                 .factorised = *A_,
                                 .shifted = difference,
                                 .multigrid = [&] { return preconditioner(*A_, PreconditionerKind::multigrid); }},
                                wanted.options,
                                {.coordinates = &space().coordinates(), .dimension = space().mesh().dimension()});
}

EigenSolution RankSystem::modes_by_iteration(const ModesWanted& wanted, const DividedMatrix& masses) const {
  const AttachedMotions& motions = wanted.motions;
  const WithMotions heavy(masses, motions, motions.mass);
  const Index vectors = lobpcg_needs(masses.rows(), wanted.options, false).peak.total();
  std::vector<std::string> fallbacks;
  const PreconditionerKind kind =
      preconditioner_of_modes({.what = "multigrid and the vectors of the modes need",
                               .from = "predicted from the rows of this rank",
                               .plenty = 4 * device().memory().statistics().live + vectors,
                               .needed =
                                   [&] {
                                     const HierarchyNeeds hierarchy = multigrid_needs();
                                     const Index sum = wanted.options.zero_count > 0 ? bytes_of_shifted(*A_) : 0;
                                     return sum + std::max(hierarchy.set_up.total(), hierarchy.live.total() + vectors);
                                   }},
                              fallbacks);
  EigenSolution found = solve_by_lobpcg(
      {.K = *A_,
       .M = motions.count() == 0 ? static_cast<const LinearOperator&>(masses) : heavy,
       .stiffness = A_->diagonal(),
       .mass = masses.diagonal(),
       .block = components(),
       .motions = &motions},
      wanted.options, space().mesh().dimension(), [&](double shift) -> std::unique_ptr<LinearOperator> {
        if (shift == 0) return preconditioner(*A_, kind);
        auto sum = std::make_unique<const DividedMatrix>(A_->shared_ghosts(), shifted(*A_, shift, masses));
        return std::make_unique<WithItsMatrix>(std::move(sum),
                                               [&](const DividedMatrix& A) { return preconditioner(A, kind); });
      });
  found.fallbacks = std::move(fallbacks);
  return found;
}

EigenSolution RankSystem::modes_by_factor(const ModesWanted& wanted, const DividedMatrix& masses) const {
  std::unique_ptr<const DividedMatrix> sum;
  const auto shifted_matrix = [&](double shift) -> DirectInput {
    sum.reset();
    sum = std::make_unique<const DividedMatrix>(A_->shared_ghosts(), shifted(*A_, -shift, masses));
    return *sum;
  };
  return solve_by_lanczos({.K = *A_,
                           .M = masses,
                           .stiffness = A_->diagonal(),
                           .mass = masses.diagonal(),
                           .block = components(),
                           .in_lanes = true},
                          wanted.options,
                          {.coordinates = &space().coordinates(), .dimension = space().mesh().dimension()},
                          wanted.motions, shifted_matrix);
}

}  // namespace ritz
