// Numbers of a case that can hardly be meant, each with what it probably means; and the size of the part.
#pragma once

#include "io/case/case.hpp"
#include "mesh/mesh.hpp"

#include <string>
#include <vector>

namespace ritz {

// "part: 0.2 x 0.2 x 0.1 m, 0.004 m^3, 31.4 kg"; the mass where every cell has one density that is a number.
std::string size_line(const Case& input, const Mesh& mesh);

// Notices. `scale`: of [mesh]; 1 when the coordinates were taken as they are.
std::vector<std::string> doubtful_numbers(const Case& input, const Mesh& mesh, double scale);

// Notices of each [[table]], [[field]] and [[orientation]] whose name occurs nowhere else in the case.
std::vector<std::string> unused_names(const Case& input);

}  // namespace ritz
