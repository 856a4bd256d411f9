#include "fem/operator/task_outline.hpp"

#include "device/cache_size.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/operator/chunk_lists.hpp"
#include "fem/operator/result_sizes.hpp"
#include "fem/operator/slab_buffer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace ritz {
namespace {

// Numbers of a slab of element results on a GPU with this second-level cache, 0: on one that is not here. Chunks of all
// groups have about as many numbers, so that those of the fewest batches have the largest elements.
Index slab_of(Index widest, Index largest, const std::vector<Index>& chunk_batches, Index second_level_cache) {
  if (widest == 0) return 0;
  const Index of_element = widest / (std::ranges::min(chunk_batches) * lane_count);
  return std::min(largest, std::max(widest, slab_size(second_level_cache, of_element)));
}

// For the only integral of a group: whether its kernels can sum the results of a chunk, which must fit in shared
// memory.
bool can_sum_chunks(const ElementTerms& terms, OperatorTask task, const ElementGroup& group,
                    const std::vector<int>& integrals) {
  if (integrals.size() != 1) return false;
  const Integral& integral = terms.integral(integrals.front());
  if (!integral.form.linear) return false;  // it may work with point tangents
  const FormKernels& found = terms.kernels_of(task, group, integral.form);
  if (task == OperatorTask::action) return found.sums_actions;
  return task == OperatorTask::matrix && found.sums_matrices &&
         terms.points().table(group, terms.degree_of(task, group, integral)).point_count == 1;
}

// Whether a GPU's kernels of all matrices of a group store half of their blocks: of symmetric forms, but for those of
// simplices that sum chunks, and for whole elements. Sources of halves have fifteen bits.
bool can_halve(const ElementTerms& terms, const ElementGroup& group, const std::vector<int>& integrals,
               Index chunk_batches) {
  if (chunk_batches * half_count(group.node_count()) * lane_count > transposed_source) return false;
  return std::ranges::all_of(integrals, [&](int i) {
    const FormValue& form = terms.integral(i).form;
    return form.symmetric && form.cell < 0 && !terms.kernels_of(OperatorTask::matrix, group, form).sums_matrices;
  });
}

}  // namespace

const AssemblyKernels& assembly_kernels(const FunctionSpace& space) {
  return kernels<AssemblyKernels>(space.device(), "ritz_fem_kernels", "assembly");
}

ListKey list_key(const TaskOutline& outline, OperatorTask task) {
  return {outline.groups, outline.chunk_batches, task == OperatorTask::matrix};
}

bool TaskJob::takes_part(const FormValue& of) const {
  if (task == OperatorTask::residual) return true;
  if (task != OperatorTask::evaluate) return of.has_matrix;
  return of.derived > 0 && (form.empty() ? of.codimension == 0 : of.name == form);
}

// Numbers of results. Laws with different internal variables give strain and stress alone, as forms of elasticity do.
int results_of(const ElementTerms& terms, const TaskJob& job) {
  std::vector<const FormValue*> forms;
  for (const Integral& integral : terms.integrals())
    if (job.takes_part(integral.form)) forms.push_back(&integral.form);
  if (forms.empty()) return 0;
  const FormValue& first = *forms.front();
  const auto other = std::ranges::find_if(forms, [&](const FormValue* f) { return f->derived != first.derived; });
  if (other == forms.end()) return first.law.kernel.empty() ? first.derived : summed_results(first.derived);
  for (const FormValue* form : forms)
    if (form->law.kernel.empty() && form->derived != results_of_law)
      throw Error(ErrorKind::internal, fmt::format("'{}' derives {} quantities, '{}' {}", first.name, first.derived,
                                                   (*other)->name, (*other)->derived));
  return results_of_law;
}

TaskOutline outline_of(const ElementTerms& terms, const TaskJob& job) {
  const OperatorTask task = job.task;
  const int c = terms.space().components();
  const AssemblyKernels& assembly = assembly_kernels(terms.space());
  TaskOutline result;
  result.block = task == OperatorTask::matrix ? c * c : task == OperatorTask::evaluate ? results_of(terms, job) : c;
  for (std::size_t g = 0; g < terms.groups().size(); ++g) {
    const ElementGroup& group = terms.groups()[g];
    std::vector<int> taking_part;
    for (const int i : group.integrals)
      if (job.takes_part(terms.integral(i).form)) taking_part.push_back(i);
    if (taking_part.empty()) continue;
    const int items = task == OperatorTask::matrix ? group.node_count() * group.node_count() : group.node_count();
    if (!has_lists(items))
      throw Error(ErrorKind::device_memory,
                  fmt::format("element matrices of {} nodes cannot be assembled", group.node_count()),
                  "the lists that say where their entries go count to 65536",
                  "omit [solver] operator, with method cg, gmres or bicgstab or none; or take a lower order");
    const bool can_sum = can_sum_chunks(terms, task, group, taking_part);
    const ChunkLimits& limits = task == OperatorTask::matrix && !can_sum ? assembly.matrices : assembly.vectors;
    // such kernels sum a row of each block at a time
    const int numbers = task == OperatorTask::matrix && can_sum ? c : result.block;
    const Index batches = batches_per_chunk(group.batch_count(), items, numbers, limits);
    const bool halves = task == OperatorTask::matrix && !can_sum && can_halve(terms, group, taking_part, batches);
    const Index results = batches * (halves ? half_count(group.node_count()) : items) * numbers * lane_count;
    const Index chunks = (group.batch_count() + batches - 1) / batches;
    result.chunk_batches.push_back(batches);
    result.first_chunk.push_back(result.first_chunk.back() + chunks);
    result.sums_chunks.push_back(can_sum && results * Index{sizeof(double)} <= limits.bytes);
    result.halves.push_back(halves && assembly.needs_workspace);
    if (!result.sums_chunks.back()) {
      result.widest = std::max(result.widest, results);
      result.largest = std::max(result.largest, chunks * results);
    }
    result.groups.push_back(static_cast<int>(g));
    result.integrals.push_back(std::move(taking_part));
  }
  return result;
}

Index workspace_size(const ElementTerms& terms, const TaskOutline& outline) {
  if (!assembly_kernels(terms.space()).needs_workspace) return 0;
  return slab_of(outline.widest, outline.largest, outline.chunk_batches, second_level_cache(terms.device()));
}

Index TaskOutline::slab() const { return slab_of(widest, largest, chunk_batches, 0); }

std::vector<TaskJob> jobs_of(const ElementTerms& terms, OperatorTask task) {
  std::set<int> sizes;
  std::set<std::string> names;
  bool have_laws = false;  // then strain and stress of all forms are evaluated, too
  for (const Integral& integral : terms.integrals())
    if (task == OperatorTask::evaluate && TaskJob{task}.takes_part(integral.form)) {
      sizes.insert(integral.form.derived);
      names.insert(integral.form.name);
      have_laws = have_laws || !integral.form.law.kernel.empty();
    }
  if (sizes.size() < 2) return {{task}};
  std::vector<TaskJob> jobs;
  if (have_laws) jobs.push_back({task});
  for (const std::string& name : names) jobs.push_back({task, name});
  return jobs;
}

}  // namespace ritz
