// An empty library: the program needs it, and it needs early_environment.cpp, which is thus loaded after the OpenMP
// library, and initialised before.
