#include "device/wait_watch.hpp"

#include <utility>

namespace ritz {
namespace {

thread_local const WaitWatch* watch_of_this_thread = nullptr;

}  // namespace

const WaitWatch* watch_waits(const WaitWatch* watch) { return std::exchange(watch_of_this_thread, watch); }
const WaitWatch* wait_watch() { return watch_of_this_thread; }

}  // namespace ritz
