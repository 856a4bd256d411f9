// The matrix of several fields under linear equations between unknowns of them: K = T^T K T, whose blocks get what the
// equations carry from one field to another. Each sum is a list of entries, made once for the patterns of K.
//
//   const JoinedTransform transform(K, rows);   transform.apply(K);     // rows of T, numbered over all fields
#pragma once

#include "fem/space/dependent_unknowns.hpp"
#include "fem/space/unknown_lists.hpp"
#include "solvers/algebra/block_operator.hpp"

#include <memory>
#include <vector>

namespace ritz {

class JoinedTransform {
 public:
  // Dependent unknowns are of fields without a coupling by forms. The patterns have the entries of the result
  // (FunctionSpace::join): Error: Exit::internal where one lacks; Error: Exit::resources where they do not fit 32 bits.
  JoinedTransform(const BlockOperator& K, const DependentRows& rows);

  bool suits(const BlockOperator& K) const;
  // Rows and columns of dependent unknowns stay, to be eliminated.
  void apply(BlockOperator& K) const;

 private:
  struct Step {  // values of a block += multiples of those of another, or of its own
    int from_row, from_column, row, column;
    UnknownLists lists;
  };
  std::vector<std::weak_ptr<const void>> patterns_;  // [row][column]
  std::vector<Step> steps_;
};

}  // namespace ritz
