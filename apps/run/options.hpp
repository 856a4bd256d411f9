// Description of a program, and the options of its command line.
#pragma once

#include "apps/run/memory_limits.hpp"
#include "apps/run/look.hpp"
#include "device/device.hpp"
#include "fem/physics/mesh_field.hpp"
#include "mesh/mesh.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct AppInfo {
  std::string name;         // "ritz-heat"
  std::string description;  // one sentence
  std::string example;      // a case file, shown by --help
  int components = 3;       // unknowns per node, about: for the choice of a device
  bool divides = false;     // one case among the ranks of a job
};

class Ranks;        // device/ranks/ranks.hpp
struct SolvedStep;  // apps/results/result_writer.hpp

// Instead of a case file and its mesh: Case::survey and a small mesh, for apps/program/schema.hpp. The run ends at
// checked().
struct RunSurvey {
  std::map<std::string, std::string> taken;
  std::function<Mesh(bool structural)> mesh;
  Device device;  // one for all surveys of a program
};

struct RunOptions {
  std::string case_file, device = "auto", output, json;
  std::vector<std::string> overrides;  // key=value
  int threads = 0;
  int planned_ranks = 0;          // that a forecast is for; 0: those of the job
  double time_limit = 0;          // [s]; 0: none
  double checkpoint_every = 600;  // [s]; 0: only when it is stopped
  MemoryLimits memory;
  std::string profile;               // file of the trace
  std::string picture, page;         // files that show the results: PNG and HTML
  Look look;                         // of them
  std::vector<std::string> notices;  // of the attempt before this
  bool check = false, estimate = false, describe = false, schema = false, log_json = false, quiet = false,
       verbose = false, overwrite = false, untrusted = false;
  std::string member;   // of a sweep: its results are named after it; empty: after the case
  bool resume = false;  // what an earlier run of this case committed is not done again
  std::optional<RunSurvey> survey;
  Ranks* ranks = nullptr;  // of the job, which solve one case together; null: one process
  bool follows = false;    // a rank after the first, which tells and writes for all

  // Options of a program that calls a run, apps/program/call.hpp.
  std::optional<std::string> case_text;  // in place of the file, whose name messages have
  // in place of [mesh] file; scale: a factor on the points
  std::function<Mesh(bool structural, double scale, std::vector<std::string>& notices)> mesh = {};
  std::shared_ptr<const GivenArrays> arrays = {};  // that formulas may name
  std::function<void(SolvedStep)> take = {};       // each step; files are written where `output` says
  bool shows() const { return !picture.empty() || !page.empty(); }
  bool looks_only() const { return check || estimate || describe; }
  bool writes_files() const { return !follows && (!take || !output.empty()); }
};

// Thrown where a run ends that was to be checked only.
struct CheckedOnly {};

}  // namespace ritz
