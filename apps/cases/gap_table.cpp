#include "apps/cases/point_inputs.hpp"
#include "apps/cases/relation_input.hpp"
#include "fem/physics/gap.hpp"

namespace ritz {

void read_gap(const Case::Table& t, RelationInput& in) {
  const Region* region = t.region("region", "a node, or several", in.mesh(), every_region_kind);
  const bool has_other = t.has("onto");
  const Region* onto = has_other ? t.region("onto", "the node on the other side, or as many; not given: the ground",
                                            in.mesh(), every_region_kind)
                                 : nullptr;
  GapOptions options{.origin = t.where()};
  options.direction = optional_point(t, "direction", "from the region to the other side; not given: to the node there",
                                     in.mesh().dimension());
  const bool given = t.has("clearance");
  const double clearance = t.number(
      "clearance", "[m] that is open at the begin; below 0: they overlap; not given: the distance, 0 of a stop",
      given ? NumberRule{} : NumberRule{.fallback = 0});
  if (given) options.clearance = clearance;
  in.model().linear = false;
  if (region == nullptr || (has_other && onto == nullptr)) return;
  in.attempt([&] { in.keep(gap(in.space(), *region, onto, options)); });
}

}  // namespace ritz
