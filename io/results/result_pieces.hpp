// A step of results in pieces: each rank writes a file of its cells (.vtu), and the first one an index of them (.pvtu),
// as ParaView and VTK's parallel readers take them. Cells go to ranks in equal pieces along a curve; one process writes
// one piece. The first rank has the fields, and deals them out; all have the mesh.
//
//   std::vector<std::string> files = ResultPieces(ranks).write("run_000002.pvtu", mesh, nodal, cells, options);
//   ResultPieces(ranks).follow(mesh, options);                                 // the other ranks, at the same time
#pragma once

#include "io/vtk/vtu_writer.hpp"

#include <memory>
#include <span>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

class Ranks;   // device/ranks/ranks.hpp
struct Piece;  // of a step

class ResultPieces {
 public:
  explicit ResultPieces(Ranks* ranks) : ranks_(ranks) {}

  // The first rank: all files of the step, flushed under their temporary names, the index first. Throws
  // Error: Exit::output where a rank cannot write its piece; then no temporary file is left.
  std::vector<std::string> write(const std::string& path, const Mesh& mesh, std::span<const Field> point_fields,
                                 std::span<const Field> cell_fields, const VtuOptions& options);

  // The other ranks write their pieces of the step that the first one writes, or leaves. Its path, time, load case and
  // fields are those of the first rank. Throws what the first one throws.
  void follow(const Mesh& mesh, const VtuOptions& options);
  void leave();  // the first rank, in place of write(): the step is there

 private:
  Piece own_piece(const std::string& path, const Mesh& mesh, const VtuOptions& options);  // without its fields
  const std::vector<Index>& cells_of(int rank, const Mesh& mesh);

  Ranks* ranks_;                           // null: one process
  std::optional<Mesh> mesh_;               // whose cells were divided
  std::vector<std::vector<Index>> cells_;  // [rank] in that mesh, ascending; after the first rank its own alone
};

}  // namespace ritz
