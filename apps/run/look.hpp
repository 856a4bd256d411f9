// The choices of a picture of a result: a field as colours, on points that a displacement may move.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace ritz {

struct Look {
  std::string field;                                     // at nodes or in cells; empty: the first one
  std::string component;                                 // by name or number; empty: the magnitude of several
  std::string warp;                                      // vector field that moves the points; empty: none
  std::optional<double> factor = {};                     // of the warp; else a tenth of the size at most
  std::optional<std::pair<double, double>> limits = {};  // of the colours; else those of the values
  int width = 1200, height = 900;                        // [pixels]
};

}  // namespace ritz
