// A network that fails or is slow: preloaded into a rank, the number-th message that it sends is late by a fifth of a
// second, or is refused.
//   LD_PRELOAD=message_shim.so MESSAGE_RANK=1 MESSAGE_NUMBER=17 MESSAGE_KIND=late MESSAGE_COUNT=/tmp/count
// When the process ends, MESSAGE_COUNT has the number of its messages.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long count = 0;

static int is_here(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  const char* chosen = getenv("MESSAGE_RANK");
  return rank != NULL && chosen != NULL && strcmp(rank, chosen) == 0;
}

int MPI_Isend(const void* data, int size, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  const char* number = getenv("MESSAGE_NUMBER");
  ++count;
  if (number != NULL && atol(number) == count && is_here()) {
    if (strcmp(getenv("MESSAGE_KIND"), "late") != 0) return MPI_ERR_OTHER;
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
