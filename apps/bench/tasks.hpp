// The tasks of the benchmark. Each adds its records to the report, one per number of threads.
#pragma once

#include "apps/bench/measurement.hpp"
#include "apps/bench/problems.hpp"
#include "device/function_ref.hpp"

namespace ritz {

struct BenchOptions {
  std::vector<std::string> only;      // beginnings of record names; empty: all
  std::vector<int> threads = {1, 0};  // 0: all; ignored on a GPU
  std::string device = "cpu";
  int repeat = 7;
  double size = 1;       // factor on the cells per edge
  bool triplets = true;  // assemble with triplets, too
  // files, for convergence-meshes; the first one is the body of Laplacians, held all around
  std::vector<std::string> meshes;

  bool wants(const std::string& name) const;
  bool names(const std::string& table) const;          // asked for by its full name
  int few() const { return repeat < 3 ? repeat : 3; }  // for what takes long
};

using Publish = FunctionRef<void(Record)>;

// first-*: from a mesh to its first matrix. asm-*, spmv-* and, where cells are straight, solve-*: they share mesh,
// space and matrix. precision-*, when asked for by its full name: the multigrid cycle in single beside double
// precision.
void run_problem(const Problem& problem, const Device& device, const BenchOptions& options, const Publish& publish);
bool wants_any(const Problem& problem, const BenchOptions& options);

// op-hex-*, op-elastic-hex-*: actions of operators without a matrix.
void run_operator_actions(const Device& device, const BenchOptions& options, const Publish& publish);
std::vector<std::string> operator_action_names();

// mesh-read: Gmsh files, binary and text, from the page cache.
void run_mesh_read(const Device& device, const BenchOptions& options, const Publish& publish);

// block-cg: elasticity with 1 to 32 load cases at once and one after the other, multigrid. small-cg: seconds per
// iteration of conjugate gradients at about 1 k, 10 k and 100 k unknowns.
void run_block_cg(const Device& device, const BenchOptions& options, const Publish& publish);
void run_small_cg(const Device& device, const BenchOptions& options, const Publish& publish);
// Tables in Markdown, made only when named: direct-table, the direct solver with each ordering.
void run_direct_table(const Device& device, const BenchOptions& options);
// auto-table: every candidate solver on systems of every sort, compared with the choice of LinearMethod::automatic;
// only the systems named after it (`--only auto-table "thin plate"`), if any.
void run_auto_table(const Device& device, const BenchOptions& options);

// convergence: orders of the error for every cell, order and equation.
struct ConvergenceRow {
  std::string cell, equations;
  int order;
  std::vector<int> counts;     // cells per side
  std::vector<double> l2, h1;  // errors there: of values, of gradients
  double l2_order, h1_order;   // of the line through them
};
std::vector<ConvergenceRow> convergence_rows(
    const Device& device, double size, int highest,
    FunctionRef<void(const ConvergenceRow&)> found = [](const ConvergenceRow&) {});
void run_convergence(const Device& device, const BenchOptions& options);
// convergence-meshes: the same on options.meshes and their uniform refinements, to order 4.
void run_convergence_on_meshes(const Device& device, const BenchOptions& options);

}  // namespace ritz
