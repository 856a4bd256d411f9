#include "fem/operator/operator.hpp"

#include "device/cache_size.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/operator/chunk_lists.hpp"
#include "fem/operator/given_numbers.hpp"
#include "fem/operator/gpu_lists.hpp"
#include "fem/operator/result_sizes.hpp"
#include "fem/operator/single_assembly.hpp"
#include "fem/operator/slab_buffer.hpp"
#include "solvers/algebra/ghosts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <omp.h>

namespace ritz {
namespace {

constexpr const char* module_name = "ritz_fem_kernels";

const AssemblyKernels& assembly_kernels(const FunctionSpace& space) {
  return kernels<AssemblyKernels>(space.device(), module_name, "assembly");
}

// Numbers of a slab of element results on a GPU with this second-level cache, 0: on one that is not here. Chunks of all
// groups have about as many numbers, so that those of the fewest batches have the largest elements.
Index slab_of(Index widest, Index largest, const std::vector<Index>& chunk_batches, Index second_level_cache) {
  if (widest == 0) return 0;
  const Index of_element = widest / (std::ranges::min(chunk_batches) * lane_count);
  return std::min(largest, std::max(widest, slab_size(second_level_cache, of_element)));
}

std::vector<FormValue> forms_of(const std::vector<Integral>& integrals) {
  std::vector<FormValue> forms;
  for (const Integral& integral : integrals) forms.push_back(integral.form);
  return forms;
}

}  // namespace

// Whole elements need their own kind of cell; forms need quadrature, which lines and surfaces in space do not have.
void Operator::check_cells(const FormValue& form, const ElementGroup& group) const {
  const bool in_space = space_->mesh().structural() && traits(group.kind).dimension < 3;
  const bool has_nodes = space_->isoparametric() || group.kind == CellKind::vertex1;
  if (form.cell >= 0 ? group.kind == static_cast<CellKind>(form.cell) && has_nodes : !in_space) return;
  if (form.cell < 0)
    throw Error(
        ErrorKind::load_on_nothing,
        fmt::format("the form '{}' was asked for on cells of kind {} in space", form.name, traits(group.kind).name),
        "forms of three dimensions act in solids", "use a whole element (ritz element list)");
  if (!has_nodes)
    throw Error(
        ErrorKind::load_on_nothing,
        fmt::format("the element '{}' stands on the nodes of the mesh, but the space has nodes of its own", form.name),
        {}, "omit [space] order");
  throw Error(ErrorKind::load_on_nothing,
              fmt::format("the element '{}' stands on cells of kind {}, but was given {} of kind {}", form.name,
                          traits(static_cast<CellKind>(form.cell)).name, group.element_count, traits(group.kind).name),
              {}, "take another element for them, or mesh them anew");
}

bool Operator::symmetric() const {
  return std::all_of(integrals_.begin(), integrals_.end(),
                     [](const Integral& i) { return !i.form.has_matrix || i.form.symmetric; });
}

Operator::Operator(const FunctionSpace& space, std::vector<Integral> integrals, ElementLists lists)
    : space_(&space),
      layout_(std::vector<Layout::Field>{{.nodes = space.node_count(), .width = space.components()}}),
      integrals_(std::move(integrals)) {
  for (const Integral& integral : integrals_)
    if (static_cast<int>(integral.form.given.size()) != integral.form.given_count)
      throw Error(ErrorKind::internal,
                  fmt::format("form '{}' needs {} numbers at every point, {} are given", integral.form.name,
                              integral.form.given_count, integral.form.given.size()));
  for (const Integral& integral : integrals_)
    if (integral.form.cell >= 0
            ? integral.form.components > space.components() || integral.form.dimension != space.mesh().dimension()
            : integral.form.components != space.components() || integral.form.dimension != space.mesh().dimension())
      throw Error(
          ErrorKind::internal,
          fmt::format("form '{}' has {} components in {} dimensions, the space {} in {}", integral.form.name,
                      integral.form.components, integral.form.dimension, space.components(), space.mesh().dimension()));
  groups_ = element_groups(space, integrals_, lists);
  for (const ElementGroup& group : groups_)
    for (const int i : group.integrals) check_cells(integrals_[static_cast<std::size_t>(i)].form, group);
}

bool Operator::takes_part(const Job& job, const FormValue& form) const {
  if (job.task == Task::residual) return true;
  if (job.task != Task::evaluate) return form.has_matrix;
  return form.derived > 0 && (job.form.empty() ? form.codimension == 0 : form.name == job.form);
}

// Numbers of results. Laws with different internal variables give strain and stress alone, as forms of elasticity do.
int Operator::results_of(const Job& job) const {
  std::vector<const FormValue*> forms;
  for (const Integral& integral : integrals_)
    if (takes_part(job, integral.form)) forms.push_back(&integral.form);
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

Operator::Outline Operator::outline(const Job& job) const {
  const Task task = job.task;
  const int c = space_->components();
  const AssemblyKernels& assembly = assembly_kernels(*space_);
  Outline result;
  result.block = task == Task::matrix ? c * c : task == Task::evaluate ? results_of(job) : c;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const ElementGroup& group = groups_[g];
    std::vector<int> taking_part;
    for (const int i : group.integrals) {
      const Integral& integral = integrals_[static_cast<std::size_t>(i)];
      if (!takes_part(job, integral.form)) continue;
      taking_part.push_back(i);
    }
    if (taking_part.empty()) continue;
    const int items = task == Task::matrix ? group.node_count() * group.node_count() : group.node_count();
    if (!has_lists(items))
      throw Error(ErrorKind::device_memory,
                  fmt::format("element matrices of {} nodes cannot be assembled", group.node_count()),
                  "the lists that say where their entries go count to 65536",
                  "omit [solver] operator, with method cg, gmres or bicgstab or none; or take a lower order");
    const bool can_sum = can_sum_chunks(task, group, taking_part);
    const ChunkLimits& limits = task == Task::matrix && !can_sum ? assembly.matrices : assembly.vectors;
    // such kernels sum a row of each block at a time
    const int numbers = task == Task::matrix && can_sum ? c : result.block;
    const Index batches = batches_per_chunk(group.batch_count(), items, numbers, limits);
    const bool halves = task == Task::matrix && !can_sum && can_halve(group, taking_part, batches);
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

Index Operator::workspace_size(const Outline& outline) const {
  if (!assembly_kernels(*space_).needs_workspace) return 0;
  return slab_of(outline.widest, outline.largest, outline.chunk_batches, second_level_cache(space_->device()));
}

Index Operator::Outline::slab() const { return slab_of(widest, largest, chunk_batches, 0); }

Index Operator::slabs_on_a_gpu(const std::vector<Task>& tasks) const {
  if (assembly_kernels(*space_).needs_workspace) return 0;
  std::map<std::pair<ListKey, int>, Index> slabs;  // shared as plans share them
  for (const Task task : tasks)
    for (const Job& job : jobs_of(task)) {
      const Outline outline = this->outline(job);
      Index& slab = slabs[{{outline.groups, outline.chunk_batches, task == Task::matrix}, outline.block}];
      slab = std::max(slab, outline.slab());
    }
  Index sum = 0;
  for (const auto& [key, slab] : slabs) sum += slab * Index{sizeof(double)};
  return sum;
}

Operator::Plan Operator::plan_of(const Job& job, const Outline& outline) const {
  write_connectivity();
  Plan plan;
  plan.task = job.task;
  plan.integrals = outline.integrals;
  plan.block = outline.block;
  plan.groups = outline.groups;
  plan.chunk_batches = outline.chunk_batches;
  plan.halves = outline.halves;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    std::vector<AssemblyTerm>& terms = plan.terms.emplace_back();
    const ElementGroup& group = groups_[static_cast<std::size_t>(plan.groups[g])];
    for (const int i : outline.integrals[g]) {
      terms.push_back(make_term(job.task, group, integrals_[static_cast<std::size_t>(i)]));
      if (job.task == Task::evaluate) terms.back().arguments.law_results = outline.block;
    }
    terms.front().sums_chunks = outline.sums_chunks[g];
  }
  return plan;
}

Operator::Plan Operator::make_plan(const Job& job) const {
  const Device& device = space_->device();
  const Task task = job.task;
  const Outline outline = this->outline(job);
  Plan plan = plan_of(job, outline);
  for (const auto& [other, made] : plans_) {
    if (!made.has_lists_for(task, plan.groups, plan.chunk_batches)) continue;
    plan.scatter = made.scatter;
    if (made.block != plan.block) continue;
    plan.extension = made.extension;
    if (made.workspace->size() >= workspace_size(outline)) plan.workspace = made.workspace;
  }
  if (plan.scatter == nullptr) plan.scatter = make_lists(task, plan, outline.first_chunk);
  plan.stored_bytes = ScatterPlan::memory_needs(plan.scatter->sizes()).total() + stored_at_points(plan.terms);
  if (plan.extension == nullptr)
    plan.extension = std::make_shared<Vector>(device, plan.scatter->extension_items() * plan.block, "assembly buffers");
  if (plan.workspace == nullptr)
    plan.workspace =
        std::make_shared<Vector>(slab_buffer(device, workspace_size(outline), outline.widest, steps_down_));
  return plan;
}

std::shared_ptr<const ScatterPlan> Operator::make_lists(Task task, const Plan& plan,
                                                        const std::vector<Index>& first_chunk) const {
  std::shared_ptr<ScatterPlan> lists = whole_lists(task, plan, first_chunk);
  if (task == Task::matrix) halve_sources(plan, *lists);
  return lists;
}

// Sources count all pairs of nodes.
std::shared_ptr<ScatterPlan> Operator::whole_lists(Task task, const Plan& plan,
                                                   const std::vector<Index>& first_chunk) const {
  std::vector<const ElementGroup*> groups;
  for (const int g : plan.groups) groups.push_back(&groups_[static_cast<std::size_t>(g)]);
  const SparsityPattern* const there = task == Task::matrix ? space_->pattern().get() : nullptr;
  if (std::optional<ScatterLists> made = lists_of_gpu(*space_, groups, plan.chunk_batches, there))
    return std::make_shared<ScatterPlan>(std::move(*made));
  std::optional<FunctionSpace::HostPattern> pattern;
  if (task == Task::matrix) pattern = space_->host_pattern();
  const Index targets = pattern ? static_cast<Index>(pattern->columns.size()) : space_->node_count();
  std::vector<std::unique_ptr<ChunkLister>> listers(static_cast<std::size_t>(omp_get_max_threads()));
  return std::make_shared<ScatterPlan>(
      space_->device(), targets, first_chunk.back(), [&](Index chunk, ChunkSlots& out) {
        auto& lister = listers[static_cast<std::size_t>(omp_get_thread_num())];
        if (!lister) lister = std::make_unique<ChunkLister>(space_->node_count());
        const auto g = static_cast<std::size_t>(std::ranges::upper_bound(first_chunk, chunk) - first_chunk.begin() - 1);
        const ElementGroup& group = *groups[g];
        const Index size = plan.chunk_batches[g] * lane_count, first = (chunk - first_chunk[g]) * size;
        const Index last = std::min(first + size, group.element_count);
        if (pattern) lister->list_pairs(group, *pattern, first, last, out);
        else lister->list_nodes(group, first, last, out);
      });
}

void Operator::halve_sources(const Plan& plan, ScatterPlan& lists) const {
  Index first = 0;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const ElementGroup& group = groups_[static_cast<std::size_t>(plan.groups[g])];
    const int nodes = group.node_count();
    const Index count = group.element_count * nodes * nodes;
    if (plan.halves[g]) assembly_kernels(*space_).halve(space_->device(), lists.sources().data() + first, count, nodes);
    first += count;
  }
}

std::shared_ptr<const ScatterPlan> Operator::lists_of_action(const std::vector<Index>& chunk_batches) const {
  const Plan& made = plan({Task::action});
  bool all_cells = made.groups.size() == groups_.size();
  for (const ElementGroup& group : groups_) all_cells = all_cells && !group.elements.empty();
  return all_cells && made.chunk_batches == chunk_batches ? made.scatter : nullptr;
}

const Operator::Plan& Operator::plan(const Job& job) const {
  const auto found = plans_.find(job);
  if (found != plans_.end() && found->second.scatter != nullptr) return found->second;
  auto phase = space_->device().profile().phase("lists");
  return plans_.insert_or_assign(job, make_plan(job)).first->second;
}

const Operator::Plan& Operator::plan_of_few_runs(const Job& job) const {
  if (space_->device().machine().is_apart()) return plan(job);
  auto found = plans_.find(job);
  if (found == plans_.end()) found = plans_.emplace(job, plan_of(job, outline(job))).first;
  Plan& known = found->second;
  if (known.scatter != nullptr) return known;
  const bool others_have_lists = std::ranges::any_of(plans_, [&](const auto& entry) {
    return entry.second.has_lists_for(job.task, known.groups, known.chunk_batches);
  });
  return others_have_lists || ++known.runs > runs_without_lists ? plan(job) : known;
}

template <class Use>
void Operator::with_groups(const Plan& plan, bool matrix, bool single, const Vectors& vectors, const Use& use) const {
  if (over_ranks_ && has_state()) over_ranks_->bring_states(*this);
  std::vector<std::vector<AssemblyTerm>> terms = plan.terms;
  std::vector<AssemblyGroup> groups(plan.groups.size());
  Index chunk = 0;
  double* cells = vectors.cells;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto number = static_cast<std::size_t>(plan.groups[g]);
    const ElementGroup& group = groups_[number];
    for (AssemblyTerm& term : terms[g]) {
      term.arguments.u = vectors.u;
      term.arguments.cell_values = cells;
      if (cells != nullptr) cells += group.batch_count() * plan.block * lane_count;
      term.arguments.direction = vectors.direction;
      term.arguments.single_direction = vectors.single_direction;
      if (single) term.kernel = term.single_kernel;
      if (vectors.marked != nullptr) {
        term.arguments.nodes = vectors.marked->nodes[number].data();
        term.arguments.prescribed = vectors.marked->prescribed;
      }
    }
    if (vectors.tangents != nullptr) take_tangents(plan, g, *vectors.tangents, terms[g]);
    const int n = group.node_count(), pairs = plan.halves[g] ? half_count(n) : n * n;
    groups[g] = {terms[g].data(),
                 static_cast<int>(terms[g].size()),
                 group.batch_count(),
                 plan.chunk_batches[g],
                 chunk,
                 matrix ? pairs : n,
                 plan.halves[g]};
    chunk += groups[g].chunk_count();
  }
  use(groups);
}

