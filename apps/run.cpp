#include "apps/run.hpp"

#include "apps/case_regions.hpp"
#include "apps/copy_rate.hpp"
#include "apps/crossover.hpp"
#include "apps/phase_table.hpp"
#include "apps/probes.hpp"
#include "apps/run_summary.hpp"
#include "apps/shared_model.hpp"
#include "apps/solver_settings.hpp"
#include "apps/sweep_plan.hpp"
#include "device/host_limits.hpp"
#include "device/host_memory.hpp"
#include "device/memory_shortage.hpp"
#include "device/process_start.hpp"
#include "device/stop_request.hpp"
#include "io/byte_size.hpp"
#include "io/error_catalogue.hpp"
#include "io/mesh_reader.hpp"
#include "mesh/conformity.hpp"
#include "mesh/order.hpp"
#include "mesh/refine.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>

namespace ritz {
namespace {

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// Of the case, before it is read in earnest; empty where that cannot be.
std::string mesh_file(const RunOptions& options) {
  if (options.device != "auto" || options.survey) return "";
  try {
    Case input = Case::from_file(options.case_file, options.overrides);
    return input.table("mesh", "").path("file", "", {.fallback = ""});
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

Run::Run(AppInfo info, RunOptions options, SharedModel* shared)
    : info_(std::move(info)),
      options_(std::move(options)),
      log_(options_.quiet ? LogLevel::quiet : options_.verbose ? LogLevel::verbose : LogLevel::normal),
      own_(shared == nullptr ? std::make_unique<SharedModel>() : nullptr),
      shared_(shared == nullptr ? own_.get() : shared) {
  name_ = options_.member.empty() ? stem_of(options_.case_file) : options_.member;
  if (options_.log_json) log_.use_json();
  report_.program = info_.name;
  report_.case_file = options_.case_file;
  if (own_) {
    own_->device = Device::named(device_for(options_.device, options_.threads, [this] { return expected_unknowns(mesh_file(options_), info_.components); }), options_.threads);
    limit(device(), options_.memory);
    const std::string obeyed = obey(options_.memory);
    // Else VTK takes as many as there are cores; of more it complains.
    setenv("VTK_SMP_MAX_THREADS", fmt::format("{}", std::clamp(host_limits().affinity, 1, device().threads())).c_str(), 0);
    log_.line("device: {}", device().description());
    if (!obeyed.empty()) log_.line("{}", obeyed);
  } else {
    log_.line("member {}", options_.member);
  }
  auto phase = this->phase("case");
  report_.device = device().description();
  for (const std::string& notice : options_.notices) log_.notice(notice);
  case_ = options_.survey ? Case::survey(options_.case_file, options_.survey->taken) : Case::from_file(options_.case_file, options_.overrides);
  if (options_.describe || options_.survey) read_sweep(*case_, name_);
  else case_->drop("sweep");
  case_->root().text("title", "what this case is about", {.fallback = "", .may_be_empty = true});
  read_output_settings();
  case_->read_tables();
}

Run::~Run() = default;

const Device& Run::device() const { return *shared_->device; }

void Run::read_output_settings() {
  const Case::Table table = case_->table("output", "where results go and how");
  const std::string folder = table.text("folder", "folder of the results, relative to where the program runs",
                                        {.fallback = "results/" + stem_of(options_.case_file)});
  const std::string format = table.choice("format", "vtu: an index (.pvd) and a file for each step; vtkhdf: one HDF5 file (.hdf) with the mesh once",
                                          {"vtu", "vtkhdf"}, "vtu");
  format_.format = format == "vtkhdf" ? ResultFormat::vtkhdf : ResultFormat::vtu;
  const std::string compression = table.choice("compression", "none is fastest; vtkhdf has no lz4", {"none", "lz4", "zlib"}, "none");
  if (format == "vtkhdf" && compression == "lz4")
    table.error("compression", "the format vtkhdf has no lz4 compression", "HDF5 knows it by plugins only, which readers do not have",
                "use compression = \"zlib\" or \"none\"");
  format_.vtu.compression = compression == "lz4" ? Compression::lz4 : compression == "zlib" ? Compression::zlib : Compression::none;
  format_.vtu.single_precision = table.flag("single_precision", "fields as 32-bit numbers: half the size", false);
  fields_ = ResultFields(table.choice("cells", "for fields of a higher order than the mesh ([space] order). mesh: values at the mesh's nodes; "
                                      "lagrange: the whole field, on VTK's Lagrange cells", {"mesh", "lagrange"}, "mesh") == "lagrange");
  output_ = options_.output.empty() ? folder : options_.output;
}

const Mesh& Run::mesh(bool structural) {
  if (mesh_ != nullptr) return *mesh_;
  auto phase = device().profile().phase("read");
  const Case::Table table = case_->table("mesh", "the part");
  const std::string file = table.path("file", "mesh file (.msh, .inp, .vtu, .vtk, .mesh, .bdf, .exo, .med, .cgns, ...: docs/formats.md), relative to the case file", {.must_exist = true});
  const double scale = table.number("scale", "factor on the coordinates, 0.001 for a mesh in mm", {.fallback = 1, .above = 0});
  const auto refinements = table.integer("refine", "how often all cells are halved", {.fallback = 0, .minimum = 0, .maximum = 10});
  const auto order = table.integer("order", "1 or 2: order of the cells; 0 keeps the file's", {.fallback = 0, .minimum = 0, .maximum = 2});
  const std::string mid_nodes = table.choice("mid_nodes", "of cells raised to order 2: on edges only, or on faces too",
                                             {"serendipity", "full"}, "serendipity");
  if (mid_nodes == "full" && order != 2)
    table.error("mid_nodes", "mid_nodes = 'full' without order = 2", "cells keep the nodes of the file unless [mesh] order says otherwise", "add order = 2");
  const bool torn = table.flag("allow_torn", "nodes that hang on facets of their own body, and quadrilateral facets on triangles, are meant: the solution may tear there", false);
  if (!std::filesystem::exists(file)) case_->throw_if_any();
  report_.mesh_file = file;
  const auto make = [&] {
    log_.progress("reading " + file);
    ReadOptions options{.scale = scale};
    options.structural = structural;
    std::vector<std::string> notices;
    options.notices = &notices;
    std::optional<Mesh> mesh;
    try {
      mesh = options_.survey ? options_.survey->mesh(structural) : read_mesh(file, options);
    } catch (const Error& error) {  // together with what was wrong in the case file so far
      case_->add_error(error);
      if (kind_of(error).name == std::string_view("inverted-cells")) log_.notice(fmt::format("to see the cells: ritz mesh check {} writes them to a VTU file", file));
      case_->throw_if_any();
    }
    Conformity conformity = check_conformity(*mesh);
    for (const Error& error : conformity.errors) {
      if (torn) conformity.notices.push_back(error.message());
      else case_->add_error(error);
    }
    std::ranges::move(conformity.notices, std::back_inserter(notices));
    for (int i = 0; i < refinements; ++i) {
      log_.progress("refining");
      mesh = refine(*mesh);
    }
    if (order > 0) mesh = with_order(*mesh, static_cast<int>(order), mid_nodes == "full" ? MidNodes::full : MidNodes::serendipity);
    log_.end_progress();
    for (const std::string& notice : notices) log_.notice(notice);
    for (const std::string& notice : mesh->notices()) log_.notice(notice);
    log_.line("mesh: {} cells, {} nodes, {} dimensions, from {}", mesh->cell_count(), mesh->node_count(), mesh->dimension(), file);
    case_->set_dimension(mesh->dimension());
    return with_case_regions(*case_, std::move(*mesh), [this](const std::string& line) { log_.line("{}", line); });
  };
  const std::string key = mesh_key();
  const bool is_there = shared_->mesh && shared_->mesh_key == key;
  mesh_ = &shared_->mesh_for(key, make);
  case_->set_dimension(mesh_->dimension());
  if (is_there) case_->excuse("region");             // they are in the mesh
  else if (!case_->sound()) shared_->mesh_key = "";  // the next member is to hear of it, too
  report_.cells = mesh_->cell_count();
  report_.nodes = mesh_->node_count();
  return *mesh_;
}

// What of a member's values makes the mesh.
std::string Run::mesh_key() const {
  std::string key = "mesh";
  for (const std::string& text : options_.overrides)
    for (const char* table : {"mesh.", "region.", "table."})
      if (text.starts_with(table)) key += "\n" + text;
  return key;
}

LinearSolverOptions Run::solver(MatrixPromise promise, double tolerance) {
  LinearSolverOptions options = read_solver(*case_, tolerance);
  options.promise = promise;
  options.say = [this](const std::string& line) {
    log_.end_progress();
    log_.line("{}", line);
  };
  options.on_failure = [this](const SolveReport& solve, Index unknowns) { record(solve, unknowns); };
  return options;
}

void Run::checked(const ProbeFields& fields) {
  if (check_probes(*case_, *mesh_, fields)) fields_.look_closely();
  if (options_.survey) throw CheckedOnly{};
  if (options_.describe) {
    std::string text = case_->describe();
    const auto list = [&text](const char* where, std::span<const Field> some) {
      if (some.empty()) return;
      text += fmt::format("{}# fields of the results at {}:", text.ends_with('\n') ? "" : "\n", where);
      for (const Field& field : some) text += fmt::format("{} {} ({})", &field == some.data() ? "" : ",", field.name, field.components);
      text += "\n";
    };
    list("nodes", fields.nodal);
    list("cells", fields.cells);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw Error(Exit::output, "standard output could not be written");
    throw CheckedOnly{};
  }
  case_->finish();
  if (options_.estimate) throw CheckedOnly{};  // also beside results that are there
  if (!options_.json.empty()) probe_folder(std::filesystem::absolute(options_.json).parent_path());
  if (shared_->folder != nullptr) results_ = std::make_unique<ResultFolder>(shared_->folder->member(name_));
  else if (own_ && options_.check) try_folder();
  else if (own_) open_folder();
  if (own_ && shared_->folder == nullptr) check_room(fields);
  throw_if_stop_requested();
  if (options_.check) {
    log_.line("check: the case is complete and well posed; nothing was solved");
    throw CheckedOnly{};
  }
  if (shared_->writes_fields) load_library_of(format_.format);
}

// What keeps a run from its folder, but is no fault of the case: a check tells it and goes on.
void Run::try_folder() {
  try {
    open_folder();
  } catch (const Error& error) {
    const std::string_view kind = kind_of(error).name;
    if (kind != "results-exist" && kind != "folder-in-use") throw;
    log_.notice(fmt::format("a run would end with exit code 7: {}; {}", error.message(), error.fix()));
  }
}

// One step that the disk cannot take is told before the solve. What compression saves is not known: nothing is said then.
void Run::check_room(const ProbeFields& fields) const {
  if (format_.vtu.compression != Compression::none) return;
  const double number = format_.vtu.single_precision ? 4 : 8, nodes = double(mesh_->node_count()), cells = double(mesh_->cell_count());
  double bytes = 3 * sizeof(double) * nodes;
  for (const CellBlock& block : mesh_->blocks()) bytes += sizeof(std::int32_t) * double(block.nodes.size() + static_cast<std::size_t>(block.cell_count()));
  for (const Field& field : fields.nodal) bytes += number * field.components * nodes;
  for (const Field& field : fields.cells) bytes += number * field.components * cells;
  std::filesystem::path folder = std::filesystem::absolute(output_);
  while (!std::filesystem::exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
  std::error_code unknown;
  const double room = double(std::filesystem::space(folder, unknown).available);
  if (!unknown && room < bytes)
    throw Error(Exit::output, fmt::format("the disk of '{}' has {} free, and a step of the results takes {}", output_, text_of_bytes(std::int64_t(room)), text_of_bytes(std::int64_t(bytes))),
                "nothing was solved", "make room, name another folder with --output or [output] folder, or write less: single_precision or compression in [output]");
}

void Run::open_folder() {
  const auto notice = [this](const std::string& text) { log_.notice(text); };
  results_ = std::make_unique<ResultFolder>(output_, ResultFolderOptions{.case_name = name_, .program = info_.name, .overwrite = options_.overwrite,
                                                                         .resume = options_.resume, .notice = notice});
  checkpoints_.emplace(results_->checkpoints(), [this] { return owner(); }, options_.checkpoint_every, notice, [this] { settle(); });
  if (options_.resume) resumed_ = checkpoints_->newest();
  if (resumed_ && resumed_->texts.contains("lack")) {  // its steps go without fields: so do those to come
    lack_ = Lack{resumed_->texts.at("lack").at(0), resumed_->texts.at("lack").at(1)};
    report_.missing_fields = resumed_->texts.at("missing fields");
  }
  if (resumed_) log_.line("going on behind {}", resumed_->where);
  else if (options_.resume) log_.line("there is no checkpoint to go on from: this is the beginning");
}

CheckpointOwner Run::owner() const {
  CheckpointOwner owner{case_->resolved(), info_.name, report_.device, {}};
  for (const std::string& file : case_->files())
    owner.files.push_back(fmt::format("{:08x} {}", checksum_of_file(file).crc32, std::filesystem::path(file).filename().string()));
  return owner;
}

void Run::keep(CheckpointState state) {
  if (!checkpoints_) return;  // of a sweep: members are short
  auto phase = device().profile().phase("output");
  if (lack_) state.texts["lack"] = {lack_->shortage, lack_->remedy};
  if (lack_) state.texts["missing fields"] = report_.missing_fields;
  unless_memory_is_short([&] { checkpoints_->keep(state); });
}

// A run goes on without a checkpoint that memory is short for.
void Run::unless_memory_is_short(const std::function<void()>& write_checkpoint) {
  if (!memory_shortage(write_checkpoint)) return;
  give_back_lists();
  if (const auto shortage = memory_shortage(write_checkpoint)) log_.notice(fmt::format("no checkpoint of {} is written: {}", checkpoints_->kept() ? checkpoints_->kept()->where : "this state", shortage->message()));
}

std::optional<Error> Run::stopped(const Error& error) {
  const bool by_signal = stop_signal() != 0 && error.exit() == exit_of_signal(stop_signal());
  if ((!by_signal && error.exit() != time_is_up) || !checkpoints_ || !checkpoints_->kept()) return std::nullopt;
  checkpoints_->commit();
  return Error(Exit::stopped, fmt::format("{} behind {}, which is kept in '{}'", error.message(), checkpoints_->kept()->where, results_->checkpoints()), {},
               "the same command with --resume goes on there");
}

std::function<void(const std::string&)> Run::progress() {
  return [this](const std::string& text) {
    throw_if_stop_requested();
    log_.progress(text);
  };
}

void Run::begin_load_case(const std::string& name) {
  log_.end_progress();
  log_.line("load case '{}'", name);
  part_ = &report_.load_cases.emplace_back(LoadCaseOutcome{.name = name});
}

void Run::begin_combination(const std::string& name) {
  log_.line("combination '{}'", name);
  part_ = &report_.combinations.emplace_back(LoadCaseOutcome{.name = name});
}

std::map<std::string, std::string>& Run::facts() { return part_ != nullptr ? part_->facts : report_.facts; }

void Run::record(const SolveReport& solve, Index unknowns) {
  log_.end_progress();
  const std::string choice_before = report_.solves.empty() ? "" : report_.solves.back().choice;
  report_.unknowns = unknowns;
  report_.solves.push_back(outcome_of(solve));
  std::ranges::move(std::exchange(steps_before_, {}), std::back_inserter(report_.solves.back().fallbacks));
  if (part_ != nullptr) part_->solve = report_.solves.back();
  log_.line("{}", text_of(solve, unknowns));
  if (!solve.choice.empty() && solve.choice != choice_before) log_.line("method: {}", solve.choice);
  for (const std::string& fallback : solve.fallbacks) log_.notice("fell back: " + fallback);
  if (!solve.where.empty()) log_.notice(solve.where);
  tell_steps_of_equations();
}

void Run::tell_steps_of_equations() {
  for (const auto& equations : shared_->equations)
    for (const std::string& step : equations->take_steps_down()) step_down(step);
}

void Run::step_down(const std::string& step) {
  log_.notice("fell back: " + step);
  if (part_ != nullptr) part_->solve.fallbacks.push_back(step);
  if (report_.solves.empty()) steps_before_.push_back(step);
  else report_.solves.back().fallbacks.push_back(step);
}

bool Run::may_go_to_the_cpu() const { return options_.member.empty() && device().info().kind != "cpu" && report_.outputs.empty(); }

bool Run::may_lack_fields() const {
  const bool has_steps = writer_ && writer_->step_count() > 0;
  return !may_go_to_the_cpu() && (!has_steps || format_.format != ResultFormat::vtkhdf);
}

void Run::go_without_fields(const Error& shortage, const std::string& remedy) {
  lack_ = Lack{shortage.message(), remedy};
  log_.notice(fmt::format("results go without some fields from here on, and the run will end with exit code 6: {}", shortage.message()));
}

std::optional<Error> Run::lack() const {
  if (!lack_) return std::nullopt;
  return Error(Exit::resources, fmt::format("the results lack {}: memory was short for them after the solve", quoted_list(report_.missing_fields)), lack_->shortage, lack_->remedy);
}

void Run::leave_out_missing(std::vector<Field>& fields) {
  std::erase_if(fields, [this](const Field& field) {
    if (!field.values.empty()) return false;
    if (std::ranges::find(report_.missing_fields, field.name) == report_.missing_fields.end()) report_.missing_fields.push_back(field.name);
    return true;
  });
}

std::string Run::resolved_name() const { return name_ + ".resolved.toml"; }

// What decided on the numbers and is no key of the case stands above it as comments.
std::string Run::resolved_case() const {
  return fmt::format("# The case '{}' as {} solved it: every key with the value that it had, overrides and defaults included.\n"
                     "# Device: {}. Run it again from any folder: {} {} --output NEW_FOLDER\n{}",
                     std::filesystem::path(options_.case_file).filename().string(), info_.name, report_.device, info_.name, resolved_name(),
                     case_->resolved(output_));
}

std::filesystem::path Run::results_path(const std::string& file) const { return std::filesystem::path(output_) / file; }

void Run::open_results(bool probes) {
  if (checkpoints_) unless_memory_is_short([this] { checkpoints_->commit(); });  // so that a run that is killed can go on behind its results, too
  // The members of a sweep are many and small, and flushed in groups: nothing is won beside them.
  writer_.emplace(*results_, results_path(name_).string(), format_, ResultWriter::Text{resolved_name(), resolved_case()}, resumed_ ? resumed_->steps : 0,
                  own_ ? ResultWriter::Where::in_background : ResultWriter::Where::at_once);
  report_.outputs = {results_path(resolved_name()).string(), writer_->path()};
  if (probes) report_.outputs.insert(report_.outputs.begin(), writer_->probes_path());
}

void Run::write(std::vector<Field> nodal, std::vector<Field> cells, std::optional<double> time) {
  auto phase = this->phase("output");  // what the run waits for
  auto& probes = part_ != nullptr ? part_->probes : report_.probes;
  probes = evaluate_probes(*case_, *mesh_, {nodal, cells, measure_, fields_.finer()});
  for (const auto& [name, values] : probes) log_.line("probe {}: {:.8g}", name, fmt::join(values, " "));
  tell_steps_of_equations();
  leave_out_missing(nodal);
  leave_out_missing(cells);
  keep_lack();
  if (!shared_->writes_fields) return;
  if (!writer_) open_results(!probes.empty());
  if (writing_is_short()) give_back_lists();
  // The load case by its place: the report's list may grow before the step is written.
  auto* const list = part_ == nullptr ? nullptr : report_.combinations.empty() ? &report_.load_cases : &report_.combinations;
  const auto written = [this, list, place = list == nullptr ? 0 : list->size() - 1](const std::string& file) {
    committed_.push_back(results_->relative(file));
    if (list != nullptr) (*list)[place].output = file;
    if (file != writer_->path()) report_.outputs.insert(report_.outputs.end() - 1, file);  // the index stays last
    log_.line("results: {}", file);
  };
  writer_->write(*mesh_, {time, part_ != nullptr ? part_->name : "", fields_.on_cells(std::move(nodal)), std::move(cells), fields_.cells(), probes, written});
}

// Before the first step that lacks fields is there: who goes on from the checkpoint is to know.
void Run::keep_lack() {
  if (!lack_ || lack_->is_kept || !checkpoints_ || !checkpoints_->kept()) return;
  lack_->is_kept = true;
  keep(*checkpoints_->kept());
  unless_memory_is_short([this] { checkpoints_->commit(); });
}

void Run::settle() {
  if (!writer_) return;
  auto phase = device().profile().phase("output");
  if (writing_is_short()) give_back_lists();
  writer_->settle();
}

void Run::give_back_lists() {
  using Task = Operator::Task;
  for (const auto& equations : shared_->equations)
    for (const Task task : {Task::matrix, Task::residual, Task::action, Task::diagonal, Task::evaluate}) equations->forget(task);
  device().memory().trim();
}

std::optional<Error> Run::give_back() {
  give_back_lists();
  return memory_shortage([this] { settle(); });
}

void Run::write_series(const std::string& name, int count, const std::function<std::pair<double, std::vector<Field>>(int)>& frame) {
  if (!shared_->writes_fields) return;
  settle();
  auto phase = device().profile().phase("output");
  const auto series = make_result_series(results_path(fmt::format("{}_{}", name_, name)).string(), format_, results_.get());
  for (int step = 0; step < count; ++step) {
    throw_if_stop_requested();
    const auto [time, fields] = frame(step);
    const std::vector<Field> written = fields_.on_cells(fields);
    const std::string file = series->write(*mesh_, {.time = time, .point_fields = written, .cells = fields_.cells()});
    if (file != series->path()) report_.outputs.push_back(file);
  }
  report_.outputs.push_back(series->path());
  log_.line("ParaView: {}", series->path());
}

void Run::collect() { collect_run(report_, device(), log_); }

void Run::finish() {
  settle();
  std::optional<Profile::Phase> phase(std::in_place, device().profile(), "output");
  if (writer_) report_.background_writing = writer_->seconds();
  if (results_) results_->complete();
  if (checkpoints_) checkpoints_->remove();
  phase.reset();
  if (writer_) log_.line("ParaView: {}{}", writer_->path(), part_ != nullptr ? " (one step for each load case and combination)" : "");
  collect();
  print_summary(log_, report_);
  if (options_.verbose || !options_.profile.empty()) report_.copy_rate = copy_rate_or_none(device());
  for (const std::string& line : phase_table(report_)) log_.detail("{}", line);
  if (const std::optional<Error> error = lack()) throw *error;
}

}  // namespace ritz
