// libFuzzer target for checkpoints. The bytes say what becomes of the newer of two whole ones:
//   - changed, cut or made longer under its old name: it is passed over with a notice, and the older one is read;
//   - parts of it left out or rewritten with other types and sizes, under a name with the right
//     checksum: a state with what was kept, or Error: Exit::checkpoint.
#include "io/files/checksum.hpp"
#include "io/hdf5/hdf5_file.hpp"
#include "io/results/checkpoint.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

namespace {

using namespace ritz;
namespace fs = std::filesystem;

void require(bool fact) {
  if (!fact) std::abort();
}

const CheckpointOwner owner{"young = 2e11\n", "ritz-solve", "CPU", {"0badcafe bar.msh"}};

CheckpointState state_of(int steps) {
  return {fmt::format("increment {} of 9", steps),
          steps,
          {{"u", std::make_shared<const std::vector<double>>(std::vector<double>{1, 2, double(steps)})}},
          {{"log", {"cg", "", "direct"}}}};
}

// Numbers read from the bytes; zeros behind their end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool more() const { return at_ < size_; }
  unsigned next() { return more() ? data_[at_++] : 0; }
  std::size_t below(std::size_t bound) { return (next() * 65536 + next() * 256 + next()) % bound; }
  std::string rest() {
    std::string text(reinterpret_cast<const char*>(data_) + at_, size_ - at_);
    at_ = size_;
    return text;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Folder {
  Folder() : path(fs::temp_directory_path() / fmt::format("ritz-fuzz-{}", ::getpid())) {
    fs::create_directories(path);
    {
      Checkpoints made((path / "made").string(), [] { return owner; }, 0, [](const std::string&) {});
      for (const int steps : {3, 4}) {
        made.keep(state_of(steps));
        made.commit();
      }
    }
    for (const auto& entry : fs::directory_iterator(path / "made")) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    require(names.size() == 2);
    for (const std::string& name : names) whole.push_back(contents(path / "made" / name));
  }
  ~Folder() { fs::remove_all(path); }

  // Two files in the folder that is read.
  void hold(const std::string& name, const std::string& newer) const {
    fs::remove_all(path / "read");
    fs::create_directories(path / "read");
    std::ofstream(path / "read" / names[0], std::ios::binary) << whole[0];
    std::ofstream(path / "read" / name, std::ios::binary) << newer;
  }

  fs::path path;
  std::vector<std::string> names, whole;
};

std::optional<CheckpointState> newest(const Folder& folder, int& notices) {
  const Checkpoints checkpoints((folder.path / "read").string(), [] { return owner; }, 0,
                                [&](const std::string&) { ++notices; });
  return checkpoints.newest();
}

void damage(const Folder& folder, Bytes bytes) {
  std::string newer = folder.whole[1];
  switch (bytes.next() % 3) {
    case 0: newer.resize(bytes.below(newer.size())); break;
    case 1: newer += bytes.rest() + "x"; break;
    default:
      while (bytes.more()) newer[bytes.below(newer.size())] ^= static_cast<char>(1 + bytes.next() % 255);
  }
  folder.hold(folder.names[1], newer);
  int notices = 0;
  const auto state = newest(folder, notices);
  const bool same = newer == folder.whole[1];
  require(state && state->steps == (same ? 4 : 3) && notices == (same ? 0 : 1));
}

// A file with some of the datasets of a checkpoint, each as it should be or otherwise.
void write_strange(const std::string& path, Bytes bytes) {
  const std::unique_ptr<Hdf5File> file = Hdf5File::create(path);
  for (const char* group : {"/numbers", "/texts"})
    if (bytes.next() % 16 != 15) file->make_group(group);
  const std::int64_t head[] = {1, 4, 7};
  if (const unsigned kind = bytes.next() % 16; kind == 15)
    file->set_attribute("/", "version_and_steps", "one and four");
  else if (kind != 14) file->set_attribute("/", "version_and_steps", std::span(head).first(kind >= 12 ? kind - 11 : 2));
  const auto texts = [&](const std::string& name, std::vector<std::string> right) {
    const unsigned kind = bytes.next() % 16;
    if (kind == 15 || (name.starts_with("/texts/") && !file->has("/texts"))) return;
    if (kind == 14) right.emplace_back("one more");
    if (kind == 13 && !right.empty()) right.pop_back();
    if (kind == 12) right = {std::string(1 + bytes.next() * 256, 'x')};
    if (kind == 11) return file->write({.dataset = name, .type = Hdf5Type::uint8, .rows = 5, .data = "abcde"});
    if (right.empty()) return;
    file->write(text_rows(name, std::move(right)));
  };
  texts("/owner", {owner.case_text, owner.program, owner.device});
  texts("/files", owner.files);
  texts("/where", {"increment 4 of 9"});
  if (file->has("/numbers")) {
    const std::vector<double> values(1024, 0.5);
    const unsigned kind = bytes.next() % 16;
    const Hdf5Type types[] = {Hdf5Type::float64, Hdf5Type::float32, Hdf5Type::int64, Hdf5Type::int32, Hdf5Type::uint8};
    if (kind != 15)
      file->write({.dataset = "/numbers/u",
                   .type = kind < 8 ? types[0] : types[kind % 5],
                   .rows = bytes.next() % 4 * 10u,
                   .columns = bytes.next() % 8 == 7 ? 3 : 0,
                   .data = values.data()});
  }
  texts("/texts/log", {"cg", "", "direct"});
  std::vector<std::string> names{"/numbers/u", "/texts/log"};
  if (bytes.next() % 8 == 7) {
    std::string name = bytes.rest();
    name.erase(std::remove(name.begin(), name.end(), '\0'), name.end());
    names.push_back(name);
  }
  texts("/names", names);
  file->close();
}

void rebuild(const Folder& folder, Bytes bytes) {
  const std::string made = (folder.path / "strange.h5").string();
  write_strange(made, bytes);
  folder.hold(fmt::format("{:06}-{:08x}.h5", 7, checksum_of_file(made).crc32), contents(made));
  try {
    int notices = 0;
    const auto state = newest(folder, notices);
    require(state && notices == 0 && state->steps == 4);
    for (const auto& [name, values] : state->numbers) require(values != nullptr);
  } catch (const Error& error) { require(error.exit() == Exit::checkpoint); }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  Bytes bytes(data, size);
  if (bytes.next() % 4 == 0) damage(folder, bytes);
  else rebuild(folder, bytes);
  return 0;
}
