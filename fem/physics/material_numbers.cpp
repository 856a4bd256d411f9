#include "fem/physics/material_numbers.hpp"

#include <algorithm>

namespace ritz {
namespace {

bool same_constants(const MaterialNumbers& a, const MaterialNumbers& b) {
  return std::ranges::equal(a.numbers, b.numbers, [](const Coefficient& x, const Coefficient& y) {
    return x.is_number() && y.is_number() && x.number() == y.number();
  });
}

// [cell] the first material with the same numbers; empty where all are the same.
std::vector<std::int32_t> material_of_cells(const Mesh& mesh, const std::vector<MaterialNumbers>& materials) {
  std::vector<std::int32_t> like(materials.size());
  for (std::size_t i = 0; i < materials.size(); ++i)
    for (std::size_t k = i + 1; k-- > 0;)
      if (k == i || same_constants(materials[i], materials[k])) like[i] = static_cast<std::int32_t>(k);
  if (std::ranges::all_of(like, [](std::int32_t first) { return first == 0; })) return {};
  std::vector<std::int32_t> result(static_cast<std::size_t>(mesh.cell_count()), 0);
  for (std::size_t i = 0; i < materials.size(); ++i)
    for (const Index cell : materials[i].region->cells) result[static_cast<std::size_t>(cell)] = like[i];
  return result;
}

}  // namespace

void add_materials(const Mesh& mesh, const std::vector<MaterialNumbers>& materials,
                   FunctionRef<std::array<double, 2>(std::span<const double>)> of, ErrorModel& model) {
  model.material = material_of_cells(mesh, materials);
  model.by_cell = !std::ranges::all_of(materials, [](const MaterialNumbers& m) { return all_numbers(m.numbers); });
  if (model.by_cell) model.numbers.resize(static_cast<std::size_t>(mesh.cell_count()));
  for (const MaterialNumbers& m : materials) {
    std::vector<double> values;
    if (!model.by_cell) {
      for (const Coefficient& each : m.numbers) values.push_back(each.number());
      model.numbers.push_back(of(values));
      continue;
    }
    std::vector<std::vector<double>> all;
    for (const Coefficient& each : m.numbers) all.push_back(values_at_centres(each, mesh, *m.region));
    values.resize(all.size());
    for (std::size_t c = 0; c < m.region->cells.size(); ++c) {
      for (std::size_t i = 0; i < all.size(); ++i) values[i] = all[i][c];
      model.numbers[static_cast<std::size_t>(m.region->cells[c])] = of(values);
    }
  }
}

}  // namespace ritz
