// Preloaded in searches for leaks. Otherwise MPI unloads its components at exit, the report cannot
// name their functions, and support/mpi.* cannot suppress their leaks.
extern "C" int dlclose(void* /*handle*/) { return 0; }
