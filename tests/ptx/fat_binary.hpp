// PTX in the binaries that nvcc writes: fat binaries hold one text or machine code for each architecture and source.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ritz::ptx {

struct PtxText {
  std::string name, text;
  unsigned architecture = 0;  // 90
};

// Texts of one fat binary, as the host code of a module registers it; compressed ones are unpacked. Throws
// std::runtime_error when it cannot be read.
std::vector<PtxText> ptx_of_fat_binary(const void* fat_binary);

// Texts of all fat binaries in a file, or the file itself when it is PTX.
std::vector<PtxText> ptx_of_file(const std::string& path);

}  // namespace ritz::ptx
