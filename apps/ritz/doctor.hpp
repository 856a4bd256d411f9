// `ritz doctor`: is this machine fit for Ritz, and if not, what to do? In under two seconds.
#pragma once

#include "device/error.hpp"

#include <string>
#include <vector>

namespace ritz {

struct Finding {
  enum class State { good, advice, fault } state;
  std::string subject, value;  // "threads", "8 of 16 processors (affinity)"
  std::string remedy;          // empty when good
};

struct Diagnosis {
  std::vector<Finding> findings;
  Exit exit() const;  // environment when something is at fault
};

// `folder`: whose disk is tried.
Diagnosis diagnose(const std::string& folder = ".");
std::string text_of(const Diagnosis& diagnosis);
std::string json_of(const Diagnosis& diagnosis);

}  // namespace ritz
