// Sets the number of threads of a library's BLAS during its lifetime, then restores it. OpenBLAS is found at run time,
// by the module that has loaded it; other BLAS libraries are left unchanged.
//
//   const BlasThreads obey(device.threads());   dmumps_c(&mumps);
#pragma once

#include "device/machine.hpp"

namespace ritz {

class BlasThreads {
 public:
  explicit BlasThreads(int count);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

  static int now();  // 0: not known
  // The largest number of threads, up to `count`, whose buffers fit in the address space (ulimit -v) together with so
  // many bytes. OpenBLAS takes 128 MiB for each thread and when it is loaded; if it cannot have them it retries for
  // ever.
  static int with_room(int count, Index bytes);
  static constexpr Index buffer = Index{129} << 20;  // [bytes]

 private:
  int before_;
};

}  // namespace ritz
