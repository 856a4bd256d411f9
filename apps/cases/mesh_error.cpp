#include "apps/cases/mesh_error.hpp"

#include "fem/ranks/divided_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace ritz {
namespace {

std::string place_of(const Mesh& mesh, const Point& x) {
  return mesh.dimension() == 3 ? fmt::format("({:.4g}, {:.4g}, {:.4g})", x[0], x[1], x[2])
                               : fmt::format("({:.4g}, {:.4g})", x[0], x[1]);
}

Point centre_of(const Mesh& mesh, Index cell) { return CellMap(mesh, cell).at(reference_centroid(mesh.kind_of(cell))); }

// The cells with the largest squares that together have half of the sum.
struct WorstCells {
  Index count = 0;
  double error = 0, solution = 0;
  Index worst = 0;
  double relative() const { return std::sqrt(error / (error + solution)); }
};

WorstCells worst_cells(const DiscretisationError& error) {
  std::vector<Index> cells(error.squares.size());
  std::iota(cells.begin(), cells.end(), 0);
  const auto square = [&](Index cell) { return error.squares[static_cast<std::size_t>(cell)]; };
  WorstCells result;
  // Sorted a part at a time: half of the sum is mostly in few of them.
  for (std::size_t sorted = 0, size = 1024; sorted < cells.size(); size *= 4) {
    const std::size_t end = std::min(cells.size(), sorted + size);
    std::partial_sort(cells.begin() + static_cast<std::ptrdiff_t>(sorted),
                      cells.begin() + static_cast<std::ptrdiff_t>(end), cells.end(),
                      [&](Index a, Index b) { return square(a) != square(b) ? square(a) > square(b) : a < b; });
    if (sorted == 0) result.worst = cells.front();
    for (; sorted < end; ++sorted) {
      if (result.error >= 0.5 * error.error) return result;
      ++result.count;
      result.error += square(cells[sorted]);
      result.solution += error.energies[static_cast<std::size_t>(cells[sorted])];
    }
  }
  return result;
}

// In the cell with the largest energy per volume. At a singular point it stays, however fine the cells are, and small
// their share is.
double relative_at_peak(const DiscretisationError& error) {
  std::size_t peak = 0;
  for (std::size_t cell = 1; cell < error.energies.size(); ++cell)
    if (error.energies[cell] * error.volumes[peak] > error.energies[peak] * error.volumes[cell]) peak = cell;
  return std::sqrt(error.squares[peak] / (error.squares[peak] + error.energies[peak]));
}

}  // namespace

void throw_no_estimate_of(Case& input, const char* what) {
  input.add_error(Error(ErrorKind::model_options, fmt::format("[output] error_estimate of {}", what),
                        "the estimate knows isotropic materials without thermal strain only",
                        "omit error_estimate, and compare with a finer mesh"));
}

bool wants_mesh_error(Run& run) {
  const bool wanted =
      run.input()
          .table("output", "folder and format of the results")
          .flag("error_estimate", "estimate the discretisation error: in the log, the report and as a field in cells",
                false);
  if (wanted && run.step().has_removed_parts) throw_no_estimate_of(run.input(), "a body without some of its parts");
  if (wanted) run.results().estimate_error();
  return wanted;
}

DiscretisationError mesh_error(Run& run, const FunctionSpace& space, const Vector& u, const ErrorModel& model) {
  auto phase = run.phase("error estimate");
  if (Ranks* const ranks = run.options().ranks) return estimate_error(space, u.host(), model, *ranks);
  return estimate_error(space, u.host(), model);
}

void report_mesh_error(Run& run, const FunctionSpace& space, const DiscretisationError& error) {
  const Mesh& mesh = space.mesh();
  const double relative = error.relative();
  run.results().facts()["discretisation_error"] = fmt::format("{:.4g}", relative);
  if (relative < 1e-4) return run.log().line("error by the mesh, estimated: below 0.01 % of the energy norm");
  const WorstCells worst = worst_cells(error);
  const Point at = centre_of(mesh, worst.worst);
  run.results().facts()["discretisation_error_at"] = fmt::format("{:.6g} {:.6g} {:.6g}", at[0], at[1], at[2]);
  // If the error is small against the solution in the worst cells and at the peak, and not in a handful of cells, it
  // falls with the order of the elements (docs/error-estimate.md).
  const bool spread = worst.count >= 3 && 200 * worst.count >= mesh.cell_count(), off = worst.relative() >= 0.1;
  const bool falls = !off && spread && relative_at_peak(error) < 0.1 && error.shallow == 0;
  const double halved = relative / std::pow(2, space.order());
  if (falls) run.results().facts()["discretisation_error_halved_cells"] = fmt::format("{:.4g}", halved);
  const std::string advice = falls ? fmt::format("; with cells of half the size about {:.2g} %", 100 * halved)
                             : off ? "; refine there first: at sharp inner edges, ends of supports and point loads no "
                                     "mesh is fine enough for the peak"
                                   : "";
  run.log().line(
      "error by the mesh, estimated: {:.2g} % of the energy norm; half of its square in {} of {} cells, which are "
      "{:.2g} % off, the worst at {}{}",
      100 * relative, worst.count, mesh.cell_count(), 100 * worst.relative(), place_of(mesh, at), advice);
  if (error.shallow > 0)
    run.log().line(
        "around {} vertices the cells are too few for the estimate, which is too small there: bodies should be two "
        "cells thick",
        error.shallow);
}

}  // namespace ritz