void Operator::run(const Plan& plan, const char* name, bool matrix, const Vectors& vectors) const {
  space_->device().profile().count(least_traffic(plan, matrix, sizeof(double)) +
                                   (vectors.tangents != nullptr ? vectors.tangents->bytes() : 0));
  with_groups(plan, matrix, false, vectors, [&](const std::vector<AssemblyGroup>& groups) {
    if (plan.scatter == nullptr) {
      std::vector<const ElementGroup*> elements;
      for (const int g : plan.groups) elements.push_back(&groups_[static_cast<std::size_t>(g)]);
      const SingleAssembly job{name, groups, elements, space_, plan.block, vectors.target};
      return matrix ? assemble_without_lists(job) : sum_without_lists(job);
    }
    const AssemblyJob<double> job{
        name,           groups.data(),          static_cast<int>(groups.size()), plan.scatter->view(),  plan.block,
        vectors.target, plan.extension->data(), plan.workspace->data(),          plan.workspace->size()};
    run_job(plan, job, vectors.arriving, assembly_kernels(*space_).run);
  });
}

template <class Real, class Run>
void Operator::run_job(const Plan& plan, const AssemblyJob<Real>& job, const Ghosts* arriving, const Run& run) const {
  const Device& device = space_->device();
  if (arriving == nullptr) return run(device, job);
  if (device.machine().is_apart()) {
    arriving->finish_fetch();
    return run(device, job);
  }
  if (!plan.inner) {
    std::vector<const ElementGroup*> elements;
    for (const int g : plan.groups) elements.push_back(&groups_[static_cast<std::size_t>(g)]);
    plan.inner = inner_chunks({job.groups, plan.groups.size()}, elements, static_cast<Node>(arriving->owned()),
                              device.threads());
  }
  run_inner_first(device, job, *plan.inner, *arriving, run);
}

