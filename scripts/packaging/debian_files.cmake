# cpack runs this script on the files of the packages. It adds files that Debian's policy requires.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

# gzip without a timestamp, so that equal builds give equal packages.
function(compress)
  execute_process(COMMAND gzip -9n ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Writes the licence in Debian's machine-readable format: the text is indented, and an empty line is a dot.
function(write_copyright licence file)
  file(READ ${licence} text)
  string(REGEX MATCH "Copyright \\(c\\) ([^\n]+)\n+(.*)" found "${text}")
  set(holder ${CMAKE_MATCH_1})
  string(STRIP "${CMAKE_MATCH_2}" terms)
  string(REPLACE "\n\n" "\n.\n" terms "${terms}")
  string(REPLACE "\n" "\n " terms "${terms}")
  file(WRITE ${file}
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Scree\n\n"
    "Files: *\nCopyright: ${holder}\nLicense: BSD-3-Clause\n ${terms}\n")
endfunction()

function(finish_package package tree)
  set(doc ${tree}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  write_copyright(${CPACK_RESOURCE_FILE_LICENSE} ${doc}/copyright)
  file(REMOVE ${doc}/LICENSE ${doc}/CHANGELOG.md)  # replaced by copyright and changelog
  configure_file(${CPACK_SCREE_PACKAGING}/../../CHANGELOG.md ${doc}/changelog COPYONLY)
  set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # the time of SOURCE_DATE_EPOCH, if it is set
  file(WRITE ${doc}/changelog.Debian
    "scree (${version}) unstable; urgency=medium\n\n  * Release ${CPACK_PACKAGE_VERSION}, see changelog.gz.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB pages ${tree}/usr/share/man/man1/*.1)
  compress(${doc}/changelog ${doc}/changelog.Debian ${pages})
  # Debian requires its own Python as the interpreter of scripts.
  file(GLOB_RECURSE scripts ${tree}/usr/share/scree/*.py)
  foreach(script IN LISTS scripts)
    execute_process(COMMAND sed -i "1s|^#!/usr/bin/env python3|#!/usr/bin/python3|" ${script}
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endfunction()

finish_package(scree ${CPACK_TEMPORARY_DIRECTORY}/programs)
finish_package(libscree-dev ${CPACK_TEMPORARY_DIRECTORY}/development)
if(EXISTS ${CPACK_TEMPORARY_DIRECTORY}/python)
  finish_package(python3-scree ${CPACK_TEMPORARY_DIRECTORY}/python)
  # Python finds the package scree through this link.
  set(modules ${CPACK_TEMPORARY_DIRECTORY}/python/usr/lib/python3/dist-packages)
  file(MAKE_DIRECTORY ${modules})
  file(CREATE_LINK ../../../share/scree/scripts/scree ${modules}/scree SYMBOLIC)
endif()
