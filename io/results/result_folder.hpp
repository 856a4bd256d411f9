// The folder that a run writes to. It is tested, locked and inspected before the work; existing results are kept until
// new ones are ready to replace them; committed files are never touched again.
//
//   ResultFolder folder("results/bracket", {.case_name = "bracket"});
//   VtuSeries series("results/bracket/bracket.pvd", options, &folder);
//   // a step is committed when its line is in results.journal
//   series.write(mesh, {.time = t, .point_fields = fields});
//   folder.complete();
//
// With `overwrite`, the results of this case are moved to `replaced/bracket-1` when the first new step is ready, and
// removed from there by complete(): a run that fails in between loses neither. With `resume` and no checkpoint the same
// is done, and only what came out as it was before is removed.
#pragma once

#include "device/message_sink.hpp"
#include "io/files/journal.hpp"
#include "io/results/folder_lock.hpp"

#include <functional>
#include <memory>
#include <set>
#include <string>

namespace ritz {

struct ResultFolderOptions {
  std::string case_name;  // stem of the case file: the results are named after it
  std::string program = "ritz";
  bool overwrite = false;
  bool resume = false;                 // continue after the committed steps
  bool check = false;                  // nothing will be written: folders that were made go again
  bool add = false;                    // keep existing results and add others
  bool joined = false;                 // the first rank has locked it and made room
  std::set<std::string> members = {};  // of a sweep: "bracket-001"; their results are this run's, too
  MessageSink notice = {};
  std::string run = {};  // which run this is, to know it again when it is complete
  std::function<bool()> same_case =
      {};  // do results that are there belong to this case? For `resume` without a checkpoint
};

class ResultFolder {
 public:
  // Throws Error: Exit::output: cannot be written, in use by another run, holds results or checkpoints of this case.
  ResultFolder(std::string path, ResultFolderOptions options);
  const std::string& path() const { return path_; }
  const std::string& case_name() const { return options_.case_name; }

  std::string checkpoints() const;  // the folder of them
  // Steps of a series, in order, that an earlier run has committed and after which this one continues.
  std::vector<JournalEntry> committed(const std::string& series) const;
  void make_room();  // before the first file of a step takes its place
  // Path relative to the folder, as the journal names it.
  std::string relative(const std::string& file) const;
  // A whole file of this folder, written, flushed and renamed: for the line of a step.
  JournalFile write(const std::string& name, std::string_view contents) const;
  void commit(JournalEntry entry);
  void complete();  // what was set aside goes
  void mark_end();  // after complete(): nothing is left to do for who resumes this run
  // With `resume`: this run came to its end before.
  bool is_complete() const { return is_complete_; }
  // The same folder for one of the members, under the same lock. Room is made by this.
  ResultFolder member(const std::string& name) const;
  Journal journal() const;                          // of this case and its members
  void forget(const std::set<std::string>& cases);  // takes their lines out: their results are rebuilt

 private:
  ResultFolder(const ResultFolder& of, ResultFolderOptions options);
  void require_new(const Journal& journal);
  bool may_go(const Journal& before, const Journal& now, const std::string& file) const;
  void require_no_links() const;
  void sweep_temporaries() const;

  class TrialFolders;

  std::shared_ptr<TrialFolders> trial_;  // of a check; outlives the lock
  std::string path_;
  ResultFolderOptions options_;
  std::shared_ptr<FolderLock> lock_;
  std::vector<JournalEntry> committed_;
  bool room_made_ = false, is_complete_ = false;
  bool anew_ = false;  // with `resume`, as there is no checkpoint: what was committed is set aside, and computed again
};

// Makes the folder and writes, flushes and renames a small file in it. Throws Error: Exit::output.
void probe_folder(const std::string& path);
// The same for the folder of a file that an option names, unless that is a pipe or a device.
void probe_file(const std::string& path);

}  // namespace ritz
