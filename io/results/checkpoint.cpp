#include "io/results/checkpoint.hpp"

#include "device/error.hpp"
#include "device/process/stop_request.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/checksum.hpp"
#include "io/hdf5/hdf5_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <new>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace ritz {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t version = 1;

// "000012-0badcafe.h5", by number.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code status;
  for (fs::directory_iterator at(folder, status), end; !status && at != end; at.increment(status))
    if (const std::string name = at->path().filename().string();
        name.size() == 18 && name[6] == '-' && name.ends_with(".h5"))
      files.push_back(name);
  std::sort(files.begin(), files.end());
  return files;
}

bool is_whole(const fs::path& file) {
  return file.filename().string().substr(7, 8) == fmt::format("{:08x}", checksum_of_file(file.string()).crc32);
}

void write_texts(Hdf5File& file, const std::string& name, const std::vector<std::string>& texts) {
  if (!texts.empty()) file.write(text_rows(name, texts));
}

std::vector<std::string> read_texts(const Hdf5File& file, const std::string& name) {
  return file.has(name) ? file.read(name, 0, file.row_count(name)).texts : std::vector<std::string>{};
}

[[noreturn]] void throw_bad_state(const std::string& path) {
  throw Error(ErrorKind::checkpoint_unusable, fmt::format("'{}' is a checkpoint of another version of Ritz", path), {},
              "resume with that version, or start again with --overwrite");
}

Numbers read_numbers(const Hdf5File& file, const std::string& path, const std::string& name) {
  const Hdf5Rows rows = file.read(name, 0, file.row_count(name));
  if (rows.type != Hdf5Type::float64 || rows.columns != 0) throw_bad_state(path);
  std::vector<double> numbers(rows.rows);
  if (!numbers.empty()) std::memcpy(numbers.data(), rows.own.data(), rows.own.size());
  return std::make_shared<const std::vector<double>>(std::move(numbers));
}

void write_state(const std::string& path, const CheckpointOwner& owner, const CheckpointState& state) {
  const std::unique_ptr<Hdf5File> file = Hdf5File::create(path);
  for (const char* group : {"/numbers", "/texts"}) file->make_group(group);
  const std::int64_t head[] = {version, state.steps};
  file->set_attribute("/", "version_and_steps", head);
  write_texts(*file, "/owner", {owner.case_text, owner.program, owner.device});
  write_texts(*file, "/files", owner.files);
  write_texts(*file, "/where", {state.where});
  std::vector<std::string> names;
  for (const auto& [name, values] : state.numbers) {
    file->write({.dataset = "/numbers/" + name, .rows = values->size(), .data = values->data()});
    names.push_back("/numbers/" + name);
  }
  for (const auto& [name, texts] : state.texts) {
    if (texts.empty()) continue;
    write_texts(*file, "/texts/" + name, texts);
    names.push_back("/texts/" + name);
  }
  write_texts(*file, "/names", names);
  file->close();
}

std::pair<CheckpointOwner, CheckpointState> read_state(const std::string& path) {
  const std::unique_ptr<Hdf5File> file = Hdf5File::open(path);
  const std::vector<std::int64_t> head = file->numbers("/", "version_and_steps");
  const std::vector<std::string> owner = read_texts(*file, "/owner"), where = read_texts(*file, "/where");
  if (head.size() != 2 || head[0] != version || owner.size() != 3 || where.size() != 1) throw_bad_state(path);
  CheckpointState state{.where = where[0], .steps = static_cast<int>(head[1])};
  for (const std::string& name : read_texts(*file, "/names")) {
    if (name.starts_with("/numbers/")) state.numbers[name.substr(9)] = read_numbers(*file, path, name);
    else if (name.starts_with("/texts/")) state.texts[name.substr(7)] = read_texts(*file, name);
    else throw_bad_state(path);
  }
  return {{owner[0], owner[1], owner[2], read_texts(*file, "/files")}, std::move(state)};
}

// The first line in which two cases differ: "'young = 2e11' then, 'young = 7e10' now".
std::string first_difference(const std::string& before, const std::string& now) {
  std::istringstream a(before), b(now);
  while (true) {
    std::string x, y;
    const bool more_x = static_cast<bool>(std::getline(a, x)), more_y = static_cast<bool>(std::getline(b, y));
    if (!more_x && !more_y) return "";
    if (x != y || more_x != more_y)
      return fmt::format("{} then, {} now", more_x ? "'" + x + "'" : "nothing", more_y ? "'" + y + "'" : "nothing");
  }
}

