// dgeev: Anderson et al., LAPACK Users' Guide, 1999.
#include "solvers/algebra/dense_eigen.hpp"

#include "device/kernels.hpp"
#include "solvers/direct/blas_threads.hpp"

#include <cstddef>
#include <dlfcn.h>
#include <vector>

namespace ritz::RITZ_BACKEND {
namespace {

using Dgeev = void(const char* left, const char* right, const int* n, double* A, const int* lda, double* real,
                   double* imaginary, double* VL, const int* ldvl, double* VR, const int* ldvr, double* work,
                   const int* work_size, int* info, std::size_t, std::size_t);

// A complex pair has its vectors in two columns, of real and imaginary parts.
void take(int n, const std::vector<double>& real, const std::vector<double>& imaginary, const std::vector<double>& V,
          std::complex<double>* values, std::complex<double>* vectors) {
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t k = 0; k < size; ++k) {
    values[k] = {real[k], imaginary[k]};
    const std::size_t first = imaginary[k] < 0 ? k - 1 : k;
    for (std::size_t i = 0; i < size; ++i) {
      const double b = imaginary[k] == 0 ? 0 : V[(first + 1) * size + i];
      vectors[k * size + i] = {V[first * size + i], imaginary[k] < 0 ? -b : b};
    }
  }
}

bool general(int n, double* columns, std::complex<double>* values, std::complex<double>* vectors) {
  static auto* const dgeev = reinterpret_cast<Dgeev*>(dlsym(RTLD_DEFAULT, "dgeev_"));
  if (dgeev == nullptr) return false;
  const BlasThreads one(1);  // the same bits on any machine with as many instructions
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> real(size), imaginary(size), V(size * size), work(1);
  const int none = 1;
  int work_size = -1, info = 0;
  const auto call = [&] {
    dgeev("N", "V", &n, columns, &n, real.data(), imaginary.data(), nullptr, &none, V.data(), &n, work.data(),
          &work_size, &info, 1, 1);
  };
  call();  // asks for the size of its work space
  if (info != 0) return false;
  work_size = static_cast<int>(work.front());
  work.resize(static_cast<std::size_t>(work_size));
  call();
  if (info != 0) return false;
  take(n, real, imaginary, V, values, vectors);
  return true;
}

const DenseEigen table{general};
const Registration registration("dense eigen", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
