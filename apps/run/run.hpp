// What every simulation executable has in common: the command line, the case file, the mesh, the device, the log, the
// report, and the exit code. An app is a function from a Run to results:
//
//   int main(int argc, char** argv) { return run_app(argc, argv, {"ritz-heat", "...", "..."}, heat); }
//
//   void heat(Run& run) {
//     const Mesh& mesh = run.mesh();          // [mesh] of the case
//     ... ask run.input() ...
//     run.checked(fields_to_come);            // throws all input errors; with --check the run ends here
//     ... solve ...
//     run.write(nodal_fields, cell_fields);   // result files, probes, report
//   }
#pragma once

#include "apps/results/probes.hpp"
#include "apps/results/result_fields.hpp"
#include "apps/results/result_writer.hpp"
#include "apps/run/memory_limits.hpp"
#include "device/device.hpp"
#include "io/case/case.hpp"
#include "io/results/checkpoint.hpp"
#include "io/results/log.hpp"
#include "io/results/report.hpp"
#include "io/results/result_folder.hpp"
#include "mesh/mesh.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

struct SharedModel;  // apps/sweep/shared_model.hpp

struct AppInfo {
  std::string name;         // "ritz-heat"
  std::string description;  // one sentence
  std::string example;      // a case file, shown by --help
  int components = 3;       // unknowns per node, about: for the choice of a device
};

// Instead of a case file and its mesh: Case::survey and a small mesh, for apps/run/schema.hpp. The run ends at
// checked().
struct RunSurvey {
  std::map<std::string, std::string> taken;
  std::function<Mesh(bool structural)> mesh;
};

struct RunOptions {
  std::string case_file, device = "auto", output, json;
  std::vector<std::string> overrides;  // key=value
  int threads = 0;
  double time_limit = 0;          // [s]; 0: none
  double checkpoint_every = 600;  // [s]; 0: only when it is stopped
  MemoryLimits memory;
  std::string profile;               // file of the trace
  std::vector<std::string> notices;  // of the attempt before this
  bool check = false, estimate = false, describe = false, schema = false, log_json = false, quiet = false,
       verbose = false, overwrite = false;
  std::string member;   // of a sweep: its results are named after it; empty: after the case
  bool resume = false;  // what an earlier run of this case committed is not done again
  std::optional<RunSurvey> survey;
};

// Thrown by Run::checked() when only checking was asked for.
struct CheckedOnly {};

class Run {
 public:
  // `shared`: with the other members of a sweep; it must outlive the run.
  Run(AppInfo info, RunOptions options, SharedModel* shared = nullptr);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Case& input() { return *case_; }
  const Device& device() const;
  [[nodiscard]] Profile::Phase phase(std::string name) const { return device().profile().phase(std::move(name)); }
  SharedModel& shared() { return *shared_; }
  Log& log() { return log_; }
  RunReport& report() { return report_; }
  const RunOptions& options() const { return options_; }

  // [mesh] file, scale, order: read, scaled, raised to the order, checked. Read at the first call.
  const Mesh& mesh(bool structural = false);  // structural: lines and surfaces in space, too (MeshData::structural)
  LinearSolverOptions solver(MatrixPromise promise = MatrixPromise::none, double tolerance = 1e-8);  // [solver]
  // Finishes the case, tries and locks the output folder; throws CheckedOnly with --check. `fields`: names and
  // components of the results to come.
  void checked(const ProbeFields& fields);
  std::function<void(const std::string&)> progress();

  // Where the run goes on that was stopped; from checked() on, with --resume.
  const std::optional<CheckpointState>& resumed() const { return resumed_; }
  // From here on a run that is stopped can go on. Written now and then, before the first result, and when the run is
  // stopped.
  void keep(CheckpointState state);

  // What is recorded, found (facts) and written from here on belongs to this load case or combination.
  void begin_load_case(const std::string& name);
  void begin_combination(const std::string& name);
  std::map<std::string, std::string>& facts();

