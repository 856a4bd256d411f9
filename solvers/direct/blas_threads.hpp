// The number of threads of the BLAS behind a library, for as long as this lives; then it is what it was. OpenBLAS is
// found when the program runs, by the module that has loaded it; other BLAS libraries are left as they are.
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
  // As many of `count` as have room for their buffers beside so many bytes, where addresses are limited (ulimit -v);
  // else all. OpenBLAS takes 128 MiB for each thread and when it is loaded, and where it cannot have them it asks for
  // ever.
  static int with_room(int count, Index bytes);
  static constexpr Index buffer = Index{129} << 20;  // [bytes]

 private:
  int before_;
};

}  // namespace ritz
