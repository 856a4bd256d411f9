// The tangent of an operator at some u: products without a matrix, in double or single precision, its diagonal, and
// matrices. Tangents of forms may be kept at the quadrature points, for a preconditioner's products.
//
//   const PointTangents kept = point_tangents(equations, u);
//   Linearisation(equations, u, &kept).action(x, y);                    // y = K x in single precision, no form is
//   evaluated Linearisation(equations, u).assemble_once(K);
#pragma once

#include "device/array.hpp"
#include "device/memory_needs.hpp"
#include "fem/operator/element_groups.hpp"
#include "fem/space/constraints.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

#include <cstdint>
#include <vector>

namespace ritz {

class ElementTerms;
class Ghosts;
class Operator;
class TaskTerms;
struct AssemblyTerm;
struct FormKernels;
struct TaskPlan;

// Tangents of forms on cells at some u, kept at the quadrature points in single precision
// (fem/launch/tangent_engine.hpp): of those forms whose tangent depends on u. For a preconditioner's products, which
// then evaluate no form; also those of a coarser field on the same cells.
struct PointTangents {
  struct Part {
    int integral, degree;      // of the quadrature
    const CellList* elements;  // of the group that they belong to; its operator outlives this
    Array<float> values;       // [batch][point][entry][lane]
  };
  std::vector<Part> parts;
  Index bytes() const;
};
PointTangents point_tangents(const Operator& equations, const Vector& u);

// Node numbers of elements by which products count prescribed entries of x as zero; those of y are whatever the
// elements give.
struct MarkedNodes {
  // [group] as ElementGroup::nodes; ~n where n has prescribed components
  std::vector<Array<std::int32_t>> nodes;
  const std::uint8_t* prescribed = nullptr;  // [unknown]
};
MarkedNodes marked_nodes(const Operator& equations, const Constraints& constraints);

// Refers to its arguments: for the calls of one place.
class Linearisation {
 public:
  // An empty u is zero. kept: those of some forms or of none, which are used for these forms instead of u; of this
  // operator, or (matrices) of one with the same integrals and a field of higher order on the same cells, for which
  // the matrix is the Galerkin product. All forms are symmetric then.
  Linearisation(const Operator& equations, const Vector& u, const PointTangents* kept = nullptr);

  // In double precision, where u serves for all forms. arriving: over ranks the tail of x is on its way
  // (Ghosts::begin_fetch). Elements that reach none of it are computed meanwhile, those at the border afterwards. y is
  // complete at owned nodes, in the bits of a product at once.
  void action(const Vector& x, Vector& y, const MarkedNodes* marked, const Ghosts* arriving = nullptr) const;
  // In single precision; needs can_act_in_single().
  void action(const Array<float>& x, Array<float>& y, const MarkedNodes* marked = nullptr,
              const Ghosts* arriving = nullptr) const;
  Vector diagonal() const;
  void assemble(SparseMatrix& matrix) const;  // no allocation from the 2nd call on
  // The same for a matrix that is assembled once: the lists of assemble() would cost many times its sums, so a CPU does
  // without, and nothing stays. Equal bits.
  void assemble_once(SparseMatrix& matrix) const;

 private:
  void check(const SparseMatrix& matrix) const;

  const Operator* equations_;
  const double* u_;
  const PointTangents* kept_;
};

// The matrix of the tangent at u, an empty u is zero, assembled once.
SparseMatrix tangent_matrix(const Operator& equations, const Vector& u);

// Private to fem/operator. Kernels of forms whose tangents are kept; null for others.
const FormKernels* kernels_that_keep_tangents(const ElementTerms& terms, const ElementGroup& group,
                                              const FormValue& form);
MemoryNeeds needs_of_point_tangents(const ElementTerms& terms);
// Terms of a group of a plan whose tangents are kept take them, tabulated at their points.
void take_tangents(const TaskTerms& terms, const TaskPlan& plan, std::size_t group, const PointTangents& tangents,
                   std::vector<AssemblyTerm>& of_group);

}  // namespace ritz
