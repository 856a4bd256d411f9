// The nearest point of a surface made of facets of a mesh, straight or curved. A tree of bounding boxes finds the
// facets that may be nearest, Newton's method the point on each.
//
//   NearestFacet surface(mesh, mesh.region("hub").facets);
//   const NearestFacet::Place foot = surface.to({0.1, 0, 0.2});      // foot.distance
#pragma once

#include "mesh/curved_cells.hpp"
#include "mesh/mesh.hpp"

#include <memory>
#include <span>
#include <vector>

namespace ritz {

class NearestFacet {
 public:
  // Facet -1 means the cell itself: surfaces and lines in space. There must be at least one.
  NearestFacet(const Mesh& mesh, std::span<const FacetOfCell> facets);

  struct Place {
    FacetOfCell facet;
    Point xi;         // on the reference cell of the facet's cell
    Point at;         // in space
    double distance;  // from the point [length]
  };
  std::span<const FacetOfCell> facets() const { return tree_->facets; }
  // Safe to call from several threads.
  Place to(const Point& point) const;
  // Mean length of the edges between the corners of a facet.
  double size_of(const FacetOfCell& facet) const;
  // The facets whose boxes are within `reach` [length] of the box of another facet of the mesh; ascending.
  std::vector<FacetOfCell> near(const FacetOfCell& other, double reach) const;

 private:
  struct Box {
    Point low, high;
    void add(const Point& point);
    void add(const Box& other);
    double distance(const Point& point) const;
    double distance(const Box& other) const;
  };
  struct Branch {
    Box box;
    std::size_t first, last;  // of facets_
    std::size_t children;     // the first of two; 0: none
  };
  struct Tree {
    std::vector<FacetOfCell> facets;  // in the order of the branches
    std::vector<Branch> branches = {};
    void divide(std::size_t branch, std::vector<Box>& boxes);
  };
  Box box_of(const FacetOfCell& facet) const;

  Mesh mesh_;
  std::shared_ptr<const Tree> tree_;  // copies share it
};

}  // namespace ritz
