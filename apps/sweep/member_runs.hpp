// Runs of members of a sweep: several are under way where they wait to be solved together. Each becomes a record.
//
//   runs.start(member, fingerprint);   for (SweepRecord& record : runs.take_finished()) ...
#pragma once

#include "apps/analyses/static_batch.hpp"
#include "apps/cases/run.hpp"
#include "apps/cases/shared_model.hpp"
#include "apps/sweep/sweep.hpp"
#include "apps/sweep/sweep_record.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

// Options of a member's own run; its results go to the folder of the sweep.
RunOptions member_options(const RunOptions& of_sweep, const std::string& folder, const SweepMember& member);

SweepOutcome outcome_of(const SweepMember& member, const RunReport& report);

// Checksums of all that the results of members depend on; what [sweep] and [output] say does not matter.
class MemberFingerprints {
 public:
  MemberFingerprints(std::string program, RunOptions options)
      : program_(std::move(program)), options_(std::move(options)) {}

  std::string of(const SweepMember& member);

 private:
  std::uint32_t checksum(const std::string& file);

  std::string program_;
  RunOptions options_;
  std::map<std::string, std::uint32_t> checksums_;  // [file] as it was when it was first read
};

class MemberRuns {
 public:
  MemberRuns(const AppInfo& info, const RunOptions& options, const std::string& folder, const SweepApp& app,
             const SweepPlan& plan, std::shared_ptr<SharedModel> shared);
  ~MemberRuns() { stop(); }

  // Throws what ends the sweep; other errors are in the member's record.
  void start(const SweepMember& member, const std::string& fingerprint);
  void settle() { batch_.solve(); }  // for those that wait
  void stop() { shared_->batch = nullptr; }
  std::vector<SweepRecord> take_finished() { return std::exchange(finished_, {}); }
  const StaticBatch& batch() const { return batch_; }

 private:
  struct Active {
    const SweepMember* member;
    std::string fingerprint;
    std::chrono::steady_clock::time_point start;
    std::unique_ptr<Run> run;
  };
  void done(Run& run, std::exception_ptr error);
  void fail(const SweepMember& member, const Error& error);
  void finish(const SweepMember& member, const RunReport& report, std::vector<std::string> steps);

  const AppInfo& info_;
  const RunOptions& options_;
  const std::string& folder_;
  const SweepApp& app_;
  const SweepPlan& plan_;
  const std::shared_ptr<SharedModel> shared_;
  StaticBatch batch_;
  std::vector<Active> active_;
  std::vector<SweepRecord> finished_;
};

}  // namespace ritz
