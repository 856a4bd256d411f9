// Measurements that are made once on a machine and kept for later runs, in XDG_CACHE_HOME/ritz (else ~/.cache/ritz): a
// file for each key, which names all that the numbers depend on. A cache that cannot be read or written is ignored.
//
//   keep("copy-rate", key, "2.1e10");   std::optional<std::string> rate = kept("copy-rate", key);
#pragma once

#include <optional>
#include <string>

namespace ritz {

std::optional<std::string> kept(const std::string& what, const std::string& key);
void keep(const std::string& what, const std::string& key, const std::string& text);

}  // namespace ritz