void check_owner(const std::string& file, const CheckpointOwner& before, const CheckpointOwner& now) {
  std::string why;
  if (before.program != now.program) why = fmt::format("it was written by {}, this is {}", before.program, now.program);
  else if (before.case_text != now.case_text)
    why = fmt::format("the case has changed: {}", first_difference(before.case_text, now.case_text));
  else if (before.files != now.files)
    why = fmt::format("its files have changed: {} then, {} now", fmt::join(before.files, ", "),
                      fmt::join(now.files, ", "));
  if (why.empty()) return;
  throw Error(ErrorKind::checkpoint_unusable, fmt::format("the checkpoint '{}' belongs to another run", file), why,
              "undo the change to resume, or start again with --overwrite");
}

}  // namespace

Checkpoints::Checkpoints(std::string folder, OwnerNow owner, double every, MessageSink notice, Settle settle)
    : folder_(std::move(folder)),
      owner_(std::move(owner)),
      every_(every),
      notice_(std::move(notice)),
      settle_(std::move(settle)),
      last_commit_(std::chrono::steady_clock::now()) {
  for (const std::string& file : files_in(folder_)) {
    older_.push_back(file);
    next_ = std::atoi(file.c_str()) + 1;
  }
}

bool Checkpoints::any_in(const std::string& folder) { return !files_in(folder).empty(); }

std::optional<CheckpointState> Checkpoints::newest() const {
  std::vector<std::string> files = files_in(folder_);
  if (files.empty()) return std::nullopt;
  std::reverse(files.begin(), files.end());
  const CheckpointOwner us = owner_();
  for (const std::string& name : files) {
    const fs::path file = fs::path(folder_) / name;
    if (!is_whole(file)) {
      notice_(fmt::format("the checkpoint '{}' is damaged: its checksum is wrong; the one before it is tried",
                          file.string()));
      continue;
    }
    auto [owner, state] = read_state(file.string());
    check_owner(file.string(), owner, us);
    if (owner.device != us.device)
      notice_(fmt::format("the checkpoint was made on '{}', this is '{}': the last digits may differ", owner.device,
                          us.device));
    return std::move(state);
  }
  throw Error(ErrorKind::checkpoint_unusable, fmt::format("no checkpoint in '{}' is whole", folder_),
              fmt::format("{} are there, with wrong checksums", files.size()),
              "committed results are not affected ('ritz results verify'); start again with --overwrite");
}

void Checkpoints::keep(CheckpointState state) {
  kept_ = std::move(state);
  written_ = false;
  if (every_.count() > 0 && std::chrono::steady_clock::now() - last_commit_ >= every_) commit();
}

void Checkpoints::commit() {
  if (!kept_ || written_) return;
  if (settle_) settle_();
  std::error_code status;
  fs::create_directories(folder_, status);
  if (status) fail_to_write(folder_, status.message());
  const std::string started = (fs::path(folder_) / "checkpoint.tmp").string();
  std::string path;
  try {
    const RemovedWhenStopped removal(started);
    CheckpointState all = *kept_;
    if (all.more) all.more(all);
    write_state(started, owner_(), all);
    const std::string name = fmt::format("{:06}-{:08x}.h5", next_, checksum_of_file(started).crc32);
    path = (fs::path(folder_) / name).string();
    fs::rename(started, temporary_path(path), status);
    if (status) fail_to_write(path, status.message());
    commit_file(path);
    while (older_.size() > 1) {
      fs::remove(fs::path(folder_) / older_.front(), status);
      older_.erase(older_.begin());
    }
    older_.push_back(name);
  } catch (...) {
    fs::remove(started, status);
    if (!path.empty()) discard_temporary(path);
    throw;
  }
  ++next_;
  written_ = true;
  last_commit_ = std::chrono::steady_clock::now();
}

void Checkpoints::remove() noexcept {
  std::error_code ignored;
  try {
    fs::remove_all(folder_, ignored);
  } catch (const std::bad_alloc&) {  // it stays, and the next run finds it
  }
}

}  // namespace ritz
