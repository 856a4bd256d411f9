// The part of a space that a rank works on: nodes that it owns, which are contiguous as the space numbers them, along
// the curve; and all cells around them, so that the rows of a matrix for these nodes are complete without the cells of
// others. The first rank, which has the mesh, cuts it; the others get their parts as messages.
//
//   SpaceCutter cut(space, ranks);   PartData data = cut.part(rank, integrals, constraints);     // the first rank
//   Packed message;   add(message, data);                                                        // to another one
//   Unpacked from(message);   const SpacePart part(unpacked(from, questions), device);           // there
//
// Nodes of the part are [owned | reached], in the order of the whole space, so that its rows of a matrix are the first.
#pragma once

#include "device/ranks/packed.hpp"
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
  int order = 0;                              // of the space's elements; 0: the mesh's
  Index first = 0, last = 0;                  // owned nodes of the whole space
  std::vector<Index> cells = {};              // [cell of the part] cell of the whole mesh, ascending
  GivenNumbering numbering = {};              // of the part
  std::vector<Index> reached = {};            // nodes of others, as the whole space numbers them, ascending
  std::vector<std::uint8_t> held = {};        // [node of the part][component] 1: prescribed
  std::vector<Integral> integrals = {};       // with a matrix, on cells, facets and nodes of the part
  std::vector<std::size_t> integral_of = {};  // of each, the number among all integrals
};

// The values of a function of the first rank: of an integral among all, and a number among its functions.
using FunctionElsewhere = std::function<void(std::size_t integral, std::size_t function, const EvaluationPoints& points,
                                             double t, std::span<double> values)>;

void add(Packed& to, const PartData& part);
// Functions of integrals become calls of `functions`, whose points have cells of the part.
PartData unpacked(Unpacked& from, const FunctionElsewhere& functions);

class SpaceCutter {
 public:
  // The space must outlive the cutter, and parts that stay in this process. Throws Error(Exit::environment) for
  // elements and forms of plugins, which other ranks do not have.
  SpaceCutter(const FunctionSpace& whole, int ranks);

  Index first(int rank) const { return whole_.node_count() * rank / ranks_; }
  PartData part(int rank, const std::vector<Integral>& integrals, const Constraints& constraints);

 private:
  void take_cells(std::vector<Index> along_curve, PartData& part);
  void take_nodes(PartData& part);
  void take_mesh(PartData& part);
  void number_as_whole(PartData& part) const;
  void take_integrals(const std::vector<Integral>& integrals, PartData& part) const;
  void forget(const PartData& part);

  const FunctionSpace& whole_;
  int ranks_;
  std::vector<std::vector<Index>> cells_;  // [rank] around its nodes, along the curve
  std::vector<Index> cell_place_;          // [cell of the whole] cell of the present part, -1
  std::vector<Node> place_, mesh_place_;   // [node of the whole], [mesh node of the whole] likewise
  std::vector<Node> mesh_nodes_;           // of the present part, in the whole mesh
};

class SpacePart {
 public:
  SpacePart(PartData data, const Device& device);

  const FunctionSpace& space() const { return *space_; }
  Index cell_count() const { return static_cast<Index>(cell_count_); }
  Index owned() const { return data_.last - data_.first; }
  const std::vector<Index>& reached() const { return data_.reached; }
  Constraints constraints() const;  // the prescribed unknowns, at zero
  const std::vector<Integral>& integrals() const { return data_.integrals; }
  const std::vector<std::size_t>& integral_of() const { return data_.integral_of; }

 private:
  PartData data_;
  std::size_t cell_count_;
  std::unique_ptr<Mesh> mesh_;
  std::unique_ptr<FunctionSpace> space_;
};

}  // namespace ritz
