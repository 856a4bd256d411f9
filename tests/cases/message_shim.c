// A network that fails or is slow: preloaded into a rank, the number-th message that it sends is late by a fifth of a
// second, or is refused; or is "gone": refused with all after it; or the rank is "killed" before it.
//   LD_PRELOAD=message_shim.so MESSAGE_RANK=1 MESSAGE_NUMBER=17 MESSAGE_KIND=late MESSAGE_COUNT=/tmp/count
// When the process ends, MESSAGE_COUNT has the number of its messages.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long count = 0, awaited = 0;  // sent; posted to be received, and not known to have arrived

static int is_here(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  const char* chosen = getenv("MESSAGE_RANK");
  return rank != NULL && chosen != NULL && strcmp(rank, chosen) == 0;
}

// A rank whose message is refused leaves its exchange, whose memory goes: what it awaits may not arrive there.
int MPI_Irecv(void* data, int size, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Request* request) {
  ++awaited;
  return PMPI_Irecv(data, size, type, from, tag, communicator, request);
}
int MPI_Testall(int number, MPI_Request requests[], int* done, MPI_Status statuses[]) {
  const int result = PMPI_Testall(number, requests, done, statuses);
  if (*done) awaited = 0;
  return result;
}
int MPI_Cancel(MPI_Request* request) {
  awaited = 0;
  return PMPI_Cancel(request);
}

int MPI_Isend(const void* data, int size, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  static int is_refused = 0;
  const char *number = getenv("MESSAGE_NUMBER"), *kind = getenv("MESSAGE_KIND");
  const long chosen = number != NULL && kind != NULL && is_here() ? atol(number) : 0;
  ++count;
  if (is_refused && awaited > 0) abort();
  if (chosen > 0 && (chosen == count || (chosen < count && strcmp(kind, "gone") == 0))) {
    if (strcmp(kind, "killed") == 0) raise(SIGKILL);
    is_refused = strcmp(kind, "late") != 0;
    if (is_refused) return MPI_ERR_OTHER;
    usleep(200000);
  }
  return PMPI_Isend(data, size, type, to, tag, communicator, request);
}

__attribute__((destructor)) static void tell(void) {
  const char* path = getenv("MESSAGE_COUNT");
  FILE* file = path != NULL && is_here() ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%ld\n", count);
  fclose(file);
}
