// The bytes that the kernels of a machine have counted (Profile::count), for the table of its launches.
#pragma once

#include "device/machine.hpp"

namespace ritz {

// The place in which the profile of the machine counts; nullptr: it has none. Valid as long as the profile is.
const Index* counted_bytes(const Machine& machine);

}  // namespace ritz
