// The GPU's direct solver from the CUDA Toolkit itself: cuSOLVER's sparse Cholesky and QR. Every solve factorises
// again, and indices are 32-bit: a fallback for small systems, where cuDSS (direct_cudss.cu) is not installed.
#define DISABLE_CUSOLVER_DEPRECATED  // NVIDIA wants cuDSS instead, and so do we where it is found
#include "device/cuda_check.hpp"
#include "device/function_ref.hpp"
#include "device/kernels.hpp"
#include "device/launch.hpp"
#include "solvers/direct/direct_factor_there.hpp"

#include <cmath>
#include <cusolverSp.h>
#include <cusparse.h>

namespace ritz::cuda {
namespace {

void check(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  cudaGetLastError();  // the next launch must not see the library's error
  throw Error(status == CUSOLVER_STATUS_ALLOC_FAILED ? ErrorKind::device_memory : ErrorKind::environment,
              std::string(what) + " failed in cuSOLVER with status " + std::to_string(static_cast<int>(status)), {},
              status == CUSOLVER_STATUS_ALLOC_FAILED ? "use an iterative solver, a coarser mesh or order 1"
                                                     : "run 'ritz devices', or use an iterative solver");
}

struct Narrow {
  const Index* from;
  int* to;
  constexpr void operator()(Index i) const { to[i] = static_cast<int>(from[i]); }
};

class CusolverFactor final : public DirectFactorThere {
 public:
  CusolverFactor(const Device& device, ScalarRows A, double largest, const DirectAnalysis& analysis)
      : CusolverFactor(device, analysis.kind) {
    offsets_ = Array<int>(device, A.offsets.size(), "direct solver");
    for_each(device, "narrow offsets", A.offsets.size(), Narrow{A.offsets.data(), offsets_.data()});
    columns_ = std::move(A.columns);
    values_ = std::move(A.values);
    scale_ = largest;
    const LaunchScope launch(device_, "cusolver");  // on this GPU
    check(cusolverSpCreate(&handle_), "starting");
    check(cusolverSpSetStream(handle_, stream_of(device)), "setting the stream");
    cusparseCreateMatDescr(&description_);  // general, zero-based: the defaults
  }
  ~CusolverFactor() override {
    if (description_ != nullptr) cusparseDestroyMatDescr(description_);
    if (handle_ != nullptr) cusolverSpDestroy(handle_);
  }

  std::string name() const override {
    return kind_ == DirectKind::positive_definite ? "cuSOLVER sparse Cholesky" : "cuSOLVER sparse QR";
  }
  void set_values_there(FunctionRef<void(Vector&)> write, double largest) override {
    write(values_);
    scale_ = largest;
  }
  void factorise() override {}
  Index memory_needed() const override { return 0; }
  Index memory_used() const override { return 0; }

  void solve(const Vector& B, Vector& X, int columns) override {
    for (int column = 0; column < columns; ++column) {
      const Index first = column * (offsets_.size() - 1);
      solve_one(B.data() + first, X.data() + first);
    }
  }

 private:
  // The constructor above continues from here: if it fails, the destructor frees what this one has made.
  CusolverFactor(const Device& device, DirectKind kind) : device_(device), kind_(kind) {
    device.memory().trim();  // cuSOLVER takes memory past our pool
  }

  void solve_one(const double* b, double* x) {
    device_.synchronize();  // parts of it may work on the host, or in the default stream, which does not wait for ours
    const LaunchScope launch(device_, "cusolver");
    const int rows = static_cast<int>(offsets_.size()) - 1, entries = static_cast<int>(values_.size());
    constexpr int minimum_degree = 2;  // symamd
    // Threshold for zero on the diagonal of the factor: R of Q R has the units of the matrix, L of L L^T their square
    // root.
    const double tolerance = 1e-14 * (kind_ == DirectKind::positive_definite ? std::sqrt(scale_) : scale_);
    int singular_row = -1;
    if (kind_ == DirectKind::positive_definite)
      check(cusolverSpDcsrlsvchol(handle_, rows, entries, description_, values_.data(), offsets_.data(),
                                  columns_.data(), b, tolerance, minimum_degree, x, &singular_row),
            "a Cholesky solution");
    else
      check(cusolverSpDcsrlsvqr(handle_, rows, entries, description_, values_.data(), offsets_.data(), columns_.data(),
                                b, tolerance, minimum_degree, x, &singular_row),
            "a QR solution");
    cuda_check(cudaDeviceSynchronize(), "waiting for cuSOLVER");  // so may its end, which our stream does not wait for
    if (singular_row >= 0)
      throw Error(ErrorKind::singular_matrix,
                  "the matrix is singular or not positive definite: met at row " + std::to_string(singular_row) +
                      " of its reordered form",
                  "some part of the model can move, or has no stiffness", "add supports, and check material data");
  }

  Device device_;
  DirectKind kind_;
  Array<int> offsets_, columns_;
  Vector values_;
  double scale_ = 0;  // size of the largest value
  cusolverSpHandle_t handle_ = nullptr;
  cusparseMatDescr_t description_ = nullptr;
};

DirectFactorThere* analyse(const Device& device, ScalarRows A, double largest, const DirectAnalysis& analysis) {
  return new CusolverFactor(device, std::move(A), largest, analysis);
}

// A bound by reckoning: 300 000 unknowns of a solid, whose factor has some 10^9 entries.
void check_entries(Index entries) {
  constexpr Index most_entries = 20'000'000;
  if (entries <= most_entries) return;
  throw Error(ErrorKind::device_memory,
              "a matrix of " + std::to_string(entries) + " entries is too large for cuSOLVER, which takes " +
                  std::to_string(most_entries) + " here",
              "it factorises again for every solution, and its factors of three-dimensional models outgrow the memory "
              "without notice",
              "use an iterative solver or --device cpu, or install cuDSS and build again");
}

const DirectFactoryThere table{check_entries, analyse};
const Registration registration("direct", &table);

}  // namespace
}  // namespace ritz::cuda
