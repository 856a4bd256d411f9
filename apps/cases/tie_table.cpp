#include "apps/cases/point_inputs.hpp"
#include "apps/cases/relation_input.hpp"
#include "fem/physics/tie.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

// [unknown] 1: prescribed, with or without a load case.
std::vector<std::uint8_t> held_unknowns(const RelationInput& in) {
  std::vector<std::uint8_t> held(static_cast<std::size_t>(in.space().unknown_count()), 0);
  const auto add = [&](const std::vector<PrescribedValue>& values) {
    for (const PrescribedValue& p : values)
      if (p.field == in.field())
        for (const Node node : in.space().nodes_in(*p.region))
          held[static_cast<std::size_t>(Index{node} * in.space().components() + p.component)] = 1;
  };
  add(in.model().supports);
  for (const ModelLoadCase& each : in.model().load_cases) add(each.prescribed);
  return held;
}

void add_tie_fields(const Tie& tied, RelationInput& in) {
  const auto add_to = [&](const char* name, const std::vector<double>& values) {
    auto found = std::ranges::find(in.read().model_fields, name, &Field::name);
    if (found == in.read().model_fields.end()) {
      in.read().model_fields.push_back({.name = name, .values = values});
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != 0) found->values[i] = values[i];
  };
  add_to("tie_distance", tie_distances(in.space(), tied));
  add_to("tied", tied_nodes(in.space(), tied));
}

}  // namespace

std::optional<double> read_tie_tolerance(const Case::Table& t) {
  const bool given = t.has("tolerance");
  const double value = t.number(
      "tolerance", "how far from the other side a node may lie [m]; not given: 5 % of the size of the facet there",
      given ? NumberRule{.above = 0} : NumberRule{.fallback = 0});
  return given ? std::optional(value) : std::nullopt;
}

void read_tie(const Case::Table& t, RelationInput& in) {
  const Region* region = t.region("region", "facets, nodes or cells, whose nodes follow", in.mesh(),
                                  {RegionKind::facets, RegionKind::nodes, RegionKind::cells});
  const Region* onto = in.surface(t, "onto", "facets of the other part, which they follow: the coarser or stiffer one");
  TieOptions options{.tolerance = read_tie_tolerance(t),
                     .displacements = in.kinds().displacements && !in.kinds().of_revolution,
                     .of_revolution = in.kinds().of_revolution,
                     .acting = in.acting(),
                     .origin = t.where()};
  options.leave_far_nodes = t.choice("outside", "what nodes outside of the tolerance are: an error, or free",
                                     {"error", "free"}, "error") == "free";
  options.integrated =
      t.choice("method",
               "nodes: each takes the field at its foot; surface: integrated over the facets of the region, so that "
               "constant stresses pass on",
               {"nodes", "surface"}, "nodes") == "surface";
  if (options.integrated) options.held = held_unknowns(in);
  if (in.space().components() > 1) {
    const std::vector<std::string> names =
        t.texts("components", "the components that are tied; not given: all", std::vector<std::string>{});
    for (const std::string& name : names)
      if (const int c = component_of(t, "components", name, in.space()); c >= 0) options.components.push_back(c);
  }
  if (region == nullptr || onto == nullptr) return;
  in.attempt([&] {
    Tie tied = tie(in.space(), *region, *onto, options);
    std::string line = fmt::format("tie '{}' onto '{}': {} nodes tied, at most {:.3g}{} off", region->name, onto->name,
                                   tied.tied.size(), tied.largest_gap, in.metre());
    if (options.integrated) line += fmt::format("; {} of them integrated", tied.integrated);
    if (tied.shared > 0) line += fmt::format("; {} nodes that both sides share", tied.shared);
    if (!tied.left.empty()) line += fmt::format("; {} nodes outside of the tolerance are free", tied.left.size());
    in.run().log().line("{}", line);
    if (options.integrated && tied.integrated < static_cast<Index>(tied.tied.size()))
      in.run().log().notice(fmt::format(
          "{} of {} nodes of '{}' are tied by themselves, not by the surface, as more than half of their facets lies "
          "beyond '{}'; "
          "stresses near them vary",
          static_cast<Index>(tied.tied.size()) - tied.integrated, tied.tied.size(), region->name, onto->name));
    if (!options.integrated && tied.unmatched > 0 && region->kind == RegionKind::facets && !in.mesh().structural())
      in.run().log().notice(
          fmt::format("the meshes of the tie '{}' onto '{}' do not match: no node stands at {} of {} nodes of '{}'. "
                      "Tied by nodes, a constant {} across varies near the tie, by 10 to 20 % and more; "
                      "method = \"surface\" passes it on",
                      region->name, onto->name, tied.unmatched, tied.others, onto->name,
                      in.space().components() > 1 ? "stress" : "flux"));
    if (!tied.left.empty())
      in.run().log().notice(fmt::format("{} nodes of '{}' lie more than {:.3g}{} from '{}' and are not tied",
                                        tied.left.size(), region->name, tied.tolerance, in.metre(), onto->name));
    add_tie_fields(tied, in);
    in.keep(std::move(tied.equations));
  });
}

}  // namespace ritz
