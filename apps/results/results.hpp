// The results of a run: the folder and its lock, the steps and probes in it, checkpoints, what solves report, and the
// fields that are missing where memory was short for them.
//
//   Results results(context, input.table("output", ...));      results.open(mesh, fields);
//   results.write(nodal_fields, cell_fields);                  results.finish();
#pragma once

#include "apps/results/path.hpp"
#include "apps/results/probe_history.hpp"
#include "apps/results/probes.hpp"
#include "apps/results/result_fields.hpp"
#include "apps/results/result_writer.hpp"
#include "apps/run/options.hpp"
#include "apps/show/shown.hpp"
#include "device/device.hpp"
#include "device/function_ref.hpp"
#include "io/case/case.hpp"
#include "io/results/checkpoint.hpp"
#include "io/results/log.hpp"
#include "io/results/report.hpp"
#include "io/results/result_folder.hpp"
#include "io/results/result_pieces.hpp"
#include "solvers/algebra/solve_report.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

// The process and the case around results; all of it outlives them.
struct ResultsContext {
  const AppInfo& program;
  const RunOptions& options;
  const Device& device;
  Case& input;
  Log& log;
  RunReport& report;
  const bool& writes_fields;                                       // else probes alone
  std::string name;                                                // that results begin with
  ResultFolder* sweep = nullptr;                                   // of the sweep whose member this is
  bool is_member = false;                                          // of a sweep
  std::function<std::vector<std::string>()> take_steps_down = {};  // of the equations, since the last call
  std::function<void()> give_back_lists = {};                      // of the equations, which can rebuild them
};

// The folder of the results: --output, else the case's; with --untrusted `own`, unless links lead out of the current
// folder there, which is Error: Exit::output.
std::string output_folder(const RunOptions& options, const std::string& own, const std::string& of_case);

class Results {
 public:
  explicit Results(ResultsContext context);  // reads [output]
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  const Device& device() const { return context_.device; }
  bool writes_hdf5() const { return format_.format == ResultFormat::vtkhdf; }
  Log& log() { return context_.log; }
  const RunOptions& options() const { return context_.options; }
  [[nodiscard]] Profile::Phase phase(std::string name) const { return device().profile().phase(std::move(name)); }

  // Tries and locks the folder, and looks for a checkpoint where the run resumes. With --check, what keeps a run from
  // its folder is a notice. `fields`: names and components of the results to come.
  void open(const Mesh& mesh, const ProbeFields& fields);
  void load_library();  // of the files, before it is needed

  // The state from which a stopped run resumes; after open(), with --resume.
  const std::optional<CheckpointState>& resumed() const { return resumed_; }
  // From here on a run that is stopped can be resumed. Written now and then, before the first result, and when the run
  // is stopped.
  void keep(CheckpointState state);
  // Additions that are written with each state from here on.
  void keep_beside(CheckpointState::More more) { kept_beside_ = std::move(more); }
  // The last state once more, since what is beside it has changed. `where`: of the whole, for people.
  enum class Writing { now_and_then, at_once };
  void keep_again(const std::string& where, Writing writing);
  // After an error that is a stop: writes what was kept, and says so. nullopt: it is none, or nothing was kept.
  std::optional<Error> stopped(const Error& error);

  // Records, facts and results from here on belong to this load case, combination or step.
  void begin_load_case(const std::string& name);
  void begin_combination(const std::string& name);
  // Fields of the step are written, or numbers alone. `time`: of its results, where they have none.
  void begin_step(const std::string& name, bool writes_fields, double time);
  // The outcome of a step that was done before the run was resumed.
  void take_step(LoadCaseOutcome done) { context_.report.steps.push_back(std::move(done)); }
  std::map<std::string, std::string>& facts();
  void record(const SolveReport& solve, Index unknowns);
  // Adds a notice and a fall-back to a solve that is recorded, or will be.
  void step_down(const std::string& step);

  ResultFields& fields() { return fields_; }  // [output] cells
  const ResultFields& fields() const { return fields_; }
  void estimate_error() { estimates_error_ = true; }  // apps/cases/mesh_error.hpp: for forecasts
  bool estimates_error() const { return estimates_error_; }
  void measure_by(const BodyMeasure& measure) { measure_ = measure; }  // means and integrals of probes
  const BodyMeasure& measure() const { return measure_; }

  void look_along(Paths paths) { paths_ = std::move(paths); }           // of the case, from here on
  const std::vector<PathResult>& paths() const { return last_paths_; }  // of the last step

