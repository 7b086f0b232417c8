# Copies the objects of a kernel level to FOLDER and renames the symbols that they define, except
# the kernels, which other code calls.
#   cmake -D NM=... -D OBJCOPY=... -D LEVEL=v3 -D FOLDER=... -P own_names.cmake -- OBJECTS...
set(objects "")
foreach(i RANGE ${CMAKE_ARGC})
  if("${CMAKE_ARGV${i}}" MATCHES "\\.cpp\\.o")
    list(APPEND objects ${CMAKE_ARGV${i}})
  endif()
endforeach()
execute_process(COMMAND ${NM} --defined-only --debug-syms --format=posix ${objects}
  OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
# Also kept: type information and exception tables, which other code uses and which contain no
# instructions.
set(kept "tapehead6kernel[0-9]+${LEVEL}|^_+ZT[ISV]|^DW[.]ref")
# Selects external symbols, and symbols of type n, which only name section groups.
string(REGEX MATCHALL "[^\n ]+ [A-Zu] |_Z[^\n ]+ n " lines "${lines}")
list(TRANSFORM lines REPLACE " . " "" OUTPUT_VARIABLE names)
list(FILTER names EXCLUDE REGEX "${kept}")
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "(.+)" "\\1 \\1.${LEVEL}")
list(JOIN names "\n" names)
file(MAKE_DIRECTORY ${FOLDER})
set(table ${FOLDER}/names.${LEVEL})
file(WRITE ${table} "${names}\n")
foreach(object ${objects})
  cmake_path(GET object FILENAME name)
  string(REGEX REPLACE "\\.cpp\\.o.*" ".${LEVEL}.o" name ${name})
  execute_process(COMMAND ${OBJCOPY} --redefine-syms=${table} ${object} ${FOLDER}/${name}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
