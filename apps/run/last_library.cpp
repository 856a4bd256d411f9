// Nothing: the program needs this library, and this one early_environment.cpp, which is thus loaded behind the OpenMP
// library, and initialised before.
