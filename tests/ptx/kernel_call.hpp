// Calls a kernel of a module as C++ calls a function: arguments are laid out as a parameter block. Kernels work on the
// memory of the host.
//   call(module, "saxpy", {4}, {256}, a, x.data(), y.data());
#pragma once

#include "tests/ptx/machine.hpp"

namespace ritz::ptx {

struct Shape {
  Size blocks, threads;
  std::size_t shared_bytes = 0;
  Watch* watch = nullptr;
  std::function<void(const std::string&)> print = {};
};

template <class... Arguments>
std::vector<char> parameter_block(const Arguments&... arguments) {
  std::vector<char> block;
  const auto add = [&](const auto& a) {
    const std::size_t at = (block.size() + alignof(decltype(a)) - 1) / alignof(decltype(a)) * alignof(decltype(a));
    block.resize(at + sizeof a);
    std::memcpy(block.data() + at, &a, sizeof a);
  };
  (add(arguments), ...);
  return block;
}

template <class... Arguments>
Counts call(Module& module, const char* name, const Shape& shape, const Arguments&... arguments) {
  const Function* const kernel = module.entry(name);
  if (kernel == nullptr) throw Unsupported(std::string("no kernel ") + name);
  const std::vector<char> block = parameter_block(arguments...);
  return run({.kernel = kernel,
              .module = &module,
              .blocks = shape.blocks,
              .threads = shape.threads,
              .parameters = block,
              .dynamic_shared_bytes = shape.shared_bytes,
              .watch = shape.watch,
              .print = shape.print});
}

}  // namespace ritz::ptx
