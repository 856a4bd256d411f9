#include "solvers/algebra/sparse_matrix.hpp"

#include "device/environment_variable.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/lent_memory.hpp"
#include "solvers/algebra/matrix_kernels.hpp"

#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

const MatrixKernels& kernels_for(const SparseMatrix& A) {
  return kernels<MatrixKernels>(A.device(), solver_kernels, "matrix");
}

constexpr const char* vendor_module = "ritz_cusparse";

const VendorProduct& vendor_for(const Device& device) {
  return kernels<VendorProduct>(device, vendor_module, "vendor product");
}

Index pattern_bytes(const SparseMatrix& A) { return A.pattern().columns().bytes() + A.pattern().offsets().bytes(); }

// Counts the traffic of a product with `columns` vectors: the matrix once, x read and y written.
void count_product(const SparseMatrix& A, Index columns) {
  A.device().profile().count(A.values().bytes() + pattern_bytes(A) +
                             Index{sizeof(double)} * columns * (A.rows() + A.columns()));
}

[[noreturn]] void throw_too_many_rows(Index rows) {
  throw Error(ErrorKind::device_memory, fmt::format("a matrix of {} block rows does not fit 32-bit columns", rows),
              "columns are stored in 32 bits", "split the model over several devices, or use a coarser mesh");
}

// Throws on a pattern that the kernels cannot trust; returns whether every row holds its diagonal.
bool check_pattern(std::span<const Index> offsets, std::span<const std::int32_t> columns) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<Index>(columns.size()))
    throw Error(ErrorKind::internal,
                fmt::format("the offsets of a sparsity pattern must run from 0 to its {} columns", columns.size()));
  const Index rows = static_cast<Index>(offsets.size()) - 1;
  if (rows > std::numeric_limits<std::int32_t>::max()) throw_too_many_rows(rows);
  bool full_diagonal = true;
  for (Index row = 0; row < rows; ++row) {
    const auto first = static_cast<std::size_t>(offsets[row]), last = static_cast<std::size_t>(offsets[row + 1]);
    if (offsets[row] > offsets[row + 1] || last > columns.size())
      throw Error(ErrorKind::internal, fmt::format("the offsets of a sparsity pattern decrease at row {}", row));
    Index previous = -1;
    bool diagonal = false;
    for (std::size_t k = first; k < last; ++k) {
      if (columns[k] <= previous || columns[k] >= rows)
        throw Error(ErrorKind::internal,
                    fmt::format("row {} of a sparsity pattern holds column {} after {}, of {} columns", row, columns[k],
                                previous, rows));
      previous = columns[k];
      diagonal |= previous == row;
    }
    full_diagonal &= diagonal;
  }
  return full_diagonal;
}

}  // namespace

MatrixView matrix_view(const SparseMatrix& A) {
  return {A.pattern().rows(),           A.pattern().nonzeros(),       A.block_size(),
          A.pattern().offsets().data(), A.pattern().columns().data(), A.values().data()};
}

SparsityPattern::SparsityPattern(const Device& device, std::span<const Index> offsets,
                                 std::span<const std::int32_t> columns)
    : has_full_diagonal_(check_pattern(offsets, columns)) {
  offsets_ = Array<Index>(device, offsets, "pattern");
  columns_ = Array<std::int32_t>(device, columns, "pattern");
}

SparsityPattern::SparsityPattern(Array<Index> offsets, Array<std::int32_t> columns, bool has_full_diagonal)
    : offsets_(std::move(offsets)), columns_(std::move(columns)), has_full_diagonal_(has_full_diagonal) {
  if (rows() > std::numeric_limits<std::int32_t>::max()) throw_too_many_rows(rows());
}

SparseMatrix::SparseMatrix(std::shared_ptr<const SparsityPattern> pattern, int block_size, Values values)
    : pattern_(std::move(pattern)), block_size_(block_size) {
  if (block_size < 1 || block_size > 6)
    throw Error(ErrorKind::internal, fmt::format("a sparse matrix of {0}x{0} blocks was asked for", block_size), {},
                "use block size 1 to 6");
  values_ = Vector(device(), pattern_->nonzeros() * block_size * block_size, "matrix");
  if (values == Values::zero && !LentMemory::was_taken()) values_.fill_zero();
  if (!device().is_gpu() || environment("RITZ_CUSPARSE") != "1") return;
  if (const std::string why = load_kernels(device().backend(), vendor_module); !why.empty())
    throw Error(ErrorKind::file_library, "RITZ_CUSPARSE=1 asks for products by cuSPARSE, which cannot be loaded", why,
                "install the CUDA libraries of this build, or do without: our own products take its place");
  use_vendor_product();  // for matrices that it takes
}

