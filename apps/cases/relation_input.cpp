#include "apps/cases/relation_input.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace ritz {

void MovedRegion::report(Run& run, const SolutionView& s, std::span<const double> u) const {
  const RigidMotion m = motion(u);
  run.log().line("{} ({:.6g}) m, it turns by ({:.6g}) rad", sentence, fmt::join(m.displacement, ", "),
                 fmt::join(m.rotation, ", "));
  auto& facts = run.results().facts();
  facts[kind + " " + name] = fmt::format("{:.10g} {:.10g}", fmt::join(m.displacement, " "), fmt::join(m.rotation, " "));
  if (!is_prescribed()) return;
  std::array<double, 6> f{};
  for (std::size_t c = 0; c < f.size(); ++c)
    if (loads[c] >= 0) f[c] = s.mean_loads.at(static_cast<std::size_t>(loads[c]));
  run.log().line("{} '{}': held by the force ({:.6g}) N and the moment ({:.6g}) N m", kind, name,
                 fmt::join(f.begin(), f.begin() + 3, ", "), fmt::join(f.begin() + 3, f.end(), ", "));
  facts[kind + " " + name + " force"] = fmt::format("{:.10g}", fmt::join(f, " "));
}

RelationInput::RelationInput(Run& run, const RelationKinds& kinds, CaseModel& read, const FieldsOfCase* fields,
                             const Mesh* whole)
    : run_(run),
      kinds_(kinds),
      read_(read),
      fields_(fields),
      whole_(whole),
      space_(read.space()),
      acting_(touched_in(read.model)) {}

// The part that has the regions of the table: sections, where all are theirs.
void RelationInput::enter_part(const Case::Table& t) {
  const auto has = [&](const Mesh& part, const char* key) {
    const Region* whole =
        t.has(key) ? t.region(key, "a region of one of the parts", *whole_, every_region_kind) : nullptr;
    return whole == nullptr || std::ranges::any_of(part.regions(), [&](const Region& r) {
             return r.name == whole->name && (key != std::string_view("onto") || r.kind != RegionKind::nodes);
           });
  };
  const auto has_all = [&](const Mesh& part) { return has(part, "region") && has(part, "onto"); };
  field_ = 0;
  for (int k = 1; k >= 0; --k) {
    space_ = read_.model.spaces()[static_cast<std::size_t>(k)];
    if (!run_.options().survey && has_all(mesh())) field_ = k;
  }
  space_ = read_.model.spaces()[static_cast<std::size_t>(field_)];
  acting_ = touched_in(read_.model, field_);
}

void RelationInput::enter(const Case::Table& t) {
  if (whole_ != nullptr) return enter_part(t);
  if (fields_ == nullptr) return;
  const std::size_t k = fields_->named_in(t);
  const FieldFacts& facts = fields_->facts[k];
  field_ = static_cast<int>(k);
  space_ = k == 0 ? read_.model.space : read_.model.others[k - 1];
  const std::string name = facts.name;
  kinds_.displacements = facts.components == mesh().dimension() && (name == "displacement" || name == "velocity");
  is_at_nodes_ = facts.family == Family::lagrange;
  if (is_at_nodes_) return;
  t.error(ErrorKind::several_fields, "field",
          fmt::format("constraints of '{}', which has {}", name, unknowns_of(facts.family)),
          "they join unknowns at nodes", "join the parts in the mesh");
}

std::vector<std::string> component_names_of(const FunctionSpace& space) {
  std::vector<std::string> names;
  for (int c = 0; c < space.components(); ++c) names.push_back(space.component_name(c));
  return names;
}

int component_of(const Case::Table& t, const char* key, const std::string& name, const FunctionSpace& space) {
  const std::vector<std::string> names = component_names_of(space);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  t.error(ErrorKind::relation, key, fmt::format("'{}' is no component of the unknown", name),
          fmt::format("the components are {}", quoted_list(names)), "name one of these");
  return -1;
}

const Region* RelationInput::surface(const Case::Table& t, const char* key, const char* about) const {
  if (mesh().structural()) return t.region(key, about, mesh(), {RegionKind::facets, RegionKind::cells});
  return t.region(key, about, mesh(), {RegionKind::facets});
}

bool RelationInput::moves(const Case::Table& t, const char* what) const {
  if (kinds_.displacements || run_.options().survey) return true;
  if (is_at_nodes_)  // else that was said
    t.error(ErrorKind::several_fields, "field",
            fmt::format("{} of '{}'", what, fields_->names[static_cast<std::size_t>(field_)]),
            "it is no vector of displacements or velocities at nodes", "name such a field");
  return false;
}

void RelationInput::refuse_motion(const Case::Table& t, const char* key, double value) const {
  t.error(ErrorKind::modal_options, key, fmt::format("the support moves by {}", value),
          "modes vibrate about the state of rest: their supports do not move",
          fmt::format("write {} = 0, or omit it", key));
}

void RelationInput::keep(LinearEquations equations) {
  equations.field = field_;
  read_.model.relations.push_back(std::move(equations));
}

// Facts of a second table on the same region have its number.
void RelationInput::add_moved(MovedRegion region) {
  const auto earlier = std::ranges::count_if(
      read_.moved, [&](const MovedRegion& each) { return each.kind == region.kind && each.region == region.region; });
  region.name = earlier == 0 ? region.region : fmt::format("{} {}", region.region, earlier + 1);
  read_.moved.push_back(std::move(region));
}

}  // namespace ritz
