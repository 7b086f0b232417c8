# Writes a C++ file that defines the contents of text files as constants: base.css as `base_css`.
# Leaves out the indentation and the comment lines of scripts and styles, and the words that only the
# teaching page uses.
#   cmake -D OUTPUT=web_files.cpp -P embed.cmake -- FILE...
set(code "namespace tapehead {\n")
set(is_file FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  set(argument "${CMAKE_ARGV${i}}")
  if(is_file)
    cmake_path(GET argument FILENAME name)
    string(MAKE_C_IDENTIFIER "${name}" name)
    file(READ "${argument}" text)
    if(argument MATCHES "\\.(js|css)$")
      string(REGEX REPLACE "// ---- only in the teaching page.*" "};\n" text "${text}")
      string(REGEX REPLACE "\n[ \n]+" "\n" text "\n${text}")
      string(REGEX REPLACE "\n//[^\n]*" "" text "${text}")
    endif()
    if(text MATCHES "\\)embed\"")
      message(FATAL_ERROR "${argument}: contains )embed\", which would end the raw string")
    endif()
    string(APPEND code "extern const char* const ${name};\n"
      "const char* const ${name} = R\"embed(${text})embed\";\n")
  elseif(argument STREQUAL "--")
    set(is_file TRUE)
  endif()
endforeach()
file(WRITE "${OUTPUT}" "${code}}  // namespace tapehead\n")
