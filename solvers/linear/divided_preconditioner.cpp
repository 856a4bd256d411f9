#include "solvers/linear/divided_preconditioner.hpp"

#include "solvers/multigrid/divided_symmetric_part.hpp"
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"

#include <utility>

namespace ritz {
namespace {

std::unique_ptr<LinearOperator> make(const DividedMatrix& A, PreconditionerKind kind,
                                     const DividedAggregationOptions& options) {
  switch (kind) {
    case PreconditionerKind::none: return nullptr;
    case PreconditionerKind::jacobi: return std::make_unique<JacobiPreconditioner>(A.diagonal());
    case PreconditionerKind::chebyshev: return std::make_unique<ChebyshevPreconditioner>(A, A.diagonal());
    default: return std::make_unique<DividedAggregation>(A, options);
  }
}

// A preconditioner with the relative of the matrix that it is of.
class OfRelative final : public LinearOperator {
 public:
  OfRelative(const DividedMatrix& A, PreconditionerKind kind, PreconditionerBasis basis,
             const DividedAggregationOptions& options)
      : basis_(basis),
        part_(A.shared_ghosts(), symmetric_part(A, basis == PreconditionerBasis::dominant_part)),
        operator_(make(part_, kind, options)) {}
  const Device& device() const override { return operator_->device(); }
  Index rows() const override { return operator_->rows(); }
  void apply(const Vector& b, Vector& x) const override { operator_->apply(b, x); }
  const Vector* diagonal_only() const override { return operator_->diagonal_only(); }
  std::string name() const override { return operator_->name() + name_of(basis_); }

 private:
  PreconditionerBasis basis_;
  DividedMatrix part_;
  std::unique_ptr<LinearOperator> operator_;
};

}  // namespace

std::unique_ptr<LinearOperator> divided_preconditioner(const DividedMatrix& A, PreconditionerKind kind,
                                                       PreconditionerBasis basis,
                                                       const DividedAggregationOptions& options) {
  if (kind == PreconditionerKind::none || basis == PreconditionerBasis::matrix) return make(A, kind, options);
  return std::make_unique<OfRelative>(A, kind, basis, options);
}

}  // namespace ritz
