#include "apps/cases/run.hpp"

#include "apps/cases/case_regions.hpp"
#include "apps/cases/field_coefficient.hpp"
#include "apps/cases/plausible.hpp"
#include "apps/cases/solver_settings.hpp"
#include "apps/results/probes.hpp"
#include "apps/run/copy_rate.hpp"
#include "apps/run/crossover.hpp"
#include "apps/run/named_outputs.hpp"
#include "apps/run/phase_table.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/cases/shared_model.hpp"
#include "apps/cases/sweep_plan.hpp"
#include "device/host_limits.hpp"
#include "device/host_memory.hpp"
#include "device/launch_records.hpp"
#include "device/process/stop_request.hpp"
#include "device/ranks/ranks.hpp"
#include "fem/operator/task_plans.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "io/files/input_file.hpp"
#include "io/meshes/mesh_reader.hpp"
#include "io/results/error_catalogue.hpp"
#include "mesh/quality/conformity.hpp"
#include "mesh/order.hpp"
#include "mesh/quality/quality.hpp"
#include "mesh/refinement/refine.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <set>

namespace ritz {
namespace {

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// Name of the mesh file, before the case is fully read; empty if it cannot be known.
std::string mesh_file(const RunOptions& options) {
  if (options.device != "auto" || options.survey || options.case_text) return "";
  try {
    Case input = Case::from_file(options.case_file, options.overrides);
    return input.table("mesh", "").path("file", "", {.fallback = ""});
  } catch (const Error&) { return ""; }
}

// The device of the other ranks: one of the same kind.
std::string request_of_others(const std::string& asked, const Device& first) {
  const std::string& kind = first.info().kind;
  return kind == "cpu" && asked.starts_with("cpu") ? asked : kind;
}

}  // namespace

Run::Run(AppInfo info, RunOptions options, std::shared_ptr<SharedModel> shared)
    : info_(std::move(info)),
      options_(std::move(options)),
      log_(options_.quiet     ? LogLevel::quiet
           : options_.verbose ? LogLevel::verbose
                              : LogLevel::normal),
      shared_(shared == nullptr ? std::make_shared<SharedModel>() : shared) {
  name_ = options_.member.empty() ? stem_of(options_.case_file) : options_.member;
  if (options_.log_json) log_.use_json();
  report_.program = info_.name;
  report_.case_file = options_.case_file;
  if (options_.survey) {
    shared_->device = options_.survey->device;
  } else if (shared == nullptr) {
    shared_->device =
        Device::named(options_.follows ? options_.ranks->of_first({}) : chosen_device(), options_.threads);
    if (options_.ranks != nullptr && !options_.follows)
      options_.ranks->of_first(request_of_others(options_.device, device()));
    limit(device(), options_.memory);
    const std::string obeyed = obey(options_.memory);
    // Else VTK takes as many as there are cores; of more it complains.
    setenv("VTK_SMP_MAX_THREADS", fmt::format("{}", std::clamp(host_limits().affinity, 1, device().threads())).c_str(),
           0);
    log_.line("device: {}", device().description());
    if (!obeyed.empty()) log_.line("{}", obeyed);
  } else {
    log_.line("member {}", options_.member);
  }
  auto phase = this->phase("case");
  report_.device = device().description();
  for (const std::string& notice : options_.notices) log_.notice(notice);
  case_ = options_.survey      ? Case::survey(options_.case_file, options_.survey->taken)
          : options_.case_text ? Case::from_text(*options_.case_text, options_.case_file, options_.overrides)
                               : Case::from_file(options_.case_file, options_.overrides);
  case_->set_program(info_.name);
  if (options_.describe || options_.survey) read_sweep(*case_, name_);
  else case_->drop("sweep");
  case_->root().text("title", "a line about the case", {.fallback = "", .may_be_empty = true});
  results_ = std::make_unique<Results>(ResultsContext{.program = info_,
                                                      .options = options_,
                                                      .device = device(),
                                                      .input = *case_,
                                                      .log = log_,
                                                      .report = report_,
                                                      .writes_fields = shared_->writes_fields,
                                                      .name = name_,
                                                      .sweep = shared_->folder,
                                                      .is_member = shared != nullptr,
                                                      .take_steps_down = [this] { return shared_->take_steps_down(); },
                                                      .give_back_lists = [this] { give_back_lists(); }});
  case_->read_tables();
}

Run::~Run() = default;

void Run::enter(const CaseStep& step) {
  step_ = step;
  ritz::enter(*case_, step);
}

std::string Run::chosen_device() const {
  return device_for(options_.device, options_.threads,
                    [this] { return expected_unknowns(mesh_file(options_), info_.components); });
}

const Device& Run::device() const { return *shared_->device; }

namespace {

// [mesh].
struct MeshInput {
  std::string file;
  double scale;
  std::int64_t refinements, order;
  std::string mid_nodes;
  bool torn;
};

MeshInput read_mesh_input(Case& input, bool is_given) {
  const Case::Table table = input.table("mesh", "the mesh of the part");
  MeshInput m;
  m.file = table.path("file",
                      "mesh file (.msh, .inp, .vtu, .vtk, .mesh, .bdf, .exo, .med, .cgns, ...: "
                      "docs/formats.md), relative to the case file",
                      is_given ? PathRule{.fallback = ""} : PathRule{.must_exist = true});
  if (is_given) m.file = "the caller's arrays";
  m.scale = table.number("scale", "factor on the coordinates, 0.001 for a mesh in mm", {.fallback = 1, .above = 0});
  m.refinements = table.integer("refine", "number of uniform refinements, each of which halves all cells",
                                {.fallback = 0, .minimum = 0, .maximum = 10});
  m.order = table.integer("order", "1 or 2: order of the cells; 0 keeps the file's",
                          {.fallback = 0, .minimum = 0, .maximum = 2});
  m.mid_nodes = table.choice("mid_nodes", "nodes of cells raised to order 2: on edges only, or on faces too",
                             {"serendipity", "full"}, "serendipity");
  if (m.mid_nodes == "full" && m.order != 2)
    table.error(ErrorKind::model_options, "mid_nodes", "mid_nodes = 'full' without order = 2",
                "cells keep the nodes of the file unless [mesh] order says otherwise", "add order = 2");
  m.torn = table.flag("allow_torn",
                      "accept hanging nodes on facets of their own body, and quadrilateral facets on "
                      "triangles: the solution may be discontinuous there",
                      false);
  return m;
}

// The file's mesh with the regions of the case. Errors are added to the case, notices go to the log.
class MeshMaker {
 public:
  MeshMaker(Case& input, Log& log, const MeshInput& mesh) : case_(input), log_(log), input_(mesh) {}

