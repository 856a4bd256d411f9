#include "apps/results/probe_table.hpp"

#include "io/results/probe_file.hpp"

#include <fmt/format.h>

#include <set>

namespace ritz {
namespace {

// The locator is made for the first probe that needs it.
class Places {
 public:
  explicit Places(const Mesh& mesh) : mesh_(mesh) {}
  PointLocator::Place at(const std::vector<double>& x) {
    if (!locator_) locator_.emplace(mesh_);
    return locator_->locate({x[0], x[1], x.size() > 2 ? x[2] : 0});
  }

 private:
  const Mesh& mesh_;
  std::optional<PointLocator> locator_;
};

void read_place(Probe& probe, const Mesh& mesh, Places& places) {
  const Case::Table& t = probe.table;
  VectorRule rule;
  rule.size = mesh.dimension() == 2 ? 0 : 3;
  const std::vector<double> x =
      t.vector("point", "point of the mesh [length of the mesh, scaled]; in two dimensions z may be omitted", rule);
  if (x.size() < 2 || x.size() > 3)
    return t.error(ErrorKind::probe, "point", fmt::format("the point has {} coordinates", x.size()), {},
                   "give two or three");
  try {
    probe.place = places.at(x);
  } catch (const Error& error) { t.error("point", error); }
}

void read_region(Probe& probe, const Mesh& mesh) {
  const Case::Table& t = probe.table;
  probe.measure =
      t.choice("measure", "measure of the field over the region", {"min", "max", "mean", "integral", "reaction"});
  const char* about = "region to look at; integrals need cells or facets";
  probe.region = probe.measure == "integral"
                     ? t.region("region", about, mesh, {RegionKind::cells, RegionKind::facets})
                     : t.region("region", about, mesh, {RegionKind::cells, RegionKind::facets, RegionKind::nodes});
  if (probe.region != nullptr && probe.region->size() == 0) {
    t.error(ErrorKind::region_empty, "region", fmt::format("the region '{}' is empty", probe.region->name), {},
            "name another region");
    probe.region = nullptr;
  }
}

Probe read_probe(const Case::Table& t, const Mesh& mesh, Places& places) {
  Probe probe{.table = t,
              .name = t.text("name", "name of the number in the log and in the JSON report"),
              .field = {},
              .component = {},
              .place = {},
              .measure = {}};
  if (t.has("point") && t.has("region")) {
    t.error(ErrorKind::probe, "region", "a probe has a point and a region", "a probe looks at one of them",
            "make two probes of it");
    t.excuse();
  } else if (t.has("region")) {
    read_region(probe, mesh);
  } else {
    read_place(probe, mesh, places);
  }
  TextRule field_rule;
  if (probe.measure == "reaction") field_rule.fallback = "reaction";
  probe.field = t.text("field", "name of the field in the result file", field_rule);
  probe.values = t.choice(
      "values", "values at nodes or in cells, if the results have both; auto takes those of cells if nodes have none",
      {"auto", "nodes", "cells"}, "auto");
  probe.component =
      t.expression("component", "x y z magnitude, xx yy zz xy yz xz, a number from 0, or all", {.fallback = "all"});
  return probe;
}

// Tables name the numbers of a probe with several "name.0", "name.1" ...
void check_column(const Probe& probe, const std::set<std::string>& names) {
  const std::size_t dot = probe.name.rfind('.');
  if (dot == std::string::npos || dot + 1 == probe.name.size()) return;
  if (probe.name.find_first_not_of("0123456789", dot + 1) != std::string::npos) return;
  const std::string whole = probe.name.substr(0, dot);
  if (names.contains(whole))
    probe.table.error(ErrorKind::probe, "name", fmt::format("a probe is called '{}' beside '{}'", probe.name, whole),
                      "columns of tables are named so where a probe has several numbers", "give it another name");
}

}  // namespace

std::vector<Probe> read_probes(Case& input, const Mesh& mesh) {
  Places places(mesh);
  std::vector<Probe> probes;
  std::set<std::string> names;
  for (const Case::Table& t : input.tables("probe", "numbers to take from the results")) {
    probes.push_back(read_probe(t, mesh, places));
    const std::string& name = probes.back().name;
    if (is_column_of_tables(name))
      t.error(ErrorKind::probe, "name", fmt::format("a probe cannot be called '{}'", name),
              "tables of probes and of sweeps have a column of that name", "give it another name");
    if (!name.empty() && !names.insert(name).second)
      t.error(ErrorKind::probe, "name", fmt::format("a second probe is called '{}'", name), "results are found by name",
              "give each probe a different name");
  }
  for (const Probe& probe : probes) check_column(probe, names);
  return probes;
}

}  // namespace ritz
