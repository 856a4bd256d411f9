// Labels become numbers: every instance of a part gets nodes and cells of its own, sets and surfaces become groups.
#include "io/meshes/inp_deck.hpp"

#include "io/meshes/node_numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <fmt/format.h>

namespace ritz {
namespace {

// A part where an instance puts it, or the model itself.
struct Placement {
  std::string name;                            // of the instance; empty for the model
  std::vector<const InpScope*> scopes;         // the part and what the instance adds
  const InpInstance* instance = nullptr;       // that moves it
  std::vector<std::size_t> first_node;         // [scope], counted in this placement
  std::vector<std::size_t> first_block;        // [scope]
  Node node_offset = 0;                        // of the placement in the mesh
  std::optional<NodeNumbers> nodes, elements;  // by label
  std::vector<std::int64_t> node_labels, element_labels;
  struct Block {
    std::size_t first_element;
    InpType type;
    Index first_position, count;
  };
  std::vector<Block> blocks;
};

[[noreturn]] void fail(const InpPlace& place, const std::string& what, const std::string& why = {},
                       const std::string& fix = {}) {
  place.file->fail(place.position, what, why, fix);
}

// The first translated, then turned about the axis from a to b (Abaqus Keywords Guide, *INSTANCE).
void move_points(const InpInstance& instance, double* points, std::size_t count) {
  const std::vector<double>& m = instance.motion;
  if (m.empty()) return;
  if (m.size() != 3 && m.size() != 10)
    fail(instance.place, fmt::format("instance '{}' is moved by {} numbers", instance.name, m.size()),
         "a translation has 3, a rotation 7 more");
  double axis[3] = {}, c = 1, s = 0;
  if (m.size() == 10) {
    const double length = std::hypot(m[6] - m[3], m[7] - m[4], m[8] - m[5]);
    if (!(length > 0))
      fail(instance.place, fmt::format("the axis of rotation of instance '{}' has no length", instance.name));
    for (std::size_t k = 0; k < 3; ++k) axis[k] = (m[6 + k] - m[3 + k]) / length;
    c = std::cos(m[9] * std::numbers::pi / 180);
    s = std::sin(m[9] * std::numbers::pi / 180);
  }
  for (std::size_t i = 0; i < count; ++i) {
    double* x = points + 3 * i;
    for (std::size_t k = 0; k < 3; ++k) x[k] += m[k];
    if (m.size() != 10) continue;
    double r[3], along = 0;
    for (std::size_t k = 0; k < 3; ++k) r[k] = x[k] - m[3 + k], along += axis[k] * r[k];
    for (std::size_t k = 0; k < 3; ++k)  // Rodrigues' formula
      x[k] = m[3 + k] + c * r[k] + (1 - c) * along * axis[k] +
             s * (axis[(k + 1) % 3] * r[(k + 2) % 3] - axis[(k + 2) % 3] * r[(k + 1) % 3]);
  }
}

struct Found {  // a set, and where its labels live
  std::size_t placement, scope;
  const InpSet* set;
};

// Places of the model, parts and instances; [0] is the model.
std::vector<Placement> placements_of(const InpDeck& deck, const std::string& path, std::vector<std::string>& notices) {
  std::vector<Placement> placements;
  placements.push_back({.name = "", .scopes = {&deck.model}});
  std::set<std::string> used;
  for (const InpInstance& instance : deck.instances) {
    const auto part = std::find_if(deck.parts.begin(), deck.parts.end(),
                                   [&](const InpScope& p) { return inp_upper(p.name) == inp_upper(instance.part); });
    if (part == deck.parts.end()) {
      std::vector<std::string> names;
      for (const InpScope& p : deck.parts) names.push_back(p.name);
      fail(instance.place,
           fmt::format("instance '{}' is of part '{}', which does not exist", instance.name, instance.part),
           names.empty() ? "the deck has no parts" : "its parts are " + quoted_list(names));
    }
    for (const Placement& other : placements)
      if (inp_upper(other.name) == inp_upper(instance.name))
        fail(instance.place, fmt::format("instance '{}' is defined twice", instance.name));
    used.insert(part->name);
    placements.push_back({.name = instance.name, .scopes = {&*part, &instance.own}, .instance = &instance});
  }
  for (const InpScope& part : deck.parts) {
    if (used.contains(part.name)) continue;
    if (deck.instances.empty()) placements.push_back({.name = part.name, .scopes = {&part}});
    else notices.push_back(fmt::format("part '{}' of '{}' has no instance and was left out", part.name, path));
  }
  return placements;
}

void require_unique(const NodeNumbers& numbers, const char* what, const Placement& placement, const std::string& path) {
  if (numbers.has_duplicate())
    throw Error(ErrorKind::mesh_reference,
                fmt::format("{} {} is defined twice in '{}'{}", what, numbers.duplicate(), path,
                            placement.name.empty() ? "" : fmt::format(", instance '{}'", placement.name)),
                "labels must tell them apart", "renumber them in the preprocessor");
}

void add_elements(const InpElements& elements, Placement& placement, RawMesh& raw) {
  const CellTraits& t = traits(elements.type.kind);
  const auto width = static_cast<Index>(t.node_count);
  const auto count = static_cast<Index>(elements.labels.size());
  std::vector<Node>& nodes = raw.nodes_of(t.kind);
  const std::size_t old_size = nodes.size();
  placement.blocks.push_back(
      {placement.element_labels.size(), elements.type, static_cast<Index>(old_size) / width, count});
  placement.element_labels.insert(placement.element_labels.end(), elements.labels.begin(), elements.labels.end());
  nodes.resize(old_size + elements.nodes.size());
  const std::span<const int> order = inp_node_order(t.kind);
  const NodeNumbers& numbers = *placement.nodes;
  const Node offset = placement.node_offset;
  Node* const out = nodes.data() + old_size;
  const std::int64_t* const labels = elements.nodes.data();
  Index first_bad = count;
#pragma omp parallel for schedule(static) reduction(min : first_bad) if (count > 50000)
  for (Index cell = 0; cell < count; ++cell)
    for (Index i = 0; i < width; ++i) {
      const Index position = order.empty() ? i : order[static_cast<std::size_t>(i)];
      const Node node = numbers(labels[cell * width + position]);
      if (node < 0) first_bad = std::min(first_bad, cell);
      out[cell * width + i] = node + offset;
    }
  if (first_bad == count) return;
  for (Index i = 0; i < width; ++i)
    if (const std::int64_t label = labels[first_bad * width + i]; numbers(label) < 0)
      throw Error(ErrorKind::mesh_reference,
                  fmt::format("node {} does not exist in '{}'{}", label, raw.source,
                              placement.name.empty() ? "" : fmt::format(", instance '{}'", placement.name)),
                  fmt::format("element {} uses it", elements.labels[static_cast<std::size_t>(first_bad)]),
                  "write the deck again with the preprocessor, or include the file that defines it");
}

// Numbers nodes and elements of a placement, and adds them to the mesh.
void number(Placement& placement, RawMesh& raw) {
  const std::size_t old_count = raw.points.size() / 3;
  for (const InpScope* scope : placement.scopes) {
    placement.first_node.push_back(placement.node_labels.size());
    placement.first_block.push_back(placement.blocks.size());
    placement.node_labels.insert(placement.node_labels.end(), scope->node_labels.begin(), scope->node_labels.end());
    raw.points.insert(raw.points.end(), scope->points.begin(), scope->points.end());
  }
  if (raw.points.size() / 3 > static_cast<std::size_t>(std::numeric_limits<Node>::max()))
    throw Error(ErrorKind::mesh_too_large, fmt::format("'{}' holds {} nodes", raw.source, raw.points.size() / 3),
                "Ritz numbers nodes with 31 bits");
  if (placement.instance != nullptr)
    move_points(*placement.instance, raw.points.data() + 3 * old_count, placement.node_labels.size());
  placement.node_offset = static_cast<Node>(old_count);
  placement.nodes.emplace(placement.node_labels);
  require_unique(*placement.nodes, "node", placement, raw.source);
  for (const InpScope* scope : placement.scopes)
    for (const InpElements& elements : scope->elements) add_elements(elements, placement, raw);
  placement.elements.emplace(placement.element_labels);
  require_unique(*placement.elements, "element", placement, raw.source);
}

// Placements with numbers of all their nodes and cells, by which the members of sets are found.
struct NumberedDeck {
  std::vector<Placement> placements;  // [0] is the model
  const CellsByKind& nodes;           // [kind][cell][node], of the mesh
  int dimension = 0;                  // of the cells
  bool leaves_out = false;            // elements that are no cells
};

NumberedDeck numbered(std::vector<Placement> placements, const InpDeck& deck, RawMesh& raw) {
  for (Placement& placement : placements) number(placement, raw);
  int dimension = 0;
  for (const CellKind kind : all_cell_kinds())
    if (raw.cell_count(kind) > 0) dimension = std::max(dimension, traits(kind).dimension);
  return {std::move(placements), raw.nodes, dimension, !deck.left_out.empty()};
}

using NameCounts = std::map<std::pair<char, std::string>, int>;

// How often a name is used for sets and surfaces; instances get their own names in front when it is not once.
NameCounts name_counts(const std::vector<Placement>& placements) {
  NameCounts uses;
  for (const Placement& placement : placements)
    for (const InpScope* scope : placement.scopes) {
      for (const InpSet& set : scope->node_sets) ++uses[{'n', inp_upper(set.name)}];
      for (const InpSet& set : scope->element_sets) ++uses[{'e', inp_upper(set.name)}];
      for (const InpSurface& surface : scope->surfaces) ++uses[{'s', inp_upper(surface.name)}];
    }
  return uses;
}

std::string region_name(const Placement& placement, char what, const std::string& name, const NameCounts& uses) {
  const bool alone = placement.name.empty() || uses.at({what, inp_upper(name)}) == 1;
  return alone ? name : fmt::format("{}.{}", placement.name, name);
}

std::size_t placement_named(const std::vector<Placement>& placements, const std::string& name, const InpPlace& place) {
  for (std::size_t p = 1; p < placements.size(); ++p)
    if (inp_upper(placements[p].name) == inp_upper(name)) return p;
  std::vector<std::string> names;
  for (std::size_t p = 1; p < placements.size(); ++p) names.push_back(placements[p].name);
  fail(place, fmt::format("there is no instance '{}'", name),
       names.empty() ? "the deck has no instances" : "its instances are " + quoted_list(names));
}

// In the placement, then in the model.
Found find_set(const std::vector<Placement>& placements, std::size_t p, const std::string& name, bool of_nodes,
               const InpPlace& place) {
  for (const std::size_t in : {p, std::size_t{0}})
    for (std::size_t s = 0; s < placements[in].scopes.size(); ++s) {
      const InpScope& scope = *placements[in].scopes[s];
      const auto& numbers = of_nodes ? scope.node_set_number : scope.element_set_number;
      if (const auto found = numbers.find(inp_upper(name)); found != numbers.end())
        return {in, s, of_nodes ? &scope.node_sets[found->second] : &scope.element_sets[found->second]};
    }
  std::vector<std::string> names;
  for (const InpScope* scope : placements[p].scopes)
    for (const InpSet& set : of_nodes ? scope->node_sets : scope->element_sets) names.push_back(set.name);
  const std::string nearest = nearest_match(name, names);
  fail(place, fmt::format("there is no {} set '{}'", of_nodes ? "node" : "element", name),
       nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest),
       "define it with *NSET or *ELSET before or after");
}

// Calls use(number) for the labels of a range that exist; the cost is that of the shorter of range and labels.
template <class Use>
void for_each_in(const InpLabelRange& range, const NodeNumbers& numbers, const std::vector<std::int64_t>& labels,
                 Use use) {
  if ((range.last - range.first) / range.step < 4 * static_cast<std::int64_t>(labels.size())) {
    for (std::int64_t label = range.first; label <= range.last; label += range.step)
      if (const Node number = numbers(label); number >= 0) use(number);
    return;
  }
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= range.first && labels[i] <= range.last && (labels[i] - range.first) % range.step == 0)
      use(static_cast<Node>(i));
}

