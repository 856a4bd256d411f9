// Strains and stresses of solids as results, from what their equations derive: strain, then stress.
#pragma once

#include "apps/cases/fields_of_motion.hpp"
#include "fem/physics/elastic_body.hpp"

#include <span>
#include <vector>

namespace ritz {

// Names of the fields at nodes and in cells.
EvaluatedFields stress_names(bool with_error);
// Values of these fields from [entry][components], the first 12 of them.
void fill_stresses(std::vector<Field>& fields, std::vector<double> Field::*values, std::vector<double> derived,
                   int components = 12);

// Unknowns of the equations, the part of what acts outside of load cases, and factors of those.
struct StressState {
  const Vector& u;
  double part = 1;
  std::span<const double> factors = {};
};
// Strains and stresses, without those of thermal strain that is free. The equations are those of the field 0 of the
// model.
DerivedFields derived_stresses(Results& results, const Model& model, const Operator& equations, const StressState& s);
// Adds the stress that these integrals derive.
void add_stress(Results& results, std::vector<Integral> integrals, double time, const Operator& equations,
                const Vector& u, DerivedFields& derived);
// stress_names(), and the internal variables of the body's laws.
EvaluatedFields result_names(const ElasticBody& body, bool with_error);
// The internal variables. `derived`: what all forms have together, and all of one that is alone.
EvaluatedFields internal_variables(Run& run, const Operator& equations, const ElasticBody& body,
                                   const DerivedFields& derived, const Vector& u);
EvaluatedFields stress_fields(Results& results, const FunctionSpace& space, DerivedFields derived);

// Stresses of motions about a state: their names, and their values without those of the loads.
EvaluatedFields motion_stress_names();
FieldsOfMotion stresses_of_motion(const FunctionSpace& space, const std::vector<Integral>& equations);
std::vector<Integral> with_matrix(const std::vector<Integral>& equations);  // those that have one

}  // namespace ritz
