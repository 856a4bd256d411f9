// Interface of a sparse direct library to DirectSolver. One library is chosen per device when Ritz is built: for the
// CPU direct_with_mumps.cpp or direct_without_mumps.cpp, for GPUs direct_cudss.cu or direct_cusolver.cu. Over ranks
// each rank has rows of the matrix, and all of them call every function together.
#pragma once

#include "solvers/algebra/rank_rows.hpp"
#include "solvers/algebra/sparse_matrix.hpp"

#include <string>

namespace ritz {

enum class DirectKind { positive_definite, symmetric, general };

// Ordering of the elimination. `automatic`: by the positions of the nodes if they are given, else by the library.
// minimum_degree, scotch and pord are MUMPS's; other libraries use their own order instead.
enum class DirectOrdering { automatic, coordinates, library, minimum_degree, scotch, pord };

// Input of the analysis besides the matrix.
struct DirectAnalysis {
  DirectKind kind = DirectKind::general;
  DirectOrdering ordering = DirectOrdering::automatic;
  int block_size = 1;                          // unknowns of a block are neighbours in the numbering
  std::vector<std::int32_t> elimination = {};  // [position] block, on the first rank; empty: ordered by the library
  RankRows rows = {};                          // over ranks: whose matrix A has the rows of this one
};

class DirectFactor {
 public:
  virtual ~DirectFactor() = default;
  virtual std::string name() const = 0;              // "MUMPS 5.5.1, LDL^T"
  virtual void set_values(const HostMatrix& A) = 0;  // the pattern is the analysed one; factorise() comes next
  virtual void factorise() = 0;                      // throws Error: singular (model), memory (resources)
  // Over ranks: gives back all memory, and nothing else may be called. Without it, as where a rank is lost, what the
  // library holds stays until the process ends.
  virtual void end() {}
  // X = A^-1 B for several right-hand sides, [column][row]; B and X differ.
  virtual void solve(const Vector& B, Vector& X, int columns) = 0;
  // [bytes] of this process. Estimated by the analysis; after factorise(). 0: not known
  virtual Index memory_needed() const = 0;
  virtual Index memory_used() const = 0;
  virtual Index factor_entries() const { return 0; }  // after the analysis, estimated; 0: not known
  // of the factorisation, estimated by the analysis; 0: not known
  virtual double operations() const { return 0; }
  // Pivots of the last factorisation that were too small and were replaced: then DirectSolver finds out whether the
  // matrix is singular. Libraries that exchange rows instead replace none.
  virtual Index raised_pivots() const { return 0; }
  virtual Index negative_pivots() const { return -1; }  // of a symmetric factor; -1: not known
};

// The module ritz_direct, table "direct": ritz_direct.cpu for all CPUs, ritz_direct.cuda, and ritz_direct.mpi over
// ranks. Who solves nothing directly loads none of the large libraries. Analysed, not yet factorised; the caller owns
// the result.
struct DirectFactory {
  DirectFactor* (*analyse)(const Device& device, const HostMatrix& A, const DirectAnalysis& analysis);
};

}  // namespace ritz
