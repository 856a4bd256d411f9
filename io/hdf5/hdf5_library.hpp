// Functions that need HDF5: the table of the module ritz_hdf5 (io/files/late_library.hpp). Private to io; callers use
// Hdf5File::create() and related functions.
#pragma once

#include "io/hdf5/hdf5_file.hpp"
#include "io/hdf5/hdf5_tree.hpp"

namespace ritz {

struct Hdf5Library {
  std::unique_ptr<Hdf5File> (*create)(const std::string& path);
  std::unique_ptr<Hdf5File> (*open_for_writing)(const std::string& path);
  std::unique_ptr<Hdf5File> (*open)(const std::string& path);
  std::unique_ptr<Hdf5Tree> (*open_tree)(
      const std::string& path);  // in this process: Hdf5Tree::open() is the way to it
  std::string (*version)();
};

const Hdf5Library& hdf5_library();

// In the module.
namespace with_hdf5 {
std::unique_ptr<Hdf5File> create(const std::string& path);
std::unique_ptr<Hdf5File> open_for_writing(const std::string& path);
std::unique_ptr<Hdf5File> open(const std::string& path);
std::unique_ptr<Hdf5Tree> open_tree(const std::string& path);
}  // namespace with_hdf5

}  // namespace ritz
