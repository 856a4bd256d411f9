// Another integration than the usual one in cells of a material: ElasticMaterial::reduced and
// ElasticMaterial::gradient. Private to fem/physics.
#pragma once

#include "device/error.hpp"
#include "fem/physics/elastic_material.hpp"
#include "fem/physics/model.hpp"

namespace ritz {

// Adds an error where no cell of the region takes it, and a notice to the model where some do not.
void check_integration(const ElasticMaterial& input, const Region& region, Model& model, ErrorList& errors);

// Stiffness against the motions that a uniform gradient does not see, in the hexahedra of the region: of an anisotropic
// material a part of its D1111, of others of Young's modulus. Throws Error: Exit::input for a law without the latter.
Integral hourglass_stiffness(const ElasticMaterial& input, const Region& region, const Model& model);

}  // namespace ritz
