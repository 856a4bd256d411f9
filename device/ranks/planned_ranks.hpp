// The ranks of a job that is planned, not started: a forecast asks for their number. Nothing is exchanged.
#pragma once

#include "device/ranks/ranks.hpp"

namespace ritz {

class PlannedRanks final : public Ranks {
 public:
  explicit PlannedRanks(int count) : count_(count) {}
  int rank() const override { return 0; }
  int count() const override { return count_; }
  std::string host() const override { return "planned"; }
  std::string transport() const override { return "planned"; }
  void send(int, std::string) override {}  // texts that nobody receives
  std::optional<std::string> receive(int) override { refuse(); }
  void begin(std::span<const Parcel>) override { refuse(); }
  void look() override {}
  void finish() override {}
  bool fail(const Error&) override { return true; }

 private:
  [[noreturn]] static void refuse() {
    throw Error(ErrorKind::internal, "an exchange between ranks that are only planned");
  }
  int count_;
};

}  // namespace ritz
