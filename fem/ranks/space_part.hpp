// The part of a space that a rank works on: nodes that it owns, which are contiguous as the space numbers them, along
// the curve; and all cells around them, so that the rows of a matrix for these nodes are complete without the cells of
// others. Every rank has the mesh, and cuts its part.
//
//   SpaceCutter cut(space, equal_parts(space, ranks));
//   const SpacePart part(cut.part(rank), device);
//   PartIntegrals own = cut.integrals(rank, integrals);
//
// Nodes of the part are [owned | reached], in the order of the whole space, so that its rows of a matrix are the first.
#pragma once

#include "fem/ranks/part_relations.hpp"
#include "fem/operator/integral.hpp"
#include "fem/space/constraints.hpp"
#include "fem/space/function_space.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

struct PartData {
  MeshData mesh = {};
  int components = 1;
  int order = 0;                           // of the space's elements; 0: the mesh's
  std::vector<std::string> elements = {};  // of plugins, in place of those of the order
  Index first = 0, last = 0;               // owned nodes of the whole space
  std::vector<Index> cells = {};           // [cell of the part] cell of the whole mesh, ascending
  GivenNumbering numbering = {};           // of the part
  std::vector<Index> along_curve = {};     // cells of the part, where the numbering has another order of them
  std::vector<Index> reached = {};         // nodes of others, as the whole space numbers them, ascending
};

// Integrals on cells, facets and nodes of a part.
struct PartIntegrals {
  std::vector<Integral> integrals = {};
  std::vector<std::size_t> integral_of = {};  // of each, the number among all
};

// Entries that equations between unknowns add to the rows of a part, in blocks.
struct CoupledCount {
  Index entries = 0, to_others = 0;
  // Over rows that such a row reaches, the length of the longest that they reach: the set-up of multigrid takes
  // products with it.
  Index products = 0;
};

// Prescribed unknowns of a part, and its equations between unknowns.
struct PartSupports {
  std::vector<std::uint8_t> held = {};  // [node of the part][component] 1: prescribed
  bool related = false;                 // have unknowns of the whole space equations between them?
  DependentNodeRows relations = {};     // those of the nodes
  CoupledCount coupled = {};            // of a matrix with them
};

// [rank + 1] The first node of each rank: parts of equally many nodes; or nearly so, where the curve enters a cell, so
// that the nodes which a cell is the first to have are of one rank in all orders. Then a rank may have no corner of a
// cell: false in `all_have`.
std::vector<Index> equal_parts(const FunctionSpace& space, int ranks);
struct WholeCells {
  std::vector<Index> first;
  bool all_have = true;
};
WholeCells parts_of_whole_cells(const FunctionSpace& space, int ranks);

// Names of the elements of plugins that the space has on its cells.
std::vector<std::string> elements_of_plugins(const FunctionSpace& space);

// Supports of owned nodes, from `first` to below `last`, and those reached.
PartSupports supports_of(const Constraints& constraints, int components, Index first, Index last,
                         std::span<const Index> reached);

// [rank] cells around its nodes of all these spaces on one mesh, along the curve. first: [space][rank + 1]
using CellsOfRanks = std::vector<std::vector<Index>>;
CellsOfRanks cells_around(const Spaces& spaces, const std::vector<std::vector<Index>>& first);

class SpaceCutter {
 public:
  // How a part orders its cells: as the curve meets them, or those first that have owned nodes alone, for products
  // without a matrix. With patches: along the curve, and two layers of cells more around those of the part. Of fields:
  // along the curve, cells around the nodes of several spaces; nodes of the mesh keep their order, on which the signs
  // of edges depend, all nodes of the space are numbered, and integrals that a part lacks are in it without a place.
  enum class Cells { along_curve, inner_first, with_patches, of_fields };
  SpaceCutter(const FunctionSpace& whole, std::vector<Index> first, Cells order = Cells::along_curve);
  // Orders cells as those of fields; cells [rank], each along the curve.
  SpaceCutter(const FunctionSpace& whole, std::vector<Index> first, std::shared_ptr<const CellsOfRanks> cells);

  PartData part(int rank);
  // The numbering alone, for a space beside another on the same part of the mesh.
  PartData part_without_mesh(int rank);
  const std::vector<Node>& mesh_nodes() const { return mesh_nodes_; }  // of the last part, in the whole mesh
  PartIntegrals integrals(int rank, const std::vector<Integral>& all);

 private:
  PartData cells_of(int rank);
  PartData numbered_part(int rank);
  void add_layer();
  void take_cells(std::vector<Index> along_curve, PartData& part);
  void take_nodes(PartData& part);
  void put_inner_first(PartData& part) const;
  void take_mesh_nodes(const PartData& part);
  void take_mesh(PartData& part) const;
  void number_as_whole(PartData& part) const;
  void take(const Integral& each, std::size_t number, const std::shared_ptr<const std::vector<Index>>& cells,
            PartIntegrals& part) const;
  void forget(const PartData& part);

  FunctionSpace whole_;
  std::vector<Index> first_;
  Cells order_;
  std::shared_ptr<const CellsOfRanks> cells_;  // [rank] around its nodes, along the curve
  std::vector<Index> cell_place_;              // [cell of the whole] cell of the present part, -1
  std::vector<Node> place_, mesh_place_;       // [node of the whole], [mesh node of the whole] likewise
  std::vector<Node> mesh_nodes_;               // of the present part, in the whole mesh
};

class SpacePart {
 public:
  // ghosts, whole: of a space whose equations have owned unknowns (FunctionSpace::ghosts).
  SpacePart(PartData data, const Device& device, std::shared_ptr<const Ghosts> ghosts = nullptr,
            const FunctionSpace& whole = {});

  const FunctionSpace& space() const { return space_; }
  Index cell_count() const { return std::ssize(data_.cells); }
  const std::vector<Index>& cells() const { return data_.cells; }  // as the whole mesh numbers them
  const std::vector<Index>& along_curve() const { return data_.along_curve; }
  Index owned() const { return data_.last - data_.first; }
  const std::vector<Index>& reached() const { return data_.reached; }
  // The prescribed unknowns, at zero, and equations between unknowns, finished. All ranks make theirs together.
  Constraints constraints(const std::vector<std::uint8_t>& held, const DependentNodeRows* relations) const;

 private:
  PartData data_;
  std::unique_ptr<Mesh> mesh_;
  FunctionSpace space_;
};

}  // namespace ritz
