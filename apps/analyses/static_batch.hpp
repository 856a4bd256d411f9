// Linear models that wait for each other: members of a sweep with the same matrix are columns of one solution, as many
// as the memory holds.
//
//   solve_or_wait(run, equations, read, options, show);   // the last step of an app
#pragma once

#include "apps/cases/case_model.hpp"
#include "apps/cases/sweep_plan.hpp"
#include "device/function_ref.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace ritz {

// Members of a sweep that are solved together at most; 0: as memory allows.
int batch_limit(const SweepPlan& plan);
// The number of members that fit in half of the free memory.
int members_that_fit(const FunctionSpace& space, int limit);

class StaticBatch {
 public:
  // `limit`: members solved together; 0: as memory allows, 64 at most. `done` is called for each member that has
  // waited, with nullptr or its error.
  using Done = std::function<void(Run&, std::exception_ptr)>;
  StaticBatch(int limit, Done done) : limit_(limit), done_(std::move(done)) {}

  // The run must live until it is done. Solves those before where this one has another matrix, and all where that are
  // enough.
  void add(Run& run, const Operator& equations, std::shared_ptr<const ModelSupports> supports,
           const LinearSolverOptions& options, Observer observer);
  void solve();  // those that wait
  bool waits(const Run& run) const;
  int solutions() const { return solutions_; }
  int largest() const { return largest_; }

 private:
  struct Waiting {
    Run* run;
    Operator* equations;
    std::vector<FormValue> numbers;  // of the equations for this member
    std::vector<double> factors;     // of their integrals, likewise
    std::shared_ptr<const ModelSupports> supports;
    LinearSolverOptions options;
    Observer observer;
    void take_numbers() const;  // the equations become those of this member
  };
  bool shares_its_matrix(const Waiting& member) const;
  void solve(std::vector<Waiting> members);
  std::vector<StaticSolution> solved_together(std::vector<Waiting>& members);
  void show(Waiting& member, StaticSolution solution);
  void finish(Waiting& member, FunctionRef<void()> work);

  int limit_;
  Done done_;
  std::vector<Waiting> waiting_;
  int solutions_ = 0, largest_ = 0;
};

}  // namespace ritz
