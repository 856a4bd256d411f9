// Threads that wait for each other at the end of a loop spin by default, for so long that a run slows down tenfold when
// another program wants a core too. The OpenMP library reads how long to spin when it is loaded, before main().
#pragma once

namespace ritz {

// Starts the program again with a short spin (GOMP_SPINCOUNT), unless the user has said something about it
// (OMP_WAIT_POLICY, GOMP_SPINCOUNT), or early_environment.cpp has, in time. Call it first in main().
void use_short_spinning(char** argv);

}  // namespace ritz
