// Kernels of one module in several files: NAME.v4.so and, beside it, NAME.FAMILY.v4.so for each family that was built
// (ritz_kernel_family() in CMake). They are loaded together, and act as one module. A build may leave families out;
// kernels of these are reported with the target that builds them.
#pragma once

#include <string>
#include <vector>

namespace ritz {

// Called by the module NAME as it is loaded.
void register_kernel_families(const std::vector<std::string>& families);

// Families of a module that are not beside it. Throws like has_kernels.
std::vector<std::string> missing_kernel_families(const std::string& backend, const std::string& module);

// "'ritz_fem_kernels' was built without the families 'mixed', 'plane' of its kernels" and what builds them; both empty
// if none is missing.
struct MissingFamilies {
  std::string reason, remedy;
};
MissingFamilies explain_missing_families(const std::string& backend, const std::string& module);

}  // namespace ritz
