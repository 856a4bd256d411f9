// `ritz picture`: a picture of results that a run has written, by the rasteriser of --picture.
#pragma once

#include "apps/run/look.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct PictureCommand {
  std::string result;  // .pvd, .vtu or .pvtu
  std::string file;    // PNG
  Look look = {};
  std::vector<int> size = {};       // [pixels] width and height; none: those of the look
  std::vector<double> limits = {};  // of the colours; none: those of the values
  std::optional<double> time = {};  // of a step in a .pvd; else the last one
  bool in_cells = false;            // the field in cells, where points have one of its name, too
  bool overwrite = false;
};

// Returns what was drawn, for people. Throws the errors of read_file_field(), and Error: Exit::input for what cannot be
// shown. Without a field it is the first one at points, or else in cells.
std::string draw(const PictureCommand& command);

}  // namespace ritz
