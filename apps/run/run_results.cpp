// Of a run: its folder, checkpoints, results, and what these lack where memory is short.
#include "apps/run/copy_rate.hpp"
#include "apps/run/phase_table.hpp"
#include "apps/run/run.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/sweep/shared_model.hpp"
#include "device/memory_shortage.hpp"
#include "device/stop_request.hpp"
#include "io/files/byte_size.hpp"
#include "io/files/included_files.hpp"
#include "io/files/version.hpp"
#include "io/results/error_catalogue.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace ritz {

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

// One step that the disk cannot take is told before the solve. What compression saves is not known: nothing is said
// then.
void Run::check_room(const ProbeFields& fields) const {
  if (format_.vtu.compression != Compression::none) return;
  const double number = format_.vtu.single_precision ? 4 : 8, nodes = double(mesh_->node_count()),
               cells = double(mesh_->cell_count());
  double bytes = 3 * sizeof(double) * nodes;
  for (const CellBlock& block : mesh_->blocks())
    bytes += sizeof(std::int32_t) * double(block.nodes.size() + static_cast<std::size_t>(block.cell_count()));
  for (const Field& field : fields.nodal) bytes += number * field.components * nodes;
  for (const Field& field : fields.cells) bytes += number * field.components * cells;
  std::filesystem::path folder = std::filesystem::absolute(output_);
  while (!std::filesystem::exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
  std::error_code unknown;
  const double room = double(std::filesystem::space(folder, unknown).available);
  if (!unknown && room < bytes)
    throw Error(Exit::output,
                fmt::format("the disk of '{}' has {} free, and a step of the results takes {}", output_,
                            text_of_bytes(std::int64_t(room)), text_of_bytes(std::int64_t(bytes))),
                "nothing was solved",
                "make room, name another folder with --output or [output] folder, or write less: single_precision or "
                "compression in [output]");
}

void Run::open_folder() {
  const auto notice = [this](const std::string& text) { log_.notice(text); };
  results_ = std::make_unique<ResultFolder>(output_, ResultFolderOptions{.case_name = name_,
                                                                         .program = info_.name,
                                                                         .overwrite = options_.overwrite,
                                                                         .resume = options_.resume,
                                                                         .notice = notice});
  checkpoints_.emplace(
      results_->checkpoints(), [this] { return owner(); }, options_.checkpoint_every, notice, [this] { settle(); });
  if (options_.resume) resumed_ = checkpoints_->newest();
  if (resumed_ && resumed_->texts.contains("lack")) {  // its steps go without fields: so do those to come
    lack_ = Lack{resumed_->texts.at("lack").at(0), resumed_->texts.at("lack").at(1)};
    report_.missing_fields = resumed_->texts.at("missing fields");
  }
  if (resumed_) log_.line("going on behind {}", resumed_->where);
  else if (options_.resume) log_.line("there is no checkpoint to go on from: this is the beginning");
}

CheckpointOwner Run::owner() const {
  CheckpointOwner owner{case_->resolved(), info_.name, fmt::format("{}, Ritz {}", report_.device, ritz_version()), {}};
  for (const std::string& named : case_->files())
    for (const std::string& file : with_included_files(named))
      owner.files.push_back(
          fmt::format("{:08x} {}", checksum_of_file(file).crc32, std::filesystem::path(file).filename().string()));
  return owner;
}

void Run::keep(CheckpointState state) {
  if (!checkpoints_) return;  // of a sweep: members are short
  auto phase = device().profile().phase("output");
  if (lack_) state.texts["lack"] = {lack_->shortage, lack_->remedy};
  if (lack_) state.texts["missing fields"] = report_.missing_fields;
  unless_memory_is_short([&] {
    checkpoints_->keep(state);
    // a run that is killed behind its first results goes on
    if (writer_ && !Checkpoints::any_in(results_->checkpoints())) checkpoints_->commit();
  });
}

// A run goes on without a checkpoint that memory is short for.
void Run::unless_memory_is_short(const std::function<void()>& write_checkpoint) {
  if (!memory_shortage(write_checkpoint)) return;
  give_back_lists();
  if (const auto shortage = memory_shortage(write_checkpoint))
    log_.notice(fmt::format("no checkpoint of {} is written: {}",
                            checkpoints_->kept() ? checkpoints_->kept()->where : "this state", shortage->message()));
}

std::optional<Error> Run::stopped(const Error& error) {
  const bool by_signal = stop_signal() != 0 && error.exit() == exit_of_signal(stop_signal());
  if ((!by_signal && error.exit() != time_is_up) || !checkpoints_ || !checkpoints_->kept()) return std::nullopt;
  checkpoints_->commit();
  return Error(Exit::stopped,
               fmt::format("{} behind {}, which is kept in '{}'", error.message(), checkpoints_->kept()->where,
                           results_->checkpoints()),
               {}, "the same command with --resume goes on there");
}

bool Run::may_go_to_the_cpu() const {
  return options_.member.empty() && device().info().kind != "cpu" && report_.outputs.empty();
}

bool Run::may_lack_fields() const {
  const bool has_steps = writer_ && writer_->step_count() > 0;
  return !may_go_to_the_cpu() && (!has_steps || format_.format != ResultFormat::vtkhdf);
}

void Run::go_without_fields(const Error& shortage, const std::string& remedy) {
  lack_ = Lack{shortage.message(), remedy};
  log_.notice(fmt::format("results go without some fields from here on, and the run will end with exit code 6: {}",
                          shortage.message()));
}

std::optional<Error> Run::lack() const {
  if (!lack_) return std::nullopt;
  return Error(Exit::resources,
               fmt::format("the results lack {}: memory was short for them after the solve",
                           quoted_list(report_.missing_fields)),
               lack_->shortage, lack_->remedy);
}

void Run::leave_out_missing(std::vector<Field>& fields) {
  std::erase_if(fields, [this](const Field& field) {
    if (!field.values.empty()) return false;
    if (std::ranges::find(report_.missing_fields, field.name) == report_.missing_fields.end())
      report_.missing_fields.push_back(field.name);
    return true;
  });
}

std::string Run::resolved_name() const { return name_ + ".resolved.toml"; }

// What decided on the numbers and is no key of the case stands above it as comments.
std::string Run::resolved_case() const {
  return fmt::format(
      "# The case '{}' as {} {} solved it: every key with the value that it had, overrides and defaults included.\n"
      "# Device: {}. Run it again from any folder: {} {} --output NEW_FOLDER\n{}",
      std::filesystem::path(options_.case_file).filename().string(), info_.name, ritz_version(), report_.device,
      info_.name, resolved_name(), case_->resolved(output_));
}

std::filesystem::path Run::results_path(const std::string& file) const { return std::filesystem::path(output_) / file; }

void Run::open_results(bool probes) {
  // so that a run that is killed can go on behind its results, too
  if (checkpoints_) unless_memory_is_short([this] { checkpoints_->commit(); });
  // The members of a sweep are many and small, and flushed in groups: nothing is won beside them.
  writer_.emplace(*results_, results_path(name_).string(), format_,
                  ResultWriter::Text{resolved_name(), resolved_case()}, resumed_ ? resumed_->steps : 0,
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
  auto* const list = part_ == nullptr               ? nullptr
                     : report_.combinations.empty() ? &report_.load_cases
                                                    : &report_.combinations;
  const auto written = [this, list, place = list == nullptr ? 0 : list->size() - 1](const std::string& file) {
    committed_.push_back(results_->relative(file));
    if (list != nullptr) (*list)[place].output = file;
    if (file != writer_->path()) report_.outputs.insert(report_.outputs.end() - 1, file);  // the index stays last
    log_.line("results: {}", file);
  };
  writer_->write(*mesh_, {time, part_ != nullptr ? part_->name : "", fields_.on_cells(std::move(nodal)),
                          std::move(cells), fields_.cells(), probes, written});
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
    for (const Task task : {Task::matrix, Task::residual, Task::action, Task::diagonal, Task::evaluate})
      equations->forget(task);
  device().memory().trim();
}

std::optional<Error> Run::give_back() {
  give_back_lists();
  return memory_shortage([this] { settle(); });
}

void Run::write_series(const std::string& name, int count,
                       const std::function<std::pair<double, std::vector<Field>>(int)>& frame) {
  if (!shared_->writes_fields) return;
  settle();
  auto phase = device().profile().phase("output");
  const auto series =
      make_result_series(results_path(fmt::format("{}_{}", name_, name)).string(), format_, results_.get());
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
  if (writer_)
    log_.line("ParaView: {}{}", writer_->path(),
              part_ != nullptr ? " (one step for each load case and combination)" : "");
  collect();
  print_summary(log_, report_);
  if (options_.verbose || !options_.profile.empty()) report_.copy_rate = copy_rate_or_none(device());
  for (const std::string& line : phase_table(report_)) log_.detail("{}", line);
  if (const std::optional<Error> error = lack()) throw *error;
}

}  // namespace ritz
