// Terms, lists and buffers of each task of a MixedOperator, made at its first use.
#include "device/cache_size.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/cells/facet_rule.hpp"
#include "fem/operator/chunk_lists.hpp"
#include "fem/operator/given_numbers.hpp"
#include "fem/operator/mixed_operator.hpp"
#include "fem/operator/slab_buffer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <omp.h>

namespace ritz {
namespace {

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

Index position_in_row(const FunctionSpace::HostPattern& pattern, Node row, Node column) {
  const auto first = pattern.columns.begin() + pattern.offsets[static_cast<std::size_t>(row)];
  const auto last = pattern.columns.begin() + pattern.offsets[static_cast<std::size_t>(row) + 1];
  return std::lower_bound(first, last, column) - first;
}

}  // namespace

ReferenceTable MixedTerms::table(const Group& group, int field, int degree) const {
  const ElementGroup& of_field = group.of_field[static_cast<std::size_t>(field)];
  if (family(field) == Family::facet || family(field) == Family::edge) {
    const std::tuple place{of_field.element, of_field.geometry.get(), degree, group.facet};
    const auto known = vector_tables_.find(place);
    if (known != vector_tables_.end()) return known->second.table();
    return vector_tables_
        .try_emplace(place, device(), vector_element(of_field.element->shape, family(field), of_field.element->order),
                     *of_field.geometry, rule_of(group, degree))
        .first->second.table();
  }
  const std::tuple key{of_field.element, of_field.geometry.get(), degree, group.facet};
  const auto found = tables_.find(key);
  if (found != tables_.end()) return found->second.table();
  return tables_.try_emplace(key, device(), *of_field.element, *of_field.geometry, rule_of(group, degree))
      .first->second.table();
}

QuadratureRule MixedTerms::rule_of(const Group& group, int degree) const {
  const CellKind kind = group.geometry().kind;
  return group.facet < 0 ? quadrature(kind, degree) : facet_rule(kind, group.facet, degree).rule;
}

// Exact on affine cells for products of what the form uses: values of an order, gradients of one less. On facets, too:
// two values.
int MixedTerms::degree_of(const MixedFormValue& form, const Group& group) const {
  const CellKind shape = traits(group.geometry().kind).linear;
  int order = 1, value_order = 0;
  for (std::size_t j = 0; j < group.fields.size(); ++j) {
    const int of_field = order_of(group.of_field[static_cast<std::size_t>(group.fields[j])]);
    order = std::max(order, of_field);
    if (form.fields[j].uses_value) value_order = std::max(value_order, of_field);
  }
  if (group.facet >= 0)
    return form.numbers.extra_degree +
           mass_degree(traits(traits(shape).facets[static_cast<std::size_t>(group.facet)].kind).linear, order);
  return form.numbers.extra_degree +
         (value_order >= order ? mass_degree(shape, order) : stiffness_degree(shape, order));
}

int MixedTerms::items_of(const Key& key, const Group& group) const {
  const auto nodes = [&](int field) { return group.of_field[static_cast<std::size_t>(field)].node_count(); };
  if (key.task == Task::matrix && key.row == key.column) return nodes(key.row) * nodes(key.row);
  if (key.task == Task::matrix)
    return nodes(key.row) * nodes(key.column) * space(key.row).components() * space(key.column).components();
  int entries = 0;
  for (const int k : group.fields) entries += nodes(k) * space(k).components();
  return entries;
}

void MixedTerms::add_terms(const Key& key, const Group& group, const std::vector<int>& integrals, Plan& plan) const {
  std::vector<MixedArguments>& all = plan.mixed.emplace_back();
  std::vector<AssemblyTerm>& terms = plan.terms.emplace_back();
  for (const int i : integrals) {
    const MixedIntegral& integral = integrals_[static_cast<std::size_t>(i)];
    const auto& found = kernels<FormKernels>(device(), integral.form.numbers.module,
                                             form_kernel_name(integral.form.name.c_str(), 0, integral.form.dimension));
    const int degree = degree_of(integral.form, group);
    MixedArguments mixed{.form = integral.form.numbers.bytes.data(),
                         .row = std::max(0, integral.position_of(key.row)),
                         .column = std::max(0, integral.position_of(key.column)),
                         .fields = {}};
    for (std::size_t j = 0; j < group.fields.size(); ++j) {
      const auto k = static_cast<std::size_t>(group.fields[j]);
      mixed.fields[j] = {.table = table(group, group.fields[j], degree),
                         .nodes = group.of_field[k].nodes.data(),
                         .u = nullptr,
                         .direction = nullptr,
                         .signs = group.signs[k].data(),
                         .partners = group.partners[k].data()};
    }
    if (group.facet >= 0)
      std::ranges::copy(facet_rule(group.geometry().kind, group.facet, degree).normal, mixed.normal);
    AssemblyTerm term{};
    term.kernel = key.task == Task::matrix   ? found.matrices
                  : key.task == Task::action ? found.actions
                                             : found.residuals;
    term.arguments.table = mixed.fields[0].table;
    term.arguments.nodes = mixed.fields[0].nodes;
    term.arguments.geometry_nodes = group.geometry().geometry_nodes().data();
    term.arguments.coordinates = coordinates_of(space(0), group.geometry()).data();
    term.arguments.components = space(group.fields.front()).components();
    term.arguments.factor = integral.factor;
    term.arguments.given = given_numbers(group, integral, degree);
    all.push_back(mixed);
    terms.push_back(term);
  }
}

void MixedTerms::list_chunk(const Key& key, const Plan& plan, Index chunk, ChunkSlots& out) const {
  const auto g =
      static_cast<std::size_t>(std::ranges::upper_bound(plan.first_chunk, chunk) - plan.first_chunk.begin() - 1);
  const Group& group = (*groups_)[static_cast<std::size_t>(plan.groups[g])];
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
      const NodePattern& of_fields = coupling_pattern(key.row, key.column);
      const FunctionSpace::HostPattern pattern{of_fields.offsets, of_fields.columns};
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
      for (const int k : group.fields) {
        const ElementGroup& nodes = group.of_field[static_cast<std::size_t>(k)];
        const Index c = space(k).components();
        for (int a = 0; a < nodes.node_count(); ++a)
          for (Index i = 0; i < c; ++i)
            entries.add(local_.first(k) + nodes.node(e, a) * c + i, batch, items, item++, lane);
      }
    }
  }
  entries.write(out);
}

