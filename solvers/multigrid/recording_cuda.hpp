// Launches as a CUDA graph (CUDA C++ Programming Guide, "Stream Capture").
#pragma once

#include "device/cuda_check.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

// The error is not sticky: without the graph the launches run one by one.
void* refused(cudaError_t status, const char** why) {
  *why = cudaGetErrorString(status);
  cudaGetLastError();
  return nullptr;
}

void* record(const Device& device, void (*launches)(const void*), const void* context, const char** why) {
  const cudaStream_t stream = stream_of(device);
  if (const cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
      status != cudaSuccess)
    return refused(status, why);
  cudaGraph_t graph = nullptr;
  try {
    launches(context);
  } catch (...) {  // cannot be captured: the plain run reports why
    const cudaError_t status = cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    return refused(status == cudaSuccess ? cudaErrorStreamCaptureUnsupported : status, why);
  }
  if (const cudaError_t status = cudaStreamEndCapture(stream, &graph); status != cudaSuccess || graph == nullptr)
    return refused(status == cudaSuccess ? cudaErrorStreamCaptureInvalidated : status, why);
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  if (status != cudaSuccess) return refused(status, why);
  return executable;
}

void replay(const Device& device, void* recorded) {
  const LaunchScope launch(device, "recorded launches");
  device.machine().count_graph();
  cuda_check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(recorded), stream_of(device)), "launching a graph");
}

void release(void* recorded) { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(recorded)); }

}  // namespace
}  // namespace ritz::RITZ_BACKEND
