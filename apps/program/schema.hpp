// --schema: what the case files of a program may hold, as JSON Schema, whatever the mesh.
#pragma once

#include "apps/cases/run.hpp"
#include "device/function_ref.hpp"

#include <functional>
#include <string>

namespace ritz {

// Lets the app read imagined cases, on small meshes of two and three dimensions or, if it needs one, of lines and
// surfaces in space. Nothing is solved, nothing written.
std::string schema_of_app(const AppInfo& info, FunctionRef<void(Run&)> app);

}  // namespace ritz
