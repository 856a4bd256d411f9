// Numbers and formulas of the case file as forms: constant ones where they are numbers, since those are faster.
#pragma once

#include "apps/cases/model.hpp"
#include "fem/forms/loads.hpp"
#include "fem/forms/varying.hpp"
#include "fem/physics/coefficient.hpp"
#include "io/case/formula.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace ritz {

inline Coefficient coefficient(const Formula& formula) {
  return formula.is_number() ? Coefficient(formula.number()) : Coefficient(PointFunction(formula));
}

inline bool all_numbers(std::span<const Formula> formulas) {
  return std::ranges::all_of(formulas, &Formula::is_number);
}

// Values at the centres of the region's cells or facets, or at its nodes. Throws Error where there is none.
std::vector<double> at_centres(const Formula& formula, const Mesh& mesh, const Region& region);

// Evaluates there, so that --check sees points where a formula or a table has no value; errors are added to the case.
void check_formulas(Case& input, const Mesh& mesh, const Region& region, std::span<const Formula> formulas);

// factor * value, a density of force or heat per volume (codimension 0) or per area (1).
template <int C, int G, int Codimension>
FormValue load_form(const std::vector<Formula>& value, double weight, bool axisymmetric, double factor = 1) {
  if constexpr (C == 1 || C == G) {
    if (all_numbers(value)) {
      Load<C, G, Codimension> load{};
      for (std::size_t c = 0; c < C; ++c) load.density[c] = factor * value[c].number();
      load.weight = weight;
      load.axisymmetric = axisymmetric;
      return load;
    }
  }
  return {GivenLoad<C, G, Codimension>{factor * weight, axisymmetric},
          std::vector<PointFunction>(value.begin(), value.end())};
}

// [[...]] region, value: loads on a region of a kind.
template <int C, int G, int Codimension>
void add_load(Case& input, const Case::Table& t, const Mesh& mesh, const PlaneModel& plane, const char* about_value,
              std::vector<Integral>& integrals) {
  const Region* region = Codimension == 0 ? t.region("region", "cells", mesh, {RegionKind::cells})
                                          : t.region("region", "facets", mesh, {RegionKind::facets});
  const std::vector<Formula> value =
      C == 1 ? std::vector{t.formula("value", about_value)} : t.formulas("value", about_value, C);
  if (region == nullptr || (Codimension == 1 && !has_area(t, mesh, *region, plane))) return;
  check_formulas(input, mesh, *region, value);
  integrals.push_back(Integral::over(load_form<C, G, Codimension>(value, plane.weight, plane.axisymmetric), *region));
}

}  // namespace ritz
