// Memory of the host that stays its owner's: the first array of exactly so many bytes that this thread makes on the
// device while the object lives is this memory, without a copy and outside of the pool's accounts. The owner keeps it
// until the array has gone.
//
//   const LentMemory lent(device, values, bytes);
//   SparseMatrix A(pattern, 3);                     // its values are there
#pragma once

#include "device/device.hpp"

namespace ritz {

class LentMemory {
 public:
  // Throws Error: Exit::internal on a device with memory of its own.
  LentMemory(const Device& device, void* memory, Index bytes);
  ~LentMemory();
  LentMemory(const LentMemory&) = delete;
  LentMemory& operator=(const LentMemory&) = delete;

  bool taken() const { return memory_ == nullptr; }
  // Has this thread's last array taken lent memory? Then its values are there.
  static bool was_taken();

 private:
  friend class MemoryPool;
  static thread_local LentMemory* now_;

  const MemoryPool* pool_;
  void* memory_;
  Index bytes_;
};

}  // namespace ritz
