#include "io/files/mapped_file.hpp"

#include "device/error.hpp"
#include "io/files/input_file.hpp"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

namespace ritz {
namespace {

struct MappedDescriptor {
  int number;
  ~MappedDescriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

MappedFile::MappedFile(const std::string& path, bool ahead) {
  const MappedDescriptor file{open_input(path)};
  if (file.number < 0 && (errno == EISDIR || errno == ENXIO))
    throw Error(ErrorKind::mesh_contents, fmt::format("the mesh file '{}' {}", path, reason_not_to_read(errno)));
  if (file.number < 0)
    throw Error(ErrorKind::mesh_unreadable,
                fmt::format("cannot open the mesh file '{}': {}", path, std::strerror(errno)), "",
                "check the name; relative names in a case file start at the folder of the case file");
  struct stat status {};
  if (::fstat(file.number, &status) != 0)
    throw Error(ErrorKind::mesh_unreadable,
                fmt::format("cannot read the mesh file '{}': {}", path, std::strerror(errno)));
  if (status.st_size == 0)
    throw Error(ErrorKind::mesh_unreadable, fmt::format("the mesh file '{}' is empty", path), "it has 0 bytes",
                "write it again with the mesher");
  size_ = static_cast<std::size_t>(status.st_size);
  void* memory = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE | (ahead ? MAP_POPULATE : 0), file.number, 0);
  if (memory == MAP_FAILED)
    throw Error(ErrorKind::host_memory,
                fmt::format("cannot map the mesh file '{}' ({} bytes): {}", path, size_, std::strerror(errno)));
  data_ = static_cast<const char*>(memory);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace ritz
