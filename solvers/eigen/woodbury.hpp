// The inverse of A + U D U^T from that of A, where U has few columns, by Woodbury's formula:
//
//   (A + U D U^T)^-1 = A^-1 - Z N^-1 U^T A^-1,   Z = A^-1 U,   N = D^-1 + U^T Z
#pragma once

#include "solvers/algebra/multi_vector.hpp"

#include <vector>

namespace ritz {

class Woodbury {
 public:
  // compliance [column]: D^-1, zero where the column is held. Columns that follow from others count once.
  Woodbury(MultiVector U, MultiVector Z, const std::vector<double>& compliance);

  void correct(MultiVector& Y) const;                            // from A^-1 X to (A + U D U^T)^-1 X
  const std::vector<double>& values() const { return values_; }  // eigenvalues of N, ascending

 private:
  MultiVector U_, Z_;
  std::vector<double> values_, inverse_N_;  // [column][column]
};

}  // namespace ritz
