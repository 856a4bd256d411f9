// Keys of well-known physics that the program at hand does not read: which program, table or page has it, or that it is
// not in Ritz yet.
//
//   known_physics("thermal_expansion")->answer   // "thermal expansion is not in ritz-elasticity yet: ..."
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

struct KnownPhysics {
  std::string word;    // of the key, by which it was recognised: "expansion"
  std::string answer;  // a sentence
};
// nullopt: the key means nothing that is known here, or one of the `valid` keys has the same word.
std::optional<KnownPhysics> known_physics(std::string_view key, const std::vector<std::string>& valid);

}  // namespace ritz
