#include "io/results/result_folder.hpp"

#include "device/function_ref.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/commit_group.hpp"
#include "io/results/checkpoint.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include <signal.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ritz {
namespace {

namespace fs = std::filesystem;

bool starts_with_case(const std::string& name, const std::string& case_name) {
  return name.size() > case_name.size() && name.starts_with(case_name) &&
         (name[case_name.size()] == '.' || name[case_name.size()] == '_');
}

// bracket.pvd, bracket_mode_1.pvd, bracket.hdf, bracket_probes.csv, bracket.resolved.toml: what a run of the case
// "bracket" may have left.
bool is_result_name(const std::string& name, const std::string& case_name) {
  if (name == case_name + ".resolved.toml") return true;
  const std::string extension = fs::path(name).extension().string();
  return starts_with_case(name, case_name) && (extension == ".pvd" || extension == ".hdf" || extension == ".csv");
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code status;
  for (fs::directory_iterator at(folder, status), end; !status && at != end; at.increment(status))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool owns(const ResultFolderOptions& options, const std::string& case_name) {
  return case_name == options.case_name || options.members.contains(case_name);
}

// The case or member to which a name in the folder belongs; empty: none. Names of members have no dot and no underline
// after the name of their case.
std::string case_of(const ResultFolderOptions& options, const std::string& name) {
  if (name == options.case_name || starts_with_case(name, options.case_name)) return options.case_name;
  const std::string member =
      name.substr(0, name.find_first_of("._", std::min(options.case_name.size() + 1, name.size())));
  return options.members.contains(member) ? member : "";
}

// Everything that belongs to the results of the case, committed or not; files of other cases' lines are theirs.
std::set<std::string> files_of_case(const std::string& folder, const ResultFolderOptions& options,
                                    const Journal& journal) {
  std::set<std::string> mine, theirs;
  for (const JournalEntry& entry : journal.entries) {
    std::set<std::string>& owner = owns(options, entry.case_name) ? mine : theirs;
    owner.insert(entry.series);
    for (const JournalFile& file : entry.files) owner.insert(file.path);
  }
  for (const std::string& name : names_in(folder)) {
    const std::string case_name = case_of(options, name);
    if (case_name.empty()) continue;
    if (is_result_name(name, case_name)) mine.insert(name);
    for (const std::string& step : names_in(fs::path(folder) / name))
      if (step.starts_with(name + "_") && fs::path(step).extension() == ".vtu") mine.insert(name + "/" + step);
  }
  std::erase_if(mine,
                [&](const std::string& file) { return theirs.contains(file) || !fs::exists(fs::path(folder) / file); });
  return mine;
}

bool is_generation(const std::string& name, const std::string& case_name) {
  return name.starts_with(case_name + "-") && name.size() > case_name.size() + 1 &&
         name.find_first_not_of("0123456789", case_name.size() + 1) == std::string::npos;
}

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code status;
  fs::create_directories(to.parent_path(), status);
  if (!status) fs::rename(from, to, status);
  if (status) fail_to_write(to.string(), status.message());
}

std::string journal_text(const Journal& journal, FunctionRef<bool(const std::string&)> of_case) {
  std::string text;
  for (const JournalEntry& entry : journal.entries)
    if (of_case(entry.case_name)) text += to_line(entry);
  for (const auto& [case_name, run] : journal.complete)
    if (of_case(case_name)) text += to_line_of_end(case_name, run);
  return text;
}

constexpr std::string_view trial_prefix = ".ritz-trial-";  // and the process that writes it, to see whether it can

// Left by a process that was killed meanwhile.
bool is_dead_trial(const std::string& name) {
  return name.starts_with(trial_prefix) &&
         ::kill(static_cast<pid_t>(std::atol(name.c_str() + trial_prefix.size())), 0) != 0 && errno == ESRCH;
}

[[noreturn]] void throw_bad_folder(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::cannot_write, fmt::format("cannot write results to the folder '{}': {}", path, reason),
              "nothing was solved", "name another folder with --output or [output] folder, or make room for this one");
}

