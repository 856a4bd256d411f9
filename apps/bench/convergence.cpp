// convergence: errors of a known solution on finer and finer meshes of every cell, with elements of every order, for
// diffusion and elasticity, and the orders that a line through them has: p + 1 for the error in L2, p for its gradient
// (Ern and Guermond, Theory and Practice of Finite Elements, 2004, theorem 3.21 and section 3.3). A table in Markdown.
// convergence-meshes: the same on given meshes, curved ones too, and their uniform refinements.
#include "apps/bench/known_solution.hpp"
#include "apps/bench/tasks.hpp"
#include "device/error.hpp"
#include "fem/cells/reference_element.hpp"
#include "fem/space/function_space.hpp"
#include "io/meshes/mesh_reader.hpp"
#include "mesh/generators.hpp"
#include "mesh/refinement/refine.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ritz {
namespace {

// The slope of the least-squares line through (log h, log error).
double fitted_order(const std::vector<int>& counts, const std::vector<double>& errors) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double x = -std::log(double(counts[i])), y = std::log(errors[i]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// The highest order that all shapes of the mesh have.
int highest_order(const Mesh& mesh) {
  int order = 4;
  for (const CellBlock& block : mesh.blocks()) order = std::min(order, highest_lagrange_order(block.kind));
  return order;
}

}  // namespace

std::vector<ConvergenceRow> convergence_rows(const Device& device, double size, int highest,
                                             FunctionRef<void(const ConvergenceRow&)> found) {
  std::vector<ConvergenceRow> rows;
  for (const CellKind kind :
       {CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8, CellKind::prism6, CellKind::pyramid5}) {
    const int dimension = traits(kind).dimension;
    for (const bool elastic : {false, true})
      for (int order = 1; order <= std::min(highest_lagrange_order(kind), highest); ++order) {
        const KnownWaves waves{dimension, elastic ? dimension : 1};
        ConvergenceRow row{
            std::string(traits(kind).name), elastic ? "elasticity" : "diffusion", order, {}, {}, {}, 0, 0};
        // About as many nodes for every order; the finest error stays above rounding.
        const double nodes = size * (dimension == 2 ? 48 : elastic ? 10 : 14);
        for (const double part : {0.5, 0.75, 1.0})
          row.counts.push_back(std::max(1, static_cast<int>(std::lround(part * nodes / order))));
        row.counts.erase(std::unique(row.counts.begin(), row.counts.end()), row.counts.end());
        while (row.counts.size() < 2) row.counts.push_back(row.counts.back() + 1);
        for (const int n : row.counts) {
          const Distortion distortion{.smooth = 0.04};
          const Mesh mesh =
              dimension == 2 ? rectangle(n, n, {1, 1}, kind, distortion) : box(n, n, n, {1, 1, 1}, kind, distortion);
          const NormErrors errors = solve_known(mesh, waves, order, device);
          row.l2.push_back(errors.l2);
          row.h1.push_back(errors.h1);
        }
        row.l2_order = fitted_order(row.counts, row.l2);
        row.h1_order = fitted_order(row.counts, row.h1);
        found(row);
        rows.push_back(std::move(row));
      }
  }
  return rows;
}

void run_convergence(const Device& device, const BenchOptions& options) {
  fmt::print(
      "| cell | equations | order p | cells per side | error in L2 | order in L2 | error in H1 | order in H1 "
      "|\n|---|---|---|---|---|---|---|---|\n");
  convergence_rows(device, options.size, 8, [](const ConvergenceRow& r) {
    fmt::print("| {} | {} | {} | {} | {:.2e} | {:.2f} | {:.2e} | {:.2f} |\n", r.cell, r.equations, r.order,
               fmt::join(r.counts, ", "), r.l2.back(), r.l2_order, r.h1.back(), r.h1_order);
    std::fflush(stdout);
  });
}

// The mesh and its refinements, while a space of the order has at most `size` * 40,000 nodes; never fewer than two.
void run_convergence_on_meshes(const Device& device, const BenchOptions& options) {
  if (options.meshes.empty())
    throw Error(ErrorKind::command_line, "--only convergence-meshes without meshes", {},
                "name some: --mesh star-q2.mesh escher-p2.mesh");
  fmt::print(
      "| mesh | equations | order p | cells | error in L2 | order in L2 | error in H1 | order in H1 "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (const std::string& file : options.meshes) {
    std::vector<Mesh> levels;
    levels.push_back(read_mesh(file));
    const int dimension = levels.front().dimension();
    for (const bool elastic : {false, true})
      for (int order = 1; order <= highest_order(levels.front()); ++order) {
        const KnownWaves waves{dimension, elastic ? dimension : 1};
        std::vector<Index> cells;
        std::vector<NormErrors> errors;
        for (std::size_t level = 0; level < 8; ++level) {
          if (level == levels.size()) levels.push_back(refine(levels.back()));
          if (level > 1 &&
              double(FunctionSpace(levels[level], 1, device, {.order = order}).node_count()) > options.size * 40000)
            break;
          cells.push_back(levels[level].cell_count());
          errors.push_back(solve_known(levels[level], waves, order, device));
        }
        const NormErrors &fine = errors.back(), &coarse = errors[errors.size() - 2];
        fmt::print("| {} | {} | {} | {} | {:.2e} | {:.2f} | {:.2e} | {:.2f} |\n",
                   std::filesystem::path(file).stem().string(), elastic ? "elasticity" : "diffusion", order,
                   fmt::join(cells, ", "), fine.l2, std::log2(coarse.l2 / fine.l2), fine.h1,
                   std::log2(coarse.h1 / fine.h1));
        std::fflush(stdout);
      }
  }
}

}  // namespace ritz