void Operator::run_single(const Plan& plan, const char* name, const Vectors& vectors, float* target) const {
  const Device& device = space_->device();
  device.profile().count(least_traffic(plan, false, sizeof(float)) +
                         (vectors.tangents != nullptr ? vectors.tangents->bytes() : 0));
  with_groups(plan, false, true, vectors, [&](const std::vector<AssemblyGroup>& groups) {
    const AssemblyJob<float> job{name,
                                 groups.data(),
                                 static_cast<int>(groups.size()),
                                 plan.scatter->view(),
                                 plan.block,
                                 target,
                                 reinterpret_cast<float*>(plan.extension->data()),
                                 reinterpret_cast<float*>(plan.workspace->data()),
                                 plan.workspace->size()};
    run_job(plan, job, vectors.arriving, assembly_kernels(*space_).run_single);
  });
}

void Operator::check_vector(const Vector& x) const {
  if (x.size() != space_->unknown_count()) throw_size_mismatch(space_->unknown_count(), x.size());
}

const double* Operator::given_or_zero(const Vector& u) const {
  if (u.empty()) return nullptr;
  check_vector(u);
  return u.data();
}

void Operator::residual(const Vector& u, Vector& r) const {
  check_vector(u);
  check_vector(r);
  if (over_ranks_) return over_ranks_->residual(*this, u, r);
  run(plan_of_few_runs({Task::residual}), "residual", false, {.u = u.data(), .target = r.data()});
}

