#include "solvers/direct/direct_solver.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "device/kernels.hpp"
#include "device/process/stop_request.hpp"
#include "solvers/direct/blas_threads.hpp"
#include "solvers/direct/direct_factor_there.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool ordered_by_coordinates(const DirectOptions& options) {
  const bool wanted = options.ordering == DirectOrdering::automatic || options.ordering == DirectOrdering::coordinates;
  return wanted && options.coordinates != nullptr && options.dimension > 0;
}

constexpr const char* over_ranks = "mpi";

std::string library_of(const DirectInput& A) {
  if (A.is_divided()) return over_ranks;
  return A.device().is_gpu() ? A.device().backend() : "cpu";
}

const void* load(const std::string& library) {
  constexpr const char* module = "ritz_direct";
  if (library == over_ranks) {
    if (const std::string reason = load_kernels(library, module); !reason.empty())
      throw Error(ErrorKind::several_ranks, "this build has no direct solver for several ranks", reason,
                  "install parallel MUMPS (Debian: libmumps-dev) and build Ritz again, or start one process");
  }
  if (library != "cuda" && !has_addresses_for(BlasThreads::buffer + (Index{80} << 20)))  // for the libraries
    throw Error(ErrorKind::direct_solver_memory,
                "the direct solver and its BLAS need 0.2 GB of addresses before they begin",
                "addresses are limited (ulimit -v)", "raise the limit, or use an iterative solver");
  return find_kernels(library, module, "direct");
}

// The matrix of a GPU, which its library takes where it is. Throws Error: Exit::model for an entry that is not finite.
const SparseMatrix& matrix_there(const DirectInput& A) {
  const auto& matrix = dynamic_cast<const SparseMatrix&>(A.matrix());
  if (first_not_finite(matrix.values()) >= 0) A.entries();  // names the row and throws
  return matrix;
}

bool is_taken_there(const std::string& library) { return library == "cuda"; }

std::unique_ptr<DirectFactor> analyse_there(const DirectInput& A, DirectKind kind, const std::string& library) {
  const auto& factory = *static_cast<const DirectFactoryThere*>(load(library));
  const SparseMatrix& matrix = matrix_there(A);
  factory.check_entries(matrix.values().size());
  return std::unique_ptr<DirectFactor>(factory.analyse(A.device(), scalar_rows(matrix, "direct solver"),
                                                       max_abs(matrix.values()),
                                                       {.kind = kind, .block_size = A.block_size()}));
}

std::unique_ptr<DirectFactor> analyse(const DirectInput& A, DirectKind kind, const DirectOptions& options,
                                      const std::string& library) {
  const LongWork here;
  if (is_taken_there(library)) return analyse_there(A, kind, library);
  HostMatrix host;
  const DirectFactory* factory = nullptr;
  A.together([&] {
    host = A.entries();
    factory = static_cast<const DirectFactory*>(load(library));
  });
  DirectAnalysis analysis{
      .kind = kind, .ordering = options.ordering, .block_size = A.block_size(), .rows = A.rank_rows()};
  if (ordered_by_coordinates(options)) analysis.elimination = A.elimination(*options.coordinates, options.dimension);
  return std::unique_ptr<DirectFactor>(factory->analyse(A.device(), host, analysis));
}

}  // namespace

DirectSolver::DirectSolver(DirectInput A, Kind kind, const DirectOptions& options) : A_(A), kind_(kind) {
  if (A.matrix().total_rows() == 0) return;
  const auto start = std::chrono::steady_clock::now();
  factor_ = analyse(A, kind, options, library_of(A));
  analysis_seconds_ = seconds_since(start);
  memory_needed_ = factor_->memory_needed();
  try {
    A.together([&] {
      check_limits(options);
      residual_ = Vector(A.device(), A.rows(), "vectors");
      correction_ = Vector(A.device(), A.rows(), "vectors");
    });
    const Communicator all(A.device());
    const Index unknowns = A.matrix().total_rows(), memory = all.total(memory_needed_);
    if (options.say)
      options.say(fmt::format("{}: {} unknowns, a factor of {:.3g} entries, {:.3g} MB needed", factor_->name(),
                              unknowns, double(factor_->factor_entries()), 1e-6 * double(memory)));
    factorise();
  } catch (const AgreedError&) {
    end();
    throw;
  }
  name_ = factor_->name();
  if (A.device().is_gpu()) check_regular();
}

