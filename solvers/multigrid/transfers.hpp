// Prolongators P and restrictors R = P^T between a level and the next one: sums of parents between nested levels, or
// the tentative prolongator over aggregates, smoothed once. The near-null space that is passed becomes that of the next
// level. Private to solvers/multigrid.
#pragma once

#include "solvers/multigrid/hierarchy_setup.hpp"
#include "solvers/multigrid/near_null.hpp"
#include "solvers/multigrid/transfer_kernels.hpp"

namespace ritz {

class Transfers {
 public:
  Transfers(const Device& device, const NearNull& near_null, bool single_precision);

  // fine.P between nested levels.
  void interpolate(const NestedNodes& nodes, SetupLevel& fine, Vector& near_null, CoarseNodes& coarser) const;
  // fine.P over fine.aggregate. reached: near-null space of [owned | ghosts]; empty: that of the owned nodes is all.
  void smooth(const GraphView& strong, const Vector& reached, SetupLevel& fine, Vector& near_null,
              CoarseNodes& aggregates) const;
  void transpose(SetupLevel& fine) const;  // fine.R
  // New values of P and R on known patterns, in one process; false when P has no place for some.
  bool refresh(const NestedNodes* nodes, KnownLevel& known, RefreshedLevel& fine, Vector& near_null) const;
  // The product is made with the transfers that the cycle has, so that they can be used once more.
  void round_as_cycle(Vector& values) const;

 private:
  template <class Make>
  auto with_input(const LevelMatrix& A, const Vector& inverse_diagonal, double largest, const std::int32_t* aggregate,
                  CoarseNodes& aggregates, const GraphView& strong, const Vector& reached, Vector& near_null,
                  const Make& make) const;
  void count(Index bytes) const { device_.profile().count(bytes); }

  Device device_;
  const NearNull& near_null_;
  const TransferKernels& kernels_;
  bool single_precision_;
};

}  // namespace ritz
