// The law of a [[material]] by its name, with the parameters that it declares (fem/materials): a new law needs nothing
// here.
#pragma once

#include "device/device.hpp"
#include "fem/physics/elastic_material.hpp"
#include "io/case/case.hpp"
#include "io/case/material_library.hpp"
#include "io/results/log.hpp"

#include <vector>

namespace ritz {

// `law`, its parameters and its table of hardening. Errors are added to the case, and then it is a harmless one.
// varying: takes the parameters that are formulas or tables over T; nullptr: all are numbers.
MaterialLaw read_law(const Device& device, Log& log, const Case::Table& material,
                     const LibraryMaterial* known = nullptr, std::vector<LawNumber>* varying = nullptr);

}  // namespace ritz
