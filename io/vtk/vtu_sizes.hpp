// Sizes of the arrays of a .vtu against the counts that its pieces announce. VTK reads as many numbers as the counts
// say and passes over the rest, so that a wrong count or type would lose cells, or change regions, in silence.
#pragma once

#include <string>
#include <string_view>

namespace ritz {

// Throws Error: Exit::mesh, naming the array, where an array has another size than its piece announces. What is not
// XML of VTK, or has no size that can be seen, is left to VTK.
void check_array_sizes(std::string_view bytes, const std::string& path);

}  // namespace ritz
