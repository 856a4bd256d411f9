#include "fem/operator/mixed_operator.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/operator/chunk_lists.hpp"
#include "fem/operator/given_numbers.hpp"
#include "fem/operator/slab_buffer.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <omp.h>

namespace ritz {
namespace {

constexpr Index slab_bytes = 64 << 20;  // element results of a slab on a GPU

const AssemblyKernels& assembly_kernels(const Device& device) {
  return kernels<AssemblyKernels>(device, "ritz_fem_kernels", "assembly");
}

// The place of an integral for the lists of elements, which know forms of one field.
std::vector<Integral> places(const std::vector<MixedIntegral>& integrals, const FunctionSpace& space) {
  std::vector<Integral> result;
  for (const MixedIntegral& integral : integrals) {
    FormRecord record{};
    record.name = integral.form.name.c_str();
    record.components = space.components();
    record.dimension = integral.form.dimension;
    record.cell = -1;
    result.push_back({FormValue(record, integral.form.numbers.module), integral.everywhere, integral.cells, {}});
  }
  return result;
}

// Positions in the arrays of a slot's sources and where they go, sorted by destination.
class SlotEntries {
 public:
  void add(Index destination, Index batch, int items, int item, Index lane) {
    entries_.emplace_back(static_cast<std::uint32_t>(destination),
                          static_cast<std::uint16_t>((batch * items + item) * lane_count + lane));
  }
  void write(ChunkSlots& out) {
    std::ranges::sort(entries_);
    out.clear();
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (i == 0 || entries_[i].first != entries_[i - 1].first) {
        out.destinations.push_back(entries_[i].first);
        out.source_counts.push_back(0);
      }
      ++out.source_counts.back();
      out.sources.push_back(entries_[i].second);
    }
    entries_.clear();
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint16_t>> entries_;
};

// Has the element its nodes where unknowns of the family are?
bool numbers_family(const ReferenceElement& element, Family family) {
  for (int order = family == Family::cell ? 0 : 1; order <= highest_order(family); ++order)
    if (element.name == entity_element(element.shape, family, order).name) return true;
  return false;
}

Index position_in_row(const FunctionSpace::HostPattern& pattern, Node row, Node column) {
  const auto first = pattern.columns.begin() + pattern.offsets[static_cast<std::size_t>(row)];
  const auto last = pattern.columns.begin() + pattern.offsets[static_cast<std::size_t>(row) + 1];
  return std::lower_bound(first, last, column) - first;
}

}  // namespace

Spaces spaces_of(const MixedFormValue& form, const Mesh& mesh, const Device& device, int raise) {
  Spaces spaces;
  for (const FieldFacts& field : form.fields) {
    SpaceOptions options{.beside = spaces.empty() ? nullptr : spaces.front().get()};
    if (field.family == Family::lagrange) options.order = field.order + raise;
    else
      for (const CellBlock& block : mesh.blocks())
        options.elements.push_back(entity_element(traits(block.kind).linear, field.family, field.order + raise));
    spaces.push_back(std::make_shared<const FunctionSpace>(mesh, field.components, device, options));
  }
  return spaces;
}

BlockLayout layout_of(const Spaces& spaces) {
  std::vector<Index> sizes;
  for (const auto& space : spaces) sizes.push_back(space->unknown_count());
  return BlockLayout(sizes);
}

MixedIntegral MixedIntegral::over(MixedFormValue form, const Region& region) {
  if (region.kind != RegionKind::cells)
    throw Error(Exit::input,
                fmt::format("'{}' acts on cells, but region '{}' holds other things", form.name, region.name), {},
                "name a region of cells");
  return {std::move(form), false, region.cells};
}

MixedOperator::MixedOperator(Spaces spaces, std::vector<MixedIntegral> integrals, std::vector<FieldIntegral> of_fields)
    : spaces_(std::move(spaces)), integrals_(std::move(integrals)) {
  if (spaces_.empty()) throw Error(Exit::internal, "a mixed operator was made without spaces");
  for (const auto& space : spaces_)
    if (&space->geometry_coordinates() != &spaces_.front()->geometry_coordinates())
      throw Error(Exit::internal, "the spaces of a mixed operator do not share the geometry of their mesh", {},
                  "make them by spaces_of(), or name the first space in SpaceOptions::beside of the others");
  for (const MixedIntegral& integral : integrals_) {
    const MixedFormValue& form = integral.form;
    check(form);
    bool fits = form.field_count() == field_count() && form.dimension == space(0).mesh().dimension();
    for (int k = 0; fits && k < field_count(); ++k)
      fits = form.fields[static_cast<std::size_t>(k)].components == space(k).components();
    if (!fits)
      throw Error(
          Exit::internal,
          fmt::format("form '{}' has {} fields in {} dimensions, the operator {} spaces in {}, or their numbers "
                      "of components differ",
                      form.name, form.field_count(), form.dimension, field_count(), space(0).mesh().dimension()));
  }
  layout_ = layout_of(spaces_);
  choose_families();
  std::vector<std::vector<Integral>> alone(spaces_.size());
  for (const FieldIntegral& each : of_fields)
    if (family(each.field) == Family::facet || family(each.field) == Family::edge)
      throw Error(Exit::internal,
                  fmt::format("form '{}' of one field was given for facets or edges", each.integral.form.name),
                  "forms of one field know unknowns at nodes", "write it as a form of several fields, if only of one");
  for (FieldIntegral& each : of_fields)
    alone.at(static_cast<std::size_t>(each.field)).push_back(std::move(each.integral));
  of_fields_.resize(spaces_.size());
  for (std::size_t k = 0; k < spaces_.size(); ++k)
    if (!alone[k].empty()) of_fields_[k] = std::make_unique<Operator>(*spaces_[k], std::move(alone[k]));
  // All spaces have the same cells in the same order, so their groups are the same as well.
  for (const auto& each : spaces_) {
    std::vector<ElementGroup> groups = element_groups(*each, places(integrals_, *each));
    groups_.resize(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (!groups_[g].of_field.empty()) groups[g].own_geometry = {};  // that of the first field serves all
      groups_[g].of_field.push_back(std::move(groups[g]));
    }
  }
  for (const Group& group : groups_)
    for (const ElementGroup& each : group.of_field)
      if (each.elements != group.geometry().elements)
        throw Error(Exit::internal, "the spaces of a mixed operator list their cells in different orders");
  make_signs();
}

void MixedOperator::check(const MixedFormValue& form) const {
  if (static_cast<int>(form.numbers.given.size()) != form.numbers.given_count)
    throw Error(Exit::internal, fmt::format("form '{}' needs {} numbers at every point, {} are given", form.name,
                                            form.numbers.given_count, form.numbers.given.size()));
}

// Takes the families that the forms say, which must agree with each other and with the spaces.
void MixedOperator::choose_families() {
  families_.assign(spaces_.size(), Family::lagrange);
  for (std::size_t i = 0; i < integrals_.size(); ++i)
    for (std::size_t k = 0; k < families_.size(); ++k) {
      const Family family = integrals_[i].form.fields[k].family;
      if (i == 0) families_[k] = family;
      bool fits = family == families_[k];
      for (const CellBlock& block : spaces_[k]->mesh().blocks())
        fits = fits && (family == Family::lagrange || numbers_family(spaces_[k]->element(block.kind), family));
      if (!fits)
        throw Error(Exit::internal,
                    fmt::format("field '{}' of form '{}' has its unknowns elsewhere than its space",
                                integrals_[i].form.fields[k].name, integrals_[i].form.name),
                    {}, "make the spaces by spaces_of() of this form");
    }
}

void MixedOperator::make_signs() {
  for (int k = 0; k < field_count(); ++k) {
    const bool signs_needed = family(k) == Family::facet || family(k) == Family::edge;
    const EntitySigns signs = signs_needed ? EntitySigns(space(k), family(k)) : EntitySigns();
    for (Group& group : groups_) {
      const ElementGroup& nodes = group.of_field[static_cast<std::size_t>(k)];
      const auto numbers = [&](std::int8_t SeenUnknown::*part) {
        std::vector<double> values(static_cast<std::size_t>(nodes.entry_count()));
        const Index padded = nodes.batch_count() * lane_count;
        for (Index e = 0; e < padded; ++e)
          for (int a = 0; a < nodes.node_count(); ++a)
            values[static_cast<std::size_t>((e / lane_count * nodes.node_count() + a) * lane_count + e % lane_count)] =
                signs.of(nodes.elements[static_cast<std::size_t>(std::min(e, nodes.element_count - 1))], a).*part;
        return Vector(device(), std::span<const double>(values), "connectivity");
      };
      group.signs.push_back(signs_needed ? numbers(&SeenUnknown::own) : Vector());
      group.partners.push_back(signs.partners() ? numbers(&SeenUnknown::partner) : Vector());
    }
  }
}

bool MixedOperator::symmetric() const {
  return std::ranges::all_of(integrals_, [](const MixedIntegral& i) { return i.form.symmetric; }) &&
         std::ranges::all_of(of_fields_, [](const auto& each) { return each == nullptr || each->symmetric(); });
}

bool MixedOperator::linear() const {
  const auto is_linear = [](const Integral& i) { return i.form.linear; };
  return std::ranges::all_of(integrals_, [](const MixedIntegral& i) { return i.form.linear; }) &&
         std::ranges::all_of(of_fields_, [&](const auto& each) {
           return each == nullptr || std::ranges::all_of(each->integrals(), is_linear);
         });
}

Vector MixedOperator::zeros(const char* tag) const {
  Vector u(device(), layout_.total(), tag);
  u.fill_zero();
  return u;
}

bool MixedOperator::couples(int test, int trial) const {
  return std::ranges::any_of(integrals_, [&](const MixedIntegral& integral) {
    return integral.form.couples[static_cast<std::size_t>(test)][static_cast<std::size_t>(trial)];
  });
}

const Operator* MixedOperator::of_field(int field) const { return of_fields_[static_cast<std::size_t>(field)].get(); }

bool MixedOperator::has_block(int row, int column) const {
  if (couples(row, column)) return true;
  if (row != column || of_field(row) == nullptr) return false;
  return std::ranges::any_of(of_field(row)->integrals(), [](const Integral& i) { return i.form.has_matrix; });
}

const MixedOperator::NodePattern& MixedOperator::coupling_pattern(int row, int column) const {
  NodePattern& pattern = patterns_[{row, column}];
  if (!pattern.offsets.empty()) return pattern;
  const auto count = static_cast<std::size_t>(space(row).node_count());
  std::vector<std::vector<Node>> columns(count);
  for (const Group& group : groups_) {
    const ElementGroup& rows = group.of_field[static_cast<std::size_t>(row)];
    const ElementGroup& others = group.of_field[static_cast<std::size_t>(column)];
    const bool takes_part = std::ranges::any_of(rows.integrals, [&](int i) {
      return integrals_[static_cast<std::size_t>(i)]
          .form.couples[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    });
    if (!takes_part) continue;
    for (Index e = 0; e < rows.element_count; ++e)
      for (int a = 0; a < rows.node_count(); ++a) {
        std::vector<Node>& list = columns[static_cast<std::size_t>(rows.node(e, a))];
        for (int b = 0; b < others.node_count(); ++b) list.push_back(others.node(e, b));
      }
  }
  pattern.offsets.assign(1, 0);
  for (std::vector<Node>& list : columns) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
    pattern.columns.insert(pattern.columns.end(), list.begin(), list.end());
    pattern.offsets.push_back(static_cast<Index>(pattern.columns.size()));
    list = {};
  }
  return pattern;
}

BlockOperator MixedOperator::make_matrix() const {
  BlockOperator K(device(), layout_);
  for (int row = 0; row < field_count(); ++row)
    for (int column = 0; column < field_count(); ++column) {
      if (!has_block(row, column)) continue;
      if (row == column) {
        K.set(row, std::make_unique<SparseMatrix>(space(row).pattern(), space(row).components()));
        continue;
      }
      // Rows and columns of the components of each pair of nodes.
      const NodePattern& pattern = coupling_pattern(row, column);
      const Index c = space(row).components(), d = space(column).components();
      std::vector<Index> offsets{0};
      std::vector<std::int32_t> columns;
      for (std::size_t node = 0; node + 1 < pattern.offsets.size(); ++node)
        for (Index i = 0; i < c; ++i) {
          for (Index k = pattern.offsets[node]; k < pattern.offsets[node + 1]; ++k)
            for (Index j = 0; j < d; ++j)
              columns.push_back(static_cast<std::int32_t>(pattern.columns[static_cast<std::size_t>(k)] * d + j));
          offsets.push_back(static_cast<Index>(columns.size()));
        }
      K.set(row, column,
            std::make_unique<RectangularMatrix>(device(), offsets, columns, space(column).unknown_count()));
    }
  return K;
}

ReferenceTable MixedOperator::table(const Group& group, int field, int degree) const {
  const ElementGroup& of_field = group.of_field[static_cast<std::size_t>(field)];
  if (family(field) == Family::facet || family(field) == Family::edge) {
    const std::tuple place{of_field.element, of_field.geometry.get(), degree};
    const auto known = vector_tables_.find(place);
    if (known != vector_tables_.end()) return known->second.table();
    return vector_tables_
        .try_emplace(place, device(), vector_element(of_field.element->shape, family(field), of_field.element->order),
                     *of_field.geometry, quadrature(of_field.kind, degree))
        .first->second.table();
  }
  const std::tuple key{of_field.element, of_field.geometry.get(), degree};
  const auto found = tables_.find(key);
  if (found != tables_.end()) return found->second.table();
  return tables_.try_emplace(key, device(), *of_field.element, *of_field.geometry, quadrature(of_field.kind, degree))
      .first->second.table();
}

// Exact on affine cells for products of what the form uses: values of an order, gradients of one less.
int MixedOperator::degree_of(const MixedFormValue& form, const Group& group) const {
  const CellKind shape = traits(group.geometry().kind).linear;
  int order = 1, value_order = 0;
  for (int k = 0; k < field_count(); ++k) {
    const int of_field = order_of(group.of_field[static_cast<std::size_t>(k)]);
    order = std::max(order, of_field);
    if (form.fields[static_cast<std::size_t>(k)].uses_value) value_order = std::max(value_order, of_field);
  }
  return form.numbers.extra_degree +
         (value_order >= order ? mass_degree(shape, order) : stiffness_degree(shape, order));
}

int MixedOperator::items_of(const Key& key, const Group& group) const {
  const auto nodes = [&](int field) { return group.of_field[static_cast<std::size_t>(field)].node_count(); };
  if (key.task == Task::matrix && key.row == key.column) return nodes(key.row) * nodes(key.row);
  if (key.task == Task::matrix)
    return nodes(key.row) * nodes(key.column) * space(key.row).components() * space(key.column).components();
  int entries = 0;
  for (int k = 0; k < field_count(); ++k) entries += nodes(k) * space(k).components();
  return entries;
}

void MixedOperator::add_terms(const Key& key, const Group& group, const std::vector<int>& integrals, Plan& plan) const {
  std::vector<MixedArguments>& all = plan.mixed.emplace_back();
  std::vector<AssemblyTerm>& terms = plan.terms.emplace_back();
  for (const int i : integrals) {
    const MixedIntegral& integral = integrals_[static_cast<std::size_t>(i)];
    const auto& found = kernels<FormKernels>(device(), integral.form.numbers.module,
                                             form_kernel_name(integral.form.name.c_str(), 0, integral.form.dimension));
    const int degree = degree_of(integral.form, group);
    MixedArguments mixed{
        .form = integral.form.numbers.bytes.data(), .row = key.row, .column = key.column, .fields = {}};
    for (int k = 0; k < field_count(); ++k)
      mixed.fields[k] = {.table = table(group, k, degree),
                         .nodes = group.of_field[static_cast<std::size_t>(k)].nodes.data(),
                         .u = nullptr,
                         .direction = nullptr,
                         .signs = group.signs[static_cast<std::size_t>(k)].data(),
                         .partners = group.partners[static_cast<std::size_t>(k)].data()};
    AssemblyTerm term{};
    term.kernel = key.task == Task::matrix   ? found.matrices
                  : key.task == Task::action ? found.actions
                                             : found.residuals;
    term.arguments.table = mixed.fields[0].table;
    term.arguments.nodes = mixed.fields[0].nodes;
    term.arguments.geometry_nodes = group.geometry().geometry_nodes().data();
    term.arguments.coordinates = coordinates_of(space(0), group.geometry()).data();
    term.arguments.components = space(0).components();
    term.arguments.factor = integral.factor;
    term.arguments.given = given_numbers(group, integral, degree);
    all.push_back(mixed);
    terms.push_back(term);
  }
}

void MixedOperator::list_chunk(const Key& key, const Plan& plan, Index chunk, ChunkSlots& out) const {
  const auto g =
      static_cast<std::size_t>(std::ranges::upper_bound(plan.first_chunk, chunk) - plan.first_chunk.begin() - 1);
  const Group& group = groups_[static_cast<std::size_t>(plan.groups[g])];
  const Index size = plan.chunk_batches[g] * lane_count, first = (chunk - plan.first_chunk[g]) * size;
  const Index last = std::min(first + size, group.geometry().element_count);
  const int items = plan.items[g];
  SlotEntries entries;
  for (Index e = first; e < last; ++e) {
    const Index batch = (e - first) / lane_count, lane = (e - first) % lane_count;
    int item = 0;
    if (key.task == Task::matrix) {
      const ElementGroup& rows = group.of_field[static_cast<std::size_t>(key.row)];
      const ElementGroup& columns = group.of_field[static_cast<std::size_t>(key.column)];
      const NodePattern& pattern = coupling_pattern(key.row, key.column);
      const Index c = space(key.row).components(), d = space(key.column).components();
      for (int a = 0; a < rows.node_count(); ++a) {
        const auto row = static_cast<std::size_t>(rows.node(e, a));
        const Index begin = pattern.offsets[row], length = pattern.offsets[row + 1] - begin;
        for (int b = 0; b < columns.node_count(); ++b) {
          const Index k = position_in_row(pattern, rows.node(e, a), columns.node(e, b));
          for (Index i = 0; i < c; ++i)
            for (Index j = 0; j < d; ++j)
              entries.add(begin * c * d + (i * length + k) * d + j, batch, items, item++, lane);
        }
      }
    } else {
      for (int k = 0; k < field_count(); ++k) {
        const ElementGroup& nodes = group.of_field[static_cast<std::size_t>(k)];
        const Index c = space(k).components();
        for (int a = 0; a < nodes.node_count(); ++a)
          for (Index i = 0; i < c; ++i)
            entries.add(layout_.first(k) + nodes.node(e, a) * c + i, batch, items, item++, lane);
      }
    }
  }
  entries.write(out);
}

// Diagonal blocks of nodes have the lists of operators on one space.
std::shared_ptr<const ScatterPlan> MixedOperator::make_lists(const Key& key, const Plan& plan) const {
  const bool matrix = key.task == Task::matrix, square = matrix && key.row == key.column;
  const NodePattern* pattern = square   ? &space(key.row).host_pattern()
                               : matrix ? &coupling_pattern(key.row, key.column)
                                        : nullptr;
  const Index targets = square   ? static_cast<Index>(pattern->columns.size())
                        : matrix ? static_cast<Index>(pattern->columns.size()) * space(key.row).components() *
                                       space(key.column).components()
                                 : layout_.total();
  std::vector<std::unique_ptr<ChunkLister>> listers(static_cast<std::size_t>(omp_get_max_threads()));
  return std::make_shared<const ScatterPlan>(
      device(), targets, plan.first_chunk.back(), [&](Index chunk, ChunkSlots& out) {
        if (!square) return list_chunk(key, plan, chunk, out);
        auto& lister = listers[static_cast<std::size_t>(omp_get_thread_num())];
        if (!lister) lister = std::make_unique<ChunkLister>(space(key.row).node_count());
        const auto g =
            static_cast<std::size_t>(std::ranges::upper_bound(plan.first_chunk, chunk) - plan.first_chunk.begin() - 1);
        const ElementGroup& group =
            groups_[static_cast<std::size_t>(plan.groups[g])].of_field[static_cast<std::size_t>(key.row)];
        const Index size = plan.chunk_batches[g] * lane_count, first = (chunk - plan.first_chunk[g]) * size;
        lister->list_pairs(group, *pattern, first, std::min(first + size, group.element_count), out);
      });
}

MixedOperator::Plan MixedOperator::make_plan(const Key& key) const {
  const AssemblyKernels& assembly = assembly_kernels(device());
  const bool matrix = key.task == Task::matrix, square = matrix && key.row == key.column;
  const ChunkLimits& limits = matrix ? assembly.matrices : assembly.vectors;
  Plan plan;
  if (square) plan.block = space(key.row).components() * space(key.row).components();
  Index widest = 0, largest = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    std::vector<int> taking_part;
    for (const int i : group.geometry().integrals)
      if (!matrix || integrals_[static_cast<std::size_t>(i)]
                         .form.couples[static_cast<std::size_t>(key.row)][static_cast<std::size_t>(key.column)])
        taking_part.push_back(i);
    if (taking_part.empty()) continue;
    const int items = items_of(key, group);
    if (!has_lists(items))
      throw Error(Exit::resources, fmt::format("element results of {} numbers cannot be assembled", items),
                  "the lists that say where their entries go count to 65536", "take a lower order");
    const Index batch_count = group.geometry().batch_count();
    const Index batches = batches_per_chunk(batch_count, items, plan.block, limits);
    const Index chunks = (batch_count + batches - 1) / batches, results = batches * items * plan.block * lane_count;
    plan.groups.push_back(static_cast<int>(g));
    plan.chunk_batches.push_back(batches);
    plan.first_chunk.push_back(plan.first_chunk.back() + chunks);
    plan.items.push_back(items);
    widest = std::max(widest, results);
    largest = std::max(largest, chunks * results);
    add_terms(key, group, taking_part, plan);
  }
  for (std::size_t g = 0; g < plan.terms.size(); ++g)
    for (std::size_t t = 0; t < plan.terms[g].size(); ++t) plan.terms[g][t].arguments.form = &plan.mixed[g][t];
  for (const auto& [other, made] : plans_)  // vectors of all tasks have the same lists
    if (!matrix && other.task != Task::matrix) plan.scatter = made.scatter;
  if (plan.scatter == nullptr) plan.scatter = make_lists(key, plan);
  plan.extension = Vector(device(), plan.scatter->extension_items() * plan.block, "assembly buffers");
  const Index slab = widest == 0 ? 0 : std::min(largest, std::max(widest, slab_bytes / Index{sizeof(double)}));
  plan.workspace = slab_buffer(device(), assembly.needs_workspace ? slab : 0, widest, steps_down_);
  return plan;
}

