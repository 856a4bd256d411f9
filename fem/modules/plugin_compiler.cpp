#include "fem/modules/plugin_compiler.hpp"

#include "device/environment_variable.hpp"
#include "device/error.hpp"
#include "fem/modules/run_program.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sstream>

namespace ritz {
namespace {

// "ccache g++ -m64" in its words; empty when the variable is not set.
std::vector<std::string> words_of(const char* variable) {
  std::istringstream stream(environment(variable));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The first candidate that runs.
PluginCompiler first_that_runs(const char* variable, std::vector<std::vector<std::string>> candidates,
                               const std::string& remedy) {
  const std::vector<std::string> named = words_of(variable);
  if (!named.empty()) candidates = {named};
  std::vector<std::string> tried;
  for (std::vector<std::string>& command : candidates) {
    tried.push_back(fmt::format("{}", fmt::join(command, " ")));
    std::vector<std::string> question = command;
    question.emplace_back("--version");
    const auto answer = run_program(question);
    if (answer && answer->exit == 0) return {std::move(command), answer->output};
  }
  throw Error(ErrorKind::no_compiler, fmt::format("no compiler for the plugin: {} cannot be run", quoted_list(tried)),
              fmt::format("a source of your own is compiled when it is first used{}",
                          named.empty() ? "" : fmt::format(", by what {} names", variable)),
              remedy);
}

}  // namespace

std::filesystem::path library_folder() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&library_folder), &info);
  return std::filesystem::absolute(info.dli_fname).parent_path();
}

std::filesystem::path header_folder() {
  // lib, lib64 or lib/x86_64-linux-gnu next to include
  std::filesystem::path folder = library_folder();
  for (int up = 0; up < 3; ++up) {
    folder = folder.parent_path();
    if (exists(folder / "include/ritz/fem/add_form.hpp")) return folder / "include/ritz";
  }
  throw Error(ErrorKind::no_compiler,
              fmt::format("the headers of Ritz were not found near '{}'", library_folder().string()),
              "a plugin is compiled with the headers that belong to the libraries",
              "install Ritz with its headers (cmake --install)");
}

PluginCompiler plugin_compiler(const Device& device, const std::filesystem::path& headers) {
  const MachineInfo& machine = device.info();
  const bool gpu = device.is_gpu();
  PluginCompiler compiler =
      gpu ? first_that_runs("CUDACXX", {{"nvcc"}, {"/usr/local/cuda/bin/nvcc"}},
                            "put nvcc of the CUDA toolkit on the PATH or set CUDACXX, or run with --device cpu")
          : first_that_runs("CXX", {{"g++"}, {"c++"}},
                            "install g++ (Debian, Ubuntu: apt install g++) or set CXX to a C++20 compiler with OpenMP");
  const auto add = [&](const std::string& flags) {
    for (std::string& flag : split(flags)) compiler.command.push_back(std::move(flag));
  };
  if (gpu) {
    std::string architecture = machine.compute_capability;
    std::erase(architecture, '.');
    add(RITZ_KERNEL_OPTIONS_CUDA);
    add(fmt::format("-gencode=arch=compute_{0},code=sm_{0} -shared -cudart=shared -Xcompiler=-fPIC -x cu",
                    architecture));
  } else {
    add(RITZ_KERNEL_OPTIONS);
    add(device.backend() == "v4" ? RITZ_KERNEL_OPTIONS_V4 : "");
    add(fmt::format("-march=x86-64-{} -std=c++20 -fopenmp -fPIC -shared -fdiagnostics-color=never", device.backend()));
  }
  compiler.command.push_back("-DRITZ_BACKEND=" + device.backend());
  compiler.command.push_back("-I" + headers.string());
  return compiler;
}

PluginCompiler fortran_compiler(const std::filesystem::path& includes) {
  PluginCompiler compiler = first_that_runs(
      "FC", {{"gfortran"}}, "install gfortran (Debian, Ubuntu: apt install gfortran) or set FC to a Fortran compiler");
  // Fixed form up to column 132 and arguments of other kinds, as user subroutines are compiled elsewhere. Each call has
  // its variables to itself, since threads call at once; XIT ends a call by an exception.
  for (const char* flag : {"-O2", "-fPIC", "-shared", "-std=legacy", "-ffixed-line-length-132",
                           "-ffree-line-length-none", "-frecursive", "-fexceptions", "-fdiagnostics-color=never"})
    compiler.command.emplace_back(flag);
  compiler.command.push_back("-I" + includes.string());
  compiler.libraries = {"-lritz_fem"};
  compiler.lists_files = false;
  compiler.of = "user subroutine";
  return compiler;
}

std::string compile_errors(const std::string& output, const std::string& source) {
  std::istringstream stream(output);
  std::vector<std::string> own, others, reasons;
  std::string place;  // gfortran gives it some lines before the error
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(source) && line.ends_with(':')) place = line + " ";
    if (line.starts_with("Error:")) line = place + line;
    const auto says = [&line](const char* words) { return line.find(words) != std::string::npos; };
    const bool error = says("error") && says(":"), trail = says("required from here");
    const bool unmet = says("note: the required") || says("evaluated to");  // why a concept refused the form
    std::vector<std::string>& list = line.starts_with(source) && (error || trail) ? own : error ? others : reasons;
    if ((error || trail || unmet) && std::ranges::find(list, line) == list.end()) list.push_back(line);
  }
  std::string text;
  int left = 6;
  for (const std::vector<std::string>& lines : {own, others, reasons})
    for (const std::string& line : lines)
      if (left-- > 0) text += (text.empty() ? "" : "\n") + line;
  return text.empty() ? output.substr(0, 2000) : text;
}

}  // namespace ritz
