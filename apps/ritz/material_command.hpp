// 'ritz material': one point of a law of materials through the paths of tests, beside measured data, and parameters
// from such data.
#pragma once

#include <string>

namespace ritz {

struct MaterialCommand {
  std::string file;     // TOML: law, its parameters, [[test]]; of a fit [parameter.NAME]
  std::string curves;   // CSV to write; empty: beside the file, with -curves.csv
  std::string picture;  // PNG to write; empty: none
  bool overwrite = false;
};

// Throw Error or Errors. The report as text.
std::string test_material(const MaterialCommand& command);
std::string fit_material(const MaterialCommand& command);
std::string check_material(const MaterialCommand& command);  // Error: Exit::input where a fact does not hold

}  // namespace ritz
