// The equations of a model: forms over regions, bound to a space. It computes residuals, assembles matrices in place,
// and evaluates derived fields; element kernels and sums run on the space's device and give the same bits every time.
//
//   Operator equations(space, {Integral::over_all_cells(Elasticity{lambda, mu}), Integral::over(load, region)});
//   SparseMatrix K = equations.make_matrix();      equations.assemble(u, K);       // K = d(residual)/du
//   equations.residual(u, r);                      // internal minus external forces
//   equations.action(u, x, y);                     // y = K x without K
//
// Variable data: set_time() for loads, coefficients and forms that depend on time, set_factor() for the weight of an
// integral in the sum, set_numbers() for other numbers in the same forms. Lists, buffers and point states stay.
#pragma once

#include "fem/cells/tabulation.hpp"
#include "fem/launch/assembly.hpp"
#include "fem/launch/law_inputs.hpp"
#include "fem/operator/element_groups.hpp"
#include "fem/operator/equations.hpp"
#include "fem/operator/fields_at_points.hpp"
#include "fem/operator/inner_chunks.hpp"
#include "fem/operator/operator_over_ranks.hpp"
#include "fem/operator/scatter_plan.hpp"
#include "fem/space/constraints.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ritz {

// Derived quantities of a solution (FormFacts::derived of them), on the host.
struct DerivedFields {
  int components = 0;
  std::vector<double> at_nodes;  // [mesh node][component]: mean over the cells around the node of extrapolated values
  std::vector<double> at_cells;  // [cell][component]: mean over the cell
  // [node][component]: as at_nodes, at those of the space; none when they are the mesh's
  std::vector<double> at_space_nodes = {};
};

// Tangents of forms on cells at some u, kept at the quadrature points in single precision
// (fem/launch/tangent_engine.hpp): of those forms whose tangent depends on u. For a preconditioner's products, which
// then evaluate no form; also those of a coarser field on the same cells.
struct PointTangents {
  struct Part {
    int integral, degree;      // of the quadrature
    const CellList* elements;  // of the group that they belong to; its operator outlives this
    Array<float> values;       // [batch][point][entry][lane]
  };
  std::vector<Part> parts;
  Index bytes() const;
};

class ElementsAround;  // fem/operator/list_sizes.hpp
class Ghosts;          // solvers/algebra/ghosts.hpp

class Operator final : public Equations {
 public:
  enum class Task { residual, matrix, action, diagonal, evaluate };
  // The space must outlive the operator. Throws Error(Exit::internal) when a form does not suit the space,
  // Error(Exit::model) when a whole element was given cells of another kind. ElementLists::counted: for forecasts only,
  // not to compute.
  Operator(const FunctionSpace& space, std::vector<Integral> integrals, ElementLists lists = ElementLists::written);

  const FunctionSpace& space() const { return *space_; }
  const std::vector<Integral>& integrals() const { return integrals_; }
  const Device& device() const override { return space_->device(); }
  const Layout& layout() const override { return layout_; }
  bool symmetric() const override;
  bool linear() const override;
  void residual(const Vector& u, Vector& r) const override;
  SparseMatrix make_matrix() const;  // pattern and memory; values undefined
  // values = tangent at u; no allocation from the 2nd call on
  void assemble(const Vector& u, SparseMatrix& matrix) const;
  // The same for a matrix that is assembled once: the lists of assemble() would cost many times its sums, so a CPU does
  // without, and nothing stays. Equal bits.
  void assemble_once(const Vector& u, SparseMatrix& matrix) const;
  // Gives back what assemble() made for itself, which is as large as the matrix or larger; a further call makes it
  // again.
  void forget_assembly() const;
  // Results of the forms on cells, or only of those with this name, on cells or facets; those of several forms on the
  // same cells add up. Without such forms, numbers at nodes and cells are zero. Those of facets are at nodes only.
  // Forms of laws with different internal variables give at once what all of them have: strain and stress. Throws
  // Error(Exit::internal) for other forms with different numbers of results.
  DerivedFields evaluate(const Vector& u, const std::string& form = {}) const;

  // Functions that vary in time are evaluated again, at all of their points.
  void set_time(const Time& time) override;
  const Time& time() const override { return time_; }
  bool varies_in_time() const;                  // does any integral?
  bool matrix_varies_in_time() const override;  // does one whose form has a matrix?
  void set_factor_of_rates(double factor) override;
  void set_part_of_loads(double part) override;
  std::unique_ptr<Equations> loads() const override;
  // Integral::factor of integrals()[integral], for all tasks from now on. Tangents kept at points stay valid.
  void set_factor(std::size_t integral, double factor);

