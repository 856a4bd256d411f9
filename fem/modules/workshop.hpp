// Makes modules of the sources of users: compiled once for a device, kept in a cache, and found there again while the
// source, what it includes and the compiler stay the same. Of several processes that share a cache one compiles, and
// the others wait.
//
//   const Workshop workshop("my_form.cpp", device, plugin_compiler(device, header_folder()));
//   const auto [module, compiled] = workshop.module(say);         // a file module.BACKEND.so in workshop.cache()
#pragma once

#include "fem/modules/plugin_compiler.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace ritz {

// $XDG_CACHE_HOME/ritz, else ~/.cache/ritz, else a folder of the user's in $TMPDIR. Throws Error: Exit::output.
std::filesystem::path module_cache();

class Workshop {
 public:
  Workshop(const std::string& source, const Device& device, PluginCompiler compiler);

  struct Made {
    std::string module;
    bool compiled;  // now
  };
  // Throws what load_plugin() does.
  Made module(const std::function<void(const std::string&)>& say) const;

  const std::filesystem::path& cache() const { return cache_; }
  std::filesystem::path file_of(const std::string& module) const;

 private:
  std::optional<std::string> known_module() const;
  std::string compile() const;
  std::string module_of(const std::string& manifest) const;

  std::filesystem::path source_;
  std::string backend_;
  std::filesystem::path cache_;
  PluginCompiler compiler_;
  std::uint64_t key_;
  std::string stem_;
  std::filesystem::path manifest_;
};

}  // namespace ritz
