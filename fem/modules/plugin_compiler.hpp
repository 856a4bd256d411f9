// The compiler of plugins: which program, with which flags, for a device; and what it said of a source that is wrong.
#pragma once

#include "device/device.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ritz {

struct PluginCompiler {
  std::vector<std::string> command;  // program and flags; the source, -o and the rest follow
  std::string version;               // output of --version: part of the key of the cache
  std::vector<std::string> libraries = {"-lritz_device", "-lritz_fem"};
  bool lists_files = true;  // what the source includes, by -MMD
  const char* of = "plugin";
};

// Throws Error: Exit::environment when there is none.
PluginCompiler plugin_compiler(const Device& device, const std::filesystem::path& headers);
// The compiler of user subroutines in Fortran: $FC, else gfortran. `includes`: the folder of ABA_PARAM.INC.
PluginCompiler fortran_compiler(const std::filesystem::path& includes);

// The folder that holds fem/add_form.hpp, next to the libraries: of an installation, wherever it was moved to, or of a
// build tree. Throws Error: Exit::environment.
std::filesystem::path header_folder();
std::filesystem::path library_folder();  // folder of this library

// The lines with errors, those in the user's file first.
std::string compile_errors(const std::string& output, const std::string& source);

}  // namespace ritz
