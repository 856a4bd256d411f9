#include "device/cache_size.hpp"

#include "device/machine_cuda.hpp"

namespace ritz {

Index second_level_cache(const Device& device) {
  std::string why;
  const CudaFactory* const factory = device.is_gpu() ? cuda_factory(why) : nullptr;
  return factory == nullptr ? 0 : factory->second_level_cache(device.info().ordinal);
}

}  // namespace ritz
