#include "io/hdf5/hdf5_library.hpp"

#include <H5public.h>
#include <fmt/core.h>

namespace {

std::string version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);  // of the library that is loaded, not of the header
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace

extern "C" __attribute__((visibility("default")))
const ritz::Hdf5Library ritz_hdf5{ritz::with_hdf5::create, ritz::with_hdf5::open_for_writing, ritz::with_hdf5::open,
                                  ritz::with_hdf5::open_tree, version};