  Mesh make(const RunOptions& options, bool structural) {
    log_.progress("reading " + input_.file);
    std::optional<Mesh> mesh = read(options, structural);
    check(*mesh);
    case_.set_dimension(mesh->dimension());
    CaseRegions made = with_case_regions(case_, std::move(*mesh), steps());
    log_.end_progress();
    std::ranges::copy(made.mesh.notices(), std::back_inserter(notices_));
    std::ranges::move(made.notices, std::back_inserter(notices_));
    judge_cells(made.mesh);
    std::ranges::move(doubtful_numbers(case_, made.mesh, input_.scale), std::back_inserter(notices_));
    for (const std::string& notice : notices_) log_.notice(notice);
    log_.line("mesh: {} cells, {} nodes, {} dimensions, from {}", made.mesh.cell_count(), made.mesh.node_count(),
              made.mesh.dimension(), input_.file);
    log_.line("{}", size_line(case_, made.mesh));
    for (const std::string& line : made.lines) log_.line("{}", line);
    return std::move(made.mesh);
  }

 private:
  std::optional<Mesh> read(const RunOptions& options, bool structural) {
    ReadOptions from_file{.scale = input_.scale};
    from_file.structural = structural;
    from_file.notices = &notices_;
    from_file.points = &points_;
    const std::set<std::string> keys = keys_of_beams();
    if (structural) from_file.section_keys = &keys;
    try {
      const LongWork reading;
      if (options.survey) return options.survey->mesh(structural);
      return options.mesh ? options.mesh(structural, input_.scale, notices_) : read_mesh(input_.file, from_file);
    } catch (const Error& error) {  // together with what was wrong in the case file so far
      if (!stop_reason().empty()) throw;
      case_.add_error(error);
      if (error.kind() == ErrorKind::inverted_cells)
        log_.notice(fmt::format("to see the cells: ritz mesh check {} writes them to a VTU file", input_.file));
      case_.throw_if_any();
      throw;
    }
  }

