// Facts about keywords of decks: why a case lacks them, and which loads OP=NEW removes together.
#pragma once

#include <string>

namespace ritz {

const char* reason_without(const std::string& keyword);

// "DLOAD" of *DSLOAD.
std::string family_of(const std::string& keyword);

}  // namespace ritz
