// Scalar measures of stress, from symmetric tensors (xx, yy, zz, xy, yz, xz).
#pragma once

#include <array>
#include <span>
#include <vector>

namespace ritz {

using SymmetricTensor = std::span<const double, 6>;

double von_mises(SymmetricTensor stress);

// Eigenvalues, largest first: the trigonometric solution of the characteristic equation (Smith 1961).
std::array<double, 3> principal_values(SymmetricTensor tensor);

// Twice the greatest shear stress.
double tresca(SymmetricTensor stress);

// The same for many tensors, [entry][6].
std::vector<double> von_mises_of(std::span<const double> tensors);
std::vector<double> principal_values_of(std::span<const double> tensors);  // [entry][3]

}  // namespace ritz
