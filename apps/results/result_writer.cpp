#include "apps/results/result_writer.hpp"

#include "device/memory_shortage.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

// Bytes of a table of probes that are committed.
std::uint64_t end_of(const JournalFile& table) {
  if (table.slabs.empty())
    throw Error(ErrorKind::journal_damaged, fmt::format("the journal names no rows of '{}'", table.path),
                "it was written by another program, or edited", "start again with --overwrite");
  return table.slabs.back().first_row + table.slabs.back().row_count;
}

}  // namespace

ResultWriter::ResultWriter(ResultFolder& folder, const std::string& stem, const SeriesOptions& format, Text resolved,
                           int skip, Where where)
    : folder_(folder),
      stem_(stem),
      resolved_(std::move(resolved)),
      series_(make_result_series(stem, format, &folder)),
      posted_(skip),
      where_(where) {
  const auto committed = static_cast<int>(folder.committed(folder.relative(series_->path())).size());
  if (skip > committed)
    throw Error(
        ErrorKind::checkpoint_unusable,
        fmt::format("the checkpoint follows {} steps of '{}', but {} are committed", skip, series_->path(), committed),
        "results were removed, or are those of another run", "start again with --overwrite");
  series_->skip(skip);
}

void ResultWriter::write(const Mesh& mesh, Step step) {
  if (!probes_ && !step.probes.empty()) {
    const std::string name = folder_.relative(probes_path());
    std::uint64_t committed = 0;
    for (const JournalEntry& entry : folder_.committed(folder_.relative(series_->path())))
      for (const JournalFile& each : entry.files)
        if (each.path == name) committed = end_of(each);
    probes_.emplace(probes_path(), committed);
  }
  // shared, as std::function wants to be copied
  const Posted posted{mesh, std::make_shared<const Step>(std::move(step)), posted_};
  if (where_ == Where::at_once) {
    commit(posted);
  } else {
    if (has_postponed()) {
      background_.wait();
      memory_shortage([&] { commit_postponed(); });
    }
    background_.post([this, posted] { commit_or_postpone(posted); });
  }
  ++posted_;
  tell();
}

bool ResultWriter::has_postponed() const {
  const std::lock_guard lock(mutex_);
  return !postponed_.empty();
}

void ResultWriter::commit_or_postpone(const Posted& posted) {
  if (!has_postponed() && !memory_shortage([&] { commit(posted); })) return;
  const std::lock_guard lock(mutex_);
  postponed_.push_back(posted);
}

// While nothing is in work in the background.
void ResultWriter::commit_postponed() {
  for (; has_postponed(); postponed_.pop_front()) commit(postponed_.front());
}

void ResultWriter::commit(const Posted& posted) {
  const Step& step = *posted.step;
  const int number = posted.number;
  ResultStep result{.time = step.time.value_or(double(number)),
                    .load_case = step.load_case,
                    .point_fields = step.nodal,
                    .cell_fields = step.cells,
                    .cells = step.finer};
  result.also = [&] {
    std::vector<JournalFile> files;
    if (number == 0) files.push_back(folder_.write(resolved_.name, resolved_.text));
    for (const Text& each : step.texts) files.push_back(folder_.write(each.name, each.text));
    if (probes_) {
      files.push_back(probes_->add(number, result.time, step.load_case, step.probes));
      files.back().path = folder_.relative(probes_->path());
    }
    return files;
  };
  std::string file = series_->write(posted.mesh, result);
  const std::lock_guard lock(mutex_);
  written_.emplace_back(step.written, std::move(file));
}

void ResultWriter::tell() {
  decltype(written_) written;
  {
    const std::lock_guard lock(mutex_);
    written.swap(written_);
  }
  for (const auto& [hear, file] : written)
    if (hear) hear(file);
}

void ResultWriter::settle(FunctionRef<void()> make_room) {
  try {
    background_.wait();
    if (has_postponed()) make_room();
    commit_postponed();
  } catch (...) {
    tell();
    throw;
  }
  tell();
}

}  // namespace ritz
