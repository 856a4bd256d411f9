// SI units of the fields of the results, for log and report. Ritz computes with the numbers that it is given; these are
// the units that they have when the case is in SI.
#pragma once

#include <string>
#include <string_view>

namespace ritz {

// " Pa", with the space before it; empty where the field has none, or the program does not know it: fields of a form
// in ritz-solve mean what their author meant.
std::string unit_of_field(std::string_view program, std::string_view field);

// The unit of a component of section forces, "My_1" of "beam_force", as the field calls it: forces, moments, and those
// per length of shells. Other fields have one unit.
std::string unit_of_component(std::string_view program, std::string_view field, std::string_view component);

// The unit of a measure (as in [[probe]]) of a field of `unit` over a region of `dimension` 1, 2 or 3; 0: nodes.
std::string unit_of_measure(const std::string& unit, std::string_view measure, int dimension);

}  // namespace ritz
