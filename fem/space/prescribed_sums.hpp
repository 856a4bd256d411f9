// Equations all of whose unknowns are prescribed: sums that must have a value, of one field or of several.
//
//   check_sums(resolved.sums, value_of, name_of, " when t = 2");
#pragma once

#include "device/function_ref.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// A sum of prescribed unknowns that equations demand to be a value.
struct PrescribedSum {
  std::vector<std::int32_t> unknown;
  std::vector<double> factor;
  double value;
  double size;         // of the numbers that were added up to the value
  std::string origin;  // of the equations
};

// Throws Error: Exit::model for the first sum that prescribed values contradict, naming its origin and an unknown.
void check_sums(std::span<const PrescribedSum> sums, FunctionRef<double(std::int32_t unknown)> value_of,
                FunctionRef<std::string(std::int32_t unknown)> name_of, const std::string& when);

}  // namespace ritz
