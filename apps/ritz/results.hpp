// `ritz results verify`: is everything that was committed still there and unchanged?
#pragma once

#include "io/results/result_check.hpp"

#include <string>

namespace ritz {

std::string text_of(const ResultCheck& check);
std::string json_of(const ResultCheck& check);

}  // namespace ritz
