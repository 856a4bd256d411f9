// The plugins of the first rank on the others, which load them from the same files. On a machine of their own one of
// them compiles, and the others wait for it (fem/modules/plugin.hpp).
//
//   add_plugins(message);   ...   load_plugins_of_first(from, device);
#pragma once

#include "device/device.hpp"
#include "device/ranks/packed.hpp"

#include <string>

namespace ritz {

bool is_of_plugin(const std::string& module);  // of one that is loaded
void add_plugins(Packed& to);
// Throws what load_plugin() throws, and Error(Exit::environment) where a file makes another module here.
void load_plugins_of_first(Unpacked& from, const Device& device);

}  // namespace ritz
