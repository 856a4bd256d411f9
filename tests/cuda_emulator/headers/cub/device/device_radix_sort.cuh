// Found in the place of CUB's own, which g++ does not compile. The emulated sort is in tests/cuda_emulator/thrust_policy.hpp.
#pragma once
