// The coupling of two fields under linear equations between unknowns of each: K = T_i^T K T_j, where u_i = T_i v_i +
// g_i and u_j = T_j v_j + g_j (dependent_unknowns.hpp). Each sum is a list of entries of K, made once for a pattern.
//
//   const CouplingTransform transform(K, rows_of_i, rows_of_j);   transform.apply(K);
#pragma once

#include "fem/space/dependent_unknowns.hpp"
#include "fem/space/unknown_lists.hpp"
#include "solvers/algebra/rectangular_matrix.hpp"

#include <array>
#include <memory>

namespace ritz {

class CouplingTransform {
 public:
  // The pattern has the entries of the result, as FieldsOperator::make_matrix() gives it: Error: Exit::internal where
  // it lacks one; Error: Exit::resources where its entries do not fit 32 bits.
  CouplingTransform(const RectangularMatrix& K, const DependentRows& of_rows, const DependentRows& of_columns);

  bool suits(const RectangularMatrix& K) const { return pattern_.lock() == K.shared_pattern(); }
  // Rows and columns of dependent unknowns stay, to be eliminated.
  void apply(RectangularMatrix& K) const;

 private:
  std::weak_ptr<const RectangularPattern> pattern_;
  std::array<UnknownLists, 2> lists_;  // entries to which multiples of others are added: K T_j, then T_i^T K
};

}  // namespace ritz