MixedOperator::Plan& MixedOperator::plan(const Key& key) const {
  const auto found = plans_.find(key);
  if (found != plans_.end()) return found->second;
  auto phase = device().profile().phase("lists");
  return plans_.emplace(key, make_plan(key)).first->second;
}

// Terms keep pointing to their arguments when a plan moves into the map: its vectors move with their memory.
void MixedOperator::run(Plan& plan, const char* name, const Vector* u, const Vector* direction, double* target) const {
  std::vector<AssemblyGroup> groups;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    for (MixedArguments& mixed : plan.mixed[g])
      for (int k = 0; k < field_count(); ++k) {
        mixed.fields[k].u = u == nullptr ? nullptr : u->data() + layout_.first(k);
        mixed.fields[k].direction = direction == nullptr ? nullptr : direction->data() + layout_.first(k);
      }
    for (AssemblyTerm& term : plan.terms[g]) term.arguments.time = time_;
    groups.push_back({plan.terms[g].data(), static_cast<int>(plan.terms[g].size()),
                      groups_[static_cast<std::size_t>(plan.groups[g])].geometry().batch_count(), plan.chunk_batches[g],
                      plan.first_chunk[g], plan.items[g]});
  }
  const AssemblyJob<double> job{
      name,   groups.data(),         static_cast<int>(groups.size()), plan.scatter->view(), plan.block,
      target, plan.extension.data(), plan.workspace.data(),           plan.workspace.size()};
  assembly_kernels(device()).run(device(), job);
}

