#include "solvers/linear/chosen_preconditioner.hpp"

#include "device/error.hpp"
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"

namespace ritz {
namespace {

using Basis = PreconditionerBasis;

std::unique_ptr<LinearOperator> make(const SparseMatrix& A, PreconditionerKind kind,
                                     const SmoothedAggregationOptions& multigrid) {
  switch (kind) {
    case PreconditionerKind::none: return nullptr;
    case PreconditionerKind::jacobi: return std::make_unique<JacobiPreconditioner>(A);
    case PreconditionerKind::chebyshev: return std::make_unique<ChebyshevPreconditioner>(A);
    default: return std::make_unique<SmoothedAggregation>(A, multigrid);
  }
}

std::unique_ptr<SparseMatrix> part_of(const SparseMatrix& A, Basis basis) {
  if (basis == Basis::matrix) return nullptr;
  if (!A.pattern().has_full_diagonal())
    throw Error(Exit::model, "the matrix has rows without a diagonal entry", "preconditioners rest on the diagonal",
                "use the preconditioner 'none', or the method 'direct'");
  return std::make_unique<SparseMatrix>(A.symmetric_part(basis == Basis::dominant_part));
}

}  // namespace

ChosenPreconditioner::ChosenPreconditioner(const SparseMatrix& A, PreconditionerKind kind, Basis basis,
                                           const SmoothedAggregationOptions& multigrid)
    : basis_(kind == PreconditionerKind::none ? Basis::matrix : basis),
      part_(part_of(A, basis_)),
      operator_(make(part_ ? *part_ : A, kind, multigrid)) {}

bool ChosenPreconditioner::refresh() {
  auto* multigrid = dynamic_cast<SmoothedAggregation*>(operator_.get());
  if (multigrid == nullptr || part_) return false;
  multigrid->refresh();
  return true;
}

std::string name_of(PreconditionerBasis basis) {
  switch (basis) {
    case Basis::symmetric_part: return " of the symmetric part";
    case Basis::dominant_part: return " of the symmetric part made diagonally dominant";
    default: return "";
  }
}

std::string ChosenPreconditioner::name() const {
  return operator_ == nullptr ? "none" : operator_->name() + name_of(basis_);
}

// Conjugate gradients on an indefinite matrix have nothing to gain from a definite relative.
std::vector<Basis> preconditioner_bases(LinearMethod method, PreconditionerKind kind, const MatrixTraits& traits,
                                        MatrixPromise promise) {
  if (method == LinearMethod::conjugate_gradient || method == LinearMethod::flexible_conjugate_gradient ||
      promise == MatrixPromise::positive_definite || kind == PreconditionerKind::none)
    return {Basis::matrix};
  if (!traits.positive_diagonal || (traits.indefinite && kind != PreconditionerKind::jacobi))
    return {Basis::dominant_part};
  if (kind == PreconditionerKind::jacobi) return {Basis::matrix};
  return {traits.symmetric ? Basis::matrix : Basis::symmetric_part, Basis::dominant_part};
}

}  // namespace ritz
