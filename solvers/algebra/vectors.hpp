// Operations on vectors, as verbs for host code. Vectors of one call live on one device and have one size. Functions
// that return a number wait for the device and read that number, nothing else.
//
//   axpy(2.0, x, y);   double length = norm2(y);
#pragma once

#include "device/array.hpp"

namespace ritz {

void fill(double value, Vector& x);
void copy(const Vector& x, Vector& y);                       // y = x
void axpy(double a, const Vector& x, Vector& y);             // y += a x
void axpby(double a, const Vector& x, double b, Vector& y);  // y = a x + b y; b = 0 does not read y
void multiply(const Vector& x, const Vector& y, Vector& z);  // z_i = x_i y_i
double dot(const Vector& x, const Vector& y);
double norm2(const Vector& x);            // neither overflows nor underflows
double max_abs(const Vector& x);          // NaN are ignored
bool all_positive(const Vector& x);       // and finite
Index first_not_finite(const Vector& x);  // -1 when all are finite
void fill_start_vector(Vector& x);        // the same +-[0.5, 1.5) on every device

}  // namespace ritz
