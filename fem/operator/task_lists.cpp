#include "fem/operator/task_lists.hpp"

#include "fem/operator/chunk_lists.hpp"
#include "fem/operator/gpu_lists.hpp"

#include <algorithm>
#include <omp.h>
#include <optional>
#include <utility>

namespace ritz {
namespace {

Index unknowns_of(const TaskTerms& terms) {
  Index unknowns = 0;
  for (const FunctionSpace& space : terms.fields()) unknowns += space.unknown_count();
  return unknowns;
}

// Numbers of a pair of nodes in a matrix between two fields.
Index scalars_of(const TaskTerms& terms, const TaskJob& job) {
  const auto components = [&](int field) { return terms.fields()[static_cast<std::size_t>(field)].components(); };
  return Index{components(job.row)} * components(job.column);
}

}  // namespace

Index target_numbers(const TaskTerms& terms, const TaskOutline& outline) {
  const TaskJob& job = outline.job;
  if (!job.is_matrix()) return unknowns_of(terms);
  if (outline.by_nodes) return terms.fields()[static_cast<std::size_t>(job.row)].pattern()->nonzeros() * outline.block;
  return static_cast<Index>(terms.pattern(job).columns.size()) * scalars_of(terms, job);
}

namespace {

// Lists of nodes, or of pairs of nodes, of one field.
std::shared_ptr<ScatterPlan> lists_of_nodes(const TaskTerms& terms, const TaskOutline& outline) {
  const bool of_pairs = outline.job.is_matrix();
  const FunctionSpace& space = terms.fields()[static_cast<std::size_t>(outline.job.row)];
  std::vector<const ElementGroup*> groups;
  for (std::size_t g = 0; g < outline.groups.size(); ++g) groups.push_back(outline.field(g, outline.job.row)->elements);
  const SparsityPattern* const there = of_pairs ? space.pattern().get() : nullptr;
  if (std::optional<ScatterLists> made = lists_of_gpu(space, groups, outline.chunk_batches, there))
    return std::make_shared<ScatterPlan>(std::move(*made));
  FunctionSpace::HostPattern pattern;
  if (of_pairs) pattern = terms.pattern(outline.job);
  const Index targets = of_pairs ? static_cast<Index>(pattern.columns.size()) : space.node_count();
  std::vector<std::unique_ptr<ChunkLister>> listers(static_cast<std::size_t>(omp_get_max_threads()));
  return std::make_shared<ScatterPlan>(space.device(), targets, outline.first_chunk.back(),
                                       [&](Index chunk, ChunkSlots& out) {
                                         auto& lister = listers[static_cast<std::size_t>(omp_get_thread_num())];
                                         if (!lister) lister = std::make_unique<ChunkLister>(space.node_count());
                                         const auto [g, first, last] = outline.chunk(chunk);
                                         if (of_pairs) lister->list_pairs(*groups[g], pattern, first, last, out);
                                         else lister->list_nodes(*groups[g], first, last, out);
                                       });
}

// Lists of the unknowns of several fields.
std::shared_ptr<ScatterPlan> lists_of_unknowns(const TaskTerms& terms, const TaskOutline& outline) {
  return std::make_shared<ScatterPlan>(terms.fields().front().device(), unknowns_of(terms), outline.first_chunk.back(),
                                       [&](Index chunk, ChunkSlots& out) {
                                         const auto [g, first, last] = outline.chunk(chunk);
                                         list_unknowns(outline.fields[g], first, last, out);
                                       });
}

std::shared_ptr<ScatterPlan> lists_of_couplings(const TaskTerms& terms, const TaskOutline& outline) {
  const FunctionSpace::HostPattern pattern = terms.pattern(outline.job);
  return std::make_shared<ScatterPlan>(terms.fields().front().device(), target_numbers(terms, outline),
                                       outline.first_chunk.back(), [&](Index chunk, ChunkSlots& out) {
                                         const auto [g, first, last] = outline.chunk(chunk);
                                         list_couplings(*outline.field(g, outline.job.row),
                                                        *outline.field(g, outline.job.column), pattern, first, last,
                                                        out);
                                       });
}

// Entries of unknowns from those of nodes.
ScatterSizes in_scalars(ScatterSizes sizes, Index scalars) {
  for (Index* each : {&sizes.slots, &sizes.sources, &sizes.shared, &sizes.extension, &sizes.untouched})
    *each *= scalars;
  return sizes;
}

// Those of the groups that have the field.
ScatterSizes sizes_of(const TaskOutline& outline, int field, Index pairs, NodeSamples& samples,
                      const ElementsAround* columns) {
  std::vector<int> groups;
  std::vector<Index> chunk_batches;
  for (std::size_t g = 0; g < outline.groups.size(); ++g) {
    if (outline.field(g, field) == nullptr) continue;
    groups.push_back(outline.groups[g]);
    chunk_batches.push_back(outline.chunk_batches[g]);
  }
  return estimated_sizes(samples.around(field), groups, chunk_batches, outline.job.is_matrix(), pairs, columns);
}

}  // namespace

std::shared_ptr<ScatterPlan> task_lists(const TaskTerms& terms, const TaskOutline& outline) {
  if (outline.by_nodes) return lists_of_nodes(terms, outline);
  return outline.job.is_matrix() ? lists_of_couplings(terms, outline) : lists_of_unknowns(terms, outline);
}

const ElementsAround& NodeSamples::around(int field) {
  of_field_.resize(terms_->fields().size());
  auto& made = of_field_[static_cast<std::size_t>(field)];
  if (made == nullptr)
    made = std::make_unique<const ElementsAround>(terms_->fields()[static_cast<std::size_t>(field)],
                                                  terms_->groups_of(field));
  return *made;
}

ScatterSizes task_list_sizes(const TaskTerms& terms, const TaskOutline& outline, Index pairs, NodeSamples& samples) {
  const TaskJob& job = outline.job;
  if (outline.by_nodes) return sizes_of(outline, job.row, pairs, samples, nullptr);
  if (job.is_matrix())
    return in_scalars(sizes_of(outline, job.row, pairs, samples, &samples.around(job.column)), scalars_of(terms, job));
  ScatterSizes sum;
  for (std::size_t k = 0; k < terms.fields().size(); ++k) {
    const ScatterSizes of_field =
        in_scalars(sizes_of(outline, static_cast<int>(k), 0, samples, nullptr), terms.fields()[k].components());
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

}  // namespace ritz