  // Fields at nodes, and in cells, that every step has beside those of its solution.
  void carry(std::vector<Field> nodal) { carried_ = std::move(nodal); }
  void carry_in_cells(std::vector<Field> cells) { carried_in_cells_ = std::move(cells); }
  // Evaluates the case's probes; fields at nodes and cells go to the output folder in the background. `time`: the
  // number of the step by default. Fields without values are left out, and probes of them are NaN.
  // `energies` [J] have columns of their own after those of the probes, and curves.
  void write(std::vector<Field> nodal, std::vector<Field> cells, std::optional<double> time = {},
             ResultWriter::Probes energies = {});
  // A text "<case>_<name>", such as "response.csv", which is committed with the next step of write().
  void add_table(const std::string& name, std::string text);
  // One more such number of the steps that follow: the load beside the probes of a curve.
  void carry_number(std::string name, double value) { carried_numbers_ = {{std::move(name), {value}}}; }
  // One more series, "<case>_<name>.pvd" or ".hdf", of `count` steps: frame(step) gives its time and its nodal fields.
  // `mesh`: another one than that of the results.
  void write_series(const std::string& name, int count, FunctionRef<std::pair<double, std::vector<Field>>(int)> frame,
                    const Mesh* mesh = nullptr);
  void settle();  // waits until what was handed to write() is committed
  // Frees memory that is short: lists that equations can rebuild, and steps that wait to be written. Returns the
  // shortage of those that still wait.
  std::optional<Error> give_back();
  bool writing_is_short() const { return writer_ && writer_->has_postponed(); }
  void finish();                                                        // ends the folder's journal and the checkpoints
  void log_path() const;                                                // of the index, for ParaView
  const Shown* shown() const { return shown_ ? &*shown_ : nullptr; }    // with --picture or --report
  const ProbeHistory& probe_history() const { return probe_history_; }  // of steps that have a time
  // Files of write()'s steps, relative to the folder.
  const std::vector<std::string>& committed() const { return committed_; }

  // The last fall-back when a GPU's memory is short: committed results stay, so only before the first result.
  bool may_go_to_the_cpu() const;
  // No where a CPU can do it all over, or where a file has steps with these fields and needs them in all.
  bool may_lack_fields() const;
  void expect_large_strains() { expects_large_strains_ = has_large_strains_ = true; }  // else they are reported
  bool expects_large_strains() const { return expects_large_strains_; }
  // From here on steps lack fields for which memory is short (apps/results/derived_fields.hpp), and the run ends with
  // an error.
  void go_without_fields(const Error& shortage, const std::string& remedy);
  bool lacks_fields() const { return lack_.has_value(); }
  std::optional<Error> lack() const;  // the error

 private:
  void read_settings();
  CheckpointOwner owner() const;
  std::string identity() const;
  bool holds_this_case() const;
  bool open_folder();
  void try_folder();
  void begin_as_the_first(bool complete);
  void open_shown(const ProbeFields& fields);
  void keep_other_files() const;
  void check_room(const ProbeFields& fields) const;
  void open_writer(bool probes);
  void begin_part(std::vector<LoadCaseOutcome>& parts, const std::string& name);
  void report_fallback(const std::string& step);
  void report_steps_down();
  void record_large_strains(std::span<const Field> nodal, std::span<const Field> cells);
  void record_paths(const ProbeFields& fields, ResultWriter::Probes& probes);
  void keep_lack();
  void write(SolvedStep step);  // to the folder
  void follow();                // of a rank after the first
  void unless_memory_is_short(FunctionRef<void()> write_checkpoint);
  void leave_out_missing(std::vector<Field>& fields);
  std::filesystem::path path_of(const std::string& file) const;
  std::string resolved_name() const, resolved_case() const;  // bracket.resolved.toml

  ResultsContext context_;
  std::optional<Mesh> mesh_;
  BodyMeasure measure_;
  bool estimates_error_ = false;
  std::vector<Field> carried_, carried_in_cells_;
  SeriesOptions format_;
  ResultFields fields_;
  std::string output_;
  std::vector<LoadCaseOutcome>* parts_ = nullptr;  // of the report: the last one is in work; null: the run is all
  bool step_writes_fields_ = true;
  std::optional<double> time_of_step_;
  ResultWriter::Probes carried_numbers_;
  std::vector<Field> nodal_of_run_, cells_of_run_;  // names of all results, of which a step has some
  std::unique_ptr<ResultFolder> folder_;            // from open() on
  std::optional<Checkpoints> checkpoints_;
  std::optional<CheckpointState> resumed_;
  CheckpointState::More kept_beside_;
  std::vector<std::string> committed_;
  struct Lack {
    std::string shortage, remedy;
    bool is_kept = false;  // in a checkpoint
  };
  std::optional<Lack> lack_;
  Paths paths_;
  std::vector<PathResult> last_paths_;
  std::vector<SolvedStep::Text> tables_;   // that wait for the next step
  std::vector<std::string> steps_before_;  // down, of a solve that is not recorded yet
  bool expects_large_strains_ = false;
  bool has_large_strains_ = false;  // reported, or expected
  std::optional<Shown> shown_;
  ProbeHistory probe_history_;
  std::optional<ResultWriter> writer_;  // of write(): a step for each increment, load case and combination
  std::optional<ResultPieces> pieces_;  // of a rank after the first
};

}  // namespace ritz
