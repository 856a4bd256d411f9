// Stress along a straight line through a wall, split into membrane, bending and peak stress by the stress integration
// method of ASME BPVC VIII-2, annex 5-A (5-A.4.1.2).
//
//   const LinearisedStress s = linearised(stresses, direction, BendingOf::wall);
//   von_mises(s.membrane);   tresca(s.with_bending(LinearisedStress::begin));
#pragma once

#include "mesh/cell_geometry.hpp"

#include <array>
#include <span>
#include <vector>

namespace ritz {

// The components that have a bending part. wall: the normal stresses in the tangent plane of the wall and the shear in
// that plane, as the annex asks; all: all six.
enum class BendingOf { wall, all };

struct LinearisedStress {
  using Tensor = std::array<double, 6>;  // xx yy zz xy yz xz
  enum End { begin, end };

  Tensor membrane{};  // the mean over the line
  Tensor bending{};   // at the begin of the line; the negative of it at the end
  std::array<Tensor, 2> total{};

  Tensor bending_at(End end) const;
  Tensor with_bending(End end) const;  // membrane plus bending
  Tensor peak(End end) const;          // the total less both
};

// `stresses`: [place][6] at equally spaced places from begin to end, three at least; `direction` of the line. Simpson's
// rule: exact for stresses that are cubic along the line.
LinearisedStress linearised(std::span<const double> stresses, const Point& direction, BendingOf bending);

}  // namespace ritz
