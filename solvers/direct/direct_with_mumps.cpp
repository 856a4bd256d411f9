// The CPU's direct solver: MUMPS (multifrontal LDL^T and LU), sequential in one process, and a parallel one over ranks,
// a module of its own. Its threads are those of its BLAS, as many as the device has. BLAS rounds differently for each
// number of threads: the same bits come from the same number only. Over ranks the bits differ from run to run, as
// fronts add up contributions in the order in which they arrive.
//
// Ranks give their rows (ICNTL(18) = 3). Right-hand sides and solutions are together on the first one. What a rank does
// alone before a call of MUMPS is agreed upon, as the others would wait there for ever.
#include "device/error.hpp"
#include "device/host_memory.hpp"
#include "device/kernels.hpp"
#include "solvers/direct/blas_threads.hpp"
#include "solvers/direct/direct_factor.hpp"
#include "solvers/direct/mumps_processes.hpp"
#include "solvers/algebra/solver_progress.hpp"

#include <algorithm>
#include <cstdlib>
#include <dmumps_c.h>
#include <fmt/format.h>

// In the library that MUMPS brings along, where it has one.
extern "C" [[gnu::weak]] void SCOTCH_randomReset();

namespace ritz::RITZ_BACKEND {
namespace {

// MUMPS numbers its parameters from 1.
constexpr int at(int number) { return number - 1; }

constexpr double megabyte = 1e6;

enum Job { job_start = -1, job_end = -2, job_analyse = 1, job_factorise = 2, job_solve = 3 };

// SCOTCH, by which MUMPS may order, finds another order by several threads in each run, and by other random numbers in
// each call: so it has one thread (a variable that it reads when it first orders) and begins with the same number.
void order_as_before() {
  [[maybe_unused]] static const int set = setenv("SCOTCH_PTHREAD_NUMBER", "1", 0);
  if (SCOTCH_randomReset != nullptr) SCOTCH_randomReset();
}

// MUMPS's state. One process ends it whatever happens; ranks end it together or not at all.
struct Mumps : DMUMPS_STRUC_C {
  Mumps(int symmetry, int threads, bool divided) : DMUMPS_STRUC_C{}, threads_(threads), divided_(divided) {
    comm_fortran = mumps_processes();
    par = 1;  // the host takes part
    sym = symmetry;
    run(job_start);
  }
  ~Mumps() {
    if (!divided_) run(job_end);
  }
  Mumps(const Mumps&) = delete;
  void use(int threads) { threads_ = threads; }
  void run(Job what) {
    const BlasThreads obey(threads_);
    if (what == job_analyse) order_as_before();
    job = what;
    dmumps_c(this);
  }

