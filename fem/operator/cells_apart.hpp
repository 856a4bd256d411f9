// Cells of a space with nodes of their own, so that what each cell gives stands apart. Functions of integrals still
// know the cells of the mesh. Private to fem/analysis.
//
//   const CellsApart apart(space, cells);   const Operator equations(apart.space(), apart.of(integrals));
//   equations.residual(apart.spread(u), r);     // entry n of r belongs to node apart.node(n) of cell apart.cell(n)
#pragma once

#include "device/error.hpp"
#include "fem/operator/mixed_integral.hpp"
#include "fem/space/entity_signs.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ritz {

// The mesh of these cells, ascending.
MeshData taken_apart(const Mesh& mesh, std::span<const Index> cells);
std::vector<Index> all_cells_of(const Mesh& mesh);
// For numbers that change more than numbers.
Error other_equations();

class CellsApart {
 public:
  CellsApart(const FunctionSpace& space, std::vector<Index> cells)
      : CellsApart(space, cells, Mesh(taken_apart(space.mesh(), cells))) {}
  // Their mesh may have been changed. beside: the space apart of another field of the same cells; none: this is the
  // first one.
  CellsApart(const FunctionSpace& space, std::vector<Index> cells, Mesh apart, Family family = Family::lagrange,
             const FunctionSpace& beside = {});
  CellsApart(const CellsApart&) = delete;
  CellsApart& operator=(const CellsApart&) = delete;

  const FunctionSpace& space() const { return apart_; }
  std::size_t node_count() const { return node_.size(); }
  Node node(std::size_t n) const { return node_[n]; }   // of the whole space
  Index cell(std::size_t n) const { return cell_[n]; }  // of the whole mesh
  const std::vector<Index>& cells() const { return cells_; }
  // Those of the integrals over cells and facets that reach these cells, there.
  std::vector<Integral> of(std::span<const Integral> integrals) const;
  std::vector<MixedIntegral> of(std::span<const MixedIntegral> integrals) const;
  Vector spread(const std::vector<double>& u) const;  // [unknown of the whole space]

 private:
  Index place_of(Index cell) const;  // among the cells; -1: not one of them
  template <class AnyIntegral>
  void add(const AnyIntegral& whole, std::vector<AnyIntegral>& result) const;

  FunctionSpace space_;
  std::shared_ptr<const std::vector<Index>> shared_cells_;
  const std::vector<Index>& cells_;
  FunctionSpace apart_;
  std::vector<Node> node_;
  std::vector<Index> cell_;
  struct Signs {
    EntitySigns whole, apart;
  };
  std::optional<Signs> signs_;  // of fields of facets and edges, which cells apart see by other numbers
};

}  // namespace ritz
