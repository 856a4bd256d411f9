#include "apps/results/results.hpp"
#include "apps/results/stress_measures.hpp"
#include "apps/show/units.hpp"

#include "apps/run/run_summary.hpp"
#include "device/huge_pages.hpp"
#include "device/ranks/packed.hpp"
#include "device/ranks/ranks.hpp"
#include "device/process/stop_request.hpp"
#include "io/files/byte_size.hpp"
#include "io/files/checksum.hpp"
#include "io/files/included_files.hpp"
#include "io/files/input_file.hpp"
#include "io/files/journal.hpp"
#include "io/files/version.hpp"
#include "io/results/error_catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>

namespace ritz {

namespace {

std::string packed(const std::optional<CheckpointState>& state) {
  Packed to;
  to.add(state.has_value());
  if (!state) return to.take();
  to.add(state->where).add(state->steps).add(state->numbers.size());
  for (const auto& [name, numbers] : state->numbers) to.add(name).add(*numbers);
  to.add(state->texts.size());
  for (const auto& [name, texts] : state->texts) {
    to.add(name).add(texts.size());
    for (const std::string& text : texts) to.add(text);
  }
  return to.take();
}

std::optional<CheckpointState> checkpoint_state(const std::string& text) {
  Unpacked from(text);
  if (!from.get<bool>()) return std::nullopt;
  CheckpointState state{.where = from.text(), .steps = from.get<int>()};
  for (auto count = from.get<std::size_t>(); count > 0; --count) {
    const std::string name = from.text();
    state.numbers[name] = std::make_shared<const std::vector<double>>(from.list<double>());
  }
  for (auto count = from.get<std::size_t>(); count > 0; --count) {
    std::vector<std::string>& texts = state.texts[from.text()];
    for (auto lines = from.get<std::size_t>(); lines > 0; --lines) texts.push_back(from.text());
  }
  return state;
}

}  // namespace

std::string output_folder(const RunOptions& options, const std::string& own, const std::string& of_case) {
  if (!options.output.empty()) return options.output;
  if (!options.untrusted) return of_case;
  if (!is_within(".", own))
    throw Error(ErrorKind::cannot_write, fmt::format("the folder '{}' leads out of the current one", own),
                "a link may have come with the case, and --untrusted follows none", "name a folder with --output");
  return own;
}

Results::Results(ResultsContext context) : context_(std::move(context)) { read_settings(); }

void Results::read_settings() {
  const Case::Table table = context_.input.table("output", "folder and format of the results");
  const std::string own_folder = "results/" + std::filesystem::path(context_.options.case_file).stem().string();
  const std::string folder =
      table.text("folder", "folder of the results, relative to where the program runs", {.fallback = own_folder});
  const std::string format = table.choice(
      "format",
      "vtu: an index (.pvd) and a file for each step; pvtu: the same with a file of each rank for its cells, and an "
      "index of them (.pvtu); vtkhdf: one HDF5 file (.hdf) with the mesh once",
      {"vtu", "pvtu", "vtkhdf"}, "vtu");
  format_.format = format == "vtkhdf" ? ResultFormat::vtkhdf
                   : format == "pvtu" ? ResultFormat::pvtu
                                      : ResultFormat::vtu;
  format_.ranks = context_.options.ranks;
  const std::string compression =
      table.choice("compression", "none is fastest; vtkhdf has no lz4", {"none", "lz4", "zlib"}, "none");
  if (format == "vtkhdf" && compression == "lz4")
    table.error(ErrorKind::output_options, "compression", "the format vtkhdf has no lz4 compression",
                "HDF5 knows it by plugins only, which readers do not have", "use compression = \"zlib\" or \"none\"");
  format_.vtu.compression = compression == "lz4"    ? Compression::lz4
                            : compression == "zlib" ? Compression::zlib
                                                    : Compression::none;
  format_.vtu.inline_data =
      table.choice("encoding",
                   "of vtu. appended: raw data after the XML; inline: base64 within it, a third larger and without "
                   "names of regions, as meshio reads it",
                   {"appended", "inline"}, "appended") == "inline";
  if (format == "vtkhdf" && format_.vtu.inline_data)
    table.error(ErrorKind::output_options, "encoding", "the format vtkhdf has no encoding", "HDF5 files are binary",
                "omit it");
  if (format_.vtu.inline_data && compression == "lz4")
    table.error(ErrorKind::output_options, "compression", "lz4 with encoding = \"inline\"",
                "meshio reads none and zlib", "use compression = \"zlib\" or \"none\"");
  format_.vtu.single_precision = table.flag("single_precision", "fields as 32-bit numbers: half the size", false);
  fields_ = ResultFields(
      table.choice("cells",
                   "for fields of a higher order than the mesh ([space] order). mesh: values at the mesh's nodes; "
                   "lagrange: the whole field, on VTK's Lagrange cells",
                   {"mesh", "lagrange"}, "mesh") == "lagrange");
  context_.report.units = table.choice("units",
                                       "system of the numbers of the case, for the log and the page. SI; mm: mm, N, s "
                                       "and t, with stresses in MPa; none: "
                                       "not known, so that results have no unit",
                                       {"SI", "mm", "none"}, "SI");
  context_.input.set_units(unit_system_named(context_.report.units));
  const RunOptions& options = context_.options;
  output_ = output_folder(options, own_folder, folder);
  if (options.output.empty() && output_ != folder)
    context_.log.notice(
        fmt::format("results go to '{}', not to '{}' as the case says: with --untrusted only --output names a folder",
                    output_, folder));
}

void Results::open(const Mesh& mesh, const ProbeFields& fields) {
  mesh_ = mesh;
  nodal_of_run_.assign(fields.nodal.begin(), fields.nodal.end());
  cells_of_run_.assign(fields.cells.begin(), fields.cells.end());
  if (context_.options.shows()) open_shown(fields);
  if (context_.options.follows) return begin_as_the_first(false);
  if (!context_.options.writes_files()) return;
  if (context_.sweep != nullptr) folder_ = std::make_unique<ResultFolder>(context_.sweep->member(context_.name));
  else if (!context_.is_member && context_.options.check) try_folder();
  else if (!context_.is_member) begin_as_the_first(open_folder());
  if (!context_.is_member) check_room(fields);
}

// All ranks resume from the same state, or find that all is done, which ends them.
void Results::begin_as_the_first(bool complete) {
  if (Ranks* const ranks = context_.options.ranks) {
    const std::string told = ranks->of_first(complete ? "complete" : packed(resumed_));
    complete = told == "complete";
    if (context_.options.follows && !complete) resumed_ = checkpoint_state(told);
  }
  if (complete) throw CheckedOnly{};
  if (resumed_ && resumed_->texts.contains("lack")) {  // its steps go without fields: so do those to come
    lack_ = Lack{resumed_->texts.at("lack").at(0), resumed_->texts.at("lack").at(1)};
    context_.report.missing_fields = resumed_->texts.at("missing fields");
  }
}

// Says before the solve if what is to be shown is not there.
void Results::open_shown(const ProbeFields& fields) {
  std::vector<const Field*> all;
  for (const Field& field : fields.nodal) all.push_back(&field);
  const std::vector<const Field*> nodal = all;
  for (const Field& field : fields.cells) all.push_back(&field);
  (void)shade_of(all, context_.options.look);
  (void)warp_of(nodal, context_.options.look);
  keep_other_files();
  shown_.emplace(*mesh_);
}

// The picture and the page take the place of no other file of the run.
void Results::keep_other_files() const {
  for (const std::string& file : {context_.options.picture, context_.options.page})
    if (!file.empty()) probe_file(file);
}

void Results::load_library() {
  const RunOptions& options = context_.options;
  const bool writes_pieces = options.follows && format_.format == ResultFormat::pvtu;
  if (context_.writes_fields && (options.writes_files() || writes_pieces)) load_library_of(format_.format);
}

void Results::begin_load_case(const std::string& name) {
  context_.log.end_progress();
  context_.log.line("load case '{}'", name);
  begin_part(context_.report.load_cases, name);
}

void Results::begin_combination(const std::string& name) {
  context_.log.line("combination '{}'", name);
  begin_part(context_.report.combinations, name);
}

void Results::begin_step(const std::string& name, bool writes_fields, double time) {
  context_.log.end_progress();
  context_.log.line("step '{}'", name);
  begin_part(context_.report.steps, name);
  step_writes_fields_ = writes_fields;
  time_of_step_ = time;
}

void Results::begin_part(std::vector<LoadCaseOutcome>& parts, const std::string& name) {
  parts.push_back({.name = name});
  parts_ = &parts;
}

std::map<std::string, std::string>& Results::facts() {
  return parts_ != nullptr ? parts_->back().facts : context_.report.facts;
}

void Results::record(const SolveReport& solve, Index unknowns) {
  context_.log.end_progress();
  const std::string choice_before = context_.report.solves.empty() ? "" : context_.report.solves.back().choice;
  context_.report.unknowns = unknowns;
  context_.report.solves.push_back(outcome_of(solve));
  std::ranges::move(std::exchange(steps_before_, {}), std::back_inserter(context_.report.solves.back().fallbacks));
  if (parts_ != nullptr) parts_->back().solve = context_.report.solves.back();
  context_.log.line("{}", text_of(solve, unknowns));
  const bool told =
      solve.choice == choice_before || solve.choice == "as asked";  // the line of the solve has the method
  if (!solve.choice.empty() && !told) context_.log.line("method: {}", solve.choice);
  for (const std::string& fallback : solve.fallbacks) report_fallback(fallback);
  if (!solve.where.empty()) context_.log.notice(solve.where);
  report_steps_down();
}

// Once in a run: load cases and time steps take the same steps again.
void Results::report_fallback(const std::string& step) {
  const std::string notice = "fell back: " + step;
  if (std::ranges::find(context_.log.notices(), notice) == context_.log.notices().end()) context_.log.notice(notice);
}

void Results::report_steps_down() {
  for (const std::string& step : context_.take_steps_down()) step_down(step);
}

void Results::step_down(const std::string& step) {
  report_fallback(step);
  if (parts_ != nullptr) parts_->back().solve.fallbacks.push_back(step);
  if (context_.report.solves.empty()) steps_before_.push_back(step);
  else context_.report.solves.back().fallbacks.push_back(step);
}

// A folder that cannot be used is not a fault of the case: a check reports it and continues.
void Results::try_folder() {
  try {
    open_folder();
  } catch (const Error& error) {
    const std::string_view kind = entry_of(error).name;
    if (kind != "results-exist" && kind != "folder-in-use") throw;
    context_.log.notice(fmt::format("a run would end with exit code 7: {}; {}", error.message(), error.fix()));
  }
}

// Reports before the solve if the disk has no room for one step. Silent with compression, whose effect is not known.
void Results::check_room(const ProbeFields& fields) const {
  if (format_.vtu.compression != Compression::none) return;
  const double number = format_.vtu.single_precision ? 4 : 8, nodes = double(mesh_->node_count()),
               cells = double(mesh_->cell_count());
  double bytes = 3 * sizeof(double) * nodes;
  for (const CellBlock& block : mesh_->blocks())
    bytes += sizeof(std::int32_t) * double(block.nodes.size() + static_cast<std::size_t>(block.cell_count()));
  for (const Field& field : fields.nodal) bytes += number * field.components * nodes;
  for (const Field& field : fields.cells) bytes += number * field.components * cells;
  std::filesystem::path folder = std::filesystem::absolute(output_);
  std::error_code unknown;
  while (!std::filesystem::exists(folder, unknown) && folder.has_relative_path()) folder = folder.parent_path();
  const double room = double(std::filesystem::space(folder, unknown).available);
  if (!unknown && room < bytes)
    throw Error(ErrorKind::cannot_write,
                fmt::format("the disk of '{}' has {} free, and a step of the results takes {}", output_,
                            text_of_bytes(std::int64_t(room)), text_of_bytes(std::int64_t(bytes))),
                "nothing was solved",
                "make room, name another folder with --output or [output] folder, or write less: single_precision or "
                "compression in [output]");
}

// Is the run complete?
bool Results::open_folder() {
  const auto notice = [this](const std::string& text) { context_.log.notice(text); };
  folder_ =
      std::make_unique<ResultFolder>(output_, ResultFolderOptions{.case_name = context_.name,
                                                                  .program = context_.program.name,
                                                                  .overwrite = context_.options.overwrite,
                                                                  .resume = context_.options.resume,
                                                                  .check = context_.options.check,
                                                                  .notice = notice,
                                                                  .run = identity(),
                                                                  .same_case = [this] { return holds_this_case(); }});
  if (folder_->is_complete() && !context_.options.check) {
    context_.log.line("this run is complete already, with its results in '{}': nothing is left to do", output_);
    return true;
  }
  checkpoints_.emplace(
      folder_->checkpoints(), [this] { return owner(); }, context_.options.checkpoint_every, notice,
      [this] { settle(); });
  if (context_.options.resume) resumed_ = checkpoints_->newest();
  if (resumed_) context_.log.line("resuming after {}", resumed_->where);
  else if (context_.options.resume)
    context_.log.line("there is no checkpoint to resume from: the run starts at the beginning");
  return false;
}

// Which run this is: its case, and its files as far as that can be seen without reading them.
std::string Results::identity() const {
  std::string text = context_.program.name + "\n" + context_.input.resolved();
  for (const std::string& file : context_.input.files()) {
    std::error_code unknown;
    text += fmt::format("{} {} {}\n", file, std::filesystem::file_size(file, unknown),
                        std::filesystem::last_write_time(file, unknown).time_since_epoch().count());
  }
  return fmt::format("{:08x}", crc32_of(text));
}

// Do the results in the folder say that they are of this case? Comments tell of the device and the version.
bool Results::holds_this_case() const {
  const auto without_comments = [](const std::string& text) {
    std::size_t start = 0;
    while (text.compare(start, 1, "#") == 0) start = std::min(text.find('\n', start), text.size() - 1) + 1;
    return text.substr(start);
  };
  const std::optional<std::string> there = text_of_file(path_of(resolved_name()).string());
  return there && without_comments(*there) == without_comments(resolved_case());
}

CheckpointOwner Results::owner() const {
  CheckpointOwner owner{context_.input.resolved(),
                        context_.program.name,
                        fmt::format("{}, Ritz {}", context_.report.device, ritz_version()),
                        {}};
  for (const std::string& named : context_.input.files())
    for (const std::string& file : with_included_files(named))
      owner.files.push_back(
          fmt::format("{:08x} {}", checksum_of_file(file).crc32, std::filesystem::path(file).filename().string()));
  return owner;
}

void Results::keep(CheckpointState state) {
  if (!checkpoints_) return;  // of a sweep: members are short
  auto phase = device().profile().phase("output");
  if (lack_) state.texts["lack"] = {lack_->shortage, lack_->remedy};
  if (lack_) state.texts["missing fields"] = context_.report.missing_fields;
  state.more = kept_beside_;
  unless_memory_is_short([&] {
    checkpoints_->keep(state);
    // a run that is killed after its first results can resume
    if (writer_ && !Checkpoints::any_in(folder_->checkpoints())) checkpoints_->commit();
  });
}

void Results::keep_again(const std::string& where, Writing writing) {
  if (!checkpoints_ || !checkpoints_->kept()) return;
  CheckpointState state = *checkpoints_->kept();
  state.where = where;
  keep(std::move(state));
  if (writing == Writing::at_once) unless_memory_is_short([this] { checkpoints_->commit(); });
}

// A run continues without a checkpoint if memory is short for it.
void Results::unless_memory_is_short(FunctionRef<void()> write_checkpoint) {
  if (!memory_shortage(write_checkpoint)) return;
  context_.give_back_lists();
  if (const auto shortage = memory_shortage(write_checkpoint))
    context_.log.notice(fmt::format("no checkpoint of {} is written: {}",
                                    checkpoints_->kept() ? checkpoints_->kept()->where : "this state",
                                    shortage->message()));
}

std::optional<Error> Results::stopped(const Error& error) {
  const bool by_signal = stop_signal() != 0 && error.exit() == exit_of_signal(stop_signal());
  if (!by_signal && error.exit() != time_is_up) return std::nullopt;
  const bool keeps_one = checkpoints_ && checkpoints_->kept();
  const std::string before = path_of(context_.name + ".checkpoint").string();
  if (!keeps_one && context_.options.resume && Checkpoints::any_in(before))
    return Error(ErrorKind::stopped,
                 fmt::format("{} before a further step; the checkpoints in '{}' stay", error.message(), before), {},
                 "the same command continues there");
  if (!keeps_one) return std::nullopt;
  checkpoints_->commit();
  return Error(ErrorKind::stopped,
               fmt::format("{} after {}, which is kept in '{}'", error.message(), checkpoints_->kept()->where,
                           folder_->checkpoints()),
               {}, "the same command with --resume continues there");
}

bool Results::may_go_to_the_cpu() const {
  return !context_.is_member && device().info().kind != "cpu" && context_.report.outputs.empty();
}

bool Results::may_lack_fields() const {
  const bool has_steps = writer_ && writer_->step_count() > 0;
  return !may_go_to_the_cpu() && (!has_steps || format_.format != ResultFormat::vtkhdf);
}

void Results::go_without_fields(const Error& shortage, const std::string& remedy) {
  lack_ = Lack{shortage.message(), remedy};
  context_.log.notice(fmt::format(
      "results go without some fields from here on, and the run will end with exit code 6: {}", shortage.message()));
}

std::optional<Error> Results::lack() const {
  if (!lack_) return std::nullopt;
  return Error(ErrorKind::missing_fields,
               fmt::format("the results lack {}: memory was short for them after the solve",
                           quoted_list(context_.report.missing_fields)),
               lack_->shortage, lack_->remedy);
}

void Results::leave_out_missing(std::vector<Field>& fields) {
  std::erase_if(fields, [this](const Field& field) {
    if (!field.values.empty()) return false;
    if (std::ranges::find(context_.report.missing_fields, field.name) == context_.report.missing_fields.end())
      context_.report.missing_fields.push_back(field.name);
    return true;
  });
}

std::string Results::resolved_name() const { return context_.name + ".resolved.toml"; }

// Facts that affect the numbers and are not keys of the case are comments at its top.
std::string Results::resolved_case() const {
  return fmt::format(
      "# The case '{}' as {} {} solved it: every key with the value that it had, overrides and defaults included.\n"
      "# Device: {}. Run it again from any folder: {} {} --output NEW_FOLDER\n{}",
      std::filesystem::path(context_.options.case_file).filename().string(), context_.program.name, ritz_version(),
      context_.report.device, context_.program.name, resolved_name(), context_.input.resolved(output_));
}

std::filesystem::path Results::path_of(const std::string& file) const { return std::filesystem::path(output_) / file; }

void Results::open_writer(bool probes) {
  // so that a run that is killed can resume after its results
  if (checkpoints_) unless_memory_is_short([this] { checkpoints_->commit(); });
  // The members of a sweep are many and small, and flushed in groups: writing in the background gains nothing. Ranks
  // are reached by the first thread alone.
  const bool over_ranks = format_.format == ResultFormat::pvtu && format_.ranks != nullptr;
  writer_.emplace(*folder_, path_of(context_.name).string(), format_,
                  ResultWriter::Text{resolved_name(), resolved_case()}, resumed_ ? resumed_->steps : 0,
                  context_.is_member || over_ranks ? ResultWriter::Where::at_once : ResultWriter::Where::in_background);
  context_.report.outputs = {path_of(resolved_name()).string(), writer_->path()};
  if (probes) context_.report.outputs.insert(context_.report.outputs.begin(), writer_->probes_path());
}

namespace {

// Probes of fields that this step lacks are NaN.
void add_names_of_others(std::span<const Field> all, std::vector<Field>& fields) {
  for (const Field& each : all)
    if (std::ranges::find(fields, each.name, &Field::name) == fields.end()) fields.push_back(each);
}

}  // namespace

void Results::write(std::vector<Field> nodal, std::vector<Field> cells, std::optional<double> time,
                    ResultWriter::Probes energies) {
  if (context_.options.follows) {  // the first rank has the fields
    if (context_.writes_fields && step_writes_fields_) follow();
    return;
  }
  auto phase = this->phase("output");  // what the run waits for
  nodal.insert(nodal.end(), carried_.begin(), carried_.end());
  cells.insert(cells.end(), carried_in_cells_.begin(), carried_in_cells_.end());
  auto& probes = parts_ != nullptr ? parts_->back().probes : context_.report.probes;
  const std::size_t own_nodal = nodal.size(), own_cells = cells.size();
  add_names_of_others(nodal_of_run_, nodal);
  add_names_of_others(cells_of_run_, cells);
  const ProbeFields fields{nodal, cells, measure_, fields_.finer()};
  probes = evaluate_probes(context_.input, *mesh_, fields);
  const std::map<std::string, std::string> units =
      probe_units(context_.input, *mesh_, fields, units_of(context_.report));
  for (const auto& [name, values] : probes) {
    if (!context_.report.steps.empty() && std::ranges::all_of(values, [](double v) { return std::isnan(v); })) continue;
    const auto unit = units.find(name);
    context_.log.line("probe {}: {:.8g}{}", name, fmt::join(values, " "), unit == units.end() ? "" : unit->second);
    if (unit != units.end()) context_.report.probe_units[name] = unit->second.substr(1);
  }
  record_paths(fields, probes);
  nodal.resize(own_nodal);
  cells.resize(own_cells);
  const std::optional<double> moment = time ? time : time_of_step_;
  if (moment) probe_history_.add(*moment, probes);
  if (moment) probe_history_.add(*moment, energies);
  if (const std::string unit = units_of(context_.report).of(" J"); !unit.empty())
    for (const auto& [name, values] : energies) context_.report.probe_units[name] = unit.substr(1);
  ResultWriter::Probes row = probes;
  std::ranges::move(energies, std::back_inserter(row));
  std::ranges::copy(carried_numbers_, std::back_inserter(row));
  record_large_strains(nodal, cells);
  report_steps_down();
  leave_out_missing(nodal);
  leave_out_missing(cells);
  keep_lack();
  if (shown_) shown_->add(parts_ != nullptr ? parts_->back().name : "", nodal, cells);
  SolvedStep step{moment,
                  parts_ != nullptr ? parts_->back().name : "",
                  fields_.on_cells(std::move(nodal)),
                  std::move(cells),
                  fields_.cells(),
                  std::move(row)};
  if (context_.options.take) context_.options.take(step);
  if (!context_.writes_fields || !step_writes_fields_) return;
  if (context_.options.writes_files()) write(std::move(step));
}

// Fields along lines, as tables of this step; linearised stresses are numbers as those of probes are.
void Results::record_paths(const ProbeFields& fields, ResultWriter::Probes& probes) {
  if (paths_.empty()) return;
  last_paths_ = paths_.evaluate(*mesh_, fields);
  const bool is_written = context_.writes_fields && step_writes_fields_ && context_.options.writes_files();
  const int number = writer_ ? writer_->step_count() : resumed_ ? resumed_->steps : 0;
  const std::string unit = units_of(context_.report).of_field("stress");
  for (const PathResult& path : last_paths_) {
    for (const std::string& line : lines_of(path, unit)) context_.log.line("{}", line);
    for (auto& [name, numbers] : equivalents_of(path)) {
      if (!unit.empty()) context_.report.probe_units[name] = unit.substr(1);
      probes.emplace_back(name, std::move(numbers));
    }
    if (!is_written) continue;
    add_table(fmt::format("{}_{:06}.csv", path.name, number), table_of(path));
    if (path.stress) add_table(fmt::format("{}_linearised_{:06}.csv", path.name, number), table_of_linearised(path));
  }
}

// A rank after the first writes its piece of a step in pieces.
void Results::follow() {
  if (format_.format != ResultFormat::pvtu) return;
  if (!pieces_) pieces_.emplace(format_.ranks);
  VtuOptions options = format_.vtu;
  options.cells = fields_.cells();
  options.staged = true;
  pieces_->follow(*mesh_, options);
}

void Results::add_table(const std::string& name, std::string text) {
  tables_.push_back({fmt::format("{}_{}", context_.name, name), std::move(text)});
}

void Results::write(SolvedStep step) {
  if (!writer_) open_writer(!step.probes.empty());
  step.texts = std::exchange(tables_, {});
  for (const SolvedStep::Text& each : step.texts) {
    const std::string file = path_of(each.name).string();
    context_.report.outputs.insert(context_.report.outputs.begin(), file);
    context_.log.line("table: {}", file);
  }
  if (writing_is_short()) context_.give_back_lists();
  if (format_.ranks != nullptr) give_back_kept_pages(0);  // they would add to what the library takes, uncounted
  // The load case by its place: the report's list may grow before the step is written.
  auto* const list = parts_;
  step.written = [this, list, place = list == nullptr ? 0 : list->size() - 1](const std::string& file) {
    committed_.push_back(folder_->relative(file));
    if (list != nullptr) (*list)[place].output = file;
    if (file != writer_->path())
      context_.report.outputs.insert(context_.report.outputs.end() - 1, file);  // the index stays last
    context_.log.line("results: {}", file);
  };
  writer_->write(*mesh_, std::move(step));
}

// Strains that the small-strain theory does not know, once in a run.
void Results::record_large_strains(std::span<const Field> nodal, std::span<const Field> cells) {
  if (has_large_strains_ || context_.program.name != "ritz-elasticity") return;
  double largest = 0;
  for (const std::span<const Field> fields : {nodal, cells})
    for (const Field& field : fields)
      if (field.name == "strain" && field.components == 6)
        for (const double value : principal_values_of(field.values)) largest = std::max(largest, std::abs(value));
  if (!(largest > 0.1)) return;
  has_large_strains_ = true;
  context_.log.notice(
      fmt::format("strains reach {:.3g} %: beyond small-strain elasticity; the load is too large, Young's modulus too "
                  "small (MPa in "
                  "place of Pa?), or a point or edge carries a concentrated load",
                  100 * largest));
}

// Records missing fields before the first step without them is written, for runs that resume from the checkpoint.
void Results::keep_lack() {
  if (!lack_ || lack_->is_kept || !checkpoints_ || !checkpoints_->kept()) return;
  lack_->is_kept = true;
  keep(*checkpoints_->kept());
  unless_memory_is_short([this] { checkpoints_->commit(); });
}

void Results::settle() {
  if (!writer_) return;
  auto phase = device().profile().phase("output");
  writer_->settle(context_.give_back_lists);
}

std::optional<Error> Results::give_back() {
  context_.give_back_lists();
  return memory_shortage([this] { settle(); });
}

void Results::write_series(const std::string& name, int count,
                           FunctionRef<std::pair<double, std::vector<Field>>(int)> frame, const Mesh* mesh) {
  if (!context_.writes_fields) return;
  if (context_.options.follows)
    for (int step = 0; step < count; ++step) follow();
  if (!context_.options.writes_files()) return;
  settle();
  auto phase = device().profile().phase("output");
  const auto series =
      make_result_series(path_of(fmt::format("{}_{}", context_.name, name)).string(), format_, folder_.get());
  for (int step = 0; step < count; ++step) {
    throw_if_stop_requested();
    const auto [time, fields] = frame(step);
    const std::vector<Field> written = mesh != nullptr ? fields : fields_.on_cells(fields);
    const std::string file =
        series->write(mesh != nullptr ? *mesh : *mesh_,
                      {.time = time, .point_fields = written, .cells = mesh != nullptr ? nullptr : fields_.cells()});
    if (file != series->path()) context_.report.outputs.push_back(file);
  }
  context_.report.outputs.push_back(series->path());
  context_.log.line("ParaView: {}", series->path());
}

void Results::finish() {
  if (writer_) context_.report.background_writing = writer_->seconds();
  if (folder_) folder_->complete();
  if (folder_ && !lack_) folder_->mark_end();
  if (checkpoints_) checkpoints_->remove();
}

void Results::log_path() const {
  for (const ProbeHistory::Series& each : probe_history_.series()) {
    if (is_column_of_tables(each.probe)) continue;  // energies
    const auto unit = context_.report.probe_units.find(each.probe);
    if (const std::string text = inner_extremes(each); !text.empty())
      context_.log.line("probe {} over all steps: {}{}", each.name, text,
                        unit == context_.report.probe_units.end() ? "" : fmt::format(" ({})", unit->second));
  }
  if (writer_)
    context_.log.line("ParaView: {}{}", writer_->path(),
                      parts_ == nullptr                ? ""
                      : !context_.report.steps.empty() ? " (all steps on one line of time)"
                                                       : " (one step for each load case and combination)");
}

}  // namespace ritz
