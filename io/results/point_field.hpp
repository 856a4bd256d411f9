// A field at the nodes, from the results of a run: one step of a series, or its VTU file.
//
//   const PointField warm = read_point_field("results/steady.pvd", "temperature");   // the last step
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct PointField {
  std::string file;            // VTU
  std::vector<double> points;  // [point][3]
  int components = 1;
  std::vector<double> values;  // [point][component]
};

// `path` ends in .vtu, or in .pvd: then the step at `time`, or the last one. Throws Error(Exit::input) for other files,
// for times and fields that are not there, naming those that are; and the errors of read_vtu().
PointField read_point_field(const std::string& path, const std::string& field, std::optional<double> time = {});

}  // namespace ritz
