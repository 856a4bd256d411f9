// `ritz devices`: the machines that Ritz can compute on, with the copy rate that each reaches now.
#pragma once

#include "device/device.hpp"

#include <string>
#include <vector>

namespace ritz {

struct DeviceReport {
  MachineInfo info;
  struct Rate {
    int threads;              // 0: of a GPU
    double bytes_per_second;  // read plus written
  };
  std::vector<Rate> copy_rates;  // CPU: with 1 and with all threads
};

struct DevicesReport {
  std::vector<DeviceReport> devices;
  std::string why_no_gpu;  // empty when there is one
};

DevicesReport inspect_devices();
std::string text_of(const DevicesReport& report);
std::string json_of(const DevicesReport& report);

}  // namespace ritz