void DirectSolver::end() {
  if (factor_) factor_->end();
  factor_.reset();
}

void DirectSolver::check_limits(const DirectOptions& options) const {
  if (options.memory_limit > 0 && memory_needed_ > options.memory_limit)
    throw Error(ErrorKind::direct_solver_memory,
                fmt::format("the direct solver needs {:.2g} GB, more than the {:.2g} GB that it may take",
                            1e-9 * double(memory_needed_), 1e-9 * double(options.memory_limit)),
                "factors of three-dimensional models grow faster than the model",
                "raise the limit, or use an iterative solver");
  if (options.operations_limit > 0 && factor_->operations() > options.operations_limit)
    throw Error(ErrorKind::direct_solver_memory,
                fmt::format("the factorisation needs {:.3g} Gflop, more than the {:.3g} Gflop that it may take",
                            1e-9 * factor_->operations(), 1e-9 * options.operations_limit),
                "factors of three-dimensional models grow faster than the model",
                "raise the limit, or use an iterative solver");
  const MachineInfo info = A_.device().machine().current_info();
  const Index there = A_.device().is_gpu() ? info.memory_free : info.memory_total;
  if (there == 0 || memory_needed_ <= there) return;
  throw Error(ErrorKind::direct_solver_memory,
              fmt::format("the direct solver needs {:.1f} GB on {}, which has {:.1f} GB", 1e-9 * double(memory_needed_),
                          info.name, 1e-9 * double(there)),
              "factors of three-dimensional models grow faster than the model",
              "use an iterative solver, a coarser mesh or order 1");
}

void DirectSolver::factorise() {
  const auto start = std::chrono::steady_clock::now();
  {
    const LongWork here;
    factor_->factorise();
  }
  factor_seconds_ = seconds_since(start);
  A_.device().profile().count(A_.value_bytes() + factor_bytes());
}

// Both halves are read: of a symmetric factor the one that is stored twice.
void DirectSolver::substitute(const Vector& B, Vector& X, int columns) {
  A_.device().profile().count((kind_ == Kind::general ? 1 : 2) * factor_bytes() + 2 * columns * residual_.bytes());
  factor_->solve(B, X, columns);
}

Index DirectSolver::factor_bytes() const {
  return factor_entries() * Index{sizeof(double)} / Communicator(A_.device()).ranks();
}

void DirectSolver::refactorise(DirectInput A) {
  A_ = A;
  if (factor_ == nullptr) return;
  if (is_taken_there(library_of(A_))) {
    const SparseMatrix& matrix = matrix_there(A_);
    static_cast<DirectFactorThere&>(*factor_).set_values_there([&](Vector& values) { scalar_values(matrix, values); },
                                                               max_abs(matrix.values()));
    factorise();
    return check_regular();
  }
  HostMatrix host;
  A_.together([&] { host = A_.entries(); });
  factor_->set_values(host);
  factorise();
}

