// The model of a body of revolution (ElasticBody::waves) with another number of waves around. Private to fem/analysis:
// with_waves() takes it.
#pragma once

#include "fem/physics/model.hpp"

namespace ritz {

// Throws Error: Exit::model for equations that do not know waves.
Model revolution_with_waves(Model body, int waves);
// The body under its loads, with those relations of the other one that are between the components r and y.
Model model_without_waves(const Model& body);

}  // namespace ritz