  // ReadOptions::section_keys: those that all beams among the sections have. Round profiles need no orientation.
  std::set<std::string> keys_of_beams() const {
    std::set<std::string> keys = {"orientation"};
    bool have_offsets = true, have_beams = false;
    for (const std::vector<std::string>& given : case_.given_keys("section")) {
      const auto has = [&](const char* key) { return std::ranges::find(given, key) != given.end(); };
      const bool has_directions = has("inertia_y") || has("height");
      if (!has_directions && !has("diameter")) continue;
      have_beams = true;
      have_offsets = have_offsets && (has("offset_y") || has("offset_z"));
      if (has_directions && !has("orientation")) keys.erase("orientation");
    }
    if (have_beams && have_offsets) keys.insert("offset");
    return keys;
  }

  void check(const Mesh& mesh) {
    Conformity conformity = [&] {
      const LongWork checking;
      return check_conformity(mesh);
    }();
    for (const Error& error : conformity.errors) {
      if (input_.torn) conformity.notices.push_back(error.message());
      else case_.add_error(error);
    }
    const std::vector<std::string> tables = case_.root().keys();
    if (std::ranges::find(tables, "tie") != tables.end())  // the log says what they join
      std::erase_if(conformity.notices,
                    [](const std::string& notice) { return notice.find("not joined") != std::string::npos; });
    std::ranges::move(conformity.notices, std::back_inserter(notices_));
  }

  std::vector<MeshStep> steps() {
    std::vector<MeshStep> steps(static_cast<std::size_t>(input_.refinements), [this](const Mesh& coarse) {
      log_.progress("refining");
      const LongWork refining;
      return refine(coarse, points_);
    });
    if (input_.order > 0)
      steps.emplace_back([this](const Mesh& of_other_order) {
        const LongWork changing_order;
        return with_order(of_other_order, static_cast<int>(input_.order),
                          input_.mid_nodes == "full" ? MidNodes::full : MidNodes::serendipity, points_);
      });
    return steps;
  }

  void judge_cells(const Mesh& mesh) {
    if (mesh.dimension() < 2 || mesh.structural()) return;
    const Quality q = quality(mesh);
    if (q.poor_count == 0) return;
    notices_.push_back(fmt::format(
        "{} of {} cells are badly shaped (scaled Jacobian below {:g}), the worst, cell {}, with {:.2g} at ({:.4g}, "
        "{:.4g}, {:.4g}): results near them are doubtful; ritz mesh check {} shows them",
        q.poor_count, mesh.cell_count(), poor_jacobian, q.worst.front().cell, q.worst_jacobian,
        q.worst.front().centre[0], q.worst.front().centre[1], q.worst.front().centre[2], input_.file));
  }

