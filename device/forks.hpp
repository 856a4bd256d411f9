// fork() copies a process without the threads of OpenMP: a parallel loop of the copy would wait for them for ever. So a
// process that was forked after Ritz started threads has one thread. `threads_may_start()` stands before the first
// loop.
#pragma once

namespace ritz {

void threads_may_start();   // from now on a fork is noticed
bool is_fork_of_threads();  // this process is the fork of one in which threads may have started

}  // namespace ritz
