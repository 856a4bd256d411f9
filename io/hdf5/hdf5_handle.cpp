#include "io/hdf5/hdf5_handle.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>

namespace ritz {
namespace {

// The words of the system alone, where the cause is "file write failed: time = ..., errno = 28, error message = ...".
std::string without_details(const std::string& cause) {
  constexpr const char* number = "errno = ";
  const std::size_t at = cause.find(number);
  const int error = at == std::string::npos ? 0 : std::atoi(cause.c_str() + at + std::strlen(number));
  return error > 0 ? std::strerror(error) : cause;
}

}  // namespace

void use_hdf5_quietly() {
  static std::once_flag once;
  std::call_once(once, [] {
    ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
    H5dont_atexit();
    H5open();
  });
  // Each thread has a stack of errors of its own.
  thread_local const herr_t quiet = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  static_cast<void>(quiet);
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
  return reason.empty() ? "HDF5 gives no reason" : without_details(reason);
}

}  // namespace ritz