  // Other numbers and factors in the same forms at the same places; lists, buffers and point states stay. False, and
  // nothing happens, where forms or places differ.
  bool set_numbers(const std::vector<Integral>& integrals);
  bool same_places(const std::vector<Integral>& integrals) const;
  // The same, to restore numbers that it had: without the places and factors.
  std::vector<FormValue> numbers() const;
  void set_numbers(const std::vector<FormValue>& forms);

  const std::vector<ElementGroup>& groups() const { return groups_; }

  // Without a matrix: the tangent at u applied to x, and its diagonal; an empty u is zero, as it is for assemble. With
  // marked nodes, prescribed entries of x count as zero (those of y are whatever the elements give).
  struct MarkedNodes {
    // [group] as ElementGroup::nodes; ~n where n has prescribed components
    std::vector<Array<std::int32_t>> nodes;
    const std::uint8_t* prescribed = nullptr;  // [unknown]
  };
  MarkedNodes mark(const Constraints& constraints) const;
  // arriving: over ranks the tail of x is on its way (Ghosts::begin_fetch). Elements that reach none of it are computed
  // meanwhile, those at the border afterwards. y is complete at owned nodes, in the bits of a product at once.
  void action(const Vector& u, const Vector& x, Vector& y) const override { action(u, x, y, nullptr); }
  void action(const Vector& u, const Vector& x, Vector& y, const MarkedNodes* marked,
              const Ghosts* arriving = nullptr) const;
  bool can_assemble() const;  // have element matrices few enough entries? Not those of hexahedra of order 4 and more
  bool can_act() const;       // has every form kernels for any element, which actions need?
  // Is the order above 1, and has every form kernels for elements of a lower one? P-multigrid needs them.
  bool can_coarsen() const;
  // The same in single precision, where can_act_in_single() says that all elements have it.
  void action(const Vector& u, const Array<float>& x, Array<float>& y, const MarkedNodes* marked = nullptr,
              const Ghosts* arriving = nullptr) const;
  bool can_act_in_single() const;
  bool sum_factorised() const;  // are the actions of all elements?
  Vector diagonal(const Vector& u) const override;

  // Tangents kept at points, of some forms or of none. Tasks with them use them for those forms instead of u: tasks of
  // this operator, or (matrices) of one with the same integrals and a field of higher order on the same cells, for
  // which it is the Galerkin product. All forms are symmetric.
  bool acts_quickly() const;  // is every form on cells linear, or are its tangents kept?
  PointTangents point_tangents(const Vector& u) const;
  MemoryNeeds point_tangent_needs() const;
  void action(const PointTangents& tangents, const Vector& u, const Array<float>& x, Array<float>& y,
              const MarkedNodes* marked = nullptr, const Ghosts* arriving = nullptr) const;
  Vector diagonal(const PointTangents& tangents, const Vector& u) const;
  void assemble(const PointTangents& tangents, const Vector& u, SparseMatrix& matrix) const;
  void assemble_once(const PointTangents& tangents, const Vector& u, SparseMatrix& matrix) const;

  bool has_state() const override;
  bool has_made_states() const { return !states_.empty(); }  // other than those of the start, perhaps
  MemoryNeeds state_needs() const;                           // of states that do not exist yet
  void commit(const Vector& u) const override;
  PointStates state() const override;
  void set_state(const PointStates& values) const override;
  void reset_state() const override;
  std::string name_of(Index unknown) const override;
  std::vector<double> forces_for_results(const Vector& f) const override;

  // From now on residuals, actions without marked nodes, results and commits are the work of several ranks. The
  // connectivity and the lists of all cells go; another task rebuilds them.
  void divide(std::shared_ptr<OperatorOverRanks> ranks) const;
  OperatorOverRanks* over_ranks() const { return over_ranks_.get(); }

  // Lists by which actions sum element results, for others that sum at the same nodes over the same cells in the same
  // chunks: null if their chunks differ, or if not all groups are cells that take part.
  std::shared_ptr<const ScatterPlan> lists_of_action(const std::vector<Index>& chunk_batches) const;

