// The number of threads of the BLAS behind a library, for as long as this lives; then it is what it was. OpenBLAS is found
// when the program runs; other BLAS libraries are left as they are.
//
//   const BlasThreads obey(device.threads());   dmumps_c(&mumps);
#pragma once

namespace ritz {

class BlasThreads {
 public:
  explicit BlasThreads(int count);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

  static int now();  // 0: not known

 private:
  int before_;
};

}  // namespace ritz
