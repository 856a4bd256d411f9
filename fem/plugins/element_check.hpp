// Is a form, or a reference element, what it says it is? Each check is a fact of mathematics with a number and its
// limit: what a form claims (symmetric, linear, objective), what follows from any form (its tangent, its action without
// a matrix, its diagonal, the same on all back ends), and what an element must be (nodal, complete, continuous).
//
//   std::vector<CheckResult> results = check_form({{Device::named("cpu:v4"), form}}, record);
#pragma once

#include "fem/cells/reference_element.hpp"
#include "fem/forms/form_value.hpp"
#include "fem/forms/mixed_form_value.hpp"
#include "device/device.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct CheckResult {
  std::string check;  // "patch test"
  std::string on;     // "hex8, order 2"
  bool passed = false;
  double number = 0, limit = 0;
  bool at_least = false;  // the number must reach the limit; else it must not exceed it
  std::string note;       // meaning of the number, or why there is none
};

struct FormOnDevice {
  Device device;
  FormValue form;
};

struct FormCheckOptions {
  double amplitude = 0.1;                   // of the fields at which nonlinear forms are checked
  std::optional<ReferenceElement> element;  // the only one, instead of Lagrange's on all shapes
};

// The first device does the work; the others must agree with it. Forms on facets have fewer checks.
std::vector<CheckResult> check_form(const std::vector<FormOnDevice>& devices, const FormRecord& record,
                                    const FormCheckOptions& options = {});

struct MixedFormOnDevice {
  Device device;
  MixedFormValue form;
};

// Forms of several fields: their claims (symmetric, linear, couples), tangent, blocks, quadrature, the same on every
// numbering of the mesh and on all devices. No order of convergence: what is stable together depends on the fields.
std::vector<CheckResult> check_mixed_form(const std::vector<MixedFormOnDevice>& devices, double amplitude = 0.1);
// Does a number matter? As same_forces() of forms of one field.
bool same_forces(const MixedFormOnDevice& a, const MixedFormOnDevice& b, double amplitude = 0.1);

// Checks of the element alone: one function per node, nodal, partition of unity, gradients, complete, product,
// continuous. Takes milliseconds.
std::vector<CheckResult> check_functions(const ReferenceElement& element);
// The same, then with the diffusion form of its dimension.
std::vector<CheckResult> check_element(const ReferenceElement& element, const Device& device);

// Does a number matter? Are forces in three increments to the last bit the same by both forms, which differ in that
// number alone?
bool same_forces(const FormOnDevice& a, const FormOnDevice& b, const FormRecord& record,
                 const FormCheckOptions& options = {});
// The names of internal variables that these increments leave unchanged.
std::vector<std::string> idle_states(const FormOnDevice& form, const FormRecord& record,
                                     const FormCheckOptions& options = {});

bool all_passed(const std::vector<CheckResult>& results);

}  // namespace ritz
