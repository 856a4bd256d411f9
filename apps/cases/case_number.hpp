// A number of the case that may be no formula, such as a constant along material axes or a parameter of a form, as a
// variable of the model: the case is read again with another value.
#pragma once

#include "apps/cases/case_model.hpp"
#include "fem/sensitivity/model_number.hpp"

#include <optional>
#include <string>

namespace ritz {

// The number at this key; components of lists after a dot, material.0.conductivity_along.1. nullopt: the case has
// none there, or more than integrals over cells and facets depend on it.
std::optional<ModelNumber> number_of_case(Run& run, const CaseModel& read, const std::string& key);

// A case in which positions of nodes change more than integrals, why, and what to do; nullopt: they do not.
// `begins_as_given`: an evolution begins with values of the caller.
std::optional<NotDifferentiable> not_differentiable_by_positions(Run& run, const CaseModel& read,
                                                                 bool begins_as_given = false);

}  // namespace ritz
