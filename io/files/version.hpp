// What this is: "0.1.0 (b08f531)", with the commit where it was built from a checkout, and "+" behind it where files
// had been changed.
#pragma once

namespace ritz {

const char* ritz_version();

}  // namespace ritz
