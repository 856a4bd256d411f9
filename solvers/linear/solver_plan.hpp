// How a linear system is solved: methods in the order of trying, as data, and the one loop that walks them. The matrix
// of one process, the rows of a rank, a system of several fields and a tangent without a matrix are each a
// PlannedSystem: it makes factors and preconditioners and iterates; the loop decides what comes next.
//
//   const Reports reports = solve_by_plan(system, {.promise = options.promise, .report = options.say});
#pragma once

#include "device/message_sink.hpp"
#include "solvers/linear/chosen_preconditioner.hpp"
#include "solvers/linear/columns.hpp"
#include "solvers/linear/memory_steps.hpp"
#include "solvers/linear/method_choice.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ritz {

// How a multigrid cycle is made. Memory steps lower it; a cycle that rounding or a bound has spoilt raises it.
struct Cycle {
  MemorySavings memory;
  bool sure_bounds = false;  // more steps for the largest eigenvalues of the smoothers
};

class PlannedSystem {
 public:
  virtual ~PlannedSystem() = default;

  virtual const LinearOperator& matrix() const = 0;
  virtual const Columns& columns() const = 0;
  virtual bool over_ranks() const { return false; }  // only errors that all ranks agree on give way to another method

  // An attempt that ends with such an error gives way to the next method: memory or a library is missing.
  virtual bool gives_way(const Error& error) const {
    return error.exit() == Exit::resources || error.exit() == Exit::environment;
  }

  // Methods in the order of trying. indefinite: conjugate gradients have met a negative curvature.
  virtual std::vector<MethodChoice> plan(bool indefinite) = 0;
  // Solves the columns by a factor.
  virtual Reports factorise(const MethodChoice& choice) = 0;

  // The cycle to begin with, and the one that the loop came to.
  virtual Cycle cycle(const MethodChoice& choice) const = 0;
  virtual void keep(const Cycle&) {}
  // The relatives of the matrix that may precondition it, best first.
  virtual std::vector<PreconditionerBasis> bases(const MethodChoice&, bool /*indefinite*/) const {
    return {PreconditionerBasis::matrix};
  }
  // Makes a preconditioner, unless there is one. Exit::model and Exit::not_converged: this matrix cannot have it.
  virtual void prepare(const MethodChoice& choice, PreconditionerBasis basis, const Cycle& cycle) = 0;
  virtual bool may_be_refused(const MethodChoice&) const { return true; }  // else such an error ends the solution
  // Iterates with it, from the guesses in the columns.
  struct Iteration {
    Reports reports;
    bool of_this_matrix = true;  // false: made of older values, and not good enough; prepare() makes another
  };
  virtual Iteration iterate(const MethodChoice& choice) = 0;
  virtual void free_preconditioners() = 0;  // memory is short

  virtual void remember(const MethodChoice&) {}  // it has converged
};

struct PlanOptions {
  MatrixPromise promise = MatrixPromise::none;
  bool ends_when_indefinite = false;
  MessageSink report = {};  // steps down where memory is short, as they are taken
};

// From the guesses in the columns; a report for each column, whose `fallbacks` name the methods that failed before,
// with reasons. Throws the last error where all methods gave way.
Reports solve_by_plan(PlannedSystem& system, const PlanOptions& options);

}  // namespace ritz
