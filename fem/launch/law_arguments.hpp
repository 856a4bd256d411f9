// Arguments from host code to the kernel of a law of materials, and what an operator's terms know of their law. All
// points of some batches of elements at a time: on a CPU those of one batch, which stay in its cache, on a GPU as many
// as a workspace holds. In every array the lane is the fastest index: [pack of points][number][lane].
#pragma once

#include "device/device.hpp"
#include "device/pack.hpp"
#include "fem/forms/time.hpp"
#include "fem/forms/strain.hpp"

#include <string>

namespace ritz {

struct LawArguments {
  const void* law;       // host memory; copied into the kernel
  Index packs;           // of lane_count points
  double* strain;        // 6; in plane stress the one across is found and written
  const double* before;  // internal variables, law's number of them
  double* now;           // the same after the increment; nullptr: not wanted. May be `before`
  double* stress;        // 6
  double* moduli;        // 36 by rows; nullptr: not wanted. In plane stress condensed
  bool plane_stress;
  Strain measure;
  Time time;
};
using LawKernel = void (*)(const Device&, const LawArguments&);

// The law of one integral.
struct PointLaw {
  LawKernel kernel;
  const void* law;  // its numbers, in host memory
  Strain measure;
  bool plane_stress;
  int state;                    // internal variables
  double* workspace = nullptr;  // [numbers] on a GPU
  Index workspace_size = 0;
};

// Tasks of a law at the points.
enum class LawTask { stress, moduli, results, commit };

// Results at a point: strain and Cauchy's stress [Pa], xx yy zz xy yz xz each, then internal variables.
inline constexpr int results_of_law = 12;

// Numbers that a task of the form F leaves at a point.
template <class F>
constexpr int numbers_of_task(LawTask task, const PointLaw& law) {
  return task == LawTask::results ? results_of_law + law.state : task == LawTask::commit ? 0 : F::from_law;
}

inline std::string law_kernel_name(const char* law) { return std::string(law) + "/law"; }
inline std::string law_record_name(const char* law) { return std::string("law/") + law; }

}  // namespace ritz
