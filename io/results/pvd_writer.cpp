#include "io/results/pvd_writer.hpp"

#include "io/files/atomic_file.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/core.h>

namespace ritz {
namespace {

std::string with_extension(const std::string& path) {
  return std::filesystem::path(path).extension() == ".pvd" ? path : path + ".pvd";
}

// "run.pvd" keeps its steps in "run/".
std::filesystem::path step_folder(const std::string& path) { return std::filesystem::path(path).replace_extension(); }

// Letters, digits and characters that are safe everywhere; long names are cut.
std::string file_name(const std::string& name) {
  std::string result = name.substr(0, 60);
  for (char& c : result) {
    const bool harmless =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '+';
    if (!harmless) c = '_';
  }
  return result;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  return result;
}

std::string pvd_text(const std::vector<PvdEntry>& entries) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (const PvdEntry& entry : entries)
    text += fmt::format("    <DataSet timestep=\"{}\" part=\"{}\" file=\"{}\"/>\n", entry.time, entry.part,
                        escaped(entry.file));
  return text + "  </Collection>\n</VTKFile>\n";
}

void PvdWriter::add(double time, const std::string& file, int part) {
  std::vector<PvdEntry> entries = entries_;
  // of a step that is tried again
  std::erase_if(entries, [&](const PvdEntry& entry) { return entry.file == file && entry.part == part; });
  entries.push_back({time, part, file});
  write_file(path_, pvd_text(entries));
  entries_ = std::move(entries);
}

VtuSeries::VtuSeries(const std::string& path, VtuOptions options, ResultFolder* folder,
                     std::optional<ResultPieces> pieces)
    : ResultSeries(folder, with_extension(path)),
      index_(with_extension(path)),
      options_(std::move(options)),
      pieces_(std::move(pieces)) {
  for (const JournalEntry& entry : committed()) index_.adopt({entry.time, 0, entry.files.front().path});
  std::error_code error;
  std::filesystem::create_directories(step_folder(index_.path()), error);
  if (error) fail_to_write(step_folder(index_.path()).string(), error.message());
}

std::string VtuSeries::add(const Mesh& mesh, const ResultStep& step) {
  const std::filesystem::path steps = step_folder(index_.path());
  const std::string stem = steps.filename().string(), &name = step.load_case;
  const std::string file =
      fmt::format("{}/{}_{:06}{}.{}", stem, stem, step_count(), name.empty() ? "" : fmt::format("_{}", file_name(name)),
                  pieces_ ? "pvtu" : "vtu");
  const std::string path = (steps.parent_path() / file).string();
  VtuOptions options = options_;
  options.time = step.time;
  options.load_case = name;
  options.cells = step.cells;
  options.staged = true;
  std::vector<std::string> files{path};
  if (pieces_) files = pieces_->write(path, mesh, step.point_fields, step.cell_fields, options);
  else write_vtu(path, mesh, step.point_fields, step.cell_fields, options);
  JournalEntry entry{.series = {}, .step = step_count(), .time = step.time};
  if (folder() != nullptr) {
    entry.series = folder()->relative(index_.path());
    try {
      for (const std::string& each : files)
        entry.files.push_back({.path = folder()->relative(each), .checksum = checksum_of_file(temporary_path(each))});
      folder()->make_room();
    } catch (...) {
      for (const std::string& each : files) discard_temporary(each);
      throw;
    }
  }
  for (auto each = files.rbegin(); each != files.rend(); ++each) commit_file(*each);  // the index last
  index_.add(step.time, file);
  if (step.also)
    for (JournalFile& each : step.also()) entry.files.push_back(std::move(each));
  if (folder() != nullptr) folder()->commit(std::move(entry));
  return path;
}

}  // namespace ritz