std::span<const Node> Operator::nodes_of_all_cells() const {
  for (const ElementGroup& group : groups_)
    if (group.elements.size() == space_->cell_order().size()) return {group.nodes.data(), group.host_nodes.size()};
  return {};
}

SparseMatrix Operator::make_matrix() const {
  return SparseMatrix(space_->pattern(nodes_of_all_cells()), space_->components(), SparseMatrix::Values::undefined);
}

void Operator::assemble(const Vector& u, SparseMatrix& matrix) const { assemble_with(nullptr, u, matrix); }

void Operator::assemble_once(const Vector& u, SparseMatrix& matrix) const { assemble_once_with(nullptr, u, matrix); }

void Operator::check_matrix(const SparseMatrix& matrix) const {
  if (matrix.shared_pattern() != space_->pattern() || matrix.block_size() != space_->components())
    throw Error(ErrorKind::internal, "a matrix of another space was given to assemble", {},
                "take it from make_matrix()");
}

void Operator::assemble_with(const PointTangents* tangents, const Vector& u, SparseMatrix& matrix) const {
  check_matrix(matrix);
  run(plan({Task::matrix}), "assembly", true,
      {.u = given_or_zero(u), .target = matrix.values().data(), .tangents = tangents});
}

void Operator::assemble_once_with(const PointTangents* tangents, const Vector& u, SparseMatrix& matrix) const {
  check_matrix(matrix);
  if (space_->device().machine().is_apart() || plans_.contains({Task::matrix})) {
    assemble_with(tangents, u, matrix);
  } else {
    run(plan_of({Task::matrix}, outline({Task::matrix})), "assembly", true,
        {.u = given_or_zero(u), .target = matrix.values().data(), .tangents = tangents});
  }
  forget_assembly();
}

