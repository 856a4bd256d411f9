// Equations of several fields whose residuals and linear systems are the work of all ranks of a job. Nodes of each
// field are cut along the curve that numbers them, and each rank has all cells around its nodes. The first rank
// runs the analysis and has the whole mesh, no matrix of it; the others do what it orders (fem/ranks/rank_helper.hpp):
// a residual, or the same FieldsSystem of their part.
//
//   DividedFields& parts = divide_among_ranks(equations, ranks);   equations.residual(u, r);   // by all ranks
//   SolveReport report = parts.solve(supports, options, whole, r, du);     // r, du of the whole, on the first rank
#pragma once

#include "device/ranks/ranks.hpp"
#include "fem/preconditioners/fields_system.hpp"
#include "fem/ranks/local_fields.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace ritz {

// Throws Error(Exit::environment) for fewer nodes or cells of a field than ranks.
void check_enough_nodes(const MixedOperator& equations, const Ranks& ranks);
// The same, and for forms of modules that are no plugins: other ranks get orders, and load plugins alone.
void check_divisible(const MixedOperator& equations, const Ranks& ranks);

class DividedFields final : public MixedOverRanks {
 public:
  // Sends the parts. The equations must outlive this, or keep it.
  DividedFields(const MixedOperator& equations, Ranks& ranks);
  ~DividedFields() override;  // the others forget theirs
  DividedFields(const DividedFields&) = delete;
  DividedFields& operator=(const DividedFields&) = delete;

  void residual(const Vector& u, Vector& r) override;
  bool suits(const MixedOperator& equations) const;  // have equations between unknowns joined others since it was made?
  // Throws what FieldsSystem::solve() throws. whole: of the equations, without calls.
  SolveReport solve(const MixedConstraints& supports, const LinearSolverOptions& options, const WholeProblem& whole,
                    const Vector& r, Vector& du) const;

 private:
  std::vector<PartSupports> supports_of_rank(int rank, const MixedConstraints& supports) const;
  NestedLevels send_nesting(int field) const;
  CornersOfPart send_corners(int field, const MixedConstraints& supports) const;
  LocalFieldsData send_parts();
  void order(Packed what) const;  // to all others, whose number goes before it

  const MixedOperator& equations_;
  Ranks& ranks_;
  std::int32_t number_;                                   // among those of the job
  std::vector<std::vector<Index>> first_;                 // [field][rank + 1] nodes
  std::vector<std::vector<std::vector<Index>>> reached_;  // [rank][field]
  std::vector<const NodeCouplings*> couplings_;           // [field]
  std::unique_ptr<const LocalFields> own_;
};

// Those that the equations have, or new ones. Throws what check_divisible() throws.
DividedFields& divide_among_ranks(const MixedOperator& equations, Ranks& ranks);

// The share of a rank after the first, which does what that one orders.
class FieldsHelper {
 public:
  // functions: those of the first rank.
  FieldsHelper(Unpacked& from, const FunctionElsewhere& functions, const Device& device, Ranks& ranks);
  void help(Unpacked& from);

 private:
  void solve(Unpacked& from) const;

  Ranks& ranks_;
  LocalFields part_;
};

}  // namespace ritz
