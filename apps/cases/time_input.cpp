#include "apps/cases/time_input.hpp"

#include "apps/cases/initial_values.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

constexpr double most_outputs = 1e6;

// Multiples of an interval up to the end, and times by name.
std::vector<double> output_times(const Case::Table& time, double begin, double end) {
  std::vector<double> times;
  const double interval =
      time.number("output", "[s], results at multiples of this time after the begin; by default at the end alone",
                  {.fallback = 0, .minimum = 0});
  const double whole = end - begin;
  if (interval > 0 && whole / interval > most_outputs)
    time.error(ErrorKind::output_options, "output",
               fmt::format("{:g} over {:g} makes {:.0f} results", interval, whole, whole / interval), {},
               "make it longer");
  else if (interval > 0)
    for (int i = 1; i * interval < whole * (1 - 1e-9); ++i) times.push_back(begin + i * interval);
  if (!time.has("output_at")) return times;
  for (const double t : time.vector("output_at", "[s], times of further results", {.above = begin})) {
    if (t > end)
      time.error(ErrorKind::output_options, "output_at", fmt::format("{:g} is after the end, {:g}", t, end), {},
                 "make the end later, or omit it");
    times.push_back(t);
  }
  return times;
}

}  // namespace

bool goes_through_time(Run& run) {
  if (!run.input().root().has("time")) return false;
  run.input().allow_time();
  return true;
}

bool path_takes_time(Run& run) {
  if (!run.input().table("newton", "").has("durations")) return false;
  run.input().allow_time();
  return true;
}

TimeOrder order_of_forms(Run& run) {
  const Case::Table root = run.input().root();
  if (!root.has("inertia")) return TimeOrder::first;
  if (run.options().survey || !root.has("capacity")) return TimeOrder::second;
  if (!run.step().is_of_steps())
    root.refuse(ErrorKind::model_options, "inertia", "'inertia' was given with 'capacity' and [time]",
                "an evolution in time is of first order by a capacity, or of second order by an inertia",
                "omit one of them");
  return TimeOrder::first;
}

namespace {

void read_method_of_motion(const Case::Table& time, Transient& options) {
  const std::string method = time.choice(
      "method", "of the steps: implicit, of any length, or explicit, in short steps without a system to solve",
      {"generalised_alpha", "central_differences"}, "generalised_alpha");
  if (method == "central_differences") {
    options.central_differences.emplace().part =
        time.number("stable_part", "length of the steps, as a part of the longest stable one; not with a fixed step",
                    {.fallback = 0.9, .maximum = 1, .above = 0});
    return;
  }
  options.spectral_radius = time.number(
      "spectral_radius",
      "rho_infinity of the generalised-alpha method: how much of the fastest motions a step leaves. 1 damps nothing "
      "(Newmark's average acceleration), 0 most",
      {.fallback = options.spectral_radius, .minimum = 0, .maximum = 1, .out_of_bounds = ErrorKind::material_value});
}

}  // namespace

Transient read_steps(const Case::Table& time, TimeOrder order, double begin) {
  Transient options;
  options.begin.time = begin;
  options.end = time.number("end",
                            "[s], the time at which the analysis ends; it begins at 0, in a step at the end of "
                            "the one before",
                            {.above = begin});
  options.output = output_times(time, begin, options.end);
  if (order == TimeOrder::first)
    options.method = &time_method_named(time.choice(
        "method", "of the steps: of order 2, or of order 1 and without overshoot", time_method_names(), tr_bdf2.name));
  else read_method_of_motion(time, options);
  const bool fixed = time.has("step");
  options.fixed_step =
      fixed ? time.number("step", "[s], fixed length of the steps; shorter where a result is due", {.above = 0}) : 0;
  for (const char* key : {"tolerance", "first_step", "largest_step", "stable_part"})
    if (fixed && time.has(key))
      time.refuse(ErrorKind::model_options, key, fmt::format("'{}' was given with a fixed step", key),
                  "steps of a fixed length are not controlled", "omit one of them");
  if (options.central_differences) {
    for (const char* key : {"tolerance", "first_step"})
      if (time.has(key))
        time.refuse(ErrorKind::model_options, key, fmt::format("'{}' was given with central differences", key),
                    "the highest frequency of the mesh sets their steps", "omit one of them");
    if (!fixed) options.largest_step = time.number("largest_step", "[s], 0: no limit", {.fallback = 0, .minimum = 0});
    return options;
  }
  if (fixed) return options;
  options.tolerance = time.number(
      "tolerance",
      order == TimeOrder::first
          ? "of the error of a step at any node, relative to the range of the unknown"
          : "of the error of a step in the displacement, its mean over the mass, relative to the largest one",
      {.fallback = 1e-3, .above = 0, .below = 1});
  options.first_step =
      time.number("first_step", "[s], 0: a thousandth of the whole time", {.fallback = 0, .minimum = 0});
  options.largest_step = time.number("largest_step", "[s], 0: no limit", {.fallback = 0, .minimum = 0});
  return options;
}

TransientInput read_time(Run& run, const std::string& key, const std::string& field, int components) {
  TransientInput input;
  input.options = read_steps(run.input().table("time", "the steps of an evolution in time, and its results"),
                             TimeOrder::first, run.step().begin);
  if (run.step().continues()) return input;
  ReadInitialValues begin = read_initial(run, key, field, components);
  input.initial = std::move(begin.values);
  input.begins_by_position = begin.depend_on_position;
  return input;
}

}  // namespace ritz
