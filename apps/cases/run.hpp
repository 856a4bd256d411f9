// A run of a case: the process (command line, device, log, report), the case file and its mesh, and the results. A
// program is a reader of a case and an analysis:
//
//   int main(int argc, char** argv) {
//     return run_app(argc, argv, {"ritz-heat", "...", example}, [](Run& run) { run_case(run, read_heat); });
//   }
//
// Functions take a Log, a Case or Results where that is all they use.
#pragma once

#include "apps/cases/steps.hpp"
#include "apps/results/results.hpp"
#include "apps/run/options.hpp"
#include "device/device.hpp"
#include "device/message_sink.hpp"
#include "io/case/case.hpp"
#include "io/results/log.hpp"
#include "io/results/report.hpp"
#include "mesh/mesh.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ritz {

struct SharedModel;  // apps/cases/shared_model.hpp

class Run {
 public:
  // `shared`: with the other members of a sweep; null: its own.
  Run(AppInfo info, RunOptions options, std::shared_ptr<SharedModel> shared = nullptr);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const AppInfo& info() const { return info_; }
  const RunOptions& options() const { return options_; }
  const Device& device() const;
  [[nodiscard]] Profile::Phase phase(std::string name) const { return device().profile().phase(std::move(name)); }
  Log& log() { return log_; }
  RunReport& report() { return report_; }
  const RunReport& report() const { return report_; }
  Case& input() { return *case_; }
  SharedModel& shared() { return *shared_; }
  const std::shared_ptr<SharedModel>& shared_model() const { return shared_; }
  Results& results() { return *results_; }
  std::map<std::string, MeshField>& arrays() { return arrays_; }  // of a calling program, by name
  // The step whose tables the case has at present.
  const CaseStep& step() const { return step_; }
  void enter(const CaseStep& step);

  // [mesh] file, scale, order: read, scaled, raised to the order, checked. Read at the first call. structural: lines
  // and surfaces in space, too (MeshData::structural).
  const Mesh& mesh(bool structural = false);
  LinearSolverOptions solver(MatrixPromise promise = MatrixPromise::none, double tolerance = 1e-8);  // [solver]
  // Finishes the case and opens the results; throws CheckedOnly with --check. `fields`: names and components of the
  // results to come.
  void checked(const ProbeFields& fields);
  MessageSink progress();

  void collect();  // phases and memory for the report, in every outcome
  void finish();   // ends the results, fills the report and prints the summary; throws what the results lack

 private:
  std::string chosen_device() const;
  std::string mesh_key() const;
  void give_back_lists();

  AppInfo info_;
  RunOptions options_;
  Log log_;
  RunReport report_;
  std::optional<Case> case_;
  std::shared_ptr<SharedModel> shared_;
  std::optional<Mesh> mesh_;
  std::map<std::string, MeshField> arrays_;
  CaseStep step_;
  std::string name_;  // that results begin with
  std::unique_ptr<Results> results_;
};

}  // namespace ritz