bool Operator::same_places(const std::vector<Integral>& integrals) const {
  return std::ranges::equal(integrals_, integrals,
                            [](const Integral& a, const Integral& b) { return a.same_place(b); });
}

bool Operator::linear() const {
  return std::ranges::all_of(integrals_, [](const Integral& i) { return i.form.linear; });
}

std::unique_ptr<Equations> Operator::loads() const {
  return std::make_unique<Operator>(*space_, loads_among(integrals_));
}

std::string Operator::name_of(Index unknown) const {
  return space_->name_of(static_cast<Node>(unknown / space_->components()));
}

std::vector<double> Operator::forces_for_results(const Vector& f) const { return space_->forces_to_mesh(f); }

bool Operator::varies_in_time() const {
  return std::ranges::any_of(integrals_, [](const Integral& i) { return i.form.varies_in_time(); });
}

bool Operator::matrix_varies_in_time() const {
  return std::ranges::any_of(integrals_,
                             [](const Integral& i) { return i.form.has_matrix && i.form.varies_in_time(); });
}

template <class Use>
void Operator::each_term(const Use& use) {
  for (auto& [job, plan] : plans_)
    for (std::size_t g = 0; g < plan.terms.size(); ++g)
      for (std::size_t t = 0; t < plan.terms[g].size(); ++t)
        use(static_cast<std::size_t>(plan.integrals[g][t]), plan.terms[g][t].arguments);
}

void Operator::set_time(const Time& time) {
  const bool moves = time.t != time_.t;
  time_ = time;
  each_term([&](std::size_t, ElementArguments& arguments) { arguments.time = time; });
  if (moves) evaluate_given(true);
}

void Operator::set_factor_of_rates(double factor) {
  for (std::size_t i = 0; i < integrals_.size(); ++i)
    if (integrals_[i].is_rate) set_factor(i, factor);
}