// Sets whose members are being taken or have been: each is taken once, and none is part of itself.
enum class Taken { in_progress, done };
using Visited = std::map<std::pair<std::size_t, const InpSet*>, Taken>;

// False when the set has been taken already.
bool enter(const Found& found, Visited& visited) {
  const auto [at, is_new] = visited.try_emplace({found.placement, found.set}, Taken::in_progress);
  if (!is_new && at->second == Taken::in_progress)
    fail(found.set->pieces.front().place, fmt::format("set '{}' is part of itself", found.set->name),
         "its members name each other in a circle");
  return is_new;
}
void leave(const Found& found, Visited& visited) { visited[{found.placement, found.set}] = Taken::done; }

Node element_number(const NumberedDeck& deck, std::size_t p, std::int64_t label, const InpPlace& place) {
  const Node number = (*deck.placements[p].elements)(label);
  if (number < 0 && deck.leaves_out)
    fail(place, fmt::format("element {} is in a set, but it is no cell or does not exist", label),
         "springs, masses and connectors are left out", "take it out of the set");
  if (number < 0) fail(place, fmt::format("element {} is in a set, but it does not exist", label));
  return number;
}

Node node_number(const NumberedDeck& deck, std::size_t p, std::int64_t label, const InpPlace& place) {
  const Node number = (*deck.placements[p].nodes)(label);
  if (number < 0) fail(place, fmt::format("node {} is in a set, but it does not exist", label));
  return deck.placements[p].node_offset + number;
}

