// What our writer and our reader of HDF5 share: a handle that closes itself, and HDF5 without a voice of its own.
// Private to io.
#pragma once

#include <string>
#include <utility>

#include <hdf5.h>

namespace ritz {

// No lock files of HDF5's own: readers may look at a file while its next version is being written beside it. No
// messages on the terminal, and no second attempt to flush a broken file when the program ends. To be called before
// anything of HDF5.
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
