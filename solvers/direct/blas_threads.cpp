#include "solvers/direct/blas_threads.hpp"

#include "device/host_memory.hpp"

#include <dlfcn.h>

namespace ritz {
namespace {

// Not linked by name: the BLAS is whichever the system's MUMPS brings along.
template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

void set(int count) {
  static auto* const function = find<void(int)>("openblas_set_num_threads");
  if (function != nullptr && count > 0) function(count);
}

}  // namespace

int BlasThreads::now() {
  static auto* const function = find<int()>("openblas_get_num_threads");
  return function == nullptr ? 0 : function();
}

int BlasThreads::with_room(int count, Index bytes) {
  while (now() > 0 && count > 0 && !has_addresses_for(bytes + count * buffer)) --count;
  return count;
}

BlasThreads::BlasThreads(int count) : before_(now()) { set(count); }
BlasThreads::~BlasThreads() { set(before_); }

}  // namespace ritz
