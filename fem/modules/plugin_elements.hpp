// The reference elements of the plugins that this process has loaded, by name.
//
//   SpaceOptions options{.order = 1, .elements = {element_of_plugins("bubble triangle", device)}};
#pragma once

#include "device/device.hpp"
#include "fem/cells/reference_element.hpp"

#include <string>

namespace ritz {

// By the element's own name, or that of its record. Throws Error: Exit::internal where there is none.
ReferenceElement element_of_plugins(const std::string& name, const Device& device);

}  // namespace ritz
