// The part of equations that a rank has. Every rank runs the same program with the whole space, and cuts its part:
// nodes along the curve that numbers them, and all cells around those of a rank. Vectors of the whole space are equal
// on all ranks.
//
//   divide_among_ranks(equations, options, ranks).own(equations);      // all ranks make and call these together
//   divide_like(equations, rates);                                     // on the same parts
#pragma once

#include "device/ranks/packed.hpp"
#include "fem/operator/evaluate.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/operator_over_ranks.hpp"
#include "fem/ranks/rank_needs.hpp"
#include "fem/ranks/space_part.hpp"
#include "solvers/algebra/layout.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

// A space in parts, of which a rank has its own. Nodes of the part are [owned | ghosts].
class DividedSpace {
 public:
  // Whole cells: for systems without a matrix, whose coarser fields are divided like the finest.
  enum class Parts { equal, whole_cells };
  static Parts parts_for(const Operator& equations, const LinearSolverOptions& options, const Ranks& ranks);

  DividedSpace(const FunctionSpace& whole, Parts parts, Ranks& ranks);

  Ranks& ranks() const { return ghosts()->ranks(); }
  Parts parts() const { return parts_; }
  const SpacePart& part() const { return part_; }
  const FunctionSpace& space() const { return part_.space(); }
  const std::shared_ptr<const Ghosts>& ghosts() const { return part_.space().ghosts(); }
  const Layout& layout() const { return layout_; }
  RankRows rows() const { return layout_.rows(0); }
  PartIntegrals integrals(const std::vector<Integral>& all) const;
  // couplings: of the equations between unknowns, for a matrix; null: none.
  PartSupports supports(const Constraints& constraints, const PartCouplings* couplings) const;

  // With the values of these at this time. All ranks call it together.
  Constraints own(const Constraints& constraints) const;

  // Vectors of owned unknowns from one of the whole space, where an empty one is zero, and of all that the part has.
  Vector own(const Vector& all) const;
  Vector with_ghosts(const Vector& own) const;

 private:
  SpaceCutter cutter() const;

  FunctionSpace whole_;
  Parts parts_;
  std::vector<Index> first_;  // [rank + 1] owned nodes
  SpacePart part_;
  Layout layout_;  // one field
};

class DividedEquations final : public OperatorOverRanks, public std::enable_shared_from_this<DividedEquations> {
 public:
  DividedEquations(const Operator& equations, std::shared_ptr<const DividedSpace> space);
  DividedEquations(const DividedEquations&) = delete;
  DividedEquations& operator=(const DividedEquations&) = delete;

  const std::shared_ptr<const DividedSpace>& space() const { return space_; }
  // Those of the part, with the numbers, time, factors and internal variables of the equations; between lead() and
  // follow() as an analysis of the part has set them.
  Operator& own(const Operator& equations);
  Operator& lead(const Operator& equations);
  void follow();
  void states_have_changed() { newest_states_ = Newest::on_parts; }

  DerivedFields evaluate_for_the_first(const Operator& equations, const Vector& u, const std::string& form,
                                       LawResults of_laws);
  void numbers_changed() override { numbers_are_taken_ = false; }
  void bring_states(const ElementTerms& terms, PointStates& states) override;
  void states_were_set() override { newest_states_ = Newest::here; }
  void reset_states() override;

 private:
  enum class Newest { everywhere, here, on_parts };
  DividedEquations(std::shared_ptr<const DividedSpace> space, PartIntegrals integrals);
  const Ghosts& ghosts() const { return *space_->ghosts(); }
  Vector with_ghosts(const Vector& all) const;  // of the whole space; an empty one stays empty
  DerivedFields evaluate_own(const Operator& equations, const Vector& u, const std::string& form, LawResults of_laws);

  std::shared_ptr<const DividedSpace> space_;
  std::vector<std::size_t> integral_of_;  // [integral of the part] its number among all
  Operator own_;
  bool numbers_are_taken_ = true, leads_ = false;
  Newest newest_states_ = Newest::everywhere;
};

// Divides the equations where they are not divided yet, or not as a system with these options needs it. A space of
// fewer nodes than ranks is an error of check_divisible(), before.
DividedEquations& divide_among_ranks(const Operator& equations, const LinearSolverOptions& options, Ranks& ranks);
// evaluate() where the first rank alone writes the results: the lists of the others are empty. All ranks call
// it.
DerivedFields evaluate_for_the_first(const Operator& equations, const Vector& u, const std::string& form,
                                     LawResults of_laws = LawResults::stress);
// Other equations on the same space, where these are divided; null: they are not.
DividedEquations* divide_like(const Equations& equations, const Equations& others);

}  // namespace ritz