void add_element(const Placement& placement, Node number, std::vector<CellRun>& runs) {
  const auto element = static_cast<std::size_t>(number);
  const auto after =
      std::upper_bound(placement.blocks.begin(), placement.blocks.end(), element,
                       [](std::size_t e, const Placement::Block& block) { return e < block.first_element; });
  const Placement::Block& block = *std::prev(after);
  append(runs, {block.type.kind, block.first_position + static_cast<Index>(element - block.first_element), 1});
}

void collect_elements(const NumberedDeck& deck, const InpMember& member, std::size_t p, std::vector<CellRun>& runs,
                      Visited& visited);
void collect_nodes(const NumberedDeck& deck, const InpMember& member, std::size_t p, std::vector<Node>& nodes,
                   Visited& visited);

void collect_elements(const NumberedDeck& deck, const Found& found, std::vector<CellRun>& runs, Visited& visited) {
  if (!enter(found, visited)) return;
  for (const InpPiece& piece : found.set->pieces) {
    const std::size_t p =
        piece.instance.empty() ? found.placement : placement_named(deck.placements, piece.instance, piece.place);
    const Placement& placement = deck.placements[p];
    for (std::size_t b = piece.first; b < piece.last; ++b) {
      const Placement::Block& block =
          deck.placements[found.placement].blocks[deck.placements[found.placement].first_block[found.scope] + b];
      append(runs, {block.type.kind, block.first_position, block.count});
    }
    for (const InpLabelRange& range : piece.ranges)
      for_each_in(range, *placement.elements, placement.element_labels,
                  [&](Node number) { add_element(placement, number, runs); });
    for (const std::int64_t label : piece.labels)
      add_element(placement, element_number(deck, p, label, piece.place), runs);
    for (const InpMember& member : piece.members) collect_elements(deck, member, p, runs, visited);
  }
  leave(found, visited);
}
void collect_elements(const NumberedDeck& deck, const InpMember& member, std::size_t p, std::vector<CellRun>& runs,
                      Visited& visited) {
  if (!member.instance.empty()) p = placement_named(deck.placements, member.instance, member.place);
  if (member.name.empty()) add_element(deck.placements[p], element_number(deck, p, member.label, member.place), runs);
  else collect_elements(deck, find_set(deck.placements, p, member.name, false, member.place), runs, visited);
}

