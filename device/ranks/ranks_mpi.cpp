// Ranks by MPI: texts and numbers as messages of bytes. Only the thread that starts it sends and receives.
#include "device/environment_variable.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/ranks/ranks.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <map>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

namespace ritz::mpi {
namespace {

constexpr int tag = 0, number_tag = 1, failure_tag = 2;

// MPI counts the bytes of a message in 32 bits: longer ones go in pieces. RITZ_LONGEST_MESSAGE is for tests.
std::size_t longest_message() {
  std::size_t bytes = std::size_t{1} << 30;
  const std::string text = environment("RITZ_LONGEST_MESSAGE");
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return std::max<std::size_t>(bytes, 1);
}

std::optional<Error> failure;  // the first of MPI itself

void check(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  const Error error(ErrorKind::several_ranks, fmt::format("MPI failed in {}", what),
                    std::string(text, std::size_t(length)),
                    "see the messages of the launcher; ranks on machines that do not reach each other fail like this");
  if (!failure) failure = error;
  throw error;
}

// The others miss a message: no exchange may begin, even where a destructor had to keep the Error to itself.
void throw_if_failed() {
  if (failure) throw *failure;
}

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    // Another thread may end the process while this one is in a library.
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "its start");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "the rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &count_), "the number of ranks");
  }
  // The others may never come to the end where MPI itself failed: this process then leaves without it, and the launcher
  // ends them.
  ~MpiRanks() override {
    give_up();
    try {
      let_all_texts_leave();
    } catch (const Error&) {}
    if (!failure) MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int count() const override { return count_; }

  std::string host() const override {
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    check(MPI_Get_processor_name(name, &length), "the name of the machine");
    return {name, std::size_t(length)};
  }

  std::string transport() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    check(MPI_Get_library_version(text, &length), "its version");
    const std::string_view all(text, std::size_t(length));
    return std::string(all.substr(0, all.find_first_of(",\n")));  // "Open MPI v4.1.4"
  }

  void send(int to, std::string text) override {
    forget_what_has_left();
    if (text.size() < longest_) return send_with(tag, to, std::move(text));
    // A piece that is shorter than the others, or empty, is the last.
    for (std::size_t begin = 0; begin <= text.size(); begin += longest_)
      send_with(tag, to, text.substr(begin, longest_));
  }

  bool has_text(int from) override {
    int arrived = 0;
    check(MPI_Iprobe(from, tag, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE), "a look for a message");
    return arrived != 0;
  }

  std::optional<std::string> receive(int from) override {
    forget_what_has_left();
    int arrived = 0;
    MPI_Status status;
    check(MPI_Iprobe(from, tag, MPI_COMM_WORLD, &arrived, &status), "a look for a message");
    if (arrived == 0) return std::nullopt;
    std::string piece = received(status);
    const bool is_last = piece.size() < longest_;
    std::string& text = unfinished_[from];
    if (text.empty()) text = std::move(piece);
    else text += piece;
    if (!is_last) return std::nullopt;
    return std::exchange(text, {});
  }

  void begin(std::span<const Parcel> parcels) override {
    throw_if_failed();
    if (!requests_.empty())
      throw Error(ErrorKind::internal, "an exchange between ranks begins before the last one ended");
    const auto in_pieces = [this](auto bytes, const auto& call) {
      for (; !bytes.empty(); bytes = bytes.subspan(std::min(longest_, bytes.size())))
        check_exchange(
            call(bytes.data(), int(std::min(longest_, bytes.size())), &requests_.emplace_back(MPI_REQUEST_NULL)));
    };
    for (const Parcel& p : parcels)
      in_pieces(p.received, [&](std::byte* data, int size, MPI_Request* request) {
        return MPI_Irecv(data, size, MPI_BYTE, p.rank, number_tag, MPI_COMM_WORLD, request);
      });
    for (const Parcel& p : parcels)
      in_pieces(p.sent, [&](const std::byte* data, int size, MPI_Request* request) {
        ++counts_.messages;
        counts_.bytes += size;
        return MPI_Isend(data, size, MPI_BYTE, p.rank, number_tag, MPI_COMM_WORLD, request);
      });
  }

  void look() override {
    if (requests_.empty()) return;
    int done = 0;
    check_exchange(MPI_Testall(int(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE));
    if (done != 0) requests_.clear();
  }

  void finish() override {
    for (int looks = 1;; ++looks) {
      look();
      if (requests_.empty()) return;
      if (looks % looks_between_failures == 0) look_for_failures();
      if (looks > looks_before_rest) std::this_thread::yield();
    }
  }

  bool fail(const Error& error) override {
    give_up();
    abandon_devices();
    const std::string text =
        fmt::format("{}\n{}\n{}\n{}", int(error.kind()), error.message(), error.why(), error.fix());
    bool first_knows = rank_ == 0;
    for (int other = 0; other < count_; ++other) {
      if (other == rank_) continue;
      try {
        send_with(failure_tag, other, text);
        first_knows = first_knows || other == 0;
      } catch (const Error&) {  // the next may be reached
      }
    }
    return first_knows;
  }

  // Messages under way are given up: the job ends.
  void look_for_failures() override {
    if (lost_) throw LostRank(*lost_);
    throw_if_failed();
    int arrived = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, failure_tag, MPI_COMM_WORLD, &arrived, &status), "a look for a failure");
    if (arrived == 0) return;
    std::string rest = received(status);
    std::string parts[4];
    for (std::string& part : parts) {
      const std::size_t end = rest.find('\n');
      part = rest.substr(0, end);
      rest = end == std::string::npos ? "" : rest.substr(end + 1);
    }
    give_up();
    abandon_devices();
    int number = int(ErrorKind::internal);
    std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), number);
    const auto kind = ErrorKind(number);
    lost_.emplace(kind, message_of_rank(status.MPI_SOURCE, exit_of(kind), parts[1]), parts[2], parts[3]);
    throw LostRank(*lost_);
  }

 private:
  static constexpr int looks_between_failures = 1000, looks_before_rest = 100;

  void send_with(int message_tag, int to, std::string text) {
    Sent& sent = sent_.emplace_back(Sent{std::move(text), MPI_REQUEST_NULL});
    check(MPI_Isend(sent.text.data(), int(sent.text.size()), MPI_BYTE, to, message_tag, MPI_COMM_WORLD, &sent.request),
          "a message");
  }

  static std::string received(const MPI_Status& status) {
    int size = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &size), "the size of a message");
    std::string text(std::size_t(size), '\0');
    check(MPI_Recv(text.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          "a message");
    return text;
  }

  void check_exchange(int status) {
    if (status != MPI_SUCCESS) give_up();
    check(status, "an exchange");
  }

  // Ends the exchange before the memory of its parcels goes. Messages that have begun to arrive are awaited for a
  // second; the rest are those that other ranks have given up, too.
  void give_up() {
    using Clock = std::chrono::steady_clock;
    for (MPI_Request& request : requests_)
      if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
    const Clock::time_point patience = Clock::now() + std::chrono::seconds(1);
    int done = requests_.empty() ? 1 : 0;
    while (done == 0 && Clock::now() < patience &&
           MPI_Testall(int(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS)
      if (done == 0) pause();
    for (MPI_Request& request : requests_)
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    requests_.clear();
  }

  struct Sent {  // a text stays until it has left
    std::string text;
    MPI_Request request;
  };

  void forget_what_has_left() {
    for (int left = 1; !sent_.empty() && left != 0;) {
      check(MPI_Test(&sent_.front().request, &left, MPI_STATUS_IGNORE), "a message");
      if (left != 0) sent_.pop_front();
    }
  }

  // Large texts leave only when they are received. Each rank receives what nobody there awaits any more, such as the
  // failure of another, until the texts of all have left. Where MPI itself has failed, for some seconds: the others are
  // told, if they can be.
  void let_all_texts_leave() {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point patience = Clock::now() + std::chrono::seconds(3);
    MPI_Request all_have_left = MPI_REQUEST_NULL;
    bool mine_have_left = false;
    for (int done = 0; done == 0 && !(failure && Clock::now() > patience); pause()) {
      for (const int message_tag : {tag, failure_tag}) discard_message(message_tag);
      forget_what_has_left();
      if (!mine_have_left && sent_.empty()) {
        check(MPI_Ibarrier(MPI_COMM_WORLD, &all_have_left), "its end");
        mine_have_left = true;
      }
      if (mine_have_left) check(MPI_Test(&all_have_left, &done, MPI_STATUS_IGNORE), "its end");
    }
  }
  static void discard_message(int message_tag) {
    for (int arrived = 1; arrived != 0;) {
      MPI_Status status;
      check(MPI_Iprobe(MPI_ANY_SOURCE, message_tag, MPI_COMM_WORLD, &arrived, &status), "a look for a message");
      if (arrived != 0) received(status);
    }
  }

  int rank_ = 0, count_ = 1;
  const std::size_t longest_ = longest_message();  // bytes
  std::deque<Sent> sent_;
  std::map<int, std::string> unfinished_;  // by ranks: the pieces of a text that have arrived
  std::vector<MPI_Request> requests_;      // of the exchange that has begun
  std::optional<LostRank> lost_;           // the failure of another that was found first
};

std::unique_ptr<Ranks> start() { return std::make_unique<MpiRanks>(); }

const RanksModule module{&start};
const Registration registration("ranks", &module);

}  // namespace
}  // namespace ritz::mpi