  void record(const SolveReport& solve, Index unknowns);
  // in a solve that is recorded, or will be: a notice, and one of its fallbacks
  void step_down(const std::string& step);
  ResultFields& fields() { return fields_; }  // [output] cells
  const ResultFields& fields() const { return fields_; }
  void estimate_error() { estimates_error_ = true; }  // apps/results/mesh_error.hpp: for forecasts
  bool estimates_error() const { return estimates_error_; }
  void measure_by(const BodyMeasure& measure) { measure_ = measure; }  // means and integrals of probes
  // Evaluates the case's probes; fields at nodes and cells go to the output folder in the background. `time`: the
  // number of the step by default. Fields without values are left out, and probes of them are NaN.
  void write(std::vector<Field> nodal, std::vector<Field> cells, std::optional<double> time = {});
  // One more series, "<case>_<name>.pvd" or ".hdf", of `count` steps: frame(step) gives its time and its nodal fields.
  void write_series(const std::string& name, int count,
                    const std::function<std::pair<double, std::vector<Field>>(int)>& frame);
  void settle();  // waits until what was handed to write() is committed
  // Where memory is short: what equations can make anew, and steps that wait to be written. Returns what was short for
  // these, which wait on.
  std::optional<Error> give_back();
  bool writing_is_short() const { return writer_ && writer_->has_postponed(); }
  // ends the results, fills the report and prints the summary; throws what they lack
  void finish();
  // Where not: a CPU will do it all over, or a file has steps with these fields and must have them in all.
  bool may_lack_fields() const;
  // From here on steps lack fields for which memory is short (apps/results/derived_fields.hpp), and the run ends with
  // an error.
  void go_without_fields(const Error& shortage, const std::string& remedy);
  bool lacks_fields() const { return lack_.has_value(); }
  std::optional<Error> lack() const;  // the error
  // the last step down when a GPU's memory is short: what is committed stays, so only before the first result
  bool may_go_to_the_cpu() const;
  // After an error that is a stop: writes what was kept, and says so. nullopt: it is none, or nothing was kept.
  std::optional<Error> stopped(const Error& error);
  void collect();  // phases and memory for the report, in every outcome
  // files of write()'s steps, relative to the folder
  const std::vector<std::string>& committed() const { return committed_; }

 private:
  void read_output_settings();
  CheckpointOwner owner() const;
  void open_folder();
  void try_folder();
  void check_room(const ProbeFields& fields) const;
  void open_results(bool probes);
  void give_back_lists();
  void tell_steps_of_equations();
  void keep_lack();
  void unless_memory_is_short(const std::function<void()>& write_checkpoint);
  void leave_out_missing(std::vector<Field>& fields);
  std::string mesh_key() const;
  std::filesystem::path results_path(const std::string& file) const;
  std::string resolved_name() const, resolved_case() const;  // bracket.resolved.toml

  AppInfo info_;
  RunOptions options_;
  Log log_;
  RunReport report_;
  std::optional<Case> case_;
  std::unique_ptr<SharedModel> own_;  // of a run by itself
  SharedModel* shared_;
  const Mesh* mesh_ = nullptr;
  BodyMeasure measure_;
  bool estimates_error_ = false;
  SeriesOptions format_;
  ResultFields fields_;
  std::string output_, name_;              // name_: that results begin with
  LoadCaseOutcome* part_ = nullptr;        // of the report: the load case or combination in work
  std::unique_ptr<ResultFolder> results_;  // from checked() on
  std::optional<Checkpoints> checkpoints_;
  std::optional<CheckpointState> resumed_;
  std::vector<std::string> committed_;
  struct Lack {
    std::string shortage, remedy;
    bool is_kept = false;  // in a checkpoint
  };
  std::optional<Lack> lack_;
  std::vector<std::string> steps_before_;  // down, of a solve that is not recorded yet
  // of write(): one step, or one for each increment, load case and combination
  std::optional<ResultWriter> writer_;
};

// Parses the command line, runs the app, and turns whatever happens into a message, a report and an exit code.
int run_app(int argc, char** argv, const AppInfo& info, const std::function<void(Run&)>& app);

}  // namespace ritz
