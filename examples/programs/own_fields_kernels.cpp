// Kernels of the form, by ritz_kernels() in CMakeLists.txt; also a plugin, of which
// `ritz element check incompressible --plugin own_fields_kernels.cpp` says whether the form keeps what it claims.
#include "own_fields.hpp"

#include "fem/add_form.hpp"

namespace {
const ritz::AddForm<Incompressible> incompressible;
}
