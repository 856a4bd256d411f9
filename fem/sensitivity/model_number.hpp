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
  // The same forms at the same places, with other numbers. Throws Error: Exit::input or Error: Exit::model for values
  // that are not allowed.
  std::function<Model(double)> at;
};

// One of the three.
struct DifferentiatedNumber {
  std::string name;
  MeshField* array = nullptr;
  const ModelNumber* number = nullptr;
  bool positions = false;  // of the nodes of the mesh, [mesh node][3]

  std::size_t size(const Mesh& mesh) const {
    if (positions) return 3 * static_cast<std::size_t>(mesh.node_count());
    return array != nullptr ? array->values().size() : static_cast<std::size_t>(mesh.cell_count());
  }
};

// A model without known derivatives, such as one with internal variables in time: why, and what to take.
struct NotDifferentiable {
  std::string of, why, fix;
};

}  // namespace ritz
