// Memory that a mixed operator will take: MixedTerms::matrix_needs and list_needs.
#include "device/kernels.hpp"
#include "fem/operator/list_sizes.hpp"
#include "fem/operator/mixed_terms.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/operator/space_needs.hpp"

#include <algorithm>
#include <set>

namespace ritz {
namespace {

// Entries of scalar unknowns from those of nodes.
ScatterSizes in_scalars(ScatterSizes sizes, Index scalars) {
  for (Index* each : {&sizes.slots, &sizes.sources, &sizes.shared, &sizes.extension, &sizes.untouched})
    *each *= scalars;
  return sizes;
}

}  // namespace

ElementsAround MixedTerms::elements_around(int field) const {
  std::vector<std::shared_ptr<const ElementGroup>> groups;
  for (const Group& group : *groups_) groups.emplace_back(groups_, &group.of_field[static_cast<std::size_t>(field)]);
  return {space(field), std::move(groups)};
}

ScatterSizes MixedTerms::list_sizes(const Key& key, const Outline& outline) const {
  const auto sizes_of = [&](int row, bool pairs, Index of_pattern, const ElementsAround* columns) {
    std::vector<int> groups;  // that have the field
    std::vector<Index> chunk_batches;
    for (std::size_t g = 0; g < outline.groups.size(); ++g) {
      const std::vector<int>& fields = (*groups_)[static_cast<std::size_t>(outline.groups[g])].fields;
      if (std::ranges::find(fields, row) == fields.end()) continue;
      groups.push_back(outline.groups[g]);
      chunk_batches.push_back(outline.chunk_batches[g]);
    }
    return estimated_sizes(elements_around(row), groups, chunk_batches, pairs, of_pattern, columns);
  };
  if (key.task == Task::matrix && key.row == key.column)
    return sizes_of(key.row, true, pairs_of_nodes(space(key.row)), nullptr);
  if (key.task == Task::matrix) {
    const ElementsAround columns = elements_around(key.column);
    const Index by_equations = pairs_by_equations(key.row, key.column);  // no element fills these
    return in_scalars(
        sizes_of(key.row, true, by_equations > 0 ? pairs_between(elements_around(key.row), columns) + by_equations : 0,
                 &columns),
        Index{space(key.row).components()} * space(key.column).components());
  }
  ScatterSizes sum;
  for (int k = 0; k < field_count(); ++k) {
    const ScatterSizes of_field = in_scalars(sizes_of(k, false, 0, nullptr), space(k).components());
    sum.chunks = outline.first_chunk.back();
    sum.runs = std::max(sum.runs, of_field.runs);  // a chunk's slots of like fate are one run, whatever the field
    sum.slots += of_field.slots;
    sum.sources += of_field.sources;
    sum.shared += of_field.shared;
    sum.extension += of_field.extension;
    sum.untouched += of_field.untouched;
  }
  return sum;
}

MemoryNeeds MixedTerms::matrix_needs() const {
  MemoryNeeds needs;
  for (int row = 0; row < field_count(); ++row)
    for (int column = 0; column < field_count(); ++column) {
      if (!has_block(row, column)) continue;
      const Index scalars = Index{space(row).components()} * space(column).components();
      if (row == column) {
        const Index pairs = pairs_of_nodes(space(row));
        if (!space(row).has_pattern())
          needs.array<Index>("pattern", space(row).node_count() + 1).array<std::int32_t>("pattern", pairs);
        needs.array<double>("matrix", pairs * scalars);
      } else {
        const auto known = patterns_.find({row, column});
        const bool holds = known != patterns_.end() && known->second.joints == joints(row, column);
        const Index of_cells =
            holds || !couples(row, column) ? 0 : pairs_between(elements_around(row), elements_around(column));
        const Index pairs = holds ? std::ssize(known->second.columns) : of_cells + pairs_by_equations(row, column);
        needs.array<Index>("pattern", space(row).unknown_count() + 1)
            .array<std::int32_t>("pattern", pairs * scalars)
            .array<double>("matrix", pairs * scalars);
      }
    }
  return needs;
}

MemoryNeeds MixedTerms::list_needs(bool of_matrix, bool of_vectors) const {
  std::vector<Key> keys;
  if (of_vectors) keys = {{Task::residual}, {Task::action}};
  for (int row = 0; of_matrix && row < field_count(); ++row)
    for (int column = 0; column < field_count(); ++column)
      if (couples(row, column)) keys.push_back({Task::matrix, row, column});
  MemoryNeeds needs;
  bool vectors_listed = plans_.contains({Task::residual}) || plans_.contains({Task::action});
  std::set<std::tuple<const Group*, const MixedIntegral*, int>> given;
  FieldsAtPoints::Foreseen fields;
  for (const Key& key : keys) {
    if (plans_.contains(key)) continue;
    const Outline outline = this->outline(key);
    if (outline.groups.empty()) continue;
    const ScatterSizes sizes = list_sizes(key, outline);
    if (key.task == Task::matrix || !std::exchange(vectors_listed, true)) needs += ScatterPlan::memory_needs(sizes);
    needs.array<double>("assembly buffers", sizes.extension * outline.block)
        .array<double>("assembly buffers", outline.slab);
    for (std::size_t g = 0; g < outline.groups.size(); ++g) {
      const Group& group = (*groups_)[static_cast<std::size_t>(outline.groups[g])];
      for (const int i : outline.integrals[g]) {
        const MixedIntegral& integral = integrals_[static_cast<std::size_t>(i)];
        const int degree = degree_of(integral.form, group);
        const std::tuple place{&group, &integral, degree};
        if (integral.form.numbers.given_count == 0 || given_.contains(place) || !given.insert(place).second) continue;
        needs.array<double>("given numbers", group.geometry().batch_count() * lane_count *
                                                 table(group, group.fields.front(), degree).point_count *
                                                 integral.form.numbers.given_count);
        fields_.add_needs(space(0), group.geometry(), table(group, group.fields.front(), degree).point_count,
                          integral.form.numbers, fields, needs);
      }
    }
  }
  using Of = Operator::Task;
  for (int k = 0; k < field_count(); ++k) {
    if (of_field(k) == nullptr) continue;
    if (of_vectors) needs += OperatorNeeds(*of_field(k)).of({Of::residual, Of::action});
    if (!of_matrix || !adds_matrix(k)) continue;
    needs += OperatorNeeds(*of_field(k)).of({Of::matrix});  // and what is added to the block
    needs.array<double>("matrix", pairs_of_nodes(space(k)) * space(k).components() * space(k).components());
  }
  return needs;
}

}  // namespace ritz