// A known solution that cannot be found again has a part that the matrix maps to zero: a mechanism, over which
// libraries of GPUs pass, or whose pivots they raise. Refined once, as a raised pivot alone costs digits that one
// correction brings back. MUMPS finds mechanisms itself.
void DirectSolver::check_regular() {
  constexpr double largest_error = 1e-3;
  Vector known(A_.device(), A_.rows(), "vectors"), b(A_.device(), A_.rows(), "vectors"),
      x(A_.device(), A_.rows(), "vectors");
  fill_start_vector(known);
  A_.matrix().apply(known, b);
  substitute(b, x, 1);
  residual_norm(b, x);
  substitute(residual_, correction_, 1);
  axpy(1.0, correction_, x);
  const double size = norm2(known);
  axpy(-1.0, known, x);
  const double error = norm2(x) / size;
  if (error <= largest_error) return;
  throw Error(ErrorKind::singular_matrix,
              fmt::format("the matrix is singular: a known solution comes back {:.0e} wrong from {}, {} pivot{} raised",
                          error, factor_->name(), factor_->raised_pivots(), factor_->raised_pivots() == 1 ? "" : "s"),
              "some part of the model can move, or has no stiffness", "add supports, and check material data");
}

Index DirectSolver::memory_bytes() const { return factor_ == nullptr ? 0 : factor_->memory_used(); }
Index DirectSolver::factor_entries() const { return factor_ == nullptr ? 0 : factor_->factor_entries(); }

double DirectSolver::operations() const { return factor_ == nullptr ? 0 : factor_->operations(); }

DirectSolver::Needs DirectSolver::needs(DirectInput A, Kind kind, const DirectOptions& options) {
  if (A.rows() == 0) return {};
  const auto factor = analyse(A, kind, options, library_of(A));
  return {factor->memory_needed(), factor->operations()};
}

bool DirectSolver::knows_inertia() const {
  return factor_ == nullptr || (kind_ != Kind::general && factor_->negative_pivots() >= 0);
}

Index DirectSolver::negative_pivots() const {
  if (factor_ == nullptr) return 0;
  if (kind_ == Kind::general)
    throw Error(ErrorKind::environment, fmt::format("{} does not count negative pivots", name_),
                "only symmetric factors have an inertia", "factorise as symmetric");
  if (const Index count = factor_->negative_pivots(); count >= 0) return count;
  const auto factor = analyse(A_, Kind::symmetric, {}, "cpu");
  factor->factorise();
  return factor->negative_pivots();
}

double DirectSolver::residual_norm(const Vector& b, const Vector& x) {
  A_.matrix().apply(x, residual_);
  axpby(1.0, b, -1.0, residual_);
  return norm2(residual_);
}

SolveReport DirectSolver::new_report() const {
  SolveReport report;
  report.method = name_;
  report.memory_needed = memory_needed_;
  report.memory_used = memory_bytes();
  return report;
}

// Handles right-hand sides that need no solution: zero or not finite.
std::optional<SolveReport> DirectSolver::trivial(const Vector& b, double b_norm, Vector& x) const {
  SolveReport report = new_report();
  if (b_norm == 0) {
    x.fill_zero();
    report.reason = StopReason::converged;
    report.error_estimate = 0;
    return report;
  }
  if (std::isfinite(b_norm)) return std::nullopt;
  report.entry = first_not_finite(b);
  report.where = fmt::format("entry {} of the right-hand side is not finite", report.entry);
  return report;
}

// The size of one more correction to `part` of the solution, whose residual residual_ holds, unless the report knows of
// a larger one.
void DirectSolver::add_error_estimate(const Vector& b, const Vector& x, double part, SolveReport& report) {
  substitute(residual_, correction_, 1);
  const double energy = dot(residual_, correction_), x_energy = dot(x, b);
  const bool definite = kind_ == Kind::positive_definite && energy >= 0 && x_energy > 0;
  const double error = (definite ? std::sqrt(energy / x_energy) : norm2(correction_) / norm2(x)) / part;
  if (error < report.error_estimate) return;
  report.error_estimate = error;
  report.error_norm = definite ? "energy" : "Euclidean";
}

