#include "apps/cases/relations.hpp"

#include "apps/cases/relation_input.hpp"

#include <utility>

namespace ritz {
namespace {

bool is_always_read(const RelationInput&) { return true; }
// Entries of a case of several fields name one, which read_rigid() and others look at.
bool moves_rigidly(const RelationInput& in) { return in.kinds().displacements || in.has_fields(); }
bool has_couplings(const RelationInput& in) {
  const bool of_solids = in.is_of_parts() || !in.mesh().structural();
  return moves_rigidly(in) && of_solids && (!in.kinds().at_rest || in.kinds().masses);
}
bool has_sides(const RelationInput& in) { return in.kinds().periodic; }
bool has_gaps(const RelationInput& in) {
  return in.kinds().displacements && !in.has_fields() && !in.is_of_parts() && !in.kinds().of_revolution;
}

struct RelationTable {
  const char* key;
  const char* about;
  bool (*is_read)(const RelationInput& in);
  void (*read)(const Case::Table& t, RelationInput& in);
  bool of_one_field = true;  // else its entries name fields
};

constexpr RelationTable tables[] = {
    {"tie", "nodes of one part that take the field of another one where the meshes do not match", is_always_read,
     read_tie},
    {"rigid", "a region that moves as a rigid body", moves_rigidly, read_rigid},
    {"coupling", "a surface of a body whose mean motion is that of a reference point", has_couplings, read_coupling},
    {"periodic", "a side on which the field is that of another side, moved or turned", has_sides, read_periodic},
    {"equation", "a linear equation: the sum of factor times unknown over the terms is the value", is_always_read,
     read_equation, false},
    {"gap", "a gap between two nodes, or between a node and the ground, which transmits pressure alone", has_gaps,
     read_gap},
};

void read_tables(RelationInput& in) {
  for (const RelationTable& table : tables) {
    if (!table.is_read(in)) continue;
    for (const Case::Table& t : in.run().input().root().tables(table.key, table.about)) {
      if (table.of_one_field || !in.is_of_parts()) in.enter(t);
      table.read(t, in);
    }
  }
}

void add(const ObliqueSupport& s, RelationInput& in) {
  if (s.region == nullptr) return;
  in.attempt([&] {
    if (in.kinds().of_revolution && s.kind == ObliqueSupport::Kind::cylindrical)
      throw Error(ErrorKind::relation, "a cylindrical support of a body of revolution",
                  "in its section x is the radial direction already, and y the axial one",
                  "give x = 0 in place of radial = 0")
          .at(s.origin);
    switch (s.kind) {
      case ObliqueSupport::Kind::normal: return in.keep(normal_support(in.space(), *s.region, s.value, s.origin));
      case ObliqueSupport::Kind::direction:
        return in.keep(support_along(in.space(), *s.region, s.direction, s.value, s.origin));
      default: return in.keep(cylindrical_support(in.space(), *s.region, s.axes, s.component, s.value, s.origin));
    }
  });
}

}  // namespace

void read_relations(Run& run, const RelationKinds& kinds, const std::vector<ObliqueSupport>& supports,
                    CaseModel& read) {
  RelationInput in(run, kinds, read, nullptr, nullptr);
  for (const ObliqueSupport& each : supports) add(each, in);
  read_tables(in);
}

void read_relations(Run& run, const Mesh& whole, bool loaded, std::vector<Point> gravity, CaseModel& read) {
  RelationInput in(
      run,
      {.displacements = true, .at_rest = read.modes, .loaded = loaded, .masses = true, .gravity = std::move(gravity)},
      read, nullptr, &whole);
  read_tables(in);
}

void read_relations(const FieldsOfCase& fields, CaseModel& read) {
  RelationInput in(fields.run, {.at_rest = read.modes}, read, &fields, nullptr);
  read_tables(in);
}

std::vector<MatrixTable> relation_tables(std::vector<MatrixTable> others) {
  for (const RelationTable& table : tables)
    others.push_back({table.key, "move it out of the load case: it holds in all of them"});
  return others;
}

}  // namespace ritz
