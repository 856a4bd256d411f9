// Units of the fields of the results, for log, page and report. Ritz computes with the numbers that it is given; these
// are the units that they have by [output] units: those of SI, or of mm, N, s and t, or none where the system is not
// known.
//
//   const Units units = units_of(report);   units.of_field("stress")   // " Pa", or " MPa", or ""
#pragma once

#include "io/case/unit.hpp"
#include "io/results/report.hpp"

#include <string>
#include <string_view>

namespace ritz {

class Units {
 public:
  explicit Units(std::string program, UnitSystem system = UnitSystem::si)
      : program_(std::move(program)), system_(system) {}

  // " Pa", with the space before it; empty where the field has none, or the program does not know it: fields of a form
  // in ritz-solve mean what their author meant.
  std::string of_field(std::string_view field) const;
  // The unit of a component of section forces, "My_1" of "beam_force", as the field calls it: forces, moments, and
  // those per length of shells. Other fields have one unit.
  std::string of_component(std::string_view field, std::string_view component) const;
  // The unit of a measure (as in [[probe]]) of a field of `unit` over a region of `dimension` 1, 2 or 3; 0: nodes.
  std::string of_measure(const std::string& unit, std::string_view measure, int dimension) const;
  std::string of(std::string_view si_unit) const { return in_system(si_unit, system_); }

 private:
  std::string program_;
  UnitSystem system_;
};

// The units of a run.
Units units_of(const RunReport& report);

}  // namespace ritz