void collect_nodes(const NumberedDeck& deck, const Found& found, std::vector<Node>& nodes, Visited& visited) {
  if (!enter(found, visited)) return;
  for (const InpPiece& piece : found.set->pieces) {
    const std::size_t p =
        piece.instance.empty() ? found.placement : placement_named(deck.placements, piece.instance, piece.place);
    const Placement& placement = deck.placements[p];
    const Placement& own = deck.placements[found.placement];
    for (std::size_t i = piece.first; i < piece.last; ++i)
      nodes.push_back(own.node_offset + static_cast<Node>(own.first_node[found.scope] + i));
    for (const InpLabelRange& range : piece.ranges)
      for_each_in(range, *placement.nodes, placement.node_labels,
                  [&](Node number) { nodes.push_back(placement.node_offset + number); });
    for (const std::int64_t label : piece.labels) nodes.push_back(node_number(deck, p, label, piece.place));
    for (const InpMember& member : piece.members) collect_nodes(deck, member, p, nodes, visited);
    if (!piece.nodes_of_elements.empty()) {
      std::vector<CellRun> runs;
      Visited elements_visited;
      collect_elements(deck, find_set(deck.placements, p, piece.nodes_of_elements, false, piece.place), runs,
                       elements_visited);
      for (const CellRun& run : runs) {
        const auto width = traits(run.kind).node_count;
        const auto first = deck.nodes[static_cast<std::size_t>(run.kind)].begin() + run.first * width;
        nodes.insert(nodes.end(), first, first + run.count * width);
      }
    }
  }
  leave(found, visited);
}

void collect_nodes(const NumberedDeck& deck, const InpMember& member, std::size_t p, std::vector<Node>& nodes,
                   Visited& visited) {
  if (!member.instance.empty()) p = placement_named(deck.placements, member.instance, member.place);
  if (member.name.empty()) nodes.push_back(node_number(deck, p, member.label, member.place));
  else collect_nodes(deck, find_set(deck.placements, p, member.name, true, member.place), nodes, visited);
}

