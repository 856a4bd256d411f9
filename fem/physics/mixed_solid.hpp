// A solid that keeps its volume, or nearly so, by its displacement and its pressure: a softer material, whose bulk
// modulus is of the size of its shear modulus, for the displacement alone, and what it lacks as a form of both fields
// (fem/forms/volume_pressure.hpp). It holds for laws whose energy of volume is K/2 times a square, as of J - 1 or ln J.
//
//   const MixedSolid solid = mixed_solid(device, material, setting);   // throws where the law has no such energy
//   model.equations.push_back(law_integral(solid.softer, ...));
//   model.of_fields.equations.push_back(volume_integral(solid, free_strain, setting, region));
#pragma once

#include "fem/forms/volume_pressure.hpp"
#include "fem/operator/mixed_integral.hpp"
#include "fem/physics/elastic_material.hpp"

namespace ritz {

struct MixedSolid {
  ElasticMaterial softer;   // of the displacement alone
  VolumeChange change;      // the measure of the law
  Coefficient shear;        // modulus at rest [Pa]
  Coefficient compliance;   // of the bulk modulus that it lacks [1/Pa]
  Coefficient whole_share;  // the whole pressure over that of the field
};

// Throws Error: Exit::model for materials without such an energy, and in plane stress.
MixedSolid mixed_solid(const Device& device, const ElasticMaterial& material, const ElasticSetting& setting);
MixedIntegral volume_integral(const MixedSolid& solid, const Coefficient& free_strain, const ElasticSetting& setting,
                              const Region& region);
// For a pressure, field 1, of the order of the displacement.
Integral pressure_smoothing(const MixedSolid& solid, const Mesh& mesh, const ElasticSetting& setting,
                            const Region& region);
// The stress of the pressure field, for results: it derives a strain of zero, and this stress.
Integral stress_of_pressure(const MixedSolid& solid, const Coefficient& pressure, const ElasticSetting& setting,
                            const Region& region);

// Names of laws with a mixed formulation, for messages.
std::string laws_of_mixed_solids();

}  // namespace ritz
