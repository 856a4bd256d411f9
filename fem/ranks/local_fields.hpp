// The part of equations of several fields that a rank works on: of each field nodes that it owns, contiguous as the
// space numbers them, and all cells around any of them and around those that follow them by equations. So the rows of
// all blocks for these nodes are complete without the cells of others. The first rank, which has the mesh, cuts it; the
// others get their parts as messages.
//
//   FieldsCutter cut(equations, ranks);                                                        // the first rank
//   LocalFieldsData data = cut.part(rank);   Packed to;   add(to, data);                        // to another one
//   const LocalFields part(fields_part_data(from, functions), time, device, ranks);              // all ranks
//
// Nodes of each field are [owned | ghosts], in the order of the whole space. Where every rank has the whole mesh, each
// cuts its own part (fem/ranks/fields_of_rank.hpp).
#pragma once

#include "fem/ranks/space_part.hpp"
#include "fem/operator/mixed_constraints.hpp"
#include "solvers/algebra/ghosts.hpp"

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

// The spaces and the equations of a part. With ghosts [field] the equations have the unknowns that this rank owns, and
// know those of others; without, their rows at the border of the part are not complete.
struct FieldsOnPart {
  FieldsOnPart(LocalFieldsData& data, const Time& time, const Device& device,
               const std::vector<std::shared_ptr<const Ghosts>>& ghosts = {});  // takes the mesh of the data
  std::unique_ptr<const Mesh> mesh;
  std::unique_ptr<MixedOperator> equations;
};

class LocalFields {
 public:
  // All ranks make theirs together.
  LocalFields(LocalFieldsData data, const Time& time, const Device& device, Ranks& ranks);

  MixedOperator& equations() const { return *own_.equations; }
  const FunctionSpace& space(int field) const { return equations().space(field); }
  const Device& device() const { return equations().device(); }
  const std::vector<Node>& mesh_nodes() const { return mesh_nodes_; }  // as the whole mesh numbers them
  bool asks() const { return asks_; }  // has any form functions, which the first rank evaluates?

  // Prescribed unknowns and equations between unknowns, [field]. values: [field][unknown with ghosts] of those that are
  // eliminated, where all others are zero; none: all are. All ranks make theirs together.
  MixedConstraints supports(const std::vector<PartSupports>& of_fields,
                            const std::vector<std::vector<double>>& values = {}) const;

 private:
  bool asks_;
  FieldsOnPart own_;
  std::vector<Node> mesh_nodes_;
};

}  // namespace ritz
