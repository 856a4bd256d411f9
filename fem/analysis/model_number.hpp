// A number on which a model depends that is no function of the position, such as a constant along material axes: the
// model is made again with another value. Derivatives by it are those by the number of each cell alone.
//
//   ModelNumber shear{"G12", 4e9, 4e9, [&](double value) { ... return body.model(device); }};
#pragma once

#include "fem/physics/mesh_field.hpp"
#include "fem/physics/model.hpp"

#include <functional>
#include <string>

namespace ritz {

struct ModelNumber {
  std::string name;
  double value;
  double scale;  // of its steps where it is 0
  // The same forms at the same places, with other numbers. Throws Error(Exit::input) or Error(Exit::model) for values
  // that are not allowed.
  std::function<Model(double)> at;
};

// One of the two.
struct DifferentiatedNumber {
  std::string name;
  MeshField* array = nullptr;
  const ModelNumber* number = nullptr;

  std::size_t size(const Mesh& mesh) const {
    return array != nullptr ? array->values().size() : static_cast<std::size_t>(mesh.cell_count());
  }
};

}  // namespace ritz