// Diagonal blocks of nodes have the lists of operators on one space.
std::shared_ptr<const ScatterPlan> MixedTerms::make_lists(const Key& key, const Plan& plan) const {
  const bool square = key.task == Task::matrix && key.row == key.column;
  FunctionSpace::HostPattern pattern;
  if (square) pattern = space(key.row).host_pattern();
  const Index targets = entries_of(key) / plan.block;
  std::vector<std::unique_ptr<ChunkLister>> listers(static_cast<std::size_t>(omp_get_max_threads()));
  return std::make_shared<const ScatterPlan>(
      device(), targets, plan.first_chunk.back(), [&](Index chunk, ChunkSlots& out) {
        if (!square) return list_chunk(key, plan, chunk, out);
        auto& lister = listers[static_cast<std::size_t>(omp_get_thread_num())];
        if (!lister) lister = std::make_unique<ChunkLister>(space(key.row).node_count());
        const auto g =
            static_cast<std::size_t>(std::ranges::upper_bound(plan.first_chunk, chunk) - plan.first_chunk.begin() - 1);
        const ElementGroup& group =
            (*groups_)[static_cast<std::size_t>(plan.groups[g])].of_field[static_cast<std::size_t>(key.row)];
        const Index size = plan.chunk_batches[g] * lane_count, first = (chunk - plan.first_chunk[g]) * size;
        lister->list_pairs(group, pattern, first, std::min(first + size, group.element_count), out);
      });
}

