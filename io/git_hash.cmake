# Run at every build: writes git_hash.cpp with the commit of the source, and only if the commit changed.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE hash OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT hash)
  set(hash unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
[[#include "io/files/build_info.hpp"

std::string scree::GitHash() { return "@hash@"; }
]])
