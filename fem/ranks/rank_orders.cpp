#include "fem/ranks/rank_orders.hpp"

#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

namespace ritz {

void order_all(Ranks& ranks, const std::string& text) {
  for (int rank = 1; rank < ranks.count(); ++rank) ranks.send(rank, text);
}

namespace {

// Members of options that travel, in their order, for both ways.
template <class Options, class Visit>
requires std::same_as<std::remove_const_t<Options>, SmoothedAggregationOptions>
void each_member(Options& options, const Visit& visit) {
  visit(options.single_precision);
  visit(options.strength);
  visit(options.smoothing_degree);
  visit(options.smoothing_ratio);
  visit(options.coarsest_size);
  visit(options.max_levels);
  visit(options.levels);
}

template <class Options, class Visit>
requires std::same_as<std::remove_const_t<Options>, LinearSolverOptions>
void each_member(Options& options, const Visit& visit) {
  visit(options.method);
  visit(options.promise);
  visit(options.slow_multigrid);
  visit(options.direct_memory);
  visit(options.direct_operations);
  visit(options.operator_kind);
  visit(options.preconditioner);
  visit(options.max_iterations);
  visit(options.restart);
  each_member(options.multigrid, visit);
}

}  // namespace

void add(Packed& to, const SmoothedAggregationOptions& options) {
  each_member(options, [&](const auto& member) { to.add(member); });
}

void get(Unpacked& from, SmoothedAggregationOptions& options) {
  each_member(options, [&](auto& member) { from.get(member); });
}

void add(Packed& to, const LinearSolverOptions& options) {
  each_member(options, [&](const auto& member) { to.add(member); });
}

LinearSolverOptions solver_options(Unpacked& from) {
  LinearSolverOptions options;
  each_member(options, [&](auto& member) { from.get(member); });
  return options;
}

void add(Packed& to, const EquationsPlace& place) { to.add(place.time).add(place.factors); }

EquationsPlace equations_place(Unpacked& from) {
  EquationsPlace place{.time = from.get<Time>()};
  place.factors = from.list<double>();
  return place;
}

void add(Packed& to, const ModesWanted& wanted) {
  const EigenOptions& options = wanted.options;
  to.add(wanted.stiffness).add(wanted.masses).add(wanted.motions.mass);
  to.add(wanted.motions.stiffness);
  to.add(options.count).add(options.relative).add(options.max_iterations).add(options.zero_count);
  to.add(options.method).add(options.verify).add(options.band.has_value()).add(options.band.value_or(EigenBand{}));
}

ModesWanted modes_wanted(Unpacked& from) {
  ModesWanted wanted{.stiffness = from.list<double>(), .masses = from.list<double>()};
  wanted.motions.mass = from.list<double>();
  wanted.motions.stiffness = from.list<double>();
  from.get(wanted.options.count);
  from.get(wanted.options.relative);
  from.get(wanted.options.max_iterations);
  from.get(wanted.options.zero_count);
  from.get(wanted.options.method);
  from.get(wanted.options.verify);
  const auto has_band = from.get<bool>();
  const auto band = from.get<EigenBand>();
  if (has_band) wanted.options.band = band;
  return wanted;
}

namespace {

// Values of a function at points, which a rank asks of the first one.
struct Question {
  std::int64_t points = -1;  // -1: it has no more questions
  std::uint64_t integral = 0, function = 0;
  double t = 0;
  std::uint8_t in_cells = 0, on_reference_cells = 0;
};

// The positions, cells and places in them, in one message each; the answer comes back.
template <class Bytes>
std::vector<Parcel> parcels_of(int other, Bytes x, Bytes cells, Bytes xi) {
  std::vector<Parcel> parcels;
  for (const auto& each : {x, cells, xi})
    if constexpr (std::is_const_v<typename Bytes::element_type>) parcels.push_back({other, each, {}});
    else parcels.push_back({other, {}, each});
  return parcels;
}

void answer(Ranks& ranks, int rank, const Question& question, const Mesh& mesh, const FunctionsOfIntegral& functions) {
  const auto count = static_cast<std::size_t>(question.points);
  std::vector<double> x(3 * count), values(count);
  std::vector<Index> cells(question.in_cells != 0 ? count : 0);
  std::vector<Point> xi(question.on_reference_cells != 0 ? count : 0);
  ranks.exchange(parcels_of(rank, std::as_writable_bytes(std::span(x)), std::as_writable_bytes(std::span(cells)),
                            std::as_writable_bytes(std::span(xi))));
  const EvaluationPoints points = cells.empty() ? EvaluationPoints(x) : EvaluationPoints(x, mesh, cells, xi);
  functions(question.integral)[question.function](points, question.t, values);
  ranks.exchange(std::vector<Parcel>{{rank, std::as_bytes(std::span(values)), {}}});
}

}  // namespace

void answer_questions(Ranks& ranks, const Operator& equations) {
  answer_questions(
      ranks, equations.space().mesh(), [&equations](std::size_t integral) -> const auto& {
        return equations.integrals()[integral].form.given;
      });
}

void answer_questions(Ranks& ranks, const Mesh& mesh, const FunctionsOfIntegral& functions) {
  for (int rank = 1; rank < ranks.count(); ++rank)
    while (true) {
      Question question;
      ranks.exchange(std::vector<Parcel>{{rank, {}, std::as_writable_bytes(std::span(&question, 1))}});
      if (question.points < 0) break;
      answer(ranks, rank, question, mesh, functions);
    }
}

void ask(Ranks& ranks, std::size_t integral, std::size_t function, const EvaluationPoints& points, double t,
         std::span<double> values) {
  const Question question{.points = static_cast<std::int64_t>(points.size()),
                          .integral = integral,
                          .function = function,
                          .t = t,
                          .in_cells = static_cast<std::uint8_t>(points.cells.empty() ? 0 : 1),
                          .on_reference_cells = static_cast<std::uint8_t>(points.xi.empty() ? 0 : 1)};
  ranks.exchange(std::vector<Parcel>{{0, std::as_bytes(std::span(&question, 1)), {}}});
  ranks.exchange(parcels_of(0, std::as_bytes(points.x), std::as_bytes(points.cells), std::as_bytes(points.xi)));
  ranks.exchange(std::vector<Parcel>{{0, {}, std::as_writable_bytes(values)}});
}

void end_questions(Ranks& ranks) {
  const Question no_more;
  ranks.exchange(std::vector<Parcel>{{0, std::as_bytes(std::span(&no_more, 1)), {}}});
}

}  // namespace ritz
