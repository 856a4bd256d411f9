// Equations of one or several fields where every rank runs the same program: each has the whole mesh, cuts the part of
// it that it works on, and solves its rows with the others.
//
//   const std::unique_ptr<Ranks> ranks = start_ranks();                    // null: one process
//   const FieldsOfRank mine(equations, supports, *ranks);                  // on all ranks; of the whole mesh
//   const MixedSolution s = solve(mine, options);                          // fem/analysis/mixed_statics.hpp
//   Vector u = mine.gathered(s.u);                                         // of the whole mesh
#pragma once

#include "fem/preconditioners/fields_system.hpp"
#include "fem/ranks/local_fields.hpp"

namespace ritz {

// Throws Error: Exit::environment for fewer nodes of a field than ranks, and internal variables on facets.
void check_divisible(const MixedOperator& equations, const Ranks& ranks);

class FieldsOfRank {
 public:
  // All ranks make theirs together, from equal equations and supports, which must outlive this. rates: those among the
  // equations alone, of an evolution in time. Prescribed values are those of the present time. Throws what
  // check_divisible() throws.
  FieldsOfRank(const MixedOperator& equations, const MixedConstraints& supports, Ranks& ranks,
               const MixedOperator* rates = nullptr);
  FieldsOfRank(const FieldsOfRank&) = delete;
  FieldsOfRank& operator=(const FieldsOfRank&) = delete;

  MixedOperator& equations() const { return part_.equations(); }
  MixedOperator& rates() const { return *rates_; }
  // Other equations on the same spaces, of this part.
  std::unique_ptr<MixedOperator> own(const MixedOperator& others);
  MixedConstraints& supports() { return supports_; }
  const MixedConstraints& supports() const { return supports_; }
  const WholeProblem& whole() const { return whole_; }
  const MixedOperator& equations_of_all() const { return all_; }  // of the whole mesh
  const MixedConstraints& supports_of_all() const { return all_supports_; }

  // x [owned unknown]; the unknowns of the whole mesh. All ranks call it.
  Vector gathered(const Vector& x) const;
  Vector own(const Vector& of_all) const;  // [owned unknown] of a vector that every rank has; no messages

  // Internal variables of the part from those of the equations of the whole mesh, and the way back.
  void take_states() const;
  void bring_states() const;  // all ranks call it

 private:
  WholeProblem of_this_rank(WholeProblem whole) const;
  template <class Use>
  void each_with_states(const Use& use) const;

  const MixedOperator& all_;
  const MixedConstraints& all_supports_;
  FieldsCutter cut_;
  Ranks& ranks_;
  LocalFields part_;
  std::unique_ptr<MixedOperator> rates_;
  MixedConstraints supports_;
  WholeProblem whole_;
};

}  // namespace ritz