// y += what the forms of single fields make of their parts of x.
void MixedOperator::add_of_fields(
    const Vector& x, Vector& y, const std::function<void(const Operator&, const Vector&, int, Vector&)>& apply) const {
  for (int k = 0; k < field_count(); ++k) {
    if (of_field(k) == nullptr) continue;
    const Vector part = layout_.part(x, k);
    Vector result = space(k).zeros(), sum = layout_.part(y, k);
    apply(*of_field(k), part, k, result);
    axpy(1, result, sum);
    layout_.put(sum, k, y);
  }
}

void MixedOperator::residual(const Vector& u, Vector& r) const {
  layout_.check(u);
  layout_.check(r);
  run(plan({Task::residual}), "residual", &u, nullptr, r.data());
  add_of_fields(u, r, [](const Operator& one, const Vector& part, int, Vector& result) { one.residual(part, result); });
}

void MixedOperator::action(const Vector& u, const Vector& x, Vector& y) const {
  if (!u.empty()) layout_.check(u);
  layout_.check(x);
  layout_.check(y);
  run(plan({Task::action}), "operator action", u.empty() ? nullptr : &u, &x, y.data());
  add_of_fields(x, y, [&](const Operator& one, const Vector& part, int k, Vector& result) {
    one.action(u.empty() ? Vector() : layout_.part(u, k), part, result);
  });
}

