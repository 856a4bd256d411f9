// Measurements of the benchmark: repeated times with their medians, next to the time that the fewest possible bytes
// would take at the copy rate of the same run.
#pragma once

#include "device/device.hpp"
#include "device/function_ref.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

// The calls of a run to its device (device/machine.hpp, Traffic), and the bytes that its kernels say they move.
struct Calls {
  double kernels = 0, graphs = 0, waits = 0, bytes = 0;
  Calls beyond(const Calls& fewer) const {
    return {kernels - fewer.kernels, graphs - fewer.graphs, waits - fewer.waits, bytes - fewer.bytes};
  }
  Calls each(double runs) const { return {kernels / runs, graphs / runs, waits / runs, bytes / runs}; }
};

struct Samples {
  std::vector<double> seconds;
  // [s] of all threads, the least of the runs: what others on the machine add little to; 0: not taken
  double processor = 0;
  Calls calls = {};  // of one run
  double median() const;
  double least() const;
  double most() const;
};

// Times `run` on the device, `repeat` times; `prepare` runs before each, untimed.
Samples time(
    const Device& device, int repeat, FunctionRef<void()> run, FunctionRef<void()> prepare = [] {});

// The fewest bytes that a kernel can move (speed.md 2.4 and 2.5), with the formula in words.
struct Floor {
  double bytes;
  std::string formula;
};

struct Measurement {
  std::string name;  // "assembly"
  Samples samples;
  double work = 0;             // per run: elements, unknowns, bytes
  std::string work_name = {};  // "elements"; empty: only the time matters
  std::optional<Floor> floor = {};
};

struct Record {
  std::string name;                                        // "asm-tet-P1"
  int threads = 0;                                         // 0 on a GPU
  double copy_rate = 0;                                    // [bytes/s], measured just before
  std::vector<std::pair<std::string, double>> facts = {};  // cells, unknowns, nonzeros, iterations, ...
  std::vector<Measurement> measurements = {};
  Index host_peak = 0;    // [bytes] resident, since the record was begun
  Index device_peak = 0;  // [bytes] handed out by the device's pool

  void add(std::string name, Samples samples, double work = 0, std::string work_name = {},
           std::optional<Floor> floor = {}) {
    measurements.push_back({std::move(name), std::move(samples), work, std::move(work_name), std::move(floor)});
  }
};

// Starts a record: measures the copy rate, and forgets the peaks so far.
Record begin_record(const std::string& name, const Device& device);
void end_record(Record& record, const Device& device);

std::string text_of(const Record& record);

// Time of this process [s], all threads together.
double processor_seconds();

struct BenchReport {
  std::string device;
  int repeat = 0;
  double size = 1;
  std::vector<Record> records;
};
std::string json_of(const BenchReport& report);

}  // namespace ritz
