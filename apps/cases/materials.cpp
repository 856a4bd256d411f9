#include "apps/cases/materials.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {

void check_materials(const Mesh& mesh, const std::vector<MaterialRegion>& materials, ErrorList& errors) {
  std::vector<int> owner(static_cast<std::size_t>(mesh.cell_count()), -1);
  for (std::size_t m = 0; m < materials.size(); ++m) {
    Index overlap = 0;
    int other = 0;
    for (const Index cell : materials[m].region->cells) {
      int& of_cell = owner[static_cast<std::size_t>(cell)];
      if (of_cell >= 0) {
        ++overlap;
        other = of_cell;
      }
      of_cell = static_cast<int>(m);
    }
    if (overlap > 0)
      errors.add(Error(
          Exit::model, fmt::format("{} cells have two materials", overlap),
          fmt::format("{} and {} share them", materials[static_cast<std::size_t>(other)].where, materials[m].where),
          "give each cell one material: use regions that do not overlap"));
  }
  const auto first = std::ranges::find(owner, -1);
  if (first == owner.end()) return;
  const auto missing = std::ranges::count(owner, -1);
  const Index cell = first - owner.begin();
  std::vector<std::string> names;
  for (const Region& region : mesh.regions())
    if (region.kind == RegionKind::cells && std::ranges::binary_search(region.cells, cell))
      names.push_back(region.name);
  errors.add(Error(Exit::model, fmt::format("{} of {} cells have no material", missing, mesh.cell_count()),
                   fmt::format("the first is cell {}, in the regions {}", cell, quoted_list(names)),
                   "add a [[material]] for them, or one with region = \"all\""));
}

}  // namespace ritz
