#include "device/ranks/device_messages.hpp"

#include "device/array.hpp"
#include "device/environment_variable.hpp"
#include "device/kernels.hpp"
#include "device/ranks/packed.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace ritz {
namespace {

constexpr const char* messages_module = "ritz_ranks";
constexpr const char* variable = "RITZ_RANKS_TRANSPORT";

std::vector<std::byte> bytes_of(const std::string& text) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

RankDevice device_of(const Ranks& ranks, const Device& device) {
  RankDevice mine{.is_gpu = device.is_gpu(), .why_not = "", .host = ranks.host(), .card = ""};
  if (!mine.is_gpu) {
    mine.why_not = fmt::format("its device is {}", device.info().kind);
    return mine;
  }
  const DeviceMessagesModule* module = nullptr;
  mine.why_not = load_device_messages(module);
  if (!mine.why_not.empty()) return mine;
  mine.card = module->card(device);
  mine.version = module->version();
  return mine;
}

// [rank], and what the first one's environment asks for.
std::vector<RankDevice> devices_of_all(Ranks& ranks, const Device& device, std::string& request) {
  const RankDevice mine = device_of(ranks, device);
  const std::string text = Packed()
                               .add(environment(variable))
                               .add(mine.is_gpu)
                               .add(mine.why_not)
                               .add(mine.host)
                               .add(mine.card)
                               .add(mine.version)
                               .take();
  std::vector<RankDevice> all;
  for (const auto& told : ranks.swap(std::vector<std::vector<std::byte>>(std::size_t(ranks.count()), bytes_of(text)))) {
    const std::string theirs = text_of(told);
    Unpacked from(theirs);
    const std::string asked = from.text();
    if (all.empty()) request = asked;
    RankDevice& each = all.emplace_back();
    from.get(each.is_gpu);
    each.why_not = from.text();
    each.host = from.text();
    each.card = from.text();
    from.get(each.version);
  }
  return all;
}

std::string id_of_first(Ranks& ranks, const DeviceMessagesModule& module) {
  std::string id;
  ranks.agree([&] {
    if (ranks.rank() == 0) id = module.id();
  });
  std::vector<std::vector<std::byte>> to_each(std::size_t(ranks.count()));
  if (ranks.rank() == 0) std::ranges::fill(to_each, bytes_of(id));
  return text_of(ranks.swap(to_each).front());
}

// Numbers that only their sender knows go once around all ranks, and their sums are known.
void test_messages(const Ranks& ranks, DeviceMessages& messages) {
  constexpr int count = 64;
  const int next = (ranks.rank() + 1) % ranks.count(), before = (ranks.rank() + ranks.count() - 1) % ranks.count();
  const auto numbers_of = [](int rank) {
    std::vector<double> numbers;
    for (int k = 0; k < count; ++k) numbers.push_back(1 + rank * count + k);
    return numbers;
  };
  const Device& device = messages.device();
  Vector sent(device, numbers_of(ranks.rank()), "ghosts"), received(device, count, "ghosts");
  received.fill_zero();
  const auto size = static_cast<std::size_t>(sent.bytes());
  const std::byte* const from = reinterpret_cast<const std::byte*>(sent.data());
  std::byte* const to = reinterpret_cast<std::byte*>(received.data());
  messages.begin(std::vector<Parcel>{{next, {from, size}, {}}, {before, {}, {to, size}}});
  messages.finish();
  messages.sum(sent.data(), count);
  std::vector<double> sums(count);
  for (int rank = 0; rank < ranks.count(); ++rank)
    for (int k = 0; k < count; ++k) sums[std::size_t(k)] += numbers_of(rank)[std::size_t(k)];
  if (received.host() == numbers_of(before) && sent.host() == sums) return;
  throw Error(ErrorKind::several_ranks, fmt::format("NCCL brings other numbers from rank {} than were sent", before),
              "found by a test before the first exchange",
              fmt::format("set {}=host, which sends messages through the memory of the hosts, and see the messages of "
                          "NCCL_DEBUG=INFO",
                          variable));
}

std::unique_ptr<DeviceMessages> connected(Ranks& ranks, const Device& device) {
  const DeviceMessagesModule* module = nullptr;
  load_device_messages(module);
  const std::string id = id_of_first(ranks, *module);
  std::unique_ptr<DeviceMessages> messages;
  // A rank that lacks what it takes for itself ends this before others wait for it.
  ranks.agree([&] { messages = module->prepare(device, ranks.rank(), ranks.count()); });
  try {
    ranks.agree([&] { messages->join(id); });
    ranks.agree([&] { test_messages(ranks, *messages); });
  } catch (const Error&) {
    messages->abandon();
    throw;
  }
  return messages;
}

}  // namespace

std::string load_device_messages(const DeviceMessagesModule*& module) {
  const std::string reason = load_kernels("cuda", messages_module);
  if (reason.find("is not in") != std::string::npos) return "this build has no module for NCCL";
  if (!reason.empty()) return reason;
  module = static_cast<const DeviceMessagesModule*>(find_kernels("cuda", messages_module, "messages between devices"));
  try {
    module->version();
  } catch (const Error& error) { return error.message(); }
  return "";
}

std::string nccl_version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::string why_not_nccl(std::span<const RankDevice> ranks) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (!ranks[rank].why_not.empty()) return fmt::format("rank {}: {}", rank, ranks[rank].why_not);
  std::map<std::pair<std::string, std::string>, std::size_t> cards;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankDevice& each = ranks[rank];
    if (each.version != ranks.front().version)
      return fmt::format("rank 0 has NCCL {} and rank {} has {}", nccl_version_text(ranks.front().version), rank,
                         nccl_version_text(each.version));
    const auto [found, is_new] = cards.try_emplace({each.host, each.card}, rank);
    if (!is_new)
      return fmt::format("ranks {} and {} have the same GPU, {} of {}", found->second, rank, each.card, each.host);
  }
  return "";
}

DeviceTransport connect_devices(Ranks& ranks, const Device& device) {
  std::string request;
  const std::vector<RankDevice> all = devices_of_all(ranks, device, request);
  if (!request.empty() && request != "nccl" && request != "host")
    throw AgreedError(Error(ErrorKind::environment, fmt::format("{} is '{}'", variable, request), {},
                            "use nccl or host, or leave it out: then NCCL is taken where all ranks can have it"));
  const auto through_hosts = [&](const std::string& why) {
    const bool any_gpu = std::ranges::any_of(all, &RankDevice::is_gpu);
    return DeviceTransport{nullptr, any_gpu ? fmt::format("through the memory of the hosts ({})", why) : ""};
  };
  if (request == "host") return through_hosts(fmt::format("as {} asks", variable));
  if (const std::string why = why_not_nccl(all); !why.empty()) {
    if (request != "nccl") return through_hosts(why);
    throw AgreedError(
        Error(ErrorKind::environment, fmt::format("{} is 'nccl', and NCCL cannot be used", variable), why,
              "give each rank a GPU of its own and a build with libnccl.so.2, or leave the variable out"));
  }
  try {
    return {connected(ranks, device), fmt::format("by NCCL {}", nccl_version_text(all.front().version))};
  } catch (const AgreedError& error) {
    if (request == "nccl") throw;
    return through_hosts(error.why().empty() ? error.message() : fmt::format("{}: {}", error.message(), error.why()));
  }
}

}  // namespace ritz
