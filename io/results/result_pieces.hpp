// A step of results in pieces: each rank writes a file of its cells (.vtu), and the first one an index of them (.pvtu),
// as ParaView and VTK's parallel readers take them. Cells go to ranks in equal pieces along a curve; one process writes
// one piece. Fields come from the first rank, which has them.
//
//   std::vector<std::string> files = ResultPieces(ranks).write("run_000002.pvtu", mesh, nodal, cells, options);
//   if (is_piece(text)) ranks.send(0, written_piece(text));                    // another rank, of each text it
//   receives
#pragma once

#include "io/vtk/vtu_writer.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

class Ranks;  // device/ranks/ranks.hpp

class ResultPieces {
 public:
  explicit ResultPieces(Ranks* ranks) : ranks_(ranks) {}

  // All files of the step, flushed under their temporary names, the index first. Throws Error(Exit::output) where a
  // rank cannot write its piece; then no temporary file is left.
  std::vector<std::string> write(const std::string& path, const Mesh& mesh, std::span<const Field> point_fields,
                                 std::span<const Field> cell_fields, const VtuOptions& options);

 private:
  Ranks* ranks_;  // null: one process
  const Mesh* mesh_ = nullptr;
  std::vector<std::vector<Index>> cells_;  // [rank] of that mesh, ascending
};

bool is_piece(std::string_view text);
// Writes the piece of a text of the first rank, and returns the text for it.
std::string written_piece(std::string_view text);

}  // namespace ritz