void MixedOperator::assemble(const Vector& u, BlockOperator& K) const {
  if (!u.empty()) layout_.check(u);
  if (K.layout() != layout_)
    throw Error(Exit::internal, "a matrix of other spaces was given to assemble", {}, "take it from make_matrix()");
  for (int row = 0; row < field_count(); ++row)
    for (int column = 0; column < field_count(); ++column) {
      if (K.block(row, column) == nullptr) continue;
      Vector& values = row == column ? K.square(row)->values() : K.coupling(row, column)->values();
      if (couples(row, column))
        run(plan({Task::matrix, row, column}), "assembly", u.empty() ? nullptr : &u, nullptr, values.data());
      else values.fill_zero();
      if (row != column || !has_block(row, row) || of_field(row) == nullptr) continue;
      SparseMatrix alone = of_field(row)->make_matrix();
      of_field(row)->assemble(u.empty() ? Vector() : layout_.part(u, row), alone);
      axpy(1, alone.values(), values);
    }
}

const double* MixedOperator::given_numbers(const Group& group, const MixedIntegral& integral, int degree) const {
  if (integral.form.numbers.given.empty()) return nullptr;
  Vector& stored = given_[{&group, &integral, degree}];
  if (stored.empty())
    stored = Vector(device(),
                    given_at_points(space(0), group.geometry(), quadrature(group.geometry().kind, degree),
                                    integral.form.numbers, time_.t),
                    "given numbers");
  return stored.data();
}