void make_folder(const std::string& path) {
  std::error_code status;
  fs::create_directories(path, status);
  if (!status && !fs::is_directory(path, status) && !status) status = std::make_error_code(std::errc::not_a_directory);
  if (status) throw_bad_folder(path, status.message());
}

// The reason why a small file cannot be written in the folder; empty: it was written and removed.
std::string reason_not_to_write(const std::string& folder) {
  const std::string trial = (fs::path(folder) / fmt::format("{}{}", trial_prefix, ::getpid())).string();
  try {
    write_file(trial, "trial\n");
    settle_file(trial);
  } catch (const Error& error) {
    ::unlink(trial.c_str());
    return error.message();
  }
  return ::unlink(trial.c_str()) != 0 ? "a file cannot be removed there" : "";
}

}  // namespace

void probe_folder(const std::string& path) {
  make_folder(path);
  if (const std::string reason = reason_not_to_write(path); !reason.empty()) throw_bad_folder(path, reason);
}

void probe_file(const std::string& path) {
  const NamedFile file = named_file(path);
  if (file.takes_a_stream()) return;
  if (fs::is_directory(file.path))
    throw Error(ErrorKind::show, fmt::format("the name '{}' is taken", path), "a folder has that name",
                "name a file in it");
  const fs::path folder = fs::absolute(file.path).parent_path();
  std::error_code status;
  fs::create_directories(folder, status);
  const std::string reason = status ? status.message() : reason_not_to_write(folder.string());
  if (!reason.empty())
    throw Error(ErrorKind::cannot_write, fmt::format("cannot write '{}': {}", path, reason), "nothing was solved",
                "name a file in another folder, or make room in this one");
}

// Folders that are not there yet: removed at the end, where they are empty.
class ResultFolder::TrialFolders {
 public:
  explicit TrialFolders(const std::string& path) {
    std::error_code unknown;
    for (fs::path at = fs::absolute(path, unknown).lexically_normal(); !unknown && !fs::exists(at, unknown);
         at = at.parent_path())
      made_.push_back(at);
  }
  ~TrialFolders() {
    for (const fs::path& each : made_) ::rmdir(each.c_str());
  }
  TrialFolders(const TrialFolders&) = delete;
  TrialFolders& operator=(const TrialFolders&) = delete;

 private:
  std::vector<fs::path> made_;  // the innermost first
};

ResultFolder::ResultFolder(std::string path, ResultFolderOptions options)
    : trial_(options.check ? std::make_shared<TrialFolders>(path) : nullptr),
      path_((make_folder(path), std::move(path))),
      options_(std::move(options)),
      room_made_(options_.joined) {
  if (options_.joined) return;
  require_no_links();
  lock_ = std::make_shared<FolderLock>(path_, options_.program, options_.notice);
  probe_folder(path_);
  Journal journal = read_journal(path_);
  if (!journal.damaged_lines.empty())
    throw Error(ErrorKind::journal_damaged,
                fmt::format("'{}' is damaged in line {}", journal_path(path_), fmt::join(journal.damaged_lines, ", ")),
                "its record of older results cannot be trusted",
                "inspect it with 'ritz results verify', then name another folder with --output");
  require_new(journal);
  if (journal.unfinished_line) {
    std::error_code status;
    fs::resize_file(journal_path(path_), journal.valid_size, status);
    if (status) fail_to_write(journal_path(path_), status.message());
  }
  sweep_temporaries();
  if (!options_.resume || anew_) return;
  std::erase_if(journal.entries, [&](const JournalEntry& entry) { return entry.case_name != options_.case_name; });
  committed_ = std::move(journal.entries);
}

std::string ResultFolder::checkpoints() const {
  return (fs::path(path_) / (options_.case_name + ".checkpoint")).string();
}

std::vector<JournalEntry> ResultFolder::committed(const std::string& series) const {
  std::vector<JournalEntry> entries;
  std::ranges::copy_if(committed_, std::back_inserter(entries),
                       [&](const JournalEntry& entry) { return entry.series == series; });
  return entries;
}