void DirectSolver::judge(const Vector& b, double b_norm, const Vector& x, SolveReport& report) {
  const double residual = report.true_relative_residual * b_norm;
  if (!std::isfinite(residual)) return;  // the value in a new report
  const bool small = residual <= relative * b_norm;
  if (estimate_error || !small) add_error_estimate(b, x, 1, report);
  report.reason = small ? StopReason::converged : StopReason::stagnated;
  if (small) return;
  const double rounding = rounding_residual(A_.matrix(), x, correction_, residual_);
  if (residual > residual_of_rounding * rounding) return;
  report.where = rounding_text(rounding / b_norm);
  if (report.true_relative_residual > largest_residual_of_rounding) {
    report.where += "; the matrix is singular, or nearly";
    return;
  }
  // The residual is what rounding happens to make it, and the correction may be small by luck: a third of all rounds
  // otherwise.
  constexpr double third = 1.0 / 3;
  axpby(third, x, 0.0, correction_);
  A_.matrix().apply(correction_, residual_);
  axpby(third, b, -1.0, residual_);
  add_error_estimate(b, x, third, report);
  if (report.error_estimate <= std::max(relative, rounding_error)) report.reason = StopReason::converged;
  if (report.error_estimate <= relative) return;
  report.where += fmt::format(", and leaves the solution an error of {:.1e} in the {} norm, above the tolerance{}",
                              report.error_estimate, report.error_norm,
                              report.converged() ? ", which no solution in double precision meets" : "");
}

// Corrections are worth making while they halve the residual, and down to rounding.
constexpr double smallest_residual = 1e-15;

// From a first solution in x.
void DirectSolver::refine(const Vector& b, double b_norm, Vector& x, SolveReport& report) {
  double residual = residual_norm(b, x);
  report.history.push_back(residual / b_norm);
  while (std::isfinite(residual) && residual > smallest_residual * b_norm && report.iterations < max_refinements) {
    substitute(residual_, correction_, 1);
    axpy(1.0, correction_, x);
    const double refined = residual_norm(b, x);
    ++report.iterations;
    if (!(refined < residual)) {
      axpy(-1.0, correction_, x);
      residual = residual_norm(b, x);
      break;
    }
    const bool worthwhile = refined < 0.5 * residual;
    residual = refined;
    report.history.push_back(residual / b_norm);
    if (!worthwhile) break;
  }
  report.true_relative_residual = residual / b_norm;
  judge(b, b_norm, x, report);
}

SolveReport DirectSolver::solve(const Vector& b, Vector& x) {
  if (b.size() != A_.rows()) throw_size_mismatch(A_.rows(), b.size());
  if (x.size() != A_.rows()) throw_size_mismatch(A_.rows(), x.size());
  const double b_norm = norm2(b);
  if (std::optional<SolveReport> report = trivial(b, b_norm, x)) return *report;
  substitute(b, x, 1);
  SolveReport report = new_report();
  refine(b, b_norm, x, report);
  return report;
}

namespace {

// Columns j with open[j] of X, one after the other: [open column][row].
std::vector<int> gather_columns(const MultiVector& X, const std::vector<bool>& open, Vector& packed) {
  std::vector<int> columns;
  Vector column(X.device(), X.rows(), "vectors");
  for (int j = 0; j < X.columns(); ++j) {
    if (!open[static_cast<std::size_t>(j)]) continue;
    X.get_column(j, column);
    X.device().machine().copy_on_device(packed.data() + Index(columns.size()) * X.rows(), column.data(),
                                        column.bytes());
    columns.push_back(j);
  }
  return columns;
}

void scatter_columns(const Vector& packed, const std::vector<int>& columns, MultiVector& X) {
  Vector column(X.device(), X.rows(), "vectors");
  for (std::size_t k = 0; k < columns.size(); ++k) {
    X.device().machine().copy_on_device(column.data(), packed.data() + Index(k) * X.rows(), column.bytes());
    X.set_column(columns[k], column);
  }
}

// R = B - A X
std::vector<double> residuals(const LinearOperator& A, const MultiVector& B, const MultiVector& X, MultiVector& R) {
  A.apply_block(X, R);
  axpby(1.0, B.values(), -1.0, R.values());
  return column_norms(R);
}

}  // namespace

