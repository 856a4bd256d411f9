// Numbers that a user wants from a run, by name: a field at a point, or over a region.
//
//   [[probe]]                          [[probe]]
//   name = "tip"                       name = "peak"
//   field = "displacement"             field = "von_mises"
//   component = "y"                    region = "fillet"
//   point = [0.5, 0.1, 0]              measure = "max"
//
// field: one at nodes, or, with values = "cells" or where nodes have none of that name, one of a value in each cell.
// component: x y z magnitude, xx yy zz xy yz xz, a number from 0, or all (the default).
// measure: min, max (over the region's nodes), mean, integral (by quadrature over its cells or facets; the mean of a
// region of nodes is the mean of their values), or reaction (sum over the nodes; of the field "reaction" by default).
// Forces at nodes, "reaction" and "reaction_moment", have that sum and no integral; other fields have no sum.
// At points, and in means and integrals, fields of a higher order than the mesh are the polynomials that they are. Of a
// field in cells: over the cells of a region of cells, the mean weighted by their sizes.
#pragma once

#include "apps/results/region_integral.hpp"
#include "apps/show/units.hpp"
#include "device/function_ref.hpp"
#include "io/case/case.hpp"
#include "io/vtk/vtu_writer.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ritz {

struct ProbeFields {
  std::span<const Field> nodal, cells = {};
  BodyMeasure measure = {};                // of means and integrals
  const LagrangeResults* finer = nullptr;  // that Field::finer_values stand on
};

// Reads every key of the probes and finds their points and regions in the mesh; errors are added to the case. With
// `fields`, the fields that the run will make (values may be missing), names are checked too. Returns whether there are
// probes.
bool check_probes(Case& input, const Mesh& mesh, const ProbeFields& fields = {});

// Name and numbers of each probe, in the order of the file: one number when a component was named or the field has
// only one. NaN where a field has no values. Throws all errors together, Exit::input, each with its place in the case
// file.
std::vector<std::pair<std::string, std::vector<double>>> evaluate_probes(Case& input, const Mesh& mesh,
                                                                         const ProbeFields& fields);

// The probes that are linear in these fields, without values: not extreme values, nor magnitudes. For each the numbers
// of `count` sets of values of the fields, `make(set, named)`: [set][number]. named: fields that probes name.
struct LinearProbe {
  std::string name, field;
  std::vector<std::vector<double>> numbers;
};
std::vector<LinearProbe> evaluate_linear_probes(Case& input, const Mesh& mesh, std::span<const Field> linear, int count,
                                                FunctionRef<ProbeFields(int, const std::set<std::string>&)> make);

// Nodes of the mesh where probes of these fields take their least or greatest value, by the names of the probes: of
// fields at nodes, over a region, each component.
std::vector<std::pair<std::string, Node>> nodes_of_extremes(Case& input, const Mesh& mesh, const ProbeFields& fields);

// Units of the probes of these fields, " Pa" with the space before it, by name; of those whose unit is known.
std::map<std::string, std::string> probe_units(Case& input, const Mesh& mesh, const ProbeFields& fields,
                                               const Units& names);

}  // namespace ritz