 private:
  int threads_;
  bool divided_;
};

template <class T>
void clear(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

// Rows and columns from 1; of a symmetric matrix the lower triangle only.
struct Triplets {
  std::vector<MUMPS_INT> rows, columns;
  std::vector<double> values;

  void clear_all() {
    clear(rows);
    clear(columns);
    clear(values);
  }
  // first: the matrix' first row among those of all ranks.
  void fill(const HostMatrix& A, DirectKind kind, Index first) {
    clear_all();
    const bool lower = kind != DirectKind::general;
    const std::size_t entries = lower ? A.values.size() / 2 + static_cast<std::size_t>(A.rows()) : A.values.size();
    rows.reserve(entries);
    columns.reserve(entries);
    values.reserve(entries);
    for (Index row = 0; row < A.rows(); ++row)
      for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k) {
        if (lower && A.columns[k] > first + row) continue;
        rows.push_back(static_cast<MUMPS_INT>(first + row + 1));
        columns.push_back(A.columns[k] + 1);
        values.push_back(A.values[k]);
      }
  }
};

int library_ordering(DirectOrdering ordering) {
  switch (ordering) {
    case DirectOrdering::minimum_degree: return 0;  // AMD
    case DirectOrdering::scotch: return 3;
    case DirectOrdering::pord: return 4;
    default: return 7;  // MUMPS decides
  }
}

// Sets the order of elimination. Returns [unknown] its position from 1, to which `mumps` refers; empty: MUMPS orders.
std::vector<MUMPS_INT> set_ordering(const DirectAnalysis& analysis, Mumps& mumps) {
  mumps.icntl[at(7)] = library_ordering(analysis.ordering);
  if (analysis.elimination.empty()) {
    if (analysis.block_size > 1) mumps.icntl[at(15)] = -analysis.block_size;  // order the blocks, not the unknowns
    return {};
  }
  const auto b = static_cast<std::size_t>(analysis.block_size);
  std::vector<MUMPS_INT> position(analysis.elimination.size() * b);
  for (std::size_t k = 0; k < analysis.elimination.size(); ++k)
    for (std::size_t c = 0; c < b; ++c)
      position[static_cast<std::size_t>(analysis.elimination[k]) * b + c] = static_cast<MUMPS_INT>(k * b + c + 1);
  mumps.perm_in = position.data();
  mumps.icntl[at(7)] = 1;
  return position;
}

constexpr int first_extra_percent = 30;

void set_options(DirectKind kind, bool is_divided, Mumps& mumps) {
  for (const int output : {1, 2, 3}) mumps.icntl[at(output)] = -1;
  mumps.icntl[at(4)] = 0;
  if (is_divided) {
    mumps.icntl[at(18)] = 3;
    mumps.icntl[at(28)] = 1;  // analysed by the first rank
    mumps.icntl[at(13)] = 1;  // the last front is one of MUMPS's own: ScaLAPACK counts no negative or null pivots
  }
  mumps.icntl[at(14)] = first_extra_percent;
  if (kind == DirectKind::positive_definite) {
    // Treated as symmetric, which is as fast (measured): MUMPS's own positive definite kind, and no pivoting at all,
    // do not look for null pivots.
    mumps.icntl[at(6)] = 0;   // no matching
    mumps.icntl[at(12)] = 1;  // no ordering of pairs
  }
  mumps.icntl[at(24)] = 1;    // find null pivots ...
  mumps.cntl[at(3)] = 1e-14;  // ... of this size, relative to the scaled matrix
}

// of integers, or of numbers
bool is_short_of_workspace(int status) { return status == -8 || status == -9; }

// Numbers beyond 2^31 come as minus millions.
Index large(MUMPS_INT number) { return number >= 0 ? number : Index{-1000000} * number; }

Index memory_needed_by(const Mumps& mumps, bool is_divided) {
  return static_cast<Index>(megabyte * (is_divided ? mumps.info[at(15)] : mumps.infog[at(17)]));
}

// Errors of MUMPS: users' guide, section 8.
void throw_if_failed(const Mumps& mumps, const char* phase, Index memory_needed) {
  const int status = mumps.infog[at(1)], detail = mumps.infog[at(2)];
  if (status >= 0) return;
  if (status == -2 || status == -6 || status == -10)  // -2: no entries at all
    throw Error(ErrorKind::singular_matrix, "the matrix is singular",
                fmt::format("MUMPS stopped in its {} (INFOG {}, {})", phase, status, detail),
                "add supports, and check that every unknown has stiffness");
  if (is_short_of_workspace(status) || status == -13 || status == -7 || status == -19 || status == -20)
    throw Error(ErrorKind::direct_solver_memory,
                fmt::format("the direct solver ran out of memory in its {}; it needs about {:.1f} GB", phase,
                            1e-9 * double(memory_needed)),
                fmt::format("MUMPS says INFOG {}, {}", status, detail),
                "use an iterative solver, a coarser mesh or order 1");
  throw Error(ErrorKind::internal, fmt::format("MUMPS failed in its {} with INFOG {}, {}", phase, status, detail));
}

[[noreturn]] void throw_singular(const Mumps& mumps, bool is_first) {
  std::string rows;
  const int count = mumps.infog[at(28)];
  for (int i = 0; is_first && i < std::min(count, 10); ++i)  // the others have no list
    rows += fmt::format("{}{}", i > 0 ? ", " : "", mumps.pivnul_list[i] - 1);
  throw Error(ErrorKind::singular_matrix,
              fmt::format("the matrix is singular: {} zero pivot{}, met at row{} {}", count, count == 1 ? "" : "s",
                          count == 1 ? "" : "s", rows),
              "some part of the model can move, or has no stiffness", "add supports, and check material data");
}

void check_definite(DirectKind kind, int negative) {
  if (kind == DirectKind::positive_definite && negative > 0)
    throw Error(ErrorKind::singular_matrix,
                fmt::format("the matrix is not positive definite: it has {} negative pivots", negative),
                "it was given to the direct solver as positive definite",
                "check supports and material data, or solve it as a symmetric matrix");
}

class MumpsFactor final : public DirectFactor {
 public:
  MumpsFactor(const HostMatrix& A, const DirectAnalysis& analysis, int threads)
      : kind_(analysis.kind),
        threads_(threads),
        rows_of_ranks_(analysis.rows),
        unknowns_(is_divided() ? analysis.rows.total() : A.rows()),
        mumps_(analysis.kind == DirectKind::general ? 0 : 2, threads, is_divided()) {
    set_options(kind_, is_divided(), mumps_);
    set_values(A);
    together([&] { position_ = set_ordering(analysis, mumps_); });
    mumps_.n = static_cast<MUMPS_INT>(unknowns_);
    report_progress(fmt::format("analysing the matrix for its factorisation, {} unknowns", unknowns_));
    mumps_.run(job_analyse);
    try {
      together([&] { throw_if_failed(mumps_, "analysis", memory_needed()); });
    } catch (const AgreedError&) {
      end();
      throw;
    }
    clear(position_);
  }

  std::string name() const override {
    return fmt::format("MUMPS {}, {}", MUMPS_VERSION, kind_ == DirectKind::general ? "LU" : "LDL^T");
  }
  Index memory_needed() const override { return memory_needed_by(mumps_, is_divided()); }
  Index memory_used() const override {
    return static_cast<Index>(megabyte * (is_divided() ? mumps_.info[at(16)] : mumps_.infog[at(19)]));
  }