// All columns together, each for as long as it pays: the matrix and the factor are read once per few columns.
void DirectSolver::refine(const MultiVector& B, const std::vector<double>& norms, MultiVector& X,
                          std::vector<SolveReport>& reports) {
  const Index n = A_.rows();
  const auto columns = static_cast<std::size_t>(B.columns());
  MultiVector R(A_.device(), n, B.columns()), D(A_.device(), n, B.columns());
  Vector right(A_.device(), n * B.columns(), "vectors"), left(A_.device(), n * B.columns(), "vectors");
  std::vector<double> residual = residuals(A_.matrix(), B, X, R);
  std::vector<bool> open(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    open[j] = reports[j].reason != StopReason::converged && std::isfinite(norms[j]);
    if (open[j]) reports[j].history.push_back(residual[j] / norms[j]);
  }
  const std::vector<bool> solved = open;
  for (int step = 0; step < max_refinements; ++step) {
    for (std::size_t j = 0; j < columns; ++j)
      open[j] = open[j] && std::isfinite(residual[j]) && residual[j] > smallest_residual * norms[j];
    const std::vector<int> chosen = gather_columns(R, open, right);
    if (chosen.empty()) break;
    substitute(right, left, static_cast<int>(chosen.size()));
    D.values().fill_zero();
    scatter_columns(left, chosen, D);
    axpy(1.0, D.values(), X.values());
    const std::vector<double> refined = residuals(A_.matrix(), B, X, R);
    std::vector<bool> worse(columns, false);
    for (const int column : chosen) {
      const auto j = static_cast<std::size_t>(column);
      ++reports[j].iterations;
      worse[j] = !(refined[j] < residual[j]);
      open[j] = refined[j] < 0.5 * residual[j];
      if (worse[j]) continue;
      residual[j] = refined[j];
      reports[j].history.push_back(residual[j] / norms[j]);
    }
    const std::vector<int> undone = gather_columns(D, worse, right);
    if (undone.empty()) continue;
    D.values().fill_zero();
    scatter_columns(right, undone, D);
    axpy(-1.0, D.values(), X.values());
    residual = residuals(A_.matrix(), B, X, R);
  }
  Vector b(A_.device(), n, "vectors"), x(A_.device(), n, "vectors");
  for (std::size_t j = 0; j < columns; ++j) {
    if (!solved[j]) continue;
    reports[j].true_relative_residual = residual[j] / norms[j];
    B.get_column(static_cast<int>(j), b);
    X.get_column(static_cast<int>(j), x);
    R.get_column(static_cast<int>(j), residual_);
    judge(b, norms[j], x, reports[j]);
  }
}

std::vector<SolveReport> DirectSolver::solve(const MultiVector& B, MultiVector& X) {
  check_same_shape(B, X);
  if (B.rows() != A_.rows()) throw_size_mismatch(A_.rows(), B.rows());
  const Index n = A_.rows();
  const std::vector<double> norms = column_norms(B);
  std::vector<SolveReport> reports;
  std::vector<bool> wanted;  // a column that is not finite would spoil nothing but itself; libraries may disagree
  Vector b(A_.device(), n, "vectors"), x(A_.device(), n, "vectors");
  for (int j = 0; j < B.columns(); ++j) {
    B.get_column(j, b);
    const std::optional<SolveReport> report = trivial(b, norms[static_cast<std::size_t>(j)], x);
    wanted.push_back(!report);
    reports.push_back(report ? *report : new_report());
  }
  X.values().fill_zero();
  {
    Vector right(A_.device(), n * B.columns(), "vectors"), left(A_.device(), n * B.columns(), "vectors");
    const std::vector<int> chosen = gather_columns(B, wanted, right);
    if (chosen.empty()) return reports;
    substitute(right, left, static_cast<int>(chosen.size()));
    scatter_columns(left, chosen, X);
  }  // refinement takes as much
  refine(B, norms, X, reports);
  return reports;
}

}  // namespace ritz
