// The launch that this thread began last: what an error is near that a GPU reports some time after its cause.
#pragma once

namespace ritz {

const char* last_launch() noexcept;  // "": none yet

}  // namespace ritz
