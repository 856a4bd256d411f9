// Shared by our writer and our reader of HDF5: a handle that closes itself, and HDF5 with its error printing disabled.
// Private to io.
#pragma once

#include <string>
#include <utility>

#include <hdf5.h>

namespace ritz {

// Disables HDF5's own lock files, since readers may open a file while its next version is being written, its messages
// on the terminal, and a second attempt to flush a broken file when the program ends. To be called before all other
// functions of HDF5.
void use_hdf5_quietly();

// The innermost cause: the last error of HDF5's stack, which is emptied.
std::string reason_of_hdf5();

class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  operator hid_t() const { return id_; }
  herr_t close() { return close_(std::exchange(id_, -1)); }  // where it may fail: closing writes what is still buffered

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

}  // namespace ritz
