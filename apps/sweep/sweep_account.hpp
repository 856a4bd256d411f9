// The account of the first rank of a sweep: outcomes and errors of members in the report and the log, and what members
// did not make for themselves.
#pragma once

#include "apps/sweep/sweep_record.hpp"
#include "io/results/log.hpp"
#include "io/results/report.hpp"

#include <set>
#include <string>
#include <vector>

namespace ritz {

// Errors of members: each once, with the members that have it.
class SweepFailures {
 public:
  // False: another member had this error.
  bool add(const SweepMember& member, const Error& error);
  // Adds the errors to the report, whose exit code is that of the first one, in the order of members of the plan.
  // `log`: of all, where they have not been logged.
  void report(const SweepPlan& plan, bool log_all, Log& log, RunReport& report);

 private:
  struct Failure {
    Error error;
    std::vector<const SweepMember*> members;
  };
  std::vector<Failure> failures_;  // in the order of their first members
};

// "plate-07 (material.0.young = 7e10): the error"
Error named(const Error& error, const SweepMember& member);

class SweepAccount {
 public:
  SweepAccount(const SweepPlan& plan, Log& log, RunReport& report) : plan_(plan), log_(log), report_(report) {}

  void keep(const SweepMember& member);  // of an earlier sweep
  // A finished member of any rank; its row and files are in the results.
  void add(SweepRecord record);
  void add(const SweepCounts& counts) { counts_.add(counts); }
  void summarise(double seconds, int ranks, const std::string& table);
  void report_failures() { failures_.report(plan_, false, log_, report_); }

  std::size_t complete_count() const { return complete_; }
  std::size_t kept_count() const { return kept_; }
  const SweepCounts& counts() const { return counts_; }

 private:
  const SweepPlan& plan_;
  Log& log_;
  RunReport& report_;
  SweepFailures failures_;
  SweepCounts counts_;
  std::set<std::string> steps_down_;  // of members, without what did not fit
  std::size_t complete_ = 0, kept_ = 0;
};

}  // namespace ritz
