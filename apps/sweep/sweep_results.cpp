#include "apps/sweep/sweep_results.hpp"

#include "io/files/atomic_file.hpp"
#include "io/results/pvd_writer.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t files_in_a_group = 256;
constexpr std::chrono::seconds between_commits{5};

ResultFolderOptions with_members(ResultFolderOptions options, const SweepPlan& plan) {
  for (const SweepMember& member : plan.members) options.members.insert(member.name);
  return options;
}

}  // namespace

SweepResults::SweepResults(std::shared_ptr<const SweepPlan> plan, const std::string& path, ResultFolderOptions options)
    : plan_(std::move(plan)),
      stem_(options.case_name),
      folder_(path, with_members(std::move(options), *plan_)),
      table_((fs::path(path) / (stem_ + "_sweep.csv")).string(), plan_->keys) {}

// Complete are those whose row says so, and whose files are in the journal.
void SweepResults::take_up(FunctionRef<std::string(const SweepMember&)> fingerprint) {
  std::map<std::string, SweepTable::Row> rows = SweepTable::read(table_.path());
  const Journal journal = folder_.journal();
  if (!journal.damaged_lines.empty())
    throw Error(
        ErrorKind::journal_damaged,
        fmt::format("'{}' is damaged in line {}", journal_path(folder_.path()), fmt::join(journal.damaged_lines, ", ")),
        {}, "name another folder with --output");
  std::set<std::string> again;
  std::map<std::string, std::vector<std::string>> committed;
  for (const JournalEntry& entry : journal.entries) {
    std::vector<std::string>& steps = committed[entry.case_name];
    if (!entry.files.empty()) steps.push_back(entry.files.front().path);
  }
  for (const SweepMember& member : plan_->members) {
    const auto row = rows.find(member.name);
    if (row == rows.end() || row->second.status != "complete" || (plan_->fields && !committed.contains(member.name))) {
      again.insert(member.name);
      continue;
    }
    if (row->second.fingerprint != fingerprint(member))
      throw Error(ErrorKind::checkpoint_unusable,
                  fmt::format("'{}' was solved with another case, other files or other values ({} now)", member.name,
                              member.text()),
                  "a resumed sweep must be the one that was begun",
                  "name another folder with --output, or add --overwrite instead of --resume");
    table_.add(member, row->second);
    kept_.insert(member.name);
    if (plan_->fields) steps_[member.name] = committed[member.name];
  }
  folder_.forget(again);
}

void SweepResults::add(const SweepMember& member, SweepTable::Row row, std::vector<std::string> steps) {
  table_.add(member, std::move(row));
  if (!steps.empty()) steps_[member.name] = std::move(steps);
}

bool SweepResults::is_due() const {
  return group_->size() >= files_in_a_group || std::chrono::steady_clock::now() - last_commit_ > between_commits;
}

void SweepResults::commit() {
  folder_.make_room();
  table_.write(plan_->members);
  if (plan_->fields) write_index();
  group_->commit();
  last_commit_ = std::chrono::steady_clock::now();
}

std::string SweepResults::take_place() {
  std::string lines;
  for (const auto& [folder, text] : group_->take_place()) lines += text;
  last_commit_ = std::chrono::steady_clock::now();
  return lines;
}

void SweepResults::add_lines(const std::string& lines) {
  if (!lines.empty()) hold_journal_line(folder_.path(), lines);
}

void SweepResults::complete() {
  end();
  folder_.complete();
}

// All members in one index, where each has one step on files of its own.
void SweepResults::write_index() const {
  std::vector<PvdEntry> entries;
  for (std::size_t m = 0; m < plan_->members.size(); ++m) {
    const auto found = steps_.find(plan_->members[m].name);
    if (found == steps_.end()) continue;
    if (found->second.size() != 1 || !found->second.front().ends_with(".vtu")) return;
    entries.push_back({double(m), 0, found->second.front()});
  }
  if (!entries.empty()) write_file((fs::path(folder_.path()) / (stem_ + "_sweep.pvd")).string(), pvd_text(entries));
}

}  // namespace ritz
