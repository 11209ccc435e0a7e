#include "apps/run_loop.hpp"
int main() { return 0; }
