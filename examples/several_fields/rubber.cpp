// The plugin of rubber.toml.
#include "rubber.hpp"

#include "fem/add_form.hpp"

namespace {
const ritz::AddForm<Rubber> rubber;
}
