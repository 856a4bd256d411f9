// The share of one rank in a linear system of several fields that ranks solve together: the rows of its unknowns, and
// what preconditions them. All ranks make theirs and call each function together. Vectors hold what a rank owns, field
// after field.
//
//   FieldsSystem system(part, held, how, calls);   SolveReport report = system.iterate(method, b, x, options);
#pragma once

#include "fem/preconditioners/block_norms.hpp"
#include "fem/ranks/divided_edges.hpp"
#include "fem/ranks/local_fields.hpp"
#include "fem/preconditioners/field_blocks.hpp"
#include "solvers/direct/direct_factor.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/multigrid/nested_levels.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct FieldsPlan {
  std::optional<MixedShape> shape = {};  // of the preconditioner; none: for a factorisation
  SmoothedAggregationOptions multigrid = {};
};

struct FieldsFactorisation {
  DirectKind kind;
  double relative, rounding_error;
  Index memory_limit;  // of each rank
  double operations_limit;
};

// Calls of all ranks together: what the first one, which has the whole mesh, knows of a field.
struct FieldsCalls {
  std::function<NestedLevels(int field)> nesting;
  std::function<CornersOfPart(int field)> corners;
};

class FieldsSystem {
 public:
  // Equations are linear. held: [field][unknown of the part] 1: prescribed. Throws what FieldBlocks and edge_spaces()
  // throw, as an AgreedError.
  FieldsSystem(const LocalFields& part, const std::vector<std::vector<std::uint8_t>>& held, const FieldsPlan& plan,
               const FieldsCalls& calls);
  ~FieldsSystem();

  const BlockNorms& sizes() const { return *sizes_; }  // of all ranks
  void product(const Vector& x, Vector& y) const;      // with the matrix, whose supports are eliminated
  // Throw what DirectSolver and multigrid throw, as an AgreedError. x: of the iteration also where it begins.
  SolveReport factorise(const Vector& b, Vector& x, const FieldsFactorisation& how,
                        const std::function<void(const std::string&)>& say) const;
  SolveReport iterate(LinearMethod method, const Vector& b, Vector& x, const KrylovOptions& options);

  std::string description() const;  // what each rank has
  std::string memory() const;       // of arrays on each rank

 private:
  struct FieldShare;
  class Preconditioner;
  void assemble(const std::vector<std::vector<std::uint8_t>>& held, const FieldsPlan& plan, const FieldsCalls& calls);
  FieldShare share_of(int k, const FieldBlocks& parts, const Constraints& supports, const FieldsPlan& plan,
                      const FieldsCalls& calls) const;
  void make_preconditioner();

  const LocalFields& part_;
  std::optional<BlockNorms> sizes_;
  SmoothedAggregationOptions multigrid_;
  std::vector<int> order_;  // in which fields are eliminated
  BlockTriangle triangle_ = BlockTriangle::none;
  std::vector<FieldShare> fields_;  // until their parts are made
  std::unique_ptr<DividedMatrix> K_;
  std::unique_ptr<Preconditioner> M_;
};

}  // namespace ritz