void ResultFolder::require_new(const Journal& journal) {
  if (options_.overwrite || options_.add) return;
  const bool stopped = Checkpoints::any_in(checkpoints());
  if (options_.resume && stopped) return;
  if (stopped)
    throw Error(ErrorKind::results_exist,
                fmt::format("the folder '{}' holds a checkpoint of '{}', which was stopped", path_, options_.case_name),
                "nothing was solved",
                "add --resume to continue, --overwrite to start again, or name another folder with --output");
  const std::set<std::string> files = files_of_case(path_, options_, journal);
  if (files.empty()) return;
  const auto end = journal.complete.find(options_.case_name);
  is_complete_ =
      options_.resume && !options_.run.empty() && end != journal.complete.end() && end->second == options_.run;
  if (is_complete_) return;
  const bool none_committed =
      std::ranges::none_of(journal.entries, [&](const JournalEntry& entry) { return owns(options_, entry.case_name); });
  anew_ = options_.resume && options_.same_case && (none_committed || options_.same_case());
  if (anew_) {
    if (options_.notice)
      options_.notice(
          fmt::format("no checkpoint of '{}' is in '{}': the run starts at the beginning; what was committed "
                      "is kept until then",
                      options_.case_name, path_));
    return;
  }
  const auto steps = std::count_if(journal.entries.begin(), journal.entries.end(),
                                   [&](const JournalEntry& e) { return owns(options_, e.case_name); });
  throw Error(
      ErrorKind::results_exist,
      fmt::format("the folder '{}' holds results of '{}': {} steps committed, first file '{}'", path_,
                  options_.case_name, steps, *files.begin()),
      options_.resume ? "there is no checkpoint to resume from, and they belong to another case"
                      : "results are not overwritten without --overwrite",
      "add --overwrite (the old ones are kept until the new ones are complete), or name another folder with --output");
}

// Links that the run would write through; others are replaced by its files.
void ResultFolder::require_no_links() const {
  for (const std::string& name : names_in(path_)) {
    const fs::path item = fs::path(path_) / name;
    std::error_code unknown;
    const bool is_written = name == "results.journal" || (!case_of(options_, name).empty() &&
                                                          (fs::is_directory(item, unknown) || name.ends_with(".hdf")));
    if (is_written && fs::is_symlink(item, unknown)) path_within(path_, name);
  }
}

// Removes temporary files of a run that was killed: no other run can be writing now.
void ResultFolder::sweep_temporaries() const {
  std::error_code ignored;
  for (const std::string& name : names_in(path_)) {
    const fs::path item = fs::path(path_) / name;
    const bool mine = !case_of(options_, name).empty();
    if (is_dead_trial(name)) fs::remove(item, ignored);
    if (name.ends_with(".tmp") && (mine || name.starts_with("results.journal"))) fs::remove(item, ignored);
    if (!mine || !fs::is_directory(item, ignored) || !is_within(path_, name)) continue;
    for (const std::string& step : names_in(item))
      if (step.starts_with(name + "_") && step.ends_with(".vtu.tmp")) fs::remove(item / step, ignored);
  }
}

std::string ResultFolder::relative(const std::string& file) const {
  return fs::path(file).lexically_relative(path_).generic_string();
}

void ResultFolder::make_room() {
  if (std::exchange(room_made_, true) || !(options_.overwrite || anew_)) return;
  const Journal journal = read_journal(path_);
  const std::set<std::string> files = files_of_case(path_, options_, journal);
  if (files.empty()) return;
  int generation = 1;
  const fs::path replaced = path_within(path_, "replaced");
  while (fs::exists(replaced / fmt::format("{}-{}", options_.case_name, generation))) ++generation;
  const fs::path aside = replaced / fmt::format("{}-{}", options_.case_name, generation);
  std::error_code status;
  fs::create_directories(aside, status);
  if (status) fail_to_write(aside.string(), status.message());
  // First the lines, then the files: a kill in between leaves files without a line, never a line without its file.
  write_file(journal_path(aside.string()),
             journal_text(journal, [&](const std::string& name) { return owns(options_, name); }));
  write_file(journal_path(path_),
             journal_text(journal, [&](const std::string& name) { return !owns(options_, name); }));
  settle_file(journal_path(aside.string()));  // also where a group holds files back
  settle_file(journal_path(path_));
  for (const std::string& file : files) {
    if (is_within(path_, file)) move_file(fs::path(path_) / file, aside / file);
    else if (options_.notice)
      options_.notice(fmt::format("'{}' leads out of the folder '{}': it stays where it is", file, path_));
  }
}

