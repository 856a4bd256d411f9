// Matrices of the rows that a rank owns, which it assembles from all cells around its nodes
// (fem/ranks/own_field.hpp), with supports eliminated; and the facts of its part that solvers take. All ranks make
// theirs and call each function together.
//
//   RankMatrices of_part(part, options_over_ranks(part, options));
//   const std::unique_ptr<const DividedMatrix> A = of_part.eliminated(tangent_matrix(part.equations(), u), pivot);
//   SolveReport report = solve_linear(*A, b, x, options, of_part.geometry());
#pragma once

#include "fem/operator/divided_field.hpp"
#include "fem/ranks/coarser_fields.hpp"
#include "fem/ranks/own_field.hpp"
#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/linear/solver_cache.hpp"
#include "solvers/multigrid/nested_levels.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

// With a matrix or without one as in one process, and what is promised of all forms.
LinearSolverOptions options_over_ranks(const OwnField& part, LinearSolverOptions options);

class RankMatrices {
 public:
  // Refers to the part. Says what each rank has.
  RankMatrices(const OwnField& part, const LinearSolverOptions& options);
  RankMatrices(const RankMatrices&) = delete;
  RankMatrices& operator=(const RankMatrices&) = delete;

  bool has_matrix() const { return has_matrix_; }
  const DividedField& field() const { return field_; }  // without a matrix
  // Finds nested levels where multigrid may take them: before a matrix is assembled, as they take its pattern.
  void find_nested_levels();
  SolverGeometry geometry() const;

  // Before the first matrix is assembled: throws an AgreedError where a rank predicts no room for its rows.
  void check_room();
  // The owned rows of a matrix of the part. pivot: of eliminated unknowns.
  std::unique_ptr<const DividedMatrix> eliminated(SparseMatrix K, double pivot) const;

  // Says what this rank has sent, and what all of them took: once, after the first solution.
  void report(const DividedMatrix* A, const SolverCache* cache, const ExchangeCounts& sent_by_solution);

 private:
  const DividedSpace& space() const { return part_.divided(); }
  const Ghosts& ghosts() const { return *space().ghosts(); }
  Ranks& ranks() const { return space().ranks(); }
  const Device& device() const { return space().space().device(); }
  void say(const std::string& line) const;
  std::string description() const;  // what each rank has
  NestedLevels nesting_of_corners(const std::vector<Index>& first);

  const OwnField& part_;
  const MessageSink say_;
  const bool has_matrix_, may_nest_;
  const bool related_;                           // have unknowns of the whole space equations between them?
  std::unique_ptr<WholeCoarserFields> coarser_;  // where equations join unknowns, without a matrix
  PartSupports supports_;                        // of a matrix
  DividedField field_;
  NestedLevels nested_;
  bool nests_;  // are nested levels to be looked for?
  bool room_is_checked_ = false, is_reported_ = false;
};

}  // namespace ritz
