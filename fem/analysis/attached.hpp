// Springs and masses of reference points, and means that are held, as vectors of the unknowns. A mass m of the motion
// u_j . x adds m u_j u_j^T to the mass matrix, and fills none, however many unknowns move with the point. Private to
// fem/analysis.
//
//   const Attached attached = attached_to(model.spaces(), model.attached, supports);
//   attached.add_masses(1, a, forces);
#pragma once

#include "device/memory_needs.hpp"
#include "fem/operator/operator.hpp"
#include "fem/physics/model.hpp"
#include "fem/ranks/part_of_model.hpp"
#include "solvers/eigen/attached_motions.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ritz {

struct Attached {
  std::vector<Vector> whole;  // [motion] u_j, of all unknowns
  AttachedMotions motions;    // as the free unknowns see them
  // Unit vectors of unknowns that supports hold in place of rigid motions, which springs or held motions hold.
  std::vector<Vector> stops = {};

  bool any() const { return !whole.empty(); }
  // [motion] stiffness * k_j + mass * m_j; infinite where the motion is held.
  std::vector<double> weights(double stiffness, double mass) const;
  // y += the sum of w_j (u_j . x) u_j, without held motions
  void add(const std::vector<double>& weights, const Vector& x, Vector& y) const;
  void add_masses(double factor, const Vector& x, Vector& y) const { add(weights(0, factor), x, y); }
};

// Supports are finished. Values that vary in time may change later: which unknowns are prescribed may not. spaces: of
// the whole model; part: whose supports they are, of the vectors of a rank; null: one process.
Attached attached_to(const Spaces& spaces, std::span<const AttachedMotion> given, const Supports& supports,
                     const PartOfModel* part = nullptr);
// all: of the whole model; stops [unknown of all fields]: Attached::stops.
Attached attached_to(const Equations& all, std::span<const AttachedMotion> given, const Supports& supports,
                     const PartOfModel* part = nullptr, std::span<const Index> stops = {});

// These vectors, and what BorderedTangent and MeanSupports have for each.
MemoryNeeds attached_needs(const FunctionSpace& space, Index count);

// Masses of the free unknowns as an operator: those of the integrals, and attached ones. Where an unknown has attached
// masses alone, such as rotations of massless beams beside a mass, it takes part in the motions of these, and in no
// other: the operator is definite on what project() leaves.
class FreeMasses final : public LinearOperator {
 public:
  using Product = std::function<void(const Vector& x, Vector& y)>;  // masses of the integrals

  // diagonal [unknown]: of these masses, gathered.
  FreeMasses(Product masses, std::shared_ptr<const Attached> attached, const Supports& supports,
             const Vector& diagonal);
  const Device& device() const override { return heavy_.device(); }
  Index rows() const override { return heavy_.size(); }
  void apply(const Vector& x, Vector& y) const override;
  // Solves M x = f for the free unknowns that have a mass, f gathered; x = 0 for others. Throws Error:
  // Exit::not_converged.
  void solve(Vector& f, Vector& x) const;

 private:
  void project(Vector& f) const;

  Product masses_;
  std::shared_ptr<const Attached> attached_;
  std::shared_ptr<const Supports> supports_;
  Vector heavy_;               // 1 where the integrals have a mass and the unknown is free
  std::vector<Vector> light_;  // orthonormal motions of the other unknowns with attached masses
  Vector diagonal_;            // positive; project() commutes with it
  mutable Vector moved_;
};

}  // namespace ritz
