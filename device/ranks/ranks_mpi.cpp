// Ranks by MPI: texts as messages of bytes. Only the thread that starts it sends and receives.
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/ranks/ranks.hpp"

#include <deque>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <mpi.h>

namespace ritz::mpi {
namespace {

constexpr int tag = 0;

void check(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw Error(Exit::environment, fmt::format("MPI failed in {}", what), std::string(text, std::size_t(length)),
              "see the messages of the launcher; ranks on machines that do not reach each other fail like this");
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
  ~MpiRanks() override {
    for (Sent& sent : sent_) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
    MPI_Finalize();
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
    if (text.size() > std::size_t(std::numeric_limits<int>::max()))
      throw Error(Exit::internal, fmt::format("a message of {} bytes to rank {}", text.size(), to));
    Sent& sent = sent_.emplace_back(Sent{std::move(text), MPI_REQUEST_NULL});
    check(MPI_Isend(sent.text.data(), int(sent.text.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD, &sent.request),
          "a message");
  }

  std::optional<std::string> receive(int from) override {
    forget_what_has_left();
    int arrived = 0;
    MPI_Status status;
    check(MPI_Iprobe(from, tag, MPI_COMM_WORLD, &arrived, &status), "a look for a message");
    if (arrived == 0) return std::nullopt;
    int size = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &size), "the size of a message");
    std::string text(std::size_t(size), '\0');
    check(MPI_Recv(text.data(), size, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "a message");
    return text;
  }

 private:
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

  int rank_ = 0, count_ = 1;
  std::deque<Sent> sent_;
};

std::unique_ptr<Ranks> start() { return std::make_unique<MpiRanks>(); }

const RanksModule module{&start};
const Registration registration("ranks", &module);

}  // namespace
}  // namespace ritz::mpi
