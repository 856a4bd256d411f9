// Which machine `auto` takes: a decision from facts alone, so that it can be tested without any of the machines.
//
//   DeviceChoice choice = choose_device(facts_of_environment(gpus, why_no_gpu));
//   choice.why: "the GPU with most free memory of 4"
#pragma once

#include "device/function_ref.hpp"
#include "device/machine.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct DeviceFacts {
  // that this process sees, in CUDA's order: CUDA_VISIBLE_DEVICES and MIG have their say before
  std::vector<MachineInfo> gpus;
  std::string why_no_gpu;
  std::string left_out;                  // why other GPUs are not used; empty: all are
  std::string visible;                   // CUDA_VISIBLE_DEVICES; empty: not set
  int local_rank = -1, local_ranks = 0;  // within this node, from SLURM or MPI; -1 and 0: unknown
  bool may_share = false;                // several ranks on one GPU: RITZ_SHARE_GPU=1
  Index unknowns = 0;                    // expected; 0: not known
  std::optional<Index> crossover;        // unknowns below which this CPU is as fast as the GPU; measured
};

struct DeviceChoice {
  int gpu = -1;     // position in DeviceFacts::gpus; -1: the CPU
  std::string why;  // one line
  int ranks = 1;    // that have it, this one included
};

// One of several ranks of its node, which share the GPUs out by their numbers. A batch job with one rank is none.
bool is_one_of_several_ranks(const DeviceFacts& facts);

// The CPU where ranks of a node would share a GPU without RITZ_SHARE_GPU.
DeviceChoice choose_device(const DeviceFacts& facts);

// One rank, one GPU: rank n of the node takes the n-th. Throws Error: Exit::environment where ranks would share one
// without RITZ_SHARE_GPU.
DeviceChoice choose_for_rank(const DeviceFacts& facts);

// Throws Error: Exit::environment for a GPU by number that several ranks of the node would take.
void check_named_gpu(const DeviceFacts& facts, const std::string& request);

// The first choice that can be opened; its `gpu` is an ordinal. GPUs that cannot be used (too old for this build, taken
// by another process) leave the facts, and the reason goes to left_out, or to why_no_gpu where none remains. `open`
// throws Error for them; it is not called for GPUs that are not chosen.
DeviceChoice choose_usable(DeviceFacts& facts, FunctionRef<void(const MachineInfo&)> open);

// Ranks and permissions from the environment: SLURM_LOCALID, SLURM_NTASKS_PER_NODE, OMPI_COMM_WORLD_LOCAL_RANK and
// _SIZE, MPI_LOCALRANKID and MPI_LOCALNRANKS, RITZ_SHARE_GPU.
DeviceFacts facts_of_environment(std::vector<MachineInfo> gpus, std::string why_no_gpu);

// Size at which the GPU overtakes the CPU, interpolated in logarithms from the seconds of one task on both machines by
// size (ascending). The largest measured size if it never does, 0 if it always is faster. [unknowns]
Index crossover_of(const std::vector<Index>& sizes, const std::vector<double>& cpu_seconds,
                   const std::vector<double>& gpu_seconds);

}  // namespace ritz
