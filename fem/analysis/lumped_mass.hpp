// Masses at the nodes in place of a mass matrix, for explicit steps: sums of its rows on cells of order 1; on those of
// order 2, whose sums may be negative, its diagonal times the factor that keeps the mass of a form on equal cells
// (Hinton, Rock and Zienkiewicz, Earthq. Eng. Struct. Dyn. 4, 1976, 245-249); of rotations lumped_rotations().
#pragma once

#include "fem/analysis/attached.hpp"
#include "fem/operator/equations.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace ritz {

// [owned unknown] of one field or of several. Throws Error: Exit::model: cells of order 3 and more, beams with an
// offset, masses that are not positive where unknowns are not prescribed. All ranks call it.
Vector lumped_mass(const Equations& masses, std::span<const std::uint8_t> prescribed = {});

// Lumped masses, and those of reference points, as what moves freely sees them. Equations between unknowns join masses:
// accelerations are then those of T^T M T, by conjugate gradients, which take a few products of vectors.
class NodalMasses {
 public:
  NodalMasses(Vector masses, std::shared_ptr<const Attached> attached, const Supports& supports);
  NodalMasses(const NodalMasses&) = delete;  // the operator refers to the masses in here
  NodalMasses& operator=(const NodalMasses&) = delete;
  const Vector& lumped() const { return masses_; }    // [unknown]
  void times(const Vector& x, Vector& y) const;       // y = M x of all unknowns
  void accelerate(const Vector& f, Vector& a) const;  // of free unknowns by forces on all; zero for others

 private:
  Vector masses_, inverse_;  // of free unknowns, else zero
  std::shared_ptr<const Attached> attached_;
  std::shared_ptr<const Supports> supports_;
  std::optional<FreeMasses> joined_;  // none: each unknown has its mass
  mutable Vector work_;
};

}  // namespace ritz
