// The tables [[probe]] of a case, read: where a probe looks, and at which numbers of which field.
#pragma once

#include "io/case/case.hpp"
#include "mesh/search/point_location.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct Probe {
  Case::Table table;
  std::string name, field, component, values;
  std::optional<PointLocator::Place> place;  // at a point,
  const Region* region = nullptr;            // or over a region
  std::string measure;
};

// Reads all keys; errors are added to the case. A probe with a wrong place has neither a place nor a region.
std::vector<Probe> read_probes(Case& input, const Mesh& mesh);

}  // namespace ritz
