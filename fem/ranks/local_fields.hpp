// The part of equations of several fields that a rank works on: of each field nodes that it owns, contiguous as the
// space numbers them, and all cells around any of them and around those that follow them by equations. So the rows of
// all blocks for these nodes are complete without the cells of others. Every rank has the mesh, and cuts its part.
//
//   FieldsCutter cut(equations, ranks);
//   const LocalFields part(cut.part(rank), time, device, ranks);              // all ranks together
//
// Nodes of each field are [owned | ghosts], in the order of the whole space.
#pragma once

#include "fem/ranks/space_part.hpp"
#include "fem/operator/fields_operator.hpp"
#include "fem/space/fields_constraints.hpp"
#include "solvers/algebra/ghosts.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

// Forms of several fields, then those of one. A place may be empty.
struct LocalIntegrals {
  PartIntegrals integrals = {};
  std::vector<std::vector<int>> fields_of = {};  // [integral]
  Index of_several = 0;                          // so many are of several fields
};

struct LocalFieldsData {
  struct ElementOfKind {
    CellKind kind;
    std::string name;
  };
  struct Space {
    PartData nodes;  // the first one on a mesh has it
    int mesh = 0;    // number among those of the fields
    std::string field_name = {};
    Family family = Family::lagrange;
    std::vector<ElementOfKind> elements = {};
    std::vector<Node> met_before = {};  // EntitySigns' own
  };
  std::vector<Space> spaces = {};
  std::vector<Node> mesh_nodes = {};  // [mesh node] as the whole mesh numbers them
  LocalIntegrals integrals = {};
};

class FieldsCutter {
 public:
  // between: rows of FieldsConstraints::joining() of the whole mesh; null: there are none.
  FieldsCutter(const FieldsOperator& equations, int ranks, const DependentRows* between = nullptr);
  LocalFieldsData part(int rank);
  LocalIntegrals integrals(const FieldsOperator& equations, int rank);  // of any equations on the same spaces
  const std::vector<Index>& first(int field) const { return first_[static_cast<std::size_t>(field)]; }  // [rank + 1]

 private:
  std::vector<Node> met_before(int field, const PartData& part) const;

  FieldsOperator equations_;
  std::vector<std::vector<Index>> first_;        // [field][rank + 1] nodes
  std::vector<std::vector<Index>> lowest_cell_;  // [field][node], of facets
  std::vector<int> mesh_of_;                     // [field]
  std::vector<SpaceCutter> cutters_;             // [field]
};

// The spaces and the equations of a part. With ghosts [field] the equations have the unknowns that this rank owns, and
// know those of others; without, their rows at the border of the part are not complete.
struct FieldsOnPart {
  FieldsOnPart(LocalFieldsData& data, const Time& time, const Device& device,
               const std::vector<std::shared_ptr<const Ghosts>>& ghosts = {});  // takes the mesh of the data
  std::unique_ptr<FieldsOperator> make(const LocalIntegrals& integrals, const Time& time) const;  // on these spaces

  std::vector<std::unique_ptr<const Mesh>> meshes;
  Spaces spaces;
  std::vector<std::vector<Node>> met_before;  // [field]
  std::unique_ptr<FieldsOperator> equations;
};

class LocalFields {
 public:
  // All ranks make theirs together.
  LocalFields(LocalFieldsData data, const Time& time, const Device& device, Ranks& ranks);

  FieldsOperator& equations() const { return *own_.equations; }
  const FunctionSpace& space(int field) const { return equations().space(field); }
  const Device& device() const { return equations().device(); }
  const std::vector<Node>& mesh_nodes() const { return mesh_nodes_; }  // of the first mesh, as the whole numbers them
  const std::vector<Index>& cells(int field) const;                    // of its mesh, likewise, ascending
  std::unique_ptr<FieldsOperator> make(const LocalIntegrals& integrals, const Time& time) const {
    return own_.make(integrals, time);
  }

  // Prescribed unknowns and equations between unknowns, [field]; values and offsets of fields are zero
  // (FieldsConstraints::take_values). between: of FieldsCutter. All ranks make theirs together.
  FieldsConstraints supports(const std::vector<PartSupports>& of_fields, const DependentRows* between = nullptr) const;

 private:
  FieldsOnPart own_;
  std::vector<Node> mesh_nodes_;
  std::vector<int> mesh_of_;               // [field]
  std::vector<std::vector<Index>> cells_;  // [mesh]
};

}  // namespace ritz