void MixedOperator::evaluate_given(bool only_in_time) {
  for (auto& [key, stored] : given_) {
    const auto& [group, integral, degree] = key;
    const FormValue& numbers = integral->form.numbers;
    if (only_in_time && !std::ranges::any_of(numbers.given, &PointFunction::varies_in_time)) continue;
    stored.upload(
        given_at_points(space(0), group->geometry(), quadrature(group->geometry().kind, degree), numbers, time_.t));
  }
}

void MixedOperator::set_numbers(const std::vector<MixedFormValue>& forms) {
  bool fits = forms.size() == integrals_.size();
  for (std::size_t i = 0; fits && i < forms.size(); ++i) fits = forms[i].name == integrals_[i].form.name;
  if (!fits)
    throw Error(Exit::internal,
                fmt::format("{} forms were given for {} integrals, or other ones", forms.size(), integrals_.size()));
  for (std::size_t i = 0; i < forms.size(); ++i) {
    check(forms[i]);
    integrals_[i].form.numbers.bytes = forms[i].numbers.bytes;
    integrals_[i].form.numbers.given = forms[i].numbers.given;
  }
  evaluate_given(false);
}

void MixedOperator::set_time(const Time& time) {
  const bool moves = time.t != time_.t;
  time_ = time;
  if (moves) evaluate_given(true);
  for (const auto& each : of_fields_)
    if (each) each->set_time(time);
}

}  // namespace ritz
