#include "io/hdf5/hdf5_handle.hpp"

#include <cstdlib>
#include <mutex>

namespace ritz {

void use_hdf5_quietly() {
  static std::once_flag once;
  std::call_once(once, [] {
    ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
    H5dont_atexit();
    H5open();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  });
}

std::string reason_of_hdf5() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* text) -> herr_t {
        auto& found = *static_cast<std::string*>(text);
        if (found.empty() && error->desc != nullptr) found = error->desc;
        return 0;
      },
      &reason);
  H5Eclear2(H5E_DEFAULT);
  return reason.empty() ? "HDF5 gives no reason" : reason;
}

}  // namespace ritz
