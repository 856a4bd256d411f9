// libFuzzer target for one mesh reader, named by RITZ_FUZZ_TARGET: whatever the bytes, the reader returns a mesh or
// throws Error: Exit::mesh. tools/fuzz.sh builds and runs it for every own parser.
#include "io/meshes/gmsh_reader.hpp"
#include "io/meshes/inp_reader.hpp"
#include "io/meshes/other_readers.hpp"
#include "io/vtk/vtu_reader.hpp"

#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

namespace {

using namespace ritz;

MeshData read(const std::string& path, std::vector<std::string>& notices) {
  const std::string_view reader = RITZ_FUZZ_TARGET;
  if (reader == "gmsh") return read_gmsh(path, &notices);
  if (reader == "inp") return read_inp(path, &notices);
  if (reader == "nastran") return read_nastran(path, notices);
  if (reader == "medit") return read_medit(path, notices);
  if (reader == "medit_binary") return read_medit_binary(path, notices);
  if (reader == "mfem") return read_mfem(path, notices);
  if (reader == "vtk") return read_vtu(path, &notices, VtkFormat::legacy);
  if (reader == "exodus") return read_exodus(path, notices);
  std::abort();
}

// A file in memory with a name.
class MemoryFile {
 public:
  MemoryFile() : number_(::memfd_create("fuzz", 0)), path_(fmt::format("/proc/self/fd/{}", number_)) {}
  void hold(const std::uint8_t* bytes, std::size_t size) const {
    if (::ftruncate(number_, 0) != 0 || ::pwrite(number_, bytes, size, 0) != static_cast<ssize_t>(size)) std::abort();
  }
  const std::string& path() const { return path_; }

 private:
  int number_;
  std::string path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const MemoryFile file;
  file.hold(bytes, size);
  try {
    std::vector<std::string> notices;
    const Mesh mesh(read(file.path(), notices));
  } catch (const Error& error) {
    if (error.exit() != Exit::mesh) std::abort();
  }
  return 0;
}
