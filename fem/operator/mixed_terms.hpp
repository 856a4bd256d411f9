// Forms of several fields on groups of elements, with the forms of one field: what a MixedOperator is made of. It knows
// the fields, and makes the terms, lists and buffers of each task at its first use.
//
//   equations.terms().family(0);   equations.terms().has_block(0, 1);   equations.terms().of_field(1);
#pragma once

#include "device/function_ref.hpp"
#include "fem/cells/vector_element.hpp"
#include "fem/forms/time.hpp"
#include "fem/launch/mixed_arguments.hpp"
#include "fem/operator/list_sizes.hpp"
#include "fem/operator/mixed_integral.hpp"
#include "fem/operator/operator.hpp"
#include "fem/space/entity_signs.hpp"
#include "solvers/algebra/block_operator.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ritz {

class MixedTerms;

// Data of a mixed operator that change between evaluations.
class MixedInputs final : public EquationInputs {
 public:
  explicit MixedInputs(MixedTerms& of) : of_(&of) {}
  void set_time(const Time& time) override;
  void set_factor_of_rates(double factor) override;
  void set_part_of_loads(double part) override;
  // Other numbers of the forms, as many forms as integrals, of the same names: parameters and coefficients.
  void set_numbers(const std::vector<MixedFormValue>& forms);

 private:
  MixedTerms* of_;
};

class MixedTerms {
 public:
  // time: others change it.
  MixedTerms(Spaces spaces, Layout layout, std::shared_ptr<Time> time, std::vector<MixedIntegral> integrals,
             std::vector<Integral> of_fields, const std::vector<std::vector<Node>>& met_before);
  MixedTerms(const MixedTerms&) = delete;
  MixedTerms& operator=(const MixedTerms&) = delete;

  const Device& device() const { return spaces_.front().device(); }
  int field_count() const { return static_cast<int>(spaces_.size()); }
  const FunctionSpace& space(int field) const { return spaces_.at(static_cast<std::size_t>(field)); }
  const Spaces& spaces() const { return spaces_; }
  Family family(int field) const { return families_.at(static_cast<std::size_t>(field)); }
  const std::vector<MixedIntegral>& integrals() const { return integrals_; }
  std::span<const Integral> integrals_of(int field) const;  // forms of this field alone
  const Operator* of_field(int field) const;                // theirs, with its states; null: there are none
  std::string field_name(int field) const;                  // as the forms have it
  bool has_block(int row, int column) const;                // of the matrix
  bool couples(int test, int trial) const;                  // by a form of several fields, not by equations
  std::string name_of(Index unknown) const;
  EquationFacts facts() const;
  MixedInputs& inputs() { return inputs_; }
  PointStates& states() const { return *states_; }  // of forms of one field: those of several have none

  void residual(const Vector& u, Vector& r) const;
  void action(const Vector& u, const Vector& x, Vector& y) const;
  BlockOperator make_matrix() const;
  void assemble(const Vector& u, BlockOperator& K) const;
  // Gives back what assemble() made for itself, and the patterns of the spaces; a further call rebuilds them.
  void forget_assembly() const;

  // Memory that make_matrix() will take, and that of lists, buffers and coefficients which assemble(), or residual()
  // and action(), will take at their first call. Counted or sampled.
  MemoryNeeds matrix_needs() const;
  MemoryNeeds list_needs(bool of_matrix, bool of_vectors) const;

  // Fall-backs that were taken since the last call, because memory was short: sentences for people.
  std::vector<std::string> take_steps_down() const { return std::exchange(steps_down_, {}); }

