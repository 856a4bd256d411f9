#include "apps/bench/tasks.hpp"
#include "io/meshes/gmsh_writer.hpp"
#include "io/meshes/mesh_reader.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include <unistd.h>

namespace ritz {
namespace {

// A file that disappears with it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / fmt::format("ritz-bench-{}-{}", ::getpid(), name)).string()) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }
  double bytes() const { return double(std::filesystem::file_size(path_)); }

 private:
  std::string path_;
};

void read_plainly(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20);
  while (file.read(block.data(), std::ssize(block)) || file.gcount() > 0) {}
}

}  // namespace

void run_mesh_read(const Device& device, const BenchOptions& options, const Publish& publish) {
  Record record = begin_record("mesh-read", device);
  const Problem problem{"", CellKind::tet4, 80, 1, false};
  const Mesh mesh(mesh_data(problem, options.size));
  record.facts = {{"elements", double(mesh.cell_count())}, {"nodes", double(mesh.node_count())}};
  for (const bool binary : {true, false}) {
    const std::string kind = binary ? "binary" : "text";
    const TemporaryFile file(kind + ".msh");
    record.add("write " + kind, time(device, 1, [&] { write_gmsh(file.path(), mesh, {.binary = binary}); }), 0);
    record.measurements.back().work = file.bytes();
    record.measurements.back().work_name = "bytes";
    record.add("plain read " + kind, time(device, options.few(), [&] { read_plainly(file.path()); }), file.bytes(),
               "bytes");
    std::optional<MeshData> data;
    record.add("read " + kind,
               time(
                   device, options.few(), [&] { data = read_mesh_data(file.path()); }, [&] { data.reset(); }),
               file.bytes(), "bytes");
    if (binary)
      record.add("checks", time(device, 1, [&] { const Mesh checked(std::move(*data)); }), double(mesh.cell_count()),
                 "elements");
  }
  end_record(record, device);
  publish(std::move(record));
}

}  // namespace ritz
