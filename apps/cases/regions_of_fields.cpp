#include "apps/cases/regions_of_fields.hpp"

#include "apps/results/modal_results.hpp"
#include "fem/physics/body.hpp"

namespace ritz {

const Region* region_in(const Mesh& part, const Region* whole, std::initializer_list<RegionKind> kinds) {
  if (whole == nullptr) return nullptr;
  for (const RegionKind kind : kinds)
    for (const Region& region : part.regions())
      if (region.kind == kind && region.name == whole->name) return &region;
  return nullptr;
}

std::vector<RegionOfField> regions_of_fields(const Model& model, const Region* of_case) {
  if (of_case == nullptr) return {};
  if (!is_body(model)) return {{of_case}};
  std::vector<RegionOfField> result;
  const Spaces spaces = model.spaces();
  for (int field = 0; field < std::ssize(spaces); ++field)
    if (const Region* const own = region_in(spaces[static_cast<std::size_t>(field)].mesh(), of_case,
                                            {RegionKind::facets, RegionKind::nodes, RegionKind::cells}))
      result.push_back({own, field});
  return result;
}

const Mesh& named_mesh(Run& run, const Model& model) { return is_body(model) ? run.mesh(true) : model.space.mesh(); }

Index unknown_count(const Model& model) { return layout_of(model.spaces()).total(); }

bool has_rotations(const Model& model) {
  return is_body(model) ? model.others.front().components() == 6 : has_rotations(model.space);
}

}  // namespace ritz