 private:
  friend class MixedInputs;
  enum class Task { residual, action, matrix };
  // Elements of one shape with the same forms; [field] the lists of nodes. The forms on facets are integrated over the
  // facet of this number of each cell.
  struct Group {
    std::vector<ElementGroup> of_field;
    std::vector<Vector> signs, partners;  // [field] FieldArguments::signs and partners; empty where it has none
    std::vector<int> fields;              // [field of the forms] its number in the operator
    int facet = -1;                       // -1: over cells
    const ElementGroup& geometry() const { return of_field.front(); }
  };
  struct Key {
    Task task;
    int row = 0, column = 0;
    auto operator<=>(const Key&) const = default;
  };
  // Which elements take part in a task, and how they are divided.
  struct Outline {
    std::vector<int> groups;
    std::vector<std::vector<int>> integrals;           // of each of them
    std::vector<Index> chunk_batches, first_chunk{0};  // first_chunk ends with the number of all
    std::vector<int> items;                            // of an element, of each group
    int block = 1;
    Index widest = 0, slab = 0;  // numbers of a chunk's results, and of those that a GPU holds at a time
  };
  // By which equations the pattern of a block joins nodes of its rows and columns; null: by none.
  struct Joints {
    const NodeCouplings *of_rows = nullptr, *of_columns = nullptr;
    const std::vector<std::pair<Node, Node>>* of_several = nullptr;  // joined by equations between spaces
    bool operator==(const Joints&) const = default;
  };
  // Everything that one task needs, made at its first use.
  struct Plan : Outline {
    std::vector<std::vector<MixedArguments>> mixed;  // of each term: the terms point to them
    std::vector<std::vector<AssemblyTerm>> terms;    // of each group
    std::shared_ptr<const ScatterPlan> scatter;
    Vector extension, workspace;
    Joints joints;      // of a matrix
    Index entries = 0;  // numbers of the block
  };
  // Which nodes of the column field share a cell with a node of the row field, or are joined with it by equations.
  struct NodePattern {
    Joints joints;
    std::vector<Index> offsets;
    std::vector<std::int32_t> columns;
  };
  using NodeLists = std::vector<std::vector<Node>>;

  bool adds_matrix(int field) const;  // a form of this field alone
  Joints joints(int row, int column) const;
  void require_no_joined(int row, int column) const;
  const NodePattern& coupling_pattern(int row, int column) const;
  NodeLists neighbours(int row, int column, const std::vector<bool>* wanted) const;
  template <class Visit>
  void each_coupled_element(int row, int column, const Visit& visit) const;
  Index pairs_by_equations(int row, int column) const;
  Index entries_of(const Key& key) const;
  void check(const MixedFormValue& form) const;
  void evaluate_given(bool only_in_time);
  void choose_families();
  void check_fields(const MixedIntegral& integral) const;
  void add_groups(const std::vector<int>& fields, int facet);
  void make_signs(const std::vector<std::vector<Node>>& met_before);
  ReferenceTable table(const Group& group, int field, int degree) const;
  int degree_of(const MixedFormValue& form, const Group& group) const;
  QuadratureRule rule_of(const Group& group, int degree) const;
  const double* given_numbers(const Group& group, const MixedIntegral& integral, int degree) const;
  Plan& plan(const Key& key) const;
  Outline outline(const Key& key) const;
  Plan make_plan(const Key& key) const;
  ElementsAround elements_around(int field) const;
  ScatterSizes list_sizes(const Key& key, const Outline& outline) const;
  std::shared_ptr<const ScatterPlan> make_lists(const Key& key, const Plan& plan) const;
  int items_of(const Key& key, const Group& group) const;
  void add_terms(const Key& key, const Group& group, const std::vector<int>& integrals, Plan& plan) const;
  void list_chunk(const Key& key, const Plan& plan, Index chunk, ChunkSlots& out) const;
  void run(Plan& plan, const char* name, const Vector* u, const Vector* direction, double* target) const;
  void of_owned_rows(Vector& y, FunctionRef<void(Vector&)> compute) const;
  void add_of_fields(const Vector& x, Vector& y,
                     FunctionRef<void(const Operator&, const Vector&, int, Vector&)> apply) const;

  Spaces spaces_;
  Layout layout_, local_;  // of vectors; with ghosts, as kernels read and write the unknowns
  std::shared_ptr<Time> time_;
  std::vector<Family> families_;  // [field]
  std::vector<MixedIntegral> integrals_;
  std::vector<std::unique_ptr<Operator>> of_fields_;  // [field]
  std::shared_ptr<std::vector<Group>> groups_ = std::make_shared<std::vector<Group>>();
  std::unique_ptr<PointStates> states_;
  MixedInputs inputs_{*this};
  mutable std::map<Key, Plan> plans_;
  mutable std::map<std::tuple<const Group*, const MixedIntegral*, int>, Vector> given_;  // degree of the rule
  mutable FieldsAtPoints fields_;                                                        // for given_
  mutable std::map<std::pair<int, int>, NodePattern> patterns_;
  using TablePlace = std::tuple<const ReferenceElement*, const ReferenceElement*, int, int>;  // degree, facet
  mutable std::map<TablePlace, Tabulation> tables_;
  mutable std::map<TablePlace, VectorTabulation> vector_tables_;
  mutable std::vector<std::string> steps_down_;
};

}  // namespace ritz
