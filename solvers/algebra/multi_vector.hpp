// Several vectors of one length that are used together: right-hand sides of load cases, trial modes. They are stored in
// groups of 8 lanes, so that a matrix is read once for 8 of them and the lanes of a row fill a register.
//
//   MultiVector F(device, K.rows(), 12), U(device, K.rows(), 12);    F.set_column(0, f);    K.apply_block(U, F);
//
// Lanes beyond the last column stay zero in every operation on finite numbers. Sums are taken in a fixed order.
#pragma once

#include "device/array.hpp"

#include <utility>
#include <vector>

namespace ritz {

class MultiVector {
 public:
  static constexpr int lanes = 8;

  MultiVector() = default;
  // Zero. Throws Error: Exit::internal for a negative count.
  MultiVector(const Device& device, Index rows, int columns, const char* tag = "vectors");

  const Device& device() const { return device_; }
  Index rows() const { return rows_; }
  int columns() const { return columns_; }
  int groups() const { return (columns_ + lanes - 1) / lanes; }
  double* group(int g) { return values_.data() + g * rows_ * lanes; }  // [row][lane]
  const double* group(int g) const { return values_.data() + g * rows_ * lanes; }
  Vector& values() { return values_; }  // [group][row][lane]
  const Vector& values() const { return values_; }
  void swap(MultiVector& other) noexcept;
  // Another number of columns in as many groups: columns that join are zero, and those that leave must be.
  void recount(int columns);

  // Throw Error: Exit::internal on a column that is not there or a vector of another length.
  void set_column(int column, const Vector& x);
  void get_column(int column, Vector& x) const;

 private:
  void check_column(int column, const Vector& x) const;

  Device device_;
  Index rows_ = 0;
  int columns_ = 0;
  Vector values_;
};

// Throws Error: Exit::internal unless both have as many rows (and columns).
void check_same_rows(const MultiVector& X, const MultiVector& Y);
void check_same_shape(const MultiVector& X, const MultiVector& Y);

// Small matrices are on the host, row-major.
std::vector<double> gram(const MultiVector& X, const MultiVector& Y);  // X^T Y, [X.columns][Y.columns]
// Several such products, read back together: one wait for the device.
std::vector<std::vector<double>> grams(const std::vector<std::pair<const MultiVector*, const MultiVector*>>& pairs);
// Y = X C + beta Y, C [X.columns][Y.columns]; X and Y differ; beta = 0 does not read Y.
void combine(const MultiVector& X, const std::vector<double>& C, double beta, MultiVector& Y);
std::vector<double> column_dots(const MultiVector& X, const MultiVector& Y);  // x_j . y_j
std::vector<double> column_norms(const MultiVector& X);                       // ||x_j||_2

}  // namespace ritz
