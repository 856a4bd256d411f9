#include "io/library_versions.hpp"

#include <H5public.h>
#include <fmt/format.h>
#include <vtkVersion.h>

namespace ritz {

std::string library_versions() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);  // of the library that is loaded, not of the header
  return fmt::format("VTK {}, HDF5 {}.{}.{}, fmt {}.{}.{}", vtkVersion::GetVTKVersion(), major, minor, release, FMT_VERSION / 10000,
                     FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

}  // namespace ritz
