// The numbers of materials for an error estimate (fem/results/error_estimate.hpp): of each material, or of each cell
// where functions of the position are among them, with their values at the cells' centres.
#pragma once

#include "device/function_ref.hpp"
#include "fem/physics/place.hpp"
#include "fem/results/error_estimate.hpp"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace ritz {

struct MaterialNumbers {
  const Region* region;  // cells
  std::vector<Coefficient> numbers;
};

// `of` makes what the model takes of the numbers of one material. Nothing is averaged between two materials, unless
// they have the same numbers.
void add_materials(const Mesh& mesh, const std::vector<MaterialNumbers>& materials,
                   FunctionRef<std::array<double, 2>(std::span<const double>)> of, ErrorModel& model);

}  // namespace ritz
