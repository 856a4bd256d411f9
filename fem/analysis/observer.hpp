// Messages of an analysis while it runs: one observer for all of them. Functions that are empty are not called.
//
//   solve(model, Transient{.end = 60}, {.show = [&](const SolutionView& s) { print(*s.time, s.u); }});
#pragma once

#include "device/message_sink.hpp"
#include "fem/analysis/state.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// A solution to be shown. It refers to what lives as long as the call.
struct SolutionView {
  const Vector& u;
  // [mesh node][component], of a model that has fields [unknown]: forces (heat) that supports and equations between
  // unknowns exert, 0 elsewhere; of evolutions
  // in time those of supports alone, and of first order their mean over the last step
  const std::vector<double>& reaction;
  double residual = 0;                   // relative residual, verified by kernels of its own
  double tolerance = 1e-8;               // that it was to reach
  std::span<const double> applied = {};  // [component] sums of the external loads; empty where they are not summed
  double load_size = 0;                  // sum over the nodes of the sizes of their loads, where they are summed
  std::vector<double> factors = {};      // [load case] that acts, with its factor; empty without load cases
  std::vector<double> mean_loads = {};   // [prescribed mean] the size of its load
  std::string notice = {};               // a part of the load that was left out; empty: none was
  double part = 1;                       // of the loads outside of load cases: below 1 along a load path
  std::optional<double> time = {};       // of the step in the results; the number of the step by default
  // In an evolution of second order:
  const Vector *velocity = nullptr, *acceleration = nullptr;
  const EnergyBalance* energy = nullptr;
};

// A step in time that was taken or rejected, or an increment.
struct AnalysisStep {
  Index number = 0, count = 0;  // count: of all; 0: not known before the end
  double time = 0, dt = 0;      // at its end; its length
  double error = 0;             // estimate of the local error over the tolerance; 0 where steps are fixed
  bool accepted = true;
  Index solves = 0;     // of Newton's method since the begin
  double residual = 0;  // relative
  // In an evolution of second order, at the end of the step:
  const EnergyBalance* energy = nullptr;
};

struct Observer {
  std::function<void(const SolutionView&)> show = {};   // each solution of the results, in their order
  std::function<void(const SolveReport&)> record = {};  // before the solution that it made; of evolutions at the end
  // what comes next is a load case or a combination of this name
  std::function<void(const std::string& name, bool combination)> enter = {};
  std::function<void(const AnalysisStep&)> step = {};
  std::function<void(const State&)> keep = {};  // a state from which the analysis can resume
  MessageSink progress = {};                    // before each long step
  std::function<void()> spare = {};             // memory is short: frees what can be rebuilt
};

}  // namespace ritz
