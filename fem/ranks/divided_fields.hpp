// Equations of several fields whose residuals and linear systems are the work of all ranks of a job. Nodes of each
// field are cut along the curve that numbers them, and each rank has all cells around those of its own: it assembles
// its rows of all blocks, and its share of Schur complements and auxiliary spaces. The first rank runs the analysis and
// has the whole mesh, no matrix of it; the others do what it orders (fem/ranks/rank_helper.hpp).
//
//   DividedFields& parts = divide_among_ranks(equations, ranks);   equations.residual(u, r);   // by all ranks
//   const FieldsTangent K(parts, supports, {.shape = MixedShape::diagonal}, say);
//   SolveReport report = K.iterate(LinearMethod::minres, b, x, options);  // b, x of the whole, on the first rank
#pragma once

#include "device/ranks/ranks.hpp"
#include "fem/ranks/fields_system.hpp"
#include "fem/operator/mixed_constraints.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

// Throws Error(Exit::environment) for what several ranks do not solve together: fewer nodes or cells of a field than
// ranks, and forms of modules that are no plugins.
void check_divisible(const MixedOperator& equations, const Ranks& ranks);

using Say = std::function<void(const std::string&)>;

class DividedFields final : public MixedOverRanks {
 public:
  // Sends the parts. The equations must outlive this, or keep it.
  DividedFields(const MixedOperator& equations, Ranks& ranks);
  ~DividedFields() override;  // the others forget theirs
  DividedFields(const DividedFields&) = delete;
  DividedFields& operator=(const DividedFields&) = delete;

  void residual(const Vector& u, Vector& r) override;

 private:
  friend class FieldsTangent;
  LocalFieldsData send_parts();
  void order(Packed what) const;  // to all others, whose number goes before it

  const MixedOperator& equations_;
  Ranks& ranks_;
  std::int32_t number_;                                   // among those of the job
  std::vector<std::vector<Index>> first_;                 // [field][rank + 1] nodes
  std::vector<std::vector<std::vector<Index>>> reached_;  // [rank][field]
  std::unique_ptr<const LocalFields> own_;
};

// Those that the equations have, or new ones. Throws what check_divisible() throws.
DividedFields& divide_among_ranks(const MixedOperator& equations, Ranks& ranks);

// The matrix of divided equations on the first rank, with the supports eliminated. One at a time.
class FieldsTangent final : public LinearOperator {
 public:
  // Throws what FieldsSystem throws.
  FieldsTangent(DividedFields& parts, const MixedConstraints& supports, const FieldsPlan& plan, const Say& say);
  ~FieldsTangent() override;  // the others forget their rows
  FieldsTangent(const FieldsTangent&) = delete;
  FieldsTangent& operator=(const FieldsTangent&) = delete;

  const BlockNorms& sizes() const { return own_->sizes(); }
  const Device& device() const override { return parts_.equations_.device(); }
  Index rows() const override { return parts_.equations_.layout().total(); }
  void apply(const Vector& x, Vector& y) const override;
  std::string name() const override { return "divided matrix"; }

  // Throw what DirectSolver and multigrid throw, as an AgreedError. x: of the iteration also where it begins.
  SolveReport factorise(const Vector& b, Vector& x, const FieldsFactorisation& how) const;
  SolveReport iterate(LinearMethod method, const Vector& b, Vector& x, const KrylovOptions& options) const;

 private:
  void send_supports(const MixedConstraints& supports, const FieldsPlan& plan);
  std::vector<std::vector<std::uint8_t>> held_by(int rank, const MixedConstraints& supports) const;
  NestedLevels send_nesting(int field) const;
  CornersOfPart send_corners(int field, const MixedConstraints& supports) const;
  SolveReport solve(const Vector& b, Vector& x,
                    const std::function<SolveReport(const Vector& b, Vector& x)>& by_all) const;

  DividedFields& parts_;
  FieldsPlan plan_;
  Say say_;
  std::unique_ptr<FieldsSystem> own_;
  mutable bool told_ = false;  // of memory
};

// The share of a rank after the first, which does what that one orders.
class FieldsHelper {
 public:
  // functions: those of the first rank.
  FieldsHelper(Unpacked& from, const FunctionElsewhere& functions, const Device& device, Ranks& ranks);
  void help(Unpacked& from);

 private:
  void linearise(Unpacked& from);
  void solve(Unpacked& from, bool by_factor);

  Ranks& ranks_;
  LocalFields part_;
  std::unique_ptr<FieldsSystem> system_;
};

}  // namespace ritz
