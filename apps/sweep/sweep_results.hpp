// The files of a sweep in its folder: those of its members, their table, and an index for ParaView, committed in
// groups; and the files of an earlier sweep.
//
//   SweepResults results(plan, "results/bracket", {.case_name = "bracket"});   results.begin();
//   results.add(member, row, steps);   if (results.is_due()) results.commit();
//   ...   results.complete();
//
// On several ranks the first one has them all; the others put their members' files in place (take_place) and send it
// the lines of the journal, which it adds (add_lines).
#pragma once

#include "apps/sweep/sweep_table.hpp"
#include "device/function_ref.hpp"
#include "io/files/commit_group.hpp"
#include "io/results/result_folder.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ritz {

class SweepResults {
 public:
  SweepResults(std::shared_ptr<const SweepPlan> plan, const std::string& path, ResultFolderOptions options);
  ResultFolder& folder() { return folder_; }
  const std::string& table_path() const { return table_.path(); }

  // Takes over the members that an earlier sweep has committed; results of the others are forgotten. Throws
  // Error: Exit::checkpoint where one has another fingerprint than it would have now.
  void take_up(FunctionRef<std::string(const SweepMember&)> fingerprint);
  bool has(const SweepMember& member) const { return kept_.contains(member.name); }
  std::size_t kept_count() const { return kept_.size(); }

  void begin() { group_.emplace(); }
  // steps: files, relative to the folder; none of a member that failed.
  void add(const SweepMember& member, SweepTable::Row row, std::vector<std::string> steps = {});
  bool is_due() const;  // enough files wait, or long enough
  void commit();
  std::string take_place();  // the lines of the journal
  void add_lines(const std::string& lines);
  void end() { group_.reset(); }  // discards what is not committed
  void complete();

 private:
  void write_index() const;

  const std::shared_ptr<const SweepPlan> plan_;
  std::string stem_;
  ResultFolder folder_;
  SweepTable table_;
  std::optional<CommitGroup> group_;
  std::chrono::steady_clock::time_point last_commit_ = std::chrono::steady_clock::now();
  std::set<std::string> kept_;
  std::map<std::string, std::vector<std::string>> steps_;  // [member] files of its steps, relative to the folder
};

}  // namespace ritz
