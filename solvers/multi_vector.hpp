// Several vectors of one length that are used together: right-hand sides of load cases, trial modes. They are stored in
// groups of 8 lanes, so that a matrix is read once for 8 of them and the lanes of a row fill a register.
//
//   MultiVector F(device, K.rows(), 12);    F.set_column(0, f);    K.apply_block(U, F);
#pragma once

#include "device/array.hpp"

#include <vector>

namespace ritz {

class MultiVector {
 public:
  static constexpr int lanes = 8;

  // Zero. Lanes beyond the last column stay zero in every operation.
  MultiVector(const Device& device, Index rows, int columns, const char* tag = "vectors");

  const Device& device() const { return values_.device(); }
  Index rows() const { return rows_; }
  int columns() const { return columns_; }
  int groups() const { return (columns_ + lanes - 1) / lanes; }
  double* group(int g) { return values_.data() + g * rows_ * lanes; }              // [row][lane]
  const double* group(int g) const { return values_.data() + g * rows_ * lanes; }
  Vector& values() { return values_; }                                             // [group][row][lane]
  const Vector& values() const { return values_; }

  void set_column(int column, const Vector& x);
  void get_column(int column, Vector& x) const;

 private:
  Index rows_;
  int columns_;
  Vector values_;
};

// Small matrices are on the host, row-major.
std::vector<double> gram(const MultiVector& X, const MultiVector& Y);   // X^T Y, [X.columns][Y.columns]
// Y = X C + beta Y, C [X.columns][Y.columns]; X and Y differ.
void combine(const MultiVector& X, const std::vector<double>& C, double beta, MultiVector& Y);
std::vector<double> column_norms(const MultiVector& X);                 // ||x_j||_2

}  // namespace ritz
