// [output] measures: stress and strain of finite deformations by their names, as fields next to Cauchy's stress and the
// strain of the law.
#pragma once

#include "apps/cases/run.hpp"
#include "apps/results/derived_fields.hpp"
#include "fem/results/deformation_measures.hpp"

#include <vector>

namespace ritz {

using DeformationMeasures = std::vector<const DeformationMeasure*>;

// The key, where displacements are large; there and elsewhere it adds an error to the case for what has no place.
DeformationMeasures read_measures(Run& run, bool large_displacements);

EvaluatedFields names_of(const DeformationMeasures& measures);
// By the deformation gradient at u and `derived`: strain and Cauchy's stress, which begin each of its rows. Zero where
// no cell is around, or where the mean gradient has no positive determinant.
EvaluatedFields deformation_fields(Results& results, const Operator& equations, const Vector& u,
                                   const DeformationMeasures& measures, const DerivedFields& derived);

}  // namespace ritz
