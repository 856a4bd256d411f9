#include "apps/cases/formulas.hpp"
#include "apps/cases/point_inputs.hpp"
#include "apps/cases/relations.hpp"

#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

// Supports along other directions than those of the axes, of one table.
class ObliqueReader {
 public:
  ObliqueReader(const Case::Table& t, const Region* region, const Mesh& mesh, bool at_rest,
                std::vector<ObliqueSupport>* supports)
      : t_(t), region_(region), mesh_(mesh), at_rest_(at_rest), supports_(supports) {}

  void read_normal() {
    if (!t_.has("normal")) return;
    add({.kind = Kind::normal,
         .region = region_,
         .value = value_of(t_, "normal", "displacement along the outward normal of the facets [m]"),
         .origin = t_.where()});
    if (region_ != nullptr && region_->kind != RegionKind::facets)
      t_.error(ErrorKind::region_definition, "region", fmt::format("'{}' is a region of nodes or cells", region_->name),
               "a normal is that of facets", "name a region of facets, or give a direction");
  }

  void read_direction() {
    const std::optional<Point> direction = optional_point(
        t_, "direction", "a direction of any length, along which 'value' is prescribed", mesh_.dimension());
    if (!direction) return;
    add({.kind = Kind::direction,
         .region = region_,
         .value = value_of(t_, "value", "displacement along 'direction' [m]"),
         .direction = *direction,
         .origin = t_.where()});
  }

  void read_cylindrical() {
    const Case::Table round = t_.table("cylindrical", "displacements about an axis: radial, tangential, axial");
    if (!round.present()) return;
    const CylindricalAxes axes = read_axes(round, mesh_.dimension());
    using enum CylindricalComponent;
    for (const auto& [key, component] : {std::pair{"radial", radial}, {"tangential", tangential}, {"axial", axial}}) {
      if ((mesh_.dimension() < 3 && component == axial) || !round.has(key)) continue;
      add({.kind = Kind::cylindrical,
           .region = region_,
           .value = value_of(round, key, "this component [m]; not given: free"),
           .axes = axes,
           .component = component,
           .origin = t_.where()});
    }
  }

  bool any() const { return any_; }

 private:
  using Kind = ObliqueSupport::Kind;

  Coefficient value_of(const Case::Table& from, const char* key, const char* about) const {
    const Formula value = from.formula(key, about, {.fallback = 0});
    if (value.depends_on_time())
      from.error(ErrorKind::wrong_value, key, fmt::format("'{}' depends on t", value.text()),
                 "relations between unknowns do not vary in time", "prescribe x, y and z");
    if (at_rest_ && (!value.is_number() || value.number() != 0))
      from.error(ErrorKind::modal_options, key, fmt::format("the support moves by {}", value.text()),
                 "modes vibrate about the state of rest: their supports do not move",
                 fmt::format("write {} = 0, or omit it", key));
    return coefficient(value);
  }

  void add(ObliqueSupport support) {
    any_ = true;
    supports_->push_back(std::move(support));
  }

  const Case::Table& t_;
  const Region* region_;
  const Mesh& mesh_;
  bool at_rest_, any_ = false;
  std::vector<ObliqueSupport>* supports_;
};

// A load case gives other values to x, y and z alone.
bool require_no_oblique_supports(const Case::Table& t) {
  bool any = false;
  for (const char* key : {"normal", "direction", "cylindrical"}) {
    if (!t.has(key)) continue;
    any = true;
    t.refuse(ErrorKind::load_case, key, fmt::format("a load case cannot have its own '{}'", key),
             "supports along other directions than x, y and z, and their values, are those of all load cases",
             "move it out of the load case, or write one case file for each value");
  }
  if (any) t.excuse();
  return any;
}

}  // namespace

bool read_oblique_supports(const Case::Table& t, const Region* region, const Mesh& mesh, bool at_rest,
                           std::vector<ObliqueSupport>* supports) {
  if (supports == nullptr) return require_no_oblique_supports(t);
  ObliqueReader reader(t, region, mesh, at_rest, supports);
  reader.read_normal();
  reader.read_direction();
  reader.read_cylindrical();
  return reader.any();
}

}  // namespace ritz