bool is_shell(const NumberedDeck& deck, const CellRun& run) {
  if (traits(run.kind).dimension != 2) return false;
  for (const Placement& placement : deck.placements)
    for (const Placement::Block& block : placement.blocks)
      if (block.type.kind == run.kind && run.first >= block.first_position &&
          run.first < block.first_position + block.count)
        return block.type.shell;
  return false;
}

// The faces of shells are their two sides (S1 or SNEG, S2 or SPOS), which are the cells, and then their edges (S3 ...
// or E1 ...). So are those of cells of a lower dimension than the mesh.
void add_face(const NumberedDeck& deck, const CellRun& run, const InpSurfaceEntry& entry, const InpSurface& surface,
              RawGroup& group) {
  const bool lower = traits(run.kind).dimension < deck.dimension;
  const bool shell = is_shell(deck, run);
  const std::string& face = entry.face;
  const bool side = face == "SPOS" || face == "SNEG" || face == "SP" || face == "SN" || face == "NEG" || face == "POS";
  if ((lower || shell) && (face.empty() || side || (shell && (face == "S1" || face == "S2"))))
    return append(group.cells, run);
  if (face.empty()) return group.free_facets_of.push_back(run);
  int number = 0;
  const char* digits = face.data() + (face.starts_with("S") || face.starts_with("E") ? 1 : 0);
  const char* end = face.data() + face.size();
  const auto [stop, error] = std::from_chars(digits, end, number);
  if (error != std::errc{} || stop != end) number = 0;
  if (shell && face.starts_with("S")) number -= 2;
  const std::optional<int> facet = side ? std::nullopt : inp_facet(run.kind, number);
  if (!facet)
    fail(entry.member.place,
         fmt::format("surface '{}' names the face '{}' of a {}", surface.name, face, traits(run.kind).name),
         side ? "both sides of a plane cell are the plane itself" : "such a cell has no face of that name",
         "name faces S1, S2, ... as the manual numbers them");
  for (Index i = 0; i < run.count; ++i) group.facets.push_back({run.kind, run.first + i, *facet});
}

void add_surface(const NumberedDeck& deck, std::size_t p, const InpSurface& surface, RawGroup& group,
                 std::vector<std::string>& notices) {
  bool against_normal = false;
  for (const InpSurfaceEntry& entry : surface.entries) {
    Visited visited;
    if (surface.of_nodes) {
      collect_nodes(deck, entry.member, p, group.nodes, visited);
      continue;
    }
    std::vector<CellRun> runs;
    collect_elements(deck, entry.member, p, runs, visited);
    for (const CellRun& run : runs) add_face(deck, run, entry, surface, group);
    if (const std::string& face = entry.face; face == "SNEG" || face == "SN" || face == "NEG" || face == "S1")
      for (const CellRun& run : runs) against_normal = against_normal || is_shell(deck, run);
  }
  if (against_normal)
    notices.push_back(
        fmt::format("surface '{}' is the side of shells against their normal; its region is their cells, and a "
                    "positive pressure on them acts against the normal, from the other side",
                    surface.name));
}

void add_groups(const NumberedDeck& deck, std::size_t p, std::size_t s, const NameCounts& uses, RawMesh& raw,
                std::vector<std::string>& notices) {
  const Placement& placement = deck.placements[p];
  const InpScope& scope = *placement.scopes[s];
  for (const InpSet& set : scope.element_sets) {
    if (set.internal) continue;
    std::vector<CellRun> runs;
    Visited visited;
    collect_elements(deck, Found{p, s, &set}, runs, visited);
    RawGroup& group = raw.group(region_name(placement, 'e', set.name, uses));
    group.cells.insert(group.cells.end(), runs.begin(), runs.end());
  }
  for (const InpSet& set : scope.node_sets) {
    if (set.internal) continue;
    Visited visited;
    collect_nodes(deck, Found{p, s, &set}, raw.group(region_name(placement, 'n', set.name, uses)).nodes, visited);
  }
  for (const InpSurface& surface : scope.surfaces)
    if (!surface.internal)
      add_surface(deck, p, surface, raw.group(region_name(placement, 's', surface.name, uses)), notices);
}

}  // namespace

RawMesh raw_mesh_of(InpDeck deck, const std::string& path, std::vector<std::string>& notices) {
  RawMesh raw;
  raw.source = path;
  const NumberedDeck placed = numbered(placements_of(deck, path, notices), deck, raw);
  const NameCounts uses = name_counts(placed.placements);
  for (std::size_t p = 0; p < placed.placements.size(); ++p)
    for (std::size_t s = 0; s < placed.placements[p].scopes.size(); ++s) add_groups(placed, p, s, uses, raw, notices);
  return raw;
}

}  // namespace ritz
