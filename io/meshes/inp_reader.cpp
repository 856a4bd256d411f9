#include "io/meshes/inp_reader.hpp"

#include "io/meshes/inp_deck.hpp"

#include <fmt/format.h>

namespace ritz {

MeshData read_inp(const std::string& path, std::vector<std::string>* notices, bool structural) {
  std::vector<std::string> own_notices;
  std::vector<std::string>& said = notices != nullptr ? *notices : own_notices;
  InpDeck deck = read_deck(path, said);
  for (const auto& [type, count] : deck.left_out)
    said.push_back(fmt::format("{} elements of type {} in '{}' are not cells and were omitted", count, type, path));
  if (!deck.passed_over.empty())
    said.push_back(
        fmt::format("only the mesh of '{}' is read: materials, supports and loads are those of the case; ignored: *{}",
                    path, fmt::join(deck.passed_over, ", *")));
  RawMesh raw = raw_mesh_of(std::move(deck), path, said);
  raw.structural = structural;
  return mesh_of(std::move(raw), said);
}

}  // namespace ritz
