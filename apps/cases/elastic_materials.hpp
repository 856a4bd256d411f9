// Materials of elastic bodies in a case: [[material]], [[orientation]] and [thermal].
#pragma once

#include "apps/cases/run.hpp"
#include "fem/physics/elastic_body.hpp"

namespace ritz {

// A density must be given where it is needed.
void read_elastic_materials(Run& run, const Mesh& mesh, const char* about_density, bool needs_density,
                            ElasticBody& body);

// An error where a law depends on the temperature in a later step: along its path it would meet the temperature of the
// end from the begin on.
void refuse_warming_laws(Run& run, const ElasticBody& body);
// [thermal] of the case, or of a load case: the temperature of the body, if there is one.
void read_thermal(Run& run, const Case::Table& from, ElasticLoads& loads);

}  // namespace ritz
