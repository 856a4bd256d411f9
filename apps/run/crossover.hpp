// From how many unknowns on a GPU is faster than this CPU: measured once per machine, and kept
// (apps/run/machine_cache.hpp) until the driver, the program or one of the devices changes.
//
//   options.device = device_for(options.device, options.threads,
//                              [&] { return expected_unknowns(mesh_file, components); });
#pragma once

#include "device/device.hpp"
#include "device/function_ref.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct Crossover {
  // Seconds of each task by size, on both machines.
  struct Task {
    std::string name;  // "assembly", "product", "cycle"
    std::vector<Index> unknowns;
    std::vector<double> cpu, gpu;
    Index at = 0;  // [unknowns]
  };
  std::vector<Task> tasks;
  Index at = 0;  // of a solution as a whole: the largest of the tasks'
};

// Assembly of hexahedra with a heat form, products with the matrix, multigrid cycles; boxes of about 1000 to 250 000
// unknowns, or less after a second. The second device may be of any kind.
Crossover measure_crossover(const Device& cpu, const Device& other, double seconds = 2);

// The cached result for this key, else measured and stored. A cache that cannot be read or written is ignored.
std::string crossover_key(const MachineInfo& cpu, int threads, const MachineInfo& gpu);
std::optional<Index> cached_crossover(const std::string& key);
void store_crossover(const std::string& key, const Crossover& crossover);

// Nodes that a mesh file of this size holds, to a factor of three, times components. 0: no file.
Index expected_unknowns(const std::string& mesh_file, int components);
// The request, or for "auto" with a GPU: "cpu (why)" when the problem is too small for it.
std::string device_for(const std::string& request, int threads, FunctionRef<Index()> unknowns);

}  // namespace ritz
