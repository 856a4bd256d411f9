// Unknowns that linear equations make dependent on others: u = T v + g, where v holds the independent unknowns and the
// rows of T for them are those of the identity. Chains are resolved, so no dependent unknown follows another one.
//
//   const ResolvedEquations resolved = resolve(space, equations, prescribed);
//   const DependentUnknowns dependent(space, resolved.rows);
//   dependent.set(u);            // u_d = sum_j T_dj u_j + g_d: a field that satisfies the equations
//   dependent.set_linear(du);    // the same with g = 0: a change of one
//   dependent.gather(f);         // f = T^T f: forces on dependent unknowns act on those that they follow; f_d = 0
//   dependent.transform(K);      // K = T^T K T, in the rows and columns of independent unknowns
//
// Transformed matrices need a pattern that joins what the equations join: FunctionSpace::couple(). Over ranks each one
// has the rows of T of its own unknowns; they fetch what these follow elsewhere, and send the forces there.
#pragma once

#include "fem/space/function_space.hpp"
#include "fem/space/linear_equations.hpp"
#include "fem/space/prescribed_sums.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ritz {

class Ghosts;  // solvers/algebra/ghosts.hpp

// Rows of T and entries of g of the dependent unknowns, ascending.
struct DependentRows {
  std::vector<std::int32_t> unknown;   // [row]
  std::vector<Index> begin{0};         // [row + 1] into the next two
  std::vector<std::int32_t> followed;  // independent unknowns, which may be prescribed; ascending in each row
  std::vector<double> factor;
  std::vector<double> offset;  // [row] g
  bool operator==(const DependentRows&) const = default;
};

// Marks those that are here: [unknown - first] 1.
void mark(std::span<const std::int32_t> unknowns, Index first, std::span<std::uint8_t> marks);

struct ResolvedEquations {
  DependentRows rows;
  std::vector<PrescribedSum> sums;  // of equations without a free unknown
  Index redundant = 0;              // equations that follow from others
};

// Gaussian elimination in the order of the equations. The first term of an equation with a free unknown, whose factor
// is no less than a tenth of the largest of them, becomes dependent (LinearEquations::first_is_dependent). prescribed:
// [unknown]. Throws Error: Exit::model where equations contradict each other, naming both origins; Error: Exit::input
// where a factor is not finite.
ResolvedEquations resolve(const FunctionSpace& space, const std::vector<LinearEquations>& equations,
                          const std::vector<std::uint8_t>& prescribed);
// The same of several spaces, whose unknowns are numbered one space after the other.
ResolvedEquations resolve(Spaces spaces, const std::vector<LinearEquations>& equations,
                          const std::vector<std::uint8_t>& prescribed);

class DependentUnknowns {
 public:
  DependentUnknowns(const FunctionSpace& space, DependentRows rows);
  // For several spaces, whose vectors hold one after the other: without couplings() and transform().
  DependentUnknowns(const Device& device, DependentRows rows);
  // Over ranks, on a part of a space: dependent unknowns of owned nodes, which follow unknowns of [owned nodes |
  // leaders]. All ranks make theirs and call functions of vectors together; those may hold the owned unknowns alone.
  DependentUnknowns(const FunctionSpace& space, DependentRows rows, std::shared_ptr<const Ghosts> leaders);
  ~DependentUnknowns();

  void set_offsets(std::vector<double> offsets);  // [row]

  const DependentRows& rows() const { return rows_; }
  Index count() const { return static_cast<Index>(rows_.unknown.size()); }
  // Which nodes follow which, for the pattern and for nested meshes. prescribed: [unknown].
  std::shared_ptr<const NodeCouplings> couplings(const std::vector<std::uint8_t>& prescribed) const;

  void set(Vector& u, double part = 1) const;  // with part * g
  template <class Real>
  void set_linear(Array<Real>& x) const;
  template <class Real>
  void gather(Array<Real>& f) const;
  // The diagonal of T^T K T from that of K, as if K were diagonal.
  void gather_diagonal(Vector& diagonal) const;
  // Rows and columns of dependent unknowns are left as they are, to be eliminated.
  void transform(SparseMatrix& K) const;

 private:
  struct Blocks;  // T by nodes, for matrices
  struct Lists;   // rows on the device
  class Elsewhere;

  DependentUnknowns(const Device& device, const FunctionSpace& space, DependentRows rows,
                    std::shared_ptr<const Ghosts> leaders);

  FunctionSpace space_;  // none: of several
  DependentRows rows_;
  std::unique_ptr<const Lists> followed_, followers_;  // T, and its transpose by the unknowns that are followed
  Vector offset_;
  std::unique_ptr<const Elsewhere> elsewhere_;  // of other ranks; null: one process
  mutable std::shared_ptr<const Blocks> blocks_;
};

}  // namespace ritz
