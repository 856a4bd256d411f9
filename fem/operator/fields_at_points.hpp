// Fields at the quadrature points of elements, where numbers of forms that vary read them. In which cells of a mesh the
// points lie is known for that of the elements, and found once by a kernel for another one. All of that stays from one
// evaluation to the next, on the device: later ones copy nothing. An operator owns one. Private to fem/operator.
#pragma once

#include "device/memory_needs.hpp"
#include "fem/forms/form_value.hpp"
#include "fem/operator/quadrature_points.hpp"
#include "mesh/functions/mesh_field.hpp"

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace ritz {

class PointLocator;

class FieldsAtPoints {
  using Places = std::tuple<const ElementGroup*, Index, Mesh, bool>;  // points of the rule; at nodes

 public:
  struct Source {
    FieldView field;
    PointsInCells in;
  };
  // Valid until forget_others(). Throws Error where the field has no value, as MeshField does.
  Source source(const QuadraturePoints& points, const MeshField& field);
  // Data of fields and of meshes that these forms do not use goes back to the pool.
  void forget_others(const std::vector<FormValue>& forms);

  // Needs that were counted already.
  class Foreseen {
    friend FieldsAtPoints;
    std::set<Places> places;
    std::set<Mesh> cells, searches;
    std::vector<MeshField> fields;
    Index piece = 0;  // [bytes]
  };
  // Memory for the numbers of a form at the points of a rule, besides these numbers.
  void add_needs(const FunctionSpace& space, const ElementGroup& group, Index points, const FormValue& form,
                 Foreseen& foreseen, MemoryNeeds& needs) const;

 private:
  struct CellsOnDevice {
    CellsOnDevice(const Device& device, const Mesh& mesh);
    std::vector<CellFunctions> functions;
    std::vector<CellBlockView> blocks;
    std::vector<Readable<Node>> nodes;
    Readable<CellFunctions> functions_there;
    Readable<CellBlockView> blocks_there;
    CellsView view() const { return {blocks_there.data(), static_cast<std::int32_t>(blocks.size())}; }
  };
  struct SearchOnDevice {
    SearchOnDevice(const Device& device, const PointLocator& locator, const Mesh& mesh);
    Readable<double> coordinates;
    Readable<CellBox> boxes;
    Readable<std::int32_t> cells;
  };
  struct Values {
    MeshField field;  // keeps its mesh
    Index revision;
    Readable<double> values;
  };
  struct Located {
    MeshField field;  // keeps its mesh
    Array<std::int32_t> cells, tables;
    Array<Point> xi;
    Index element_count;
  };
  const double* values_of(const Device& device, const MeshField& field);
  const CellsOnDevice& cells_of(const Device& device, const Mesh& mesh);
  CellSearch search_of(const Device& device, const MeshField& field);
  Located known(const QuadraturePoints& points, const MeshField& field) const;
  Located find(const QuadraturePoints& points, const MeshField& field);

  std::map<Mesh, CellsOnDevice> cells_;
  std::map<Mesh, SearchOnDevice> searches_;
  std::vector<Values> values_;
  std::map<Places, Located> places_;
};

}  // namespace ritz