MixedTerms::Outline MixedTerms::outline(const Key& key) const {
  const AssemblyKernels& assembly = kernels<AssemblyKernels>(device(), "ritz_fem_kernels", "assembly");
  const bool matrix = key.task == Task::matrix;
  const ChunkLimits& limits = matrix ? assembly.matrices : assembly.vectors;
  Outline result;
  if (matrix && key.row == key.column) result.block = space(key.row).components() * space(key.row).components();
  Index largest = 0, element = 0;
  for (std::size_t g = 0; g < groups_->size(); ++g) {
    const Group& group = (*groups_)[g];
    std::vector<int> taking_part;
    for (const int i : group.geometry().integrals)
      if (!matrix || integrals_[static_cast<std::size_t>(i)].couples(key.row, key.column)) taking_part.push_back(i);
    if (taking_part.empty()) continue;
    const int items = items_of(key, group);
    if (!has_lists(items))
      throw Error(ErrorKind::device_memory, fmt::format("element results of {} numbers cannot be assembled", items),
                  "the lists that say where their entries go count to 65536", "take a lower order");
    const Index batch_count = group.geometry().batch_count();
    const Index batches = batches_per_chunk(batch_count, items, result.block, limits);
    const Index chunks = (batch_count + batches - 1) / batches, results = batches * items * result.block * lane_count;
    result.groups.push_back(static_cast<int>(g));
    result.integrals.push_back(std::move(taking_part));
    result.chunk_batches.push_back(batches);
    result.first_chunk.push_back(result.first_chunk.back() + chunks);
    result.items.push_back(items);
    element = std::max(element, Index{items} * result.block);
    result.widest = std::max(result.widest, results);
    largest = std::max(largest, chunks * results);
  }
  if (assembly.needs_workspace && result.widest > 0)
    result.slab = std::min(largest, std::max(result.widest, slab_size(second_level_cache(device()), element)));
  return result;
}

MixedTerms::Plan MixedTerms::make_plan(const Key& key) const {
  Plan plan{outline(key)};
  for (std::size_t g = 0; g < plan.groups.size(); ++g)
    add_terms(key, (*groups_)[static_cast<std::size_t>(plan.groups[g])], plan.integrals[g], plan);
  for (std::size_t g = 0; g < plan.terms.size(); ++g)
    for (std::size_t t = 0; t < plan.terms[g].size(); ++t) plan.terms[g][t].arguments.form = &plan.mixed[g][t];
  for (const auto& [other, made] : plans_)  // vectors of all tasks have the same lists
    if (key.task != Task::matrix && other.task != Task::matrix) plan.scatter = made.scatter;
  if (plan.scatter == nullptr) plan.scatter = make_lists(key, plan);
  plan.entries = entries_of(key);
  if (key.task == Task::matrix) plan.joints = joints(key.row, key.column);
  plan.extension = Vector(device(), plan.scatter->extension_items() * plan.block, "assembly buffers");
  plan.workspace = slab_buffer(device(), plan.slab, plan.widest, steps_down_);
  return plan;
}

MixedTerms::Plan& MixedTerms::plan(const Key& key) const {
  const auto found = plans_.find(key);
  const Joints now = key.task == Task::matrix ? joints(key.row, key.column) : Joints{};
  if (found != plans_.end() && found->second.joints == now) return found->second;
  auto phase = device().profile().phase("lists");
  return plans_.insert_or_assign(key, make_plan(key)).first->second;
}

const double* MixedTerms::given_numbers(const Group& group, const MixedIntegral& integral, int degree) const {
  if (integral.form.numbers.given.empty()) return nullptr;
  Vector& stored = given_[{&group, &integral, degree}];
  if (stored.empty()) {
    const QuadratureRule rule = rule_of(group, degree);
    Vector numbers(device(), given_count(group.geometry(), rule, integral.form.numbers), "given numbers");
    given_at_points(space(0), group.geometry(), rule, integral.form.numbers, time_->t, fields_, numbers);
    stored = std::move(numbers);
  }
  return stored.data();
}

}  // namespace ritz
