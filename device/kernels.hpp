// How host code finds its kernels. Kernel sources are compiled once per back end (x86-64-v3, x86-64-v4, CUDA) into
// loadable modules NAME.v3.so, NAME.v4.so, NAME.cuda.so (ritz_kernels() in cmake/RitzTargets.cmake); when a module is
// loaded, its tables of function pointers register themselves here. Only the modules that the device needs are loaded,
// so one installation runs with and without the CUDA libraries.
//
//   host code:       kernels<VectorKernels>(device, "ritz_solvers_kernels", "vector").dot(device, ...)
//   kernel source:   static const Registration registration("vector", &table);       // in namespace ritz::RITZ_BACKEND
#pragma once

#include "device/device.hpp"

#include <string>
#include <vector>

namespace ritz {

// The table registered under `name` by the module for this device's back end, loading it when needed. The pointer stays
// valid for the rest of the process. Throws Error: Exit::environment when the module cannot be loaded and
// Error: Exit::internal listing what is registered when the name is unknown.
const void* find_kernels(const std::string& backend, const std::string& module, const std::string& name);
bool has_kernels(const std::string& backend, const std::string& module, const std::string& name);

template <class Table>
const Table& kernels(const Device& device, const std::string& module, const std::string& name) {
  return *static_cast<const Table*>(find_kernels(device.backend(), module, name));
}

// Tries to load a module; empty on success, else the loader's reason.
std::string load_kernels(const std::string& backend, const std::string& module);

// Adds a folder to search for modules, before the folder of libritz_device (for users' own modules). The folder in the
// environment variable RITZ_MODULES comes first.
void add_kernel_folder(const std::string& folder);

// Names that a module registers for a back end, in the order of the alphabet. Throws like has_kernels.
std::vector<std::string> kernel_names(const std::string& backend, const std::string& module);

void register_kernels(const char* backend, const char* name, const void* table);

#ifdef RITZ_BACKEND
#define RITZ_TEXT_(x) #x
#define RITZ_TEXT(x) RITZ_TEXT_(x)
namespace RITZ_BACKEND {
struct Registration {
  Registration(const char* name, const void* table) { register_kernels(RITZ_TEXT(RITZ_BACKEND), name, table); }
};
}  // namespace RITZ_BACKEND
#endif

}  // namespace ritz
