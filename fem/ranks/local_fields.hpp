// The part of equations of several fields that a rank works on: of each field nodes that it owns, contiguous as the
// space numbers them, and all cells around any of them. So the rows of all blocks for these nodes are complete without
// the cells of others. The first rank, which has the mesh, cuts it; the others get their parts as messages.
//
//   FieldsCutter cut(equations, ranks);                                                        // the first rank
//   LocalFieldsData data = cut.part(rank);   Packed to;   add(to, data);                        // to another one
//   const LocalFields part(fields_part_data(from, functions), time, device, ranks);              // all ranks
//
// Nodes of each field are [owned | reached], in the order of the whole space.
#pragma once

#include "fem/ranks/space_part.hpp"
#include "fem/operator/mixed_constraints.hpp"
#include "solvers/algebra/ghosts.hpp"
#include "solvers/algebra/rank_rows.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

struct LocalFieldsData {
  struct ElementOfKind {
    CellKind kind;
    std::string name;
  };
  struct Space {
    PartData nodes;  // the first one has the mesh of all
    Family family = Family::lagrange;
    std::vector<ElementOfKind> elements = {};
    std::vector<Node> met_before = {};  // EntitySigns' own
  };
  std::vector<Space> spaces = {};
  std::vector<Node> mesh_nodes = {};  // [mesh node] as the whole mesh numbers them
  // Forms of several fields, then those of one. A place may be empty.
  PartIntegrals integrals = {};
  std::vector<std::vector<int>> fields_of = {};  // [integral]
  Index of_several = 0;                          // so many are of several fields
};

void add(Packed& to, const LocalFieldsData& part);
LocalFieldsData fields_part_data(Unpacked& from, const FunctionElsewhere& functions);

// Coefficients and loads of the integrals, as the parts number these.
const std::vector<PointFunction>& given_of(const MixedOperator& equations, std::size_t integral);

class FieldsCutter {
 public:
  // The equations must outlive the cutter, and parts that stay in this process.
  FieldsCutter(const MixedOperator& equations, int ranks);
  LocalFieldsData part(int rank);
  const std::vector<Index>& first(int field) const { return first_[static_cast<std::size_t>(field)]; }  // [rank + 1]

 private:
  std::vector<Node> met_before(int field, const PartData& part) const;

  const MixedOperator& equations_;
  std::vector<std::vector<Index>> first_;        // [field][rank + 1] nodes
  std::vector<std::vector<Index>> lowest_cell_;  // [field][node], of facets
  std::vector<SpaceCutter> cutters_;             // [field]
  std::vector<Integral> of_several_;             // their places
};

// The spaces and the equations of a part, which are not those of other ranks at its border.
struct FieldsOnPart {
  FieldsOnPart(LocalFieldsData& data, const Time& time, const Device& device);  // takes its mesh
  std::unique_ptr<const Mesh> mesh;
  std::unique_ptr<const MixedOperator> equations;
};

class LocalFields {
 public:
  // All ranks make theirs together.
  LocalFields(LocalFieldsData data, const Time& time, const Device& device, Ranks& ranks);

  const MixedOperator& equations() const { return *own_.equations; }
  const FunctionSpace& space(int field) const { return equations().space(field); }
  const Device& device() const { return equations().device(); }
  Ranks& ranks() const { return ranks_; }
  Index cell_count() const { return space(0).mesh().cell_count(); }
  const std::vector<Node>& mesh_nodes() const { return mesh_nodes_; }  // as the whole mesh numbers them
  const std::vector<std::shared_ptr<const Ghosts>>& ghosts() const { return ghosts_; }  // [field] of nodes
  const Ghosts& ghosts(int field) const { return *ghosts_[static_cast<std::size_t>(field)]; }
  bool asks() const { return asks_; }  // has any form functions, which the first rank evaluates?

  // Unknowns that this rank owns, field after field, and the number of each of the first ones among those of all ranks,
  // rank after rank.
  const BlockLayout& owned() const { return owned_; }
  std::vector<Index> places() const;                                                    // [unknown of the part]
  MixedConstraints supports(const std::vector<std::vector<std::uint8_t>>& held) const;  // [field][unknown] at zero

  // Vectors of the whole mesh, field after field, are on the first rank; they are empty on the others.
  void deal(const Vector& whole, Vector& own) const;  // own [owned]
  void collect(const Vector& own, Vector& whole) const;
  Vector with_ghosts(const Vector& own) const;     // as equations() take it
  Vector without_ghosts(const Vector& all) const;  // [owned]

 private:
  RankRows rows(int field) const;

  Ranks& ranks_;
  FieldsOnPart own_;
  std::vector<std::shared_ptr<const Ghosts>> ghosts_;
  std::vector<Node> mesh_nodes_;
  BlockLayout owned_, whole_;
  bool asks_;
};

}  // namespace ritz
