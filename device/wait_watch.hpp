// A function that this thread calls now and then while it waits for its device: where work of the device waits for
// another rank, it looks whether that rank failed, and throws.
//
//   const WaitWatch watch = [&] { ranks.look_for_failures(); };
//   watch_waits(&watch);      // null: nothing, and the thread waits by the driver's own means
#pragma once

#include <functional>

namespace ritz {

using WaitWatch = std::function<void()>;

const WaitWatch* watch_waits(const WaitWatch* watch);  // of this thread; returns the one before
const WaitWatch* wait_watch();

}  // namespace ritz
