// Decides which values of nodal fields are written, and on which cells ([output] cells): those at the mesh's nodes on
// the mesh's cells, or, for a space of its own order, those on Lagrange cells of that order, which probes use, too.
// Peaks are taken at the mesh's nodes.
#pragma once

#include "fem/results/lagrange_results.hpp"
#include "io/vtk/vtu_writer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

class ResultFields {
 public:
  explicit ResultFields(bool lagrange = false) : lagrange_(lagrange) {}
  void look_closely() { probed_ = true; }  // there are probes

  // A field of the space, `scale` times.
  Field of(std::string name, const FunctionSpace& space, const Vector& u, double scale = 1);
  // Values at the space's nodes, [node][component], taken to the points of the finer cells; none when there are none.
  std::vector<double> at_points(const FunctionSpace& space, std::span<const double> at_nodes, int components);
  bool has_finer(const FunctionSpace& space) const { return (lagrange_ || probed_) && !space.isoparametric(); }
  // the cells of Field::finer_values
  const LagrangeResults* finer() const { return finer_ ? &*finer_ : nullptr; }
  // to be written; null: the mesh's
  const LagrangeCells* cells() const { return lagrange_ && finer_ ? &finer_->cells() : nullptr; }
  // If finer cells are written, fields on their points: those of the space as they are, others interpolated between the
  // mesh's nodes, forces at points.
  std::vector<Field> on_cells(std::vector<Field> nodal) const;

 private:
  const LagrangeResults* finer_for(const FunctionSpace& space);

  bool lagrange_, probed_ = false;
  std::optional<LagrangeResults> finer_;  // from the first field of a space that needs it
};

}  // namespace ritz