std::string SparseMatrix::use_vendor_product() {
  if (!device().is_gpu()) return "only GPUs have a vendor's product";
  if (std::string why = load_kernels(device().backend(), vendor_module); !why.empty()) return why;
  const VendorProduct& vendor = vendor_for(device());
  vendor_ = std::shared_ptr<void>(vendor.prepare(device(), matrix_view(*this)), vendor.release);
  return vendor_ == nullptr ? "cuSPARSE does not multiply with this matrix" : "";
}

void SparseMatrix::check_vectors(const Vector& x, const Vector& y) const {
  if (x.size() != columns()) throw_size_mismatch(columns(), x.size());
  if (y.size() != rows()) throw_size_mismatch(rows(), y.size());
  if (&x == &y) throw Error(ErrorKind::internal, "y = A x was asked for with x and y in the same vector");
}

bool SparseMatrix::apply_by_vendor(const Vector& x, Vector& y) const {
  if (vendor_ == nullptr) return false;
  if (vendor_for(device()).multiply(vendor_.get(), matrix_view(*this), x.data(), y.data())) return true;
  vendor_ = nullptr;
  return false;
}

void SparseMatrix::apply(const Vector& x, Vector& y) const {
  check_vectors(x, y);
  count_product(*this, 1);
  if (!apply_by_vendor(x, y)) kernels_for(*this).multiply(device(), matrix_view(*this), x.data(), y.data());
}

void SparseMatrix::apply_dot(const Vector& x, Vector& y, double* xy) const {
  check_vectors(x, y);
  if (vendor_ != nullptr) return LinearOperator::apply_dot(x, y, xy);
  count_product(*this, 1);
  kernels_for(*this).multiply_dot(device(), matrix_view(*this), x.data(), y.data(), xy);
}

void SparseMatrix::apply_block(const MultiVector& X, MultiVector& Y) const {
  check_block(*this, X, Y);
  if (rows() == 0) return;
  for (int g = 0; g < X.groups(); ++g) {
    count_product(*this, MultiVector::lanes);
    kernels_for(*this).multiply_lanes(device(), matrix_view(*this), X.group(g), Y.group(g));
  }
}

Vector SparseMatrix::diagonal() const {
  Vector result(device(), rows(), "vectors");
  device().profile().count(pattern_bytes(*this) + 2 * result.bytes());
  if (!result.empty()) kernels_for(*this).diagonal(device(), matrix_view(*this), result.data());
  return result;
}

SparseMatrix SparseMatrix::symmetric_part(bool diagonally_dominant) const {
  if (!pattern_->has_full_diagonal())
    throw Error(ErrorKind::internal, "a matrix whose pattern lacks diagonal entries has no symmetric part here");
  SparseMatrix part(pattern_, block_size_);
  device().profile().count(3 * values_.bytes() + pattern_bytes(*this));  // and the transpose
  kernels_for(*this).symmetric_part(device(), matrix_view(*this), diagonally_dominant, part.values().data());
  return part;
}

void SparseMatrix::eliminate(const Array<std::uint8_t>& constrained, double pivot) {
  if (constrained.size() != rows()) throw_size_mismatch(rows(), constrained.size());
  if (!pattern_->has_full_diagonal())
    throw Error(ErrorKind::internal,
                "constraints cannot be eliminated from a matrix whose pattern lacks diagonal entries");
  device().profile().count(2 * values_.bytes() + pattern_bytes(*this) + constrained.bytes());
  kernels_for(*this).eliminate(device(), matrix_view(*this), constrained.data(), pivot, values_.data());
}

HostMatrix host_matrix(const SparseMatrix& matrix) {
  const Index b = matrix.block_size(), block_rows = matrix.pattern().rows();
  if (matrix.rows() > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::device_memory, fmt::format("a matrix of {} rows does not fit 32-bit columns", matrix.rows()),
                "the host copy stores scalar columns in 32 bits", "use an iterative solver");
  const std::vector<Index> offsets = matrix.pattern().offsets().host();
  const std::vector<std::int32_t> columns = matrix.pattern().columns().host();
  const std::vector<double> values = matrix.values().host();
  HostMatrix host;
  host.offsets.push_back(0);
  host.columns.reserve(values.size());
  host.values.reserve(values.size());
  for (Index row = 0; row < block_rows; ++row)
    for (Index i = 0; i < b; ++i) {
      for (Index k = offsets[row]; k < offsets[row + 1]; ++k)
        for (Index j = 0; j < b; ++j) {
          host.columns.push_back(static_cast<std::int32_t>(columns[k] * b + j));
          host.values.push_back(values[(k * b + i) * b + j]);
        }
      host.offsets.push_back(static_cast<Index>(host.values.size()));
    }
  return host;
}

SparseMatrix sparse_matrix(const Device& device, const HostMatrix& matrix) {
  SparseMatrix result(std::make_shared<SparsityPattern>(device, matrix.offsets, matrix.columns), 1);
  result.values().upload(matrix.values);
  return result;
}

}  // namespace ritz
