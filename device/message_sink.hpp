// Takes messages for the user, a sentence each: progress, notices, fall-backs. The log in a program, empty in a
// library.
#pragma once

#include <functional>
#include <string>

namespace ritz {

using MessageSink = std::function<void(const std::string& message)>;

}  // namespace ritz
