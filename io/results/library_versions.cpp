#include "io/results/library_versions.hpp"

#include "io/files/version.hpp"
#include "io/hdf5/hdf5_library.hpp"
#include "io/vtk/vtk_library.hpp"

#include <fmt/format.h>

namespace ritz {

std::string library_versions() {
  return fmt::format("Ritz {}, VTK {}, HDF5 {}, fmt {}.{}.{}", ritz_version(), vtk_library().version(),
                     hdf5_library().version(), FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

}  // namespace ritz
