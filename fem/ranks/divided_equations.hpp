// Equations whose residuals, products, results and internal variables are the work of all ranks of a job. The space is
// cut once: nodes along the curve that numbers them, and all cells around those of a rank. Each rank keeps its part and
// the integrals on it for as long as the equations live. The first rank runs the analysis and has the whole space; the
// others do what it orders (fem/ranks/rank_helper.hpp).
//
//   divide_among_ranks(equations, options, ranks);
//   equations.residual(u, r);                    // by all ranks
//   divide_like(equations, rates);               // on the same parts
#pragma once

#include "fem/ranks/part_equations.hpp"
#include "fem/ranks/rank_needs.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

// A space in parts, on the first rank.
class DividedSpace {
 public:
  // Whole cells: for systems without a matrix, whose coarser fields are divided like the finest.
  enum class Parts { equal, whole_cells };
  static Parts parts_for(const Operator& equations, const LinearSolverOptions& options, const Ranks& ranks);

  // Sends the parts. The space must outlive this.
  DividedSpace(const FunctionSpace& whole, Parts parts, Ranks& ranks);
  ~DividedSpace();  // the others forget theirs
  DividedSpace(const DividedSpace&) = delete;
  DividedSpace& operator=(const DividedSpace&) = delete;

  Ranks& ranks() const { return ranks_; }
  Parts parts() const { return parts_; }
  std::int32_t number() const { return number_; }
  const std::shared_ptr<const RankPart>& own() const { return own_; }
  std::vector<PartIntegrals> integrals(const std::vector<Integral>& all) const;  // [rank]
  // couplings: of the equations between unknowns, for a matrix; null: none.
  PartSupports supports(int rank, const Constraints& constraints, const PartCouplings* couplings) const;

 private:
  SpaceCutter cutter() const;

  const FunctionSpace& whole_;
  Ranks& ranks_;
  Parts parts_;
  std::int32_t number_;                      // among those of the job
  std::vector<Index> first_;                 // [rank + 1] owned nodes
  std::vector<std::vector<Index>> reached_;  // [rank]
  std::shared_ptr<const RankPart> own_;
};

// Equations of one operator, on the first rank.
class DividedEquations final : public OperatorOverRanks {
 public:
  DividedEquations(const Operator& equations, std::shared_ptr<const DividedSpace> space);
  ~DividedEquations() override;  // the others forget theirs
  DividedEquations(const DividedEquations&) = delete;
  DividedEquations& operator=(const DividedEquations&) = delete;

  const std::shared_ptr<const DividedSpace>& space() const { return space_; }
  const std::shared_ptr<PartEquations>& own() const { return own_; }
  std::int32_t number() const { return number_; }

  void residual(const Operator& equations, const Vector& u, Vector& r) override;
  void action(const Operator& equations, const Vector& u, const Vector& x, Vector& y) override;
  void transposed_action(const Operator& equations, const Vector& u, const Vector& x, Vector& y);
  void evaluate(const Operator& equations, const Vector& u, const std::string& form, DerivedFields& fields) override;
  void numbers_changed() override { numbers_are_sent_ = false; }
  void commit(const Operator& equations, const Vector& u) override;
  void bring_states(const Operator& equations) override;
  void states_were_set() override { newest_states_ = Newest::here; }
  void reset_states() override;

  // Before the ranks use their parts: these get the numbers and internal variables of the equations.
  void follow(const Operator& equations);
  void time_has_moved(double t);  // as the ranks have taken numbers for another purpose

 private:
  enum class Newest { everywhere, here, on_ranks };
  void look_for_functions(const Operator& equations);
  std::function<void()> begin(const Operator& equations, PartTask functions, Packed words);
  void compute(const Operator& equations, PartTask task, const Vector& u, const Vector& x, Vector& y);
  void send_numbers(const Operator& equations);
  void send_states(const Operator& equations);
  bool asks_at(const Operator& equations, PartTask task);

  std::shared_ptr<const DividedSpace> space_;
  std::int32_t number_;  // among those of the job
  bool asks_, varies_;   // have some integrals functions; some that vary in time?
  bool numbers_are_sent_ = true;
  Newest newest_states_ = Newest::everywhere;
  std::map<PartTask, double> asked_at_;  // the times of tasks
  std::shared_ptr<PartEquations> own_;
};

// Divides the equations where they are not divided yet, or not as a system with these options needs it. A space of
// fewer nodes than ranks is an error of check_divisible(), before.
DividedEquations* divide_among_ranks(const Operator& equations, const LinearSolverOptions& options, Ranks& ranks);
// Other equations on the same space, where these are divided.
void divide_like(const Equations& equations, const Equations& others);

}  // namespace ritz
