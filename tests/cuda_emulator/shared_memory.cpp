// The shared memory of the launch, in every module (device_code.hpp).
namespace ritz::cuda {
thread_local double scratch[ritz::emulator::most_shared_bytes / sizeof(double)];
}
