// A series of steps or load cases on one mesh, in the format of the case file. Each step is committed separately:
// written under a temporary name, flushed, renamed, then recorded in the folder's journal (docs/result-safety.md).
//
//   auto series = make_result_series("results/bracket", {.format = ResultFormat::vtkhdf}, &folder);   // bracket.hdf
//   series->write(mesh, {.time = t, .point_fields = fields});
#pragma once

#include "io/results/result_folder.hpp"
#include "io/vtk/vtu_writer.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

class Ranks;  // device/ranks/ranks.hpp

// vtu: a .pvd and a file for each step; pvtu: a .pvd, and for each step a file of each rank and their index; vtkhdf:
// one .hdf
enum class ResultFormat { vtu, pvtu, vtkhdf };

struct ResultStep {
  double time = 0;
  std::string load_case = {};  // or combination; empty: none
  std::span<const Field> point_fields = {};
  std::span<const Field> cell_fields = {};
  const LagrangeCells* cells = nullptr;  // points and cells instead of the mesh's, the same in every step
  // Files that belong to the step, written when its fields are in place and before its line in the journal.
  std::function<std::vector<JournalFile>()> also = {};
};

// When a run is resumed, the steps that were committed before are the beginning of the series.
class ResultSeries {
 public:
  virtual ~ResultSeries() = default;
  // The next step; one that is committed already is left as it is. Returns the path of its file. Throws
  // Error: Exit::output.
  std::string write(const Mesh& mesh, const ResultStep& step);
  // So many of the committed steps will not be written again.
  void skip(int steps) { step_count_ = steps; }
  virtual const std::string& path() const = 0;  // the file to open
  int step_count() const { return step_count_; }

 protected:
  ResultSeries(ResultFolder* folder, const std::string& path);
  virtual std::string add(const Mesh& mesh, const ResultStep& step) = 0;  // number step_count()
  virtual void leave() {}                                                 // in its place: the step is there
  ResultFolder* folder() const { return folder_; }
  const std::vector<JournalEntry>& committed() const { return committed_; }

 private:
  ResultFolder* folder_;
  std::vector<JournalEntry> committed_;  // before this run
  int step_count_ = 0;
};

struct SeriesOptions {
  ResultFormat format = ResultFormat::vtu;
  VtuOptions vtu = {};     // compression and precision hold for all formats
  Ranks* ranks = nullptr;  // that write pieces; null: one process
};

// `path` without an extension. Throws Error: Exit::output when the folder cannot be written, Error: Exit::input for
// what the format does not have.
std::unique_ptr<ResultSeries> make_result_series(const std::string& path, const SeriesOptions& options,
                                                 ResultFolder* folder = nullptr);

// The library that writes the format, before a long computation. Throws Error: Exit::environment where it cannot be
// loaded.
void load_library_of(ResultFormat format);

}  // namespace ritz