JournalFile ResultFolder::write(const std::string& name, std::string_view contents) const {
  const std::string path = (fs::path(path_) / name).string();
  write_file(path, contents);
  return {.path = name, .checksum = {contents.size(), crc32_of(contents)}};
}

ResultFolder::ResultFolder(const ResultFolder& of, ResultFolderOptions options)
    : path_(of.path_), options_(std::move(options)), lock_(of.lock_), room_made_(true) {}

ResultFolder ResultFolder::member(const std::string& name) const {
  return ResultFolder(*this, {.case_name = name, .program = options_.program, .notice = options_.notice});
}

Journal ResultFolder::journal() const {
  Journal journal = read_journal(path_);
  std::erase_if(journal.entries, [&](const JournalEntry& entry) { return !owns(options_, entry.case_name); });
  return journal;
}

void ResultFolder::forget(const std::set<std::string>& cases) {
  const Journal journal = read_journal(path_);
  if (std::ranges::none_of(journal.entries, [&](const JournalEntry& entry) { return cases.contains(entry.case_name); }))
    return;
  write_file(journal_path(path_),
             journal_text(journal, [&](const std::string& name) { return !cases.contains(name); }));
}

void ResultFolder::commit(JournalEntry entry) {
  entry.case_name = options_.case_name;
  append_to_journal(path_, entry);
}

void ResultFolder::complete() {
  const fs::path replaced = fs::path(path_) / "replaced";
  std::error_code ignored;
  // A resumed run without a step left to write may follow one that was killed here.
  if ((!room_made_ && !options_.resume) || !fs::exists(replaced, ignored)) return;
  const Journal now = read_journal(path_);
  for (const std::string& name : names_in(replaced)) {
    if (!is_generation(name, options_.case_name) || !is_within(path_, "replaced/" + name)) continue;
    const fs::path aside = replaced / name;
    const Journal before = read_journal(aside.string());
    const std::set<std::string> files = files_of_case(aside.string(), options_, before);
    const auto goes = [&](const std::string& file) { return may_go(before, now, file); };
    if (!anew_ || std::ranges::all_of(files, goes)) fs::remove_all(aside, ignored);
    else if (options_.notice)
      options_.notice(fmt::format("what was there before came out otherwise: it is kept in '{}'", aside.string()));
  }
  fs::remove(replaced, ignored);  // when it is empty
}

// A file that was set aside without being asked for: was it never committed and is rebuilt, or are its steps among
// the new ones, with the same bytes?
bool ResultFolder::may_go(const Journal& before, const Journal& now, const std::string& file) const {
  const auto parts = [&file](const Journal& journal) {
    std::vector<std::string> lines;
    for (const JournalEntry& entry : journal.entries)
      for (const JournalFile& each : entry.files)
        if (each.path == file)
          lines.push_back(to_line({entry.case_name, entry.series, entry.step, entry.time, {each}}));
    return lines;
  };
  const std::vector<std::string> old = parts(before), made = parts(now);
  const bool is_series =
      std::ranges::any_of(now.entries, [&](const JournalEntry& entry) { return entry.series == file; });
  return old.size() <= made.size() && std::equal(old.begin(), old.end(), made.begin()) && (!made.empty() || is_series);
}

void ResultFolder::mark_end() {
  // A run that was killed right after its mark, before its checkpoint was gone, ends a second time.
  const bool marked = options_.resume && read_journal(path_).complete[options_.case_name] == options_.run;
  if (!options_.run.empty() && !marked)
    append_lines_to_journal(path_, to_line_of_end(options_.case_name, options_.run));
}

}  // namespace ritz
