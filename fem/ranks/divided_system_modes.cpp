// Modes of vibration and critical factors that ranks find together: DividedSystem::modes.
#include "fem/multigrid/p_multigrid.hpp"
#include "fem/multigrid/p_multigrid_needs.hpp"
#include "fem/ranks/divided_modes.hpp"
#include "fem/ranks/rank_needs.hpp"
#include "fem/ranks/divided_system.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/eigen/eigen_needs.hpp"
#include "solvers/linear/memory_steps.hpp"
#include "solvers/smoothers/chebyshev.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

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

SmoothedAggregationOptions DividedSystem::multigrid_options() const {
  SmoothedAggregationOptions options = options_.multigrid;
  const SolverGeometry of_part = geometry();
  options.coordinates = of_part.coordinates;
  options.dimension = of_part.dimension;
  options.nested = of_part.nested;
  return options;
}

DividedSystem::Preconditioner DividedSystem::preconditioner(const DividedMatrix& A, PreconditionerKind kind) const {
  auto phase = device().profile().phase("set-up");
  return preconditioner_of(A, kind, multigrid_options());
}

// Predicted, since a rank that lacks memory in the midst of the set-up ends the job.
std::optional<Error> DividedSystem::shortage_of(const Room& room) const {
  try {
    ranks_.agree([&] {
      const Index available = device().memory().available();
      if (available > room.plenty) return;
      const Index needed = room.needed();
      if (needed <= available) return;
      throw Error(ErrorKind::device_memory,
                  fmt::format("{} {:.1f} MB, and {:.1f} MB are available", room.what, 1e-6 * double(needed),
                              1e-6 * double(available)),
                  room.from, "start more ranks, or give them more memory");
    });
  } catch (const AgreedError& shortage) {
    if (shortage.exit() != Exit::resources) throw;
    return shortage;
  }
  return std::nullopt;
}

HierarchyNeeds DividedSystem::multigrid_needs() const {
  const HierarchyShape shape{.rows = A_->ghosts().size(),
                             .nonzeros = A_->nonzeros_with_ghost_rows(),
                             .block = components(),
                             .dimension = space().mesh().dimension(),
                             .nesting = nested_ == nullptr ? Nesting::none : Nesting::mesh};
  HierarchyNeeds needs = hierarchy_needs(shape, A_->ghosts().total(), multigrid_options());
  if (related_) needs.set_up += long_products_of(supports_.coupled, components(), shape.dimension);
  return needs;
}

// Multigrid where every rank predicts the room for it, else what all take in its place.
PreconditionerKind DividedSystem::preconditioner_of_modes(const Room& room, std::vector<std::string>& fallbacks) const {
  MemorySavings memory{.preconditioner = PreconditionerKind::multigrid, .half_storage = true, .needs_matrix = true};
  if (const std::optional<Error> shortage = shortage_of(room)) {
    fallbacks.push_back(*step_down(MemoryLevel::cycle, memory, *shortage));
    say(fallbacks.back());
  }
  return memory.preconditioner;
}

EigenSolution DividedSystem::modes(const Operator& masses, const EigenOptions& options, const AttachedMotions& motions,
                                   const Vector* state) {
  if (options.method != EigenMethod::lanczos) find_nested_levels();
  EigenSolution found;
  if (has_matrix()) {
    const Vector at_rest;
    assemble(state != nullptr ? *state : at_rest);
    found = modes_of_rows(masses, options, motions);
  } else {
    found = modes_without_matrix(masses, options, motions);
  }
  if (options.method != EigenMethod::lanczos) found.choice = fmt::format("divided among {} ranks", ranks_.count());
  report_once();
  return found;
}

EigenSolution DividedSystem::modes_of_rows(const Operator& masses, const EigenOptions& options,
                                           const AttachedMotions& motions) {
  const std::unique_ptr<const DividedMatrix> M = matrix(masses, space().zeros(), Pivot::zero);
  auto phase = device().profile().phase("solve");
  if (options.method == EigenMethod::lanczos)
    return modes_by_factor(*A_, *M, components(), options, geometry(), motions);
  return modes_by_iteration(*M, options, motions);
}

EigenSolution DividedSystem::modes_without_matrix(const Operator& masses, const EigenOptions& options,
                                                  const AttachedMotions& motions) const {
  const Operator& stiffness = part_.equations();
  auto phase = device().profile().phase("solve");
  const MatrixFree K(stiffness, part_.supports(), Vector(), {}, &field_),
      M(masses, part_.supports(), Vector(), 0.0, &field_);
  const WithMotions heavy(M, motions, motions.mass);
  const bool is_singular = options.zero_count > 0;
  const Index vectors = lobpcg_needs(M.rows(), options, false).peak.total();
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
                      options, space().mesh().dimension(), [&](double shift) -> std::unique_ptr<LinearOperator> {
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

EigenSolution DividedSystem::modes_by_iteration(const DividedMatrix& masses, const EigenOptions& options,
                                                const AttachedMotions& motions) const {
  const WithMotions heavy(masses, motions, motions.mass);
  const Index vectors = lobpcg_needs(masses.rows(), options, false).peak.total();
  std::vector<std::string> fallbacks;
  const PreconditionerKind kind =
      preconditioner_of_modes({.what = "multigrid and the vectors of the modes need",
                               .from = "predicted from the rows of this rank",
                               .plenty = 4 * device().memory().statistics().live + vectors,
                               .needed =
                                   [&] {
                                     const HierarchyNeeds hierarchy = multigrid_needs();
                                     const Index sum = options.zero_count > 0 ? bytes_of_shifted(*A_) : 0;
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
      options, space().mesh().dimension(), [&](double shift) -> std::unique_ptr<LinearOperator> {
        if (shift == 0) return preconditioner(*A_, kind);
        return std::make_unique<WithItsMatrix>(shifted(*A_, shift, masses),
                                               [&](const DividedMatrix& A) { return preconditioner(A, kind); });
      });
  found.fallbacks = std::move(fallbacks);
  return found;
}

CriticalFactors DividedSystem::critical_factors(const Operator& geometric, const Vector& state,
                                                const EigenOptions& options) {
  if (options.method != EigenMethod::lanczos) find_nested_levels();
  assemble(state);
  const std::unique_ptr<const DividedMatrix> G = matrix(geometric, part().with_ghosts(state), Pivot::zero);
  auto phase = device().profile().phase("solve");
  CriticalFactors found =
      ritz::critical_factors({.K = *A_,
                              .G = *G,
                              .stiffness = A_->diagonal(),
                              .geometric = G->diagonal(),
                              .block = components(),
                              .factorised = *A_,
                              .shifted = shifted_matrices(*G, *A_),
                              .multigrid = [&] { return preconditioner(*A_, PreconditionerKind::multigrid); }},
                             options, {.coordinates = &space().coordinates(), .dimension = space().mesh().dimension()});
  report_once();
  return found;
}

}  // namespace ritz