  // Memory of the first call of a task besides its vectors: lists and buffers, which stay. Nothing if they exist. The
  // lists are counted around a sample of nodes: exact for small meshes, to a few per cent for large ones. Tasks over
  // the same cells in the same chunks share lists: they are counted once.
  MemoryNeeds memory_needs(const std::vector<Task>& tasks, Index pairs = 0) const;
  // Those of assemble_once(): without lists on a CPU.
  MemoryNeeds single_assembly_needs(Index pairs = 0) const;
  // On a CPU, a residual, a diagonal or an evaluation has no lists before it has run so many times, unless other tasks
  // made them: they cost about ten runs. Equal bits.
  static constexpr int runs_without_lists = 3;
  MemoryNeeds needs_without_lists(Task task) const;  // of these runs; on other devices memory_needs()
  Index lists_on_a_gpu(Index pairs = 0) const;       // [bytes] that it would take there on top; 0 on a GPU
  // [bytes] Of element results, slab by slab, that these tasks would take on a GPU on top of what they take on this
  // CPU; 0 on a GPU.
  Index slabs_on_a_gpu(const std::vector<Task>& tasks) const;
  // [bytes] On top of the lists and buffers of one of these tasks, while a GPU makes its lists; 0 on a CPU. Where it
  // has less, the host makes them: a model fits a card without this.
  Index making_lists(const std::vector<Task>& tasks, Index pairs = 0) const;
  Index host_bytes() const;  // of the elements' lists on the host, when they are written
  MemoryNeeds memory_needs(Task task, Index pairs = 0) const { return memory_needs(std::vector{task}, pairs); }
  // Steps down that were taken since the last call, because memory was short: sentences for people.
  std::vector<std::string> take_steps_down() const { return std::exchange(steps_down_, {}); }
  // Lists and buffers of a task go back to the pool; they are rebuilt when it is called again.
  void forget(Task task) const {
    std::erase_if(plans_, [task](const auto& entry) { return entry.first.task == task; });
  }

 private:
  // A task of all forms that have it; evaluations may be those of one form.
  struct Job {
    Task task;
    std::string form = {};
    auto operator<=>(const Job&) const = default;
  };
  // Everything that one task needs, made at its first use.
  struct Plan {
    Task task;
    std::vector<int> groups;                       // which element groups take part
    std::vector<std::vector<int>> integrals;       // of each of them, as its terms
    std::vector<Index> chunk_batches;              // of each of them
    std::vector<bool> halves;                      // of each of them: element results are half of the matrix
    std::shared_ptr<const ScatterPlan> scatter;    // of tasks with the same groups and chunks: the same
    std::vector<std::vector<AssemblyTerm>> terms;  // of each of them
    int block = 0;                                 // numbers per item
    // Memory that a run writes before it reads, in either precision; tasks with the same lists and block share it.
    std::shared_ptr<Vector> extension, workspace;
    Index stored_bytes = 0;                    // of lists, and of numbers of forms at points: read in each run
    mutable std::optional<InnerChunks> inner;  // of products over ranks
    int runs = 0;                              // so far, without lists
    // Are there lists, and are they those of another task, too? Matrices have their own.
    bool has_lists_for(Task other, const std::vector<int>& its_groups, const std::vector<Index>& its_chunks) const {
      return scatter != nullptr && task != Task::matrix && other != Task::matrix && groups == its_groups &&
             chunk_batches == its_chunks;
    }
  };
  // Which groups take part and how they are cut into chunks.
  struct Outline {
    std::vector<int> groups;                           // positions in groups_
    std::vector<std::vector<int>> integrals;           // of each of them
    std::vector<Index> chunk_batches, first_chunk{0};  // of each of them; first_chunk ends with the number of all
    std::vector<bool> sums_chunks;                     // of each of them: kernels sum the results of a chunk
    std::vector<bool> halves;                          // of each of them: element results are half of the matrix
    int block = 0;                                     // numbers per item
    // numbers of element results that kernels do not sum: of a chunk, of a group
    Index widest = 0, largest = 0;
    Index slab() const;  // of as many chunks as a GPU's kernels fill at a time
  };
  using ListKey = std::tuple<std::vector<int>, std::vector<Index>, bool>;  // groups, their chunks, of a matrix
  // Null: without tangents at points.
  void action_with(const PointTangents* tangents, const Vector& u, const Array<float>& x, Array<float>& y,
                   const MarkedNodes* marked, const Ghosts* arriving) const;
  Vector diagonal_with(const PointTangents* tangents, const Vector& u) const;
  void check_matrix(const SparseMatrix& matrix) const;
  std::span<const Node> nodes_of_all_cells() const;  // of a group that has them all; empty: there is none
  void assemble_with(const PointTangents* tangents, const Vector& u, SparseMatrix& matrix) const;
  void assemble_once_with(const PointTangents* tangents, const Vector& u, SparseMatrix& matrix) const;
  void check_vector(const Vector& x) const;
  const double* given_or_zero(const Vector& u) const;
  void check_cells(const FormValue& form, const ElementGroup& group) const;
  const Plan& plan(const Job& job) const;
  const Plan& plan_of_few_runs(const Job& job) const;  // perhaps without lists
  Plan make_plan(const Job& job) const;
  Plan plan_of(const Job& job, const Outline& outline) const;  // without lists and memory
  std::shared_ptr<const ScatterPlan> make_lists(Task task, const Plan& plan,
                                                const std::vector<Index>& first_chunk) const;
  std::shared_ptr<ScatterPlan> whole_lists(Task task, const Plan& plan, const std::vector<Index>& first_chunk) const;
  void halve_sources(const Plan& plan, ScatterPlan& lists) const;
  bool takes_part(const Job& job, const FormValue& form) const;
  int results_of(const Job& job) const;
  Outline outline(const Job& job) const;
  std::vector<Job> jobs_of(Task task) const;  // one for each form whose results have another size
  bool can_sum_chunks(Task task, const ElementGroup& group, const std::vector<int>& integrals) const;
  bool can_halve(const ElementGroup& group, const std::vector<int>& integrals, Index chunk_batches) const;
  Index workspace_size(const Outline& outline) const;  // numbers; 0 where threads have their own
  ReferenceTable table(const ElementGroup& group, int degree) const;
  const FormKernels* keeping_tangents(const ElementGroup& group, const FormValue& form) const;
  template <class Use>
  void each_with_tangents(const Use& use) const;
  void take_tangents(const Plan& plan, std::size_t group, const PointTangents& tangents,
                     std::vector<AssemblyTerm>& terms) const;
  bool by_tensors(const ElementGroup& group, const FormValue& form) const;
  template <class Holds>
  bool all_tangents(const Holds& holds) const;  // holds(group, form) of those that have one
  const double* point_geometry(const ElementGroup& group, const ReferenceTable& table) const;
  Vector& state_of(const ElementGroup& group, const Integral& integral) const;
  Index state_numbers(const ElementGroup& group, const FormValue& form) const;
  template <class Use>
  void each_state(const Use& use) const;
  template <class Use>
  void each_term(const Use& use);  // use(number of the integral, its ElementArguments in a plan)
  void evaluate_given(bool only_in_time);
  const double* given_numbers(const ElementGroup& group, int degree, const Integral& integral) const;
  const FormKernels& kernels_of(Task task, const ElementGroup& group, const FormValue& form) const;
  const LawWithInputs& law_of(const Integral& integral) const;
  Index law_workspace_size() const;  // numbers; 0 on a CPU, and without laws
  AssemblyTerm make_term(Task task, const ElementGroup& group, const Integral& integral) const;
  // Vectors that an element kernel reads and writes, besides its own lists.
  struct Vectors {
    const double* u = nullptr;
    double* target = nullptr;
    double* cells = nullptr;            // evaluation
    const double* direction = nullptr;  // action
    const float* single_direction = nullptr;
    const MarkedNodes* marked = nullptr;  // action
    const PointTangents* tangents = nullptr;
    const Ghosts* arriving = nullptr;  // action
  };
  struct PointNumbers {  // that were counted
    std::set<std::tuple<const ElementGroup*, int, int>> arrays;
    FieldsAtPoints::Foreseen fields;
    bool laws = false;
  };
  void add_numbers_at_points(Task task, const Outline& outline, PointNumbers& known, MemoryNeeds& needs) const;
  int degree_of(Task task, const ElementGroup& group, const Integral& integral) const;
  Index stored_at_points(const std::vector<std::vector<AssemblyTerm>>& terms) const;
  Index least_traffic(const Plan& plan, bool matrix, Index number) const;
  void run(const Plan& plan, const char* name, bool matrix, const Vectors& vectors) const;
  void run_single(const Plan& plan, const char* name, const Vectors& vectors, float* target) const;
  template <class Real, class Run>
  void run_job(const Plan& plan, const AssemblyJob<Real>& job, const Ghosts* arriving, const Run& run) const;
  // calls use(groups) with what the assembly loop wants to know
  template <class Use>
  void with_groups(const Plan& plan, bool matrix, bool single, const Vectors& vectors, const Use& use) const;

