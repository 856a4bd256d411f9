// The results of a run: its series of steps, its probes, and the case as it was solved. Steps are written in the
// background while the next ones are computed; two are held at most. A step that cannot be written because memory is
// short during the computation waits: it is tried again with the next one, and must be written when all results are
// committed.
//
//   ResultWriter writer(folder, "results/bracket/bracket", format, {.name = "bracket.resolved.toml", .text = ...}, 0);
//   writer.write(mesh, {.nodal = fields, .probes = probes, .written = [](const std::string& file) { ... }});
//   writer.settle();   // all is committed, or an error
#pragma once

#include "device/function_ref.hpp"
#include "device/message_sink.hpp"
#include "io/results/background.hpp"
#include "io/results/probe_file.hpp"
#include "io/results/result_series.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

struct SolvedStep {
  using Probes = std::vector<std::pair<std::string, std::vector<double>>>;  // name -> one number or a vector

  std::optional<double> time;  // its number by default
  std::string load_case;
  std::vector<Field> nodal, cells;
  const LagrangeCells* finer = nullptr;  // on which the nodal fields stand; null: on the mesh's
  Probes probes;                         // the same in every step
  struct Text {
    std::string name, text;
  };
  std::vector<Text> texts = {};  // files that are committed with it
  // called in the caller's thread, some time after the commit
  MessageSink written = {};  // of a file
};

class ResultWriter {
 public:
  using Probes = SolvedStep::Probes;
  using Step = SolvedStep;
  using Text = SolvedStep::Text;

  enum class Where { in_background, at_once };

  // `stem`: path of the results without extension. `resolved` is written with the first step. `skip`: steps that are
  // committed and will not be handed in again. Throws Error: Exit::checkpoint when fewer are committed.
  ResultWriter(ResultFolder& folder, const std::string& stem, const SeriesOptions& format, Text resolved, int skip,
               Where where = Where::in_background);

  void write(const Mesh& mesh, Step step);  // throws what an earlier step has met, too
  // Waits until all is written; `make_room` is called before what memory was short for is tried again.
  void settle(FunctionRef<void()> make_room = [] {});
  bool has_postponed() const;                                  // steps that memory was short for
  const std::string& path() const { return series_->path(); }  // what to open
  std::string probes_path() const { return stem_ + "_probes.csv"; }
  int step_count() const { return posted_; }
  double seconds() const { return background_.seconds(); }  // spent on writing, after settle()

 private:
  struct Posted {
    Mesh mesh;
    std::shared_ptr<const Step> step;
    int number;
  };
  void commit(const Posted& posted);
  void commit_or_postpone(const Posted& posted);  // after those that wait
  void commit_postponed();
  void tell();

  ResultFolder& folder_;
  std::string stem_;
  Text resolved_;
  std::unique_ptr<ResultSeries> series_;
  std::optional<ProbeFile> probes_;  // a row for each step
  int posted_;
  Where where_;
  mutable std::mutex mutex_;  // of what both threads use:
  std::vector<std::pair<MessageSink, std::string>> written_;
  std::deque<Posted> postponed_;
  Background background_;  // ends first
};

}  // namespace ritz
