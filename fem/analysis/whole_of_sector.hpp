// The whole body of a sector, as a mesh of turned copies, and shapes with waves on it. Nodes on the sides of two
// sectors stay apart: it is for pictures. Likewise that of a meridian, whose copies linear cells join.
//
//   const WholeOfSector whole(mesh, model.cyclic.front().rotation, sector_count(model));
//   const WholeOfSector ring = WholeOfSector::of_meridian(mesh, 48);
//   whole.shape(a, b, 3, 2, 0);      // [node of whole.mesh()][component], with two waves
#pragma once

#include "fem/physics/periodic_region.hpp"
#include "mesh/mesh.hpp"

#include <vector>

namespace ritz {

class WholeOfSector {
 public:
  WholeOfSector(const Mesh& sector, const RotationAbout& rotation, int count);
  // About the y axis: the plane x, y turns from x towards z, as the hoop direction points.
  static WholeOfSector of_meridian(const Mesh& meridian, int count);
  const Mesh& mesh() const { return mesh_; }  // sector after sector, with the nodes of the sector in each

  // Sector j moves by R^j (a cos(j waves alpha + phase) + b sin(j waves alpha + phase)), of vectors a and b at the
  // nodes of the sector, where `turn` says so; phases from 0 to 2 pi are a wave that goes around. [node][component]
  std::vector<double> shape(const std::vector<double>& a, const std::vector<double>& b, int components, int waves,
                            double phase) const;

 private:
  WholeOfSector(const RotationAbout& rotation, int count, Mesh mesh);

  RotationAbout rotation_;
  int count_;
  Mesh mesh_;
};

}  // namespace ritz