  Case& case_;
  Log& log_;
  const MeshInput& input_;
  std::vector<std::string> notices_, points_;  // regions of nodes that are single points
};

}  // namespace

const Mesh& Run::mesh(bool structural) {
  if (mesh_) return *mesh_;
  auto phase = device().profile().phase("read");
  const MeshInput input = read_mesh_input(*case_, options_.mesh != nullptr);
  if (reads_one_folder_only() || (!options_.mesh && !lack_of_input(input.file).empty())) case_->throw_if_any();
  report_.mesh_file = input.file;
  const std::string key = mesh_key();
  const bool is_there = shared_->mesh && shared_->mesh_key == key;
  mesh_ = shared_->mesh_for(key, [&] { return MeshMaker(*case_, log_, input).make(options_, structural); });
  case_->set_dimension(mesh_->dimension());
  if (options_.arrays) arrays_ = take_arrays(*options_.arrays, *mesh_, *case_);
  if (is_there) case_->excuse("region");             // they are in the mesh
  else if (!case_->sound()) shared_->mesh_key = "";  // the next member is to hear of it, too
  read_fields(*this, *mesh_);
  report_.cells = mesh_->cell_count();
  report_.nodes = mesh_->node_count();
  return *mesh_;
}

// The overrides on which the mesh depends: the key of the mesh cache.
std::string Run::mesh_key() const {
  std::string key = "mesh";
  for (const std::string& text : options_.overrides)
    for (const std::string table : {"mesh", "region", "table"})
      if (text.starts_with(table + ".") || text.starts_with(table + "=")) key += "\n" + text;
  return key;
}

LinearSolverOptions Run::solver(MatrixPromise promise, double tolerance) {
  LinearSolverOptions options = read_solver(*case_, tolerance, [this](const std::string& text) { log_.notice(text); });
  options.promise = promise;
  options.ranks = options_.ranks;
  options.say = [this](const std::string& line) {
    log_.end_progress();
    log_.line("{}", line);
  };
  options.on_failure = [this](const SolveReport& solve, Index unknowns) { results_->record(solve, unknowns); };
  return options;
}

void Run::checked(const ProbeFields& fields) {
  Paths paths(*case_, *mesh_, fields);
  for (const std::string& notice : paths.notices()) log_.notice(notice);
  if (check_probes(*case_, *mesh_, fields) || !paths.empty()) results_->fields().look_closely();
  results_->look_along(std::move(paths));
  if (options_.survey) throw CheckedOnly{};
  if (options_.describe) {
    std::string text = case_->describe();
    const auto list = [&text](const char* where, std::span<const Field> some) {
      if (some.empty()) return;
      text += fmt::format("{}# fields of the results at {}:", text.ends_with('\n') ? "" : "\n", where);
      for (const Field& field : some)
        text += fmt::format("{} {} ({})", &field == some.data() ? "" : ",", field.name, field.components);
      text += "\n";
    };
    list("nodes", fields.nodal);
    list("cells", fields.cells);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw Error(ErrorKind::cannot_write, "standard output could not be written");
    throw CheckedOnly{};
  }
  case_->finish();
  for (const std::string& notice : unused_names(*case_)) log_.notice(notice);
  if (options_.estimate) throw CheckedOnly{};  // also beside results that are there
  check_named_outputs(options_, case_->files(), report_.mesh_file);
  if (!options_.json.empty()) probe_file(options_.json);
  results_->open(*mesh_, fields);
  throw_if_stop_requested();
  if (options_.check) {
    log_.line("check: the case is complete and well posed; nothing was solved");
    throw CheckedOnly{};
  }
  results_->load_library();
}

MessageSink Run::progress() {
  return [this](const std::string& text) {
    throw_if_stop_requested();
    log_.progress(text);
  };
}

void Run::give_back_lists() {
  using Task = Operator::Task;
  for (const auto& equations : shared_->equations)
    for (const Task task : {Task::matrix, Task::residual, Task::action, Task::diagonal, Task::evaluate})
      equations->plans().forget(task);
  device().memory().trim();
}

void Run::collect() { collect_run(report_, device(), log_); }

void Run::finish() {
  if (Ranks* const ranks = options_.ranks)
    log_.line("host memory of ranks at their peaks: {}", megabytes_of_ranks(*ranks, host_memory_peak_counted()));
  results_->settle();
  {
    auto phase = this->phase("output");
    results_->finish();
  }
  results_->log_path();
  collect();
  print_summary(log_, report_);
  const std::vector<LaunchRecord> launches = take_launch_records(device());
  if (options_.verbose || !options_.profile.empty() || !launches.empty())
    report_.copy_rate = copy_rate_or_none(device(), std::min(copied_for_rate, device().info().memory_total / 4));
  for (const std::string& line : phase_table(report_)) log_.detail("{}", line);
  for (const LaunchRecord& launch : launches)
    report_.facts["launch " + launch.name] = fact_of(launch, report_.copy_rate);
  for (const std::string& line : launch_lines(launches, report_.copy_rate)) log_.line("{}", line);
  if (const std::optional<Error> error = results_->lack()) throw *error;
}

}  // namespace ritz
