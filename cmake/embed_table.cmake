# Writes a C++ file with an array of EmbeddedFile, declared in HEADER: text files with their paths
# relative to BASE. The last element has a null path. Leaves out the indentation and the comment
# lines of scripts and styles, and the words that only the teaching page uses.
#   cmake -D OUTPUT=files.cpp -D TABLE=files -D HEADER=table.hpp -D BASE=FOLDER
#     -P embed_table.cmake -- FILE...
set(code "#include \"${HEADER}\"\nnamespace tapehead {\nconst EmbeddedFile ${TABLE}[] = {\n")
set(is_file FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  set(argument "${CMAKE_ARGV${i}}")
  if(is_file)
    file(RELATIVE_PATH path "${BASE}" "${argument}")
    file(READ "${argument}" text)
    if(argument MATCHES "\\.(js|css)$")
      string(REGEX REPLACE "// ---- only in the teaching page.*" "};\n" text "${text}")
      string(REGEX REPLACE "\n[ \n]+" "\n" text "\n${text}")
      string(REGEX REPLACE "\n//[^\n]*" "" text "${text}")
    endif()
    if(text MATCHES "\\)embed\"")
      message(FATAL_ERROR "${argument}: contains )embed\", which would end the raw string")
    endif()
    string(APPEND code "{\"${path}\", R\"embed(${text})embed\"},\n")
  elseif(argument STREQUAL "--")
    set(is_file TRUE)
  endif()
endforeach()
file(WRITE "${OUTPUT}" "${code}{nullptr, nullptr}};\n}  // namespace tapehead\n")
