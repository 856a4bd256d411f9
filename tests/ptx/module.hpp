// PTX, the assembly text that nvcc writes, decoded for the interpreter (machine.hpp). A Module owns the text, its
// variables and its functions; functions are decoded when they are first asked for. README.md is the manual.
//   Module module(text, "a.ptx"); const Function* kernel = module.entry("saxpy");
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ritz::ptx {

inline constexpr int lanes = 32;  // of a warp
using Mask = std::uint32_t;       // a bit for each lane
inline constexpr Mask all_lanes = 0xffffffffu;

// Text that is not PTX, or an instruction that the interpreter does not have.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Space : std::uint8_t { generic, global, shared, local, constant, param };

struct Warp;
struct Instruction;
struct Function;
using Handler = void (*)(Warp&, const Instruction&);

// Values of the 32 lanes lie one after the other, in the registers of a frame (at >= 0, bytes from their start) or in
// the constants of the function (at < 0: ~at). A predicate is a Mask.
struct Operand {
  std::int32_t at = 0;
  std::uint8_t bytes = 0;  // of a lane; 0: a predicate
  bool is_given = false, is_negated = false;
};

// Variables of the .param space outside of kernels: `bytes` for each lane, in the registers of a frame.
struct Slot {
  std::int32_t at = 0;
  std::uint32_t bytes = 0;
};

struct Call {
  const Function* function = nullptr;  // nullptr: the address is in.in[0], or one of the system's
  std::string name;
  std::vector<Slot> results, arguments;
};

enum Flag : std::uint8_t {
  flush_subnormals = 1,
  saturate = 2,
  strong = 4,
  acquire = 8,
  release = 16,
  aligned = 32,
  read_only = 64
};

struct Instruction {
  Handler run = nullptr;
  Operand guard;
  Operand out[4], in[5];
  std::int64_t offset = 0;                         // of an address, or another constant
  std::uint32_t target = 0;                        // of a branch
  std::uint32_t text_line = 0;                     // in the text of the module
  std::uint32_t source_line = 0, source_file = 0;  // by .loc; 0: not given
  std::uint8_t count = 1;                          // of a vector
  std::uint8_t bytes = 0;                          // of one of its elements in memory
  std::uint8_t mode = 0;                           // one of several forms, as the handler numbers them
  std::uint8_t flags = 0;
  bool is_signed = false;
  Space space = Space::generic;
  Slot slot;                                          // .param space outside of kernels
  const Call* call = nullptr;                         // owned by the function
  const std::vector<std::uint32_t>* table = nullptr;  // of an indexed branch
};

struct Parameter {
  std::string name;
  std::uint32_t bytes = 0, offset = 0;  // offset: in the parameter block of a kernel
  Slot slot;                            // of a function
};

struct Function {
  std::string name;
  bool is_entry = false, is_decoded = false;
  std::vector<Parameter> parameters, results;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t most_threads = 1024;                                    // of a block, by __launch_bounds__
  std::uint32_t register_bytes = 0, local_bytes = 0, shared_bytes = 0;  // shared: what the kernel declares
  std::uint32_t shared_room = 0;                                        // the same with red zones between its arrays
  std::vector<std::pair<std::uint32_t, std::uint32_t>> red_zones;       // first byte, end
  std::vector<std::uint64_t> constants;
  std::vector<Instruction> code;
  std::vector<std::unique_ptr<Call>> calls;
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> tables;
  std::map<std::string, int> unsupported;  // what the interpreter lacks -> number of instructions
  int contractible = 0;                    // products that the assembler (ptxas) may fuse with a sum: bits may differ
  std::map<std::string, int> inexact;      // instructions whose bits no standard prescribes
  // Lines of the text that read a register which nothing writes: a local variable without a value, as a rule.
  std::vector<std::uint32_t> unwritten;
  std::string_view header, body;  // of the text
};

struct Variable {
  Space space = Space::global;
  std::uint64_t bytes = 0, alignment = 1;
  bool is_dynamic = false;  // the shared memory whose size the launch says
  char* memory = nullptr;   // of global and constant ones
};

class Module {
 public:
  // Memory of global variables; it lives as long as the module.
  using Allocate = std::function<char*(std::uint64_t bytes, std::uint64_t alignment)>;

  Module(std::string text, std::string name, const Allocate& allocate = {});
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const Function* entry(std::string_view name);     // decoded; nullptr: there is none
  const Function* function(std::string_view name);  // of any kind, decoded
  std::vector<std::string> entries() const;
  const Variable* variable(std::string_view name) const;
  const std::string& name() const { return name_; }
  std::string source_file(std::uint32_t number) const;
  std::string line_of_text(std::uint32_t line) const;
  bool owns(const Function* function) const;

 private:
  friend class Decoder;
  friend class ModuleReader;
  Function* find(std::string_view name);
  void decode(Function& function);

  std::string text_, name_;
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions_;
  std::map<std::string, Variable, std::less<>> variables_;
  std::map<std::uint32_t, std::string> files_;
  std::map<std::string, std::uint32_t, std::less<>> fixed_shared_;  // offsets of what functions share with kernels
  std::uint32_t fixed_shared_bytes_ = 0;
  std::vector<std::unique_ptr<char[]>> memory_;
};

}  // namespace ritz::ptx