void Operator::set_factor(std::size_t integral, double factor) {
  integrals_.at(integral).factor = factor;
  each_term([&](std::size_t i, ElementArguments& arguments) {
    if (i == integral) arguments.factor = factor;
  });
}

// Terms of the plans point to the stored numbers: they are written in place.
void Operator::evaluate_given(bool only_in_time) {
  for (auto& [key, stored] : given_) {
    const auto& [group, integral, degree] = key;
    if (only_in_time && !std::ranges::any_of(integral->form.given, &PointFunction::varies_in_time)) continue;
    given_at_points(*space_, *group, quadrature(group->kind, degree), integral->form, time_.t, fields_, stored);
  }
}

bool Operator::set_numbers(const std::vector<Integral>& integrals) {
  if (!same_places(integrals)) return false;
  for (std::size_t i = 0; i < integrals.size(); ++i) set_factor(i, integrals[i].factor);
  set_numbers(forms_of(integrals));
  return true;
}

std::vector<FormValue> Operator::numbers() const { return forms_of(integrals_); }

// Terms of the plans point to the bytes, too.
void Operator::set_numbers(const std::vector<FormValue>& forms) {
  for (std::size_t i = 0; i < forms.size(); ++i) {
    integrals_[i].form.bytes = forms[i].bytes;
    integrals_[i].form.given = forms[i].given;
  }
  fields_.forget_others(forms);
  evaluate_given(false);
  if (over_ranks_) over_ranks_->numbers_changed();
}

void Operator::forget_assembly() const {
  forget(Task::matrix);
  space_->forget_host_pattern();
  space_->device().memory().trim();
}

void Operator::divide(std::shared_ptr<OperatorOverRanks> ranks) const {
  over_ranks_ = std::move(ranks);
  plans_.clear();
  point_geometry_.clear();
  forget_nodes_of_cells(groups_);
  has_connectivity_ = false;
}

void Operator::write_connectivity() const {
  if (!std::exchange(has_connectivity_, true)) write_nodes_of_cells(*space_, groups_);
}

Operator::MarkedNodes Operator::mark(const Constraints& constraints) const {
  write_connectivity();
  MarkedNodes marked;
  marked.prescribed = constraints.mask().data();
  for (const ElementGroup& group : groups_) {
    std::vector<Node> nodes(group.host_nodes.begin(), group.host_nodes.end());
    for (Node& node : nodes)
      for (int c = 0; c < space_->components(); ++c)
        if (constraints.is_prescribed(node, c)) {
          node = ~node;
          break;
        }
    marked.nodes.emplace_back(space_->device(), std::span<const Node>(nodes), "connectivity");
  }
  return marked;
}

void Operator::action(const Vector& u, const Vector& x, Vector& y, const MarkedNodes* marked,
                      const Ghosts* arriving) const {
  check_vector(x);
  check_vector(y);
  if (over_ranks_ && marked == nullptr) return over_ranks_->action(*this, u, x, y);
  run(plan({Task::action}), "operator action", false,
      {.u = given_or_zero(u), .target = y.data(), .direction = x.data(), .marked = marked, .arriving = arriving});
}

void Operator::action(const Vector& u, const Array<float>& x, Array<float>& y, const MarkedNodes* marked,
                      const Ghosts* arriving) const {
  action_with(nullptr, u, x, y, marked, arriving);
}

void Operator::action_with(const PointTangents* tangents, const Vector& u, const Array<float>& x, Array<float>& y,
                           const MarkedNodes* marked, const Ghosts* arriving) const {
  if (x.size() != space_->unknown_count()) throw_size_mismatch(space_->unknown_count(), x.size());
  if (y.size() != space_->unknown_count()) throw_size_mismatch(space_->unknown_count(), y.size());
  run_single(plan({Task::action}), "operator action",
             {.u = given_or_zero(u),
              .single_direction = x.data(),
              .marked = marked,
              .tangents = tangents,
              .arriving = arriving},
             y.data());
}

Vector Operator::diagonal(const Vector& u) const { return diagonal_with(nullptr, u); }

Vector Operator::diagonal_with(const PointTangents* tangents, const Vector& u) const {
  Vector d = space_->zeros();
  run(plan_of_few_runs({Task::diagonal}), "diagonal", false,
      {.u = given_or_zero(u), .target = d.data(), .tangents = tangents});
  return d;
}

}  // namespace ritz
