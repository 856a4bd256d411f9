#include "fem/modules/plugin_elements.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/launch/element_arguments.hpp"
#include "fem/modules/plugin.hpp"

#include <fmt/format.h>

namespace ritz {

ReferenceElement element_of_plugins(const std::string& name, const Device& device) {
  for (const Plugin& plugin : loaded_plugins())
    for (const std::string& kernel : kernel_names(device.backend(), plugin.module)) {
      if (!kernel.starts_with(element_record_name(""))) continue;
      const auto* record = static_cast<const ElementRecord*>(find_kernels(device.backend(), plugin.module, kernel));
      ReferenceElement element = record->make();
      if (element.name.empty()) element.name = record->name;
      if (element.name == name) return element;
    }
  throw Error(ErrorKind::internal, fmt::format("no plugin of this process has the element '{}'", name));
}

}  // namespace ritz
