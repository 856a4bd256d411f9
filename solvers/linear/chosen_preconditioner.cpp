#include "solvers/linear/chosen_preconditioner.hpp"

#include "device/error.hpp"
#include "solvers/multigrid/divided_symmetric_part.hpp"
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"

#include <type_traits>
#include <utility>

namespace ritz {
namespace {

using Basis = PreconditionerBasis;

std::unique_ptr<SparseMatrix> part_of(const SparseMatrix& A, Basis basis) {
  if (!A.pattern().has_full_diagonal())
    throw Error(ErrorKind::singular_matrix, "the matrix has rows without a diagonal entry",
                "preconditioners rest on the diagonal", "use the preconditioner 'none', or the method 'direct'");
  return std::make_unique<SparseMatrix>(A.symmetric_part(basis == Basis::dominant_part));
}

std::unique_ptr<DividedMatrix> part_of(const DividedMatrix& A, Basis basis) {
  return std::make_unique<DividedMatrix>(A.shared_ghosts(), symmetric_part(A, basis == Basis::dominant_part));
}

}  // namespace

template <class Matrix>
std::unique_ptr<LinearOperator> preconditioner_of(const Matrix& A, PreconditionerKind kind,
                                                  const SmoothedAggregationOptions& multigrid) {
  switch (kind) {
    case PreconditionerKind::none: return nullptr;
    case PreconditionerKind::jacobi: return std::make_unique<JacobiPreconditioner>(A.diagonal());
    case PreconditionerKind::chebyshev:
      return std::make_unique<ChebyshevPreconditioner>(A, A.diagonal(), chebyshev_options(multigrid.sure_bounds));
    default: return std::make_unique<SmoothedAggregation>(A, multigrid);
  }
}
template std::unique_ptr<LinearOperator> preconditioner_of(const SparseMatrix&, PreconditionerKind,
                                                           const SmoothedAggregationOptions&);
template std::unique_ptr<LinearOperator> preconditioner_of(const DividedMatrix&, PreconditionerKind,
                                                           const SmoothedAggregationOptions&);

template <class Matrix>
ChosenPreconditioner::ChosenPreconditioner(const Matrix& A, PreconditionerKind kind, Basis basis,
                                           const SmoothedAggregationOptions& multigrid)
    : basis_(kind == PreconditionerKind::none ? Basis::matrix : basis) {
  std::unique_ptr<Matrix> part = basis_ == Basis::matrix ? nullptr : part_of(A, basis_);
  operator_ = preconditioner_of(part ? *part : A, kind, multigrid);
  refreshes_ = std::is_same_v<Matrix, SparseMatrix> && part == nullptr && kind == PreconditionerKind::multigrid;
  part_ = std::move(part);
}
template ChosenPreconditioner::ChosenPreconditioner(const SparseMatrix&, PreconditionerKind, Basis,
                                                    const SmoothedAggregationOptions&);
template ChosenPreconditioner::ChosenPreconditioner(const DividedMatrix&, PreconditionerKind, Basis,
                                                    const SmoothedAggregationOptions&);

bool ChosenPreconditioner::refresh() {
  if (refreshes_) dynamic_cast<SmoothedAggregation&>(*operator_).refresh();
  return refreshes_;
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
