// The version: "0.1.0 (b08f531)", with the commit if it was built from a checkout, followed by "+" if files had been
// changed.
#pragma once

namespace ritz {

const char* ritz_version();

}  // namespace ritz