  Index factor_entries() const override { return large(mumps_.infog[at(20)]); }
  double operations() const override { return mumps_.rinfog[at(1)]; }
  Index negative_pivots() const override { return kind_ == DirectKind::general ? -1 : mumps_.infog[at(12)]; }

  void set_values(const HostMatrix& A) override {
    together([&] { triplets_.fill(A, kind_, is_divided() ? rows_of_ranks_.begin() : 0); });
    const auto entries = static_cast<MUMPS_INT8>(triplets_.values.size());
    (is_divided() ? mumps_.nnz_loc : mumps_.nnz) = entries;
    (is_divided() ? mumps_.irn_loc : mumps_.irn) = triplets_.rows.data();
    (is_divided() ? mumps_.jcn_loc : mumps_.jcn) = triplets_.columns.data();
    (is_divided() ? mumps_.a_loc : mumps_.a) = triplets_.values.data();
  }

  // Pivoting may need more room than the analysis predicted: retries with more before giving up.
  void factorise() override {
    together([&] { take_memory(); });
    for (const int extra_percent : {first_extra_percent, 100, 400}) {
      mumps_.icntl[at(14)] = extra_percent;
      report_progress(fmt::format("factorising: {:.2g} operations, a factor of {:.2g} GB", operations(),
                                  1e-9 * static_cast<double>(memory_needed())));
      mumps_.run(job_factorise);
      if (!is_short_of_workspace(mumps_.infog[at(1)])) break;
    }
    together([&] {
      throw_if_failed(mumps_, "factorisation", memory_needed());
      if (mumps_.infog[at(28)] > 0) throw_singular(mumps_, is_first());
      check_definite(kind_, mumps_.infog[at(12)]);
    });
    triplets_.clear_all();  // MUMPS has its own copy
  }

  void end() override {
    if (is_divided()) mumps_.run(job_end);
    memory_ = {};
  }

  void solve(const Vector& B, Vector& X, int columns) override {
    std::vector<double> right_hand_sides = together_on_the_first(B, columns);
    mumps_.rhs = right_hand_sides.data();
    mumps_.nrhs = columns;
    mumps_.lrhs = mumps_.n;
    report_progress(fmt::format("solving with the factor, {} right-hand side{}", columns, columns == 1 ? "" : "s"));
    mumps_.run(job_solve);
    together([&] { throw_if_failed(mumps_, "solution", memory_needed()); });
    if (!is_divided()) return X.upload(right_hand_sides);
    std::vector<double> mine(static_cast<std::size_t>(X.size()));
    rows_of_ranks_.deal(right_hand_sides, mine, columns);
    X.upload(mine);
  }

 private:
  bool is_divided() const { return rows_of_ranks_.ranks != nullptr; }
  bool is_first() const { return !is_divided() || rows_of_ranks_.ranks->rank() == 0; }
  template <class Phase>
  void together(const Phase& phase) const {
    if (is_divided()) rows_of_ranks_.ranks->agree(phase);
    else phase();
  }

  std::vector<double> together_on_the_first(const Vector& B, int columns) const {
    if (!is_divided()) return B.host();
    std::vector<double> all, mine;
    together([&] {
      mine = B.host();
      if (is_first()) all.resize(static_cast<std::size_t>(unknowns_ * columns));
    });
    rows_of_ranks_.collect(mine, all, columns);
    return all;
  }

  void take_memory() {
    memory_ = {};
    memory_ = HostMemory(memory_needed());
    if (!memory_.taken())
      throw Error(ErrorKind::direct_solver_memory,
                  fmt::format("the direct solver needs {:.2f} GB of host memory, which exceeds the limit of {:.2f} GB "
                              "together with the memory in use",
                              1e-9 * double(memory_needed()), 1e-9 * double(host_memory_limit())),
                  "factors of three-dimensional models grow faster than the model",
                  "raise --host-memory-limit, or use an iterative solver");
    const int threads = BlasThreads::with_room(threads_, memory_needed());
    if (threads == 0)
      throw Error(ErrorKind::direct_solver_memory,
                  fmt::format("the direct solver needs {:.2f} GB of addresses, and its BLAS 0.13 GB",
                              1e-9 * double(memory_needed())),
                  "addresses are limited (ulimit -v)", "raise the limit, or use an iterative solver");
    mumps_.use(threads);
  }

  DirectKind kind_;
  int threads_;
  RankRows rows_of_ranks_;
  Index unknowns_;     // of all ranks
  HostMemory memory_;  // counts what MUMPS allocates
  Mumps mumps_;
  Triplets triplets_;
  std::vector<MUMPS_INT> position_;  // [unknown] in the order of elimination
};

DirectFactor* analyse(const Device& device, const HostMatrix& A, const DirectAnalysis& analysis) {
  return new MumpsFactor(A, analysis, device.threads());
}

const DirectFactory table{analyse};
const Registration registration("direct", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
