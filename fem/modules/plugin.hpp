// A source file of the user's as a kernel module: compiled with the headers of this Ritz for the device in use, kept in
// a cache, and loaded. A source that is known, with unchanged headers and compiler, is not compiled again; of several
// processes that share a cache one compiles it, and the others wait.
//
//   Plugin mine = load_plugin("my_form.cpp", device);
//   FormValue form = FormCatalogue(device, {mine}).find("my_form")...
#pragma once

#include "device/device.hpp"
#include "device/message_sink.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ritz {

struct Plugin {
  std::string source;     // as named by the user
  std::string module;     // its name for find_kernels
  bool compiled = false;  // now; false: it was in the cache, or made ahead of time
};

// `file`: a C++ source, or a module that ritz_add_plugin() made, named without its ending (build/lib/my_forms).
// The compiler of the CPU is $CXX, else g++ or c++; of GPUs $CUDACXX, else nvcc. The cache is $XDG_CACHE_HOME/ritz,
// else
// ~/.cache/ritz, else a folder of the user's in $TMPDIR. say(text) is called before a compilation.
// Throws Error: Exit::input when there is no such file, it does not compile (naming file and line), cannot be loaded or
// registers nothing; Exit::environment when there is no compiler or no header; Exit::output when no cache can be
// written.
Plugin load_plugin(const std::string& file, const Device& device, const MessageSink& say = {});

// Those that this process has loaded, their sources named from the root on.
const std::vector<Plugin>& loaded_plugins();

// From here on load_plugin() throws Error: Exit::input: --untrusted runs no code of a stranger.
void forbid_plugins();
void require_plugins(const std::string& file);  // throws it, then

}  // namespace ritz
