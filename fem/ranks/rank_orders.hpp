// Orders of the first rank to the others, and what they ask of it while they carry it out: texts, and the numbers of
// parts, equations and systems that both sides know. Private to fem/analysis.
//
//   order_all(ranks, Packed().add(Order::end).add(number).take());           // the first rank
//   Unpacked from(ranks.wait(0));   const auto what = from.get<Order>();      // the others
#pragma once

#include "device/ranks/packed.hpp"
#include "device/ranks/ranks.hpp"
#include "fem/ranks/part_equations.hpp"
#include "fem/ranks/rank_system.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ritz {

enum class Order : std::uint8_t {
  make_part,
  forget_part,
  make_equations,  // on a part
  set_numbers,
  compute,
  evaluate,
  give_states,
  take_states,
  reset_states,
  forget_equations,
  make_system,  // of equations
  linearise,
  nest,
  solve,
  solve_columns,
  modes,
  end_system,
  forget_system,
  make_fields,  // equations of several fields, with their part
  help_fields,  // what is ordered follows
  forget_fields
};

void order_all(Ranks& ranks, const std::string& text);

void add(Packed& to, const SmoothedAggregationOptions& options);  // coordinates stay
void get(Unpacked& from, SmoothedAggregationOptions& options);
void add(Packed& to, const LinearSolverOptions& options);
LinearSolverOptions solver_options(Unpacked& from);
void add(Packed& to, const EquationsPlace& place);
EquationsPlace equations_place(Unpacked& from);
void add(Packed& to, const ModesWanted& wanted);
ModesWanted modes_wanted(Unpacked& from);

// Values of a function of the first rank at points, for another one.
void ask(Ranks& ranks, std::size_t integral, std::size_t function, const EvaluationPoints& points, double t,
         std::span<double> values);
void end_questions(Ranks& ranks);
// One rank after the other, until each has no more.
void answer_questions(Ranks& ranks, const Operator& equations);
// The same of integrals with these functions, on a mesh.
using FunctionsOfIntegral = std::function<const std::vector<PointFunction>&(std::size_t integral)>;
void answer_questions(Ranks& ranks, const Mesh& mesh, const FunctionsOfIntegral& functions);

}  // namespace ritz
