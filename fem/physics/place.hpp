// The place where a number of a model holds: a region of the mesh by itself or by its name, and the checks that all
// physics share. Errors name the origin of an input where it has one: "[[flux]] #1 at case.toml:12".
#pragma once

#include "device/error.hpp"
#include "fem/forms/parameter.hpp"
#include "fem/physics/coefficient.hpp"
#include "fem/results/region_points.hpp"
#include "mesh/mesh.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace ritz {

// A region, or its name in the mesh that the model is made on. A region must live as long as the input that names it.
// A null pointer is a place that was not found, where its error has been said: what stands there is left out.
class On {
 public:
  On(const Region& region) : region_(&region) {}                              // NOLINT: a region is a place
  On(const Region* region) : region_(region), missing_(region == nullptr) {}  // NOLINT: or none, said before
  On(const char* name) : name_(name) {}                                       // NOLINT: so is its name
  On(std::string name) : name_(std::move(name)) {}                            // NOLINT: likewise
  bool is_missing() const { return missing_; }
  const Region& in(const Mesh& mesh) const { return region_ != nullptr ? *region_ : mesh.region(name_); }

 private:
  const Region* region_ = nullptr;
  std::string name_;
  bool missing_ = false;
};

// ", [[flux]] #1 at case.toml:12"; nothing without an origin.
std::string at_origin(const std::string& origin);

// The region, where it is of one of these kinds; else an error (Exit::input) and nullptr. Unknown names are errors,
// too.
const Region* find_region(const On& place, const Mesh& mesh, std::initializer_list<RegionKind> kinds,
                          const std::string& origin, ErrorList& errors);

// The number, or the function's values at the centres of the region's cells or facets, or at its nodes: are they within
// these bounds? Errors are of Exit::model, or those of the function.
void check_values(const Coefficient& value, const ParameterFacts& facts, const Mesh& mesh, const Region& region,
                  const std::string& origin, ErrorList& errors);

// [cell, facet or node of the region] values at their centres. Throws the errors of the function.
std::vector<double> values_at_centres(const Coefficient& value, const Mesh& mesh, const Region& region);

// The largest value there; 0 where the function has none.
double largest(const Coefficient& value, const Mesh& mesh, const Region& region);

struct MaterialRegion {
  const Region* region;  // cells
  std::string where;     // "[[material]] #1 at case.toml:5"
};
// Errors (Exit::model) for cells without a material and for cells with two.
void check_materials(const Mesh& mesh, const std::vector<MaterialRegion>& materials, ErrorList& errors);

// How far from x = 0 a node may be, by rounding, to lie on the axis of a body of revolution.
double axis_tolerance(const Mesh& mesh);
// Has the region an area or a volume? In a body of revolution its axis has none, so that what acts on facets there is
// nothing: an error (Exit::model), and false.
bool has_size(const Mesh& mesh, const Region& region, const BodyMeasure& measure, const std::string& origin,
              ErrorList& errors);
// Facets of the region that lie between two cells: their normal is that of the lower cell, which nobody named.
Index inner_facets(const Mesh& mesh, const Region& region);

}  // namespace ritz