  const FunctionSpace* space_;
  Layout layout_;  // one field
  std::vector<Integral> integrals_;
  mutable std::shared_ptr<OperatorOverRanks> over_ranks_;  // null: all work is this process's
  Time time_;
  void write_connectivity() const;  // where it went

  mutable std::vector<ElementGroup> groups_;
  mutable bool has_connectivity_ = true;
  mutable std::map<Job, Plan> plans_;
  mutable std::vector<std::string> steps_down_;
  mutable std::map<ListKey, ScatterSizes> list_sizes_;                            // foreseen
  mutable std::shared_ptr<const ElementsAround> around_;                          // a sample of nodes for forecasts
  mutable std::map<std::pair<const ElementGroup*, int>, Vector> point_geometry_;  // by group and number of points
  // by degree of the rule
  mutable std::map<std::tuple<const ElementGroup*, const Integral*, int>, Vector> given_;
  mutable FieldsAtPoints fields_;  // for given_
  mutable std::map<std::pair<const ElementGroup*, const Integral*>, Vector> states_;
  mutable std::map<const Integral*, LawWithInputs> laws_;
  mutable Vector law_workspace_;  // of a GPU
  mutable std::map<std::tuple<const ReferenceElement*, const ReferenceElement*, int>, Tabulation> tables_;
};

}  // namespace ritz
