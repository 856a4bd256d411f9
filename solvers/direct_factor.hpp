// What a library for sparse direct solution offers to DirectSolver. One library is chosen per device when Ritz is
// built: for the CPU direct_with_mumps.cpp or direct_without_mumps.cpp, for GPUs direct_cudss.cu or direct_cusolver.cu.
#pragma once

#include "solvers/sparse_matrix.hpp"

#include <memory>
#include <string>

namespace ritz {

enum class DirectKind { positive_definite, symmetric, general };

class DirectFactor {
 public:
  virtual ~DirectFactor() = default;
  virtual std::string name() const = 0;                   // "MUMPS 5.5.1, LDL^T"
  virtual void factorise() = 0;                           // throws Error: singular (model), memory (resources)
  virtual void solve(const Vector& b, Vector& x) = 0;     // x = A^-1 b; x and b differ
  virtual Index memory_needed() const = 0;                // [bytes] estimated by the analysis; 0: not known
  virtual Index memory_used() const = 0;                  // [bytes] after factorise(); 0: not known
};

// Analysed, not yet factorised.
std::unique_ptr<DirectFactor> analyse_on_cpu(const Device& device, const HostMatrix& A, DirectKind kind);

// The module ritz_direct, table "direct", offers the same for GPUs; the caller owns the result.
struct DirectFactory {
  DirectFactor* (*analyse)(const Device& device, const HostMatrix& A, DirectKind kind);
};

}  // namespace ritz
