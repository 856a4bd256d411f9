// Regions of a case's mesh in the spaces of its model: in the only one, or of a body in those of its solids and of its
// sections, whose meshes are parts of the case's.
//
//   for (const RegionOfField& each : regions_of_fields(read.model, region)) space(each.field).nodes_in(*each.region);
#pragma once

#include "apps/cases/run.hpp"
#include "fem/physics/model.hpp"

#include <vector>

namespace ritz {

struct RegionOfField {
  const Region* region;
  int field = 0;
};

// Empty for null. Kinds other than that of the region count in parts: a face may be cells of the mesh.
std::vector<RegionOfField> regions_of_fields(const Model& model, const Region* of_case);
// The region of a part with the name of one of the whole mesh; null: the part has none of these kinds.
const Region* region_in(const Mesh& part, const Region* whole, std::initializer_list<RegionKind> kinds);
// The mesh whose regions the case names.
const Mesh& named_mesh(Run& run, const Model& model);
Index unknown_count(const Model& model);  // of all fields
bool has_rotations(const Model& model);   // beams or shells

}  // namespace ritz
