# SPDX-License-Identifier: GPL-2.0-only
#
# Builds ai-fabric outside an ns-3 tree: finds an installed ns-3 and offers build_lib() and
# build_lib_example() with the signatures they have inside the tree.
#
#   NS3_ROOT              prefix of ns-3: an installation, a wheel's ns3/ folder or a built source
#                         tree; empty: /usr/local, then /usr
#   AI_FABRIC_SANITIZE    AddressSanitizer, UndefinedBehaviorSanitizer and ns-3's own assertions
#   AI_FABRIC_PCH         precompiled ns-3 headers
#   AI_FABRIC_GTEST       source folder of GoogleTest, when the library is not installed

set(NS3_ROOT "" CACHE PATH "Prefix of the ns-3 to build against")
option(AI_FABRIC_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(AI_FABRIC_PCH "Precompile ns-3's headers" ON)
set(AI_FABRIC_GTEST "" CACHE PATH "GoogleTest source folder")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# ---- find ns-3 ---------------------------------------------------------------------------------

set(ns3_prefixes ${NS3_ROOT})
if(NOT NS3_ROOT)
  set(ns3_prefixes /usr/local /usr)
endif()
foreach(prefix ${ns3_prefixes})
  foreach(sub include build/include)
    if(NOT NS3_INCLUDE AND EXISTS ${prefix}/${sub}/ns3/core-module.h)
      set(NS3_INCLUDE ${prefix}/${sub})
      set(ns3_prefix ${prefix})
    endif()
  endforeach()
endforeach()
if(NOT NS3_INCLUDE)
  message(FATAL_ERROR "No ns-3 found below '${ns3_prefixes}'; give its prefix with -DNS3_ROOT=")
endif()

# Libraries are called libns3-core.so, libns3.44-core.so or libns3.37-core-optimized.so.
file(GLOB ns3_files ${ns3_prefix}/lib64/libns3*.so ${ns3_prefix}/lib/libns3*.so
     ${ns3_prefix}/lib/*/libns3*.so ${ns3_prefix}/build/lib/libns3*.so)
set(NS3_VERSION "")
set(profile "-(debug|default|release|relwithdebinfo|minsizerel|optimized)$")
foreach(file ${ns3_files})
  get_filename_component(name ${file} NAME)
  if(name MATCHES "^libns3(-dev|\\.[0-9.]+)?-([a-z0-9-]+)\\.so$")
    set(version "${CMAKE_MATCH_1}")
    string(REGEX REPLACE "${profile}" "" module "${CMAKE_MATCH_2}")
    if(module MATCHES "-test$|^ai-fabric$" OR TARGET ns3::${module})
      continue()
    endif()
    add_library(ns3::${module} SHARED IMPORTED)
    list(APPEND ns3_modules ns3::${module})
    set_target_properties(ns3::${module} PROPERTIES IMPORTED_LOCATION ${file})
    set(lib${module} ns3::${module})
    if(module STREQUAL "core")
      get_filename_component(real ${file} REALPATH)
      if(version MATCHES "^\\.([0-9]+)")
        set(NS3_VERSION 3.${CMAKE_MATCH_1})
      elseif(real MATCHES "\\.so\\.([0-9]+)$")
        set(NS3_VERSION 3.${CMAKE_MATCH_1})
      elseif(EXISTS ${ns3_prefix}/VERSION)
        file(READ ${ns3_prefix}/VERSION text)
        string(REGEX MATCH "3\\.[0-9]+" NS3_VERSION "${text}")
      endif()
      get_filename_component(NS3_LIBRARIES ${file} DIRECTORY)
    endif()
  endif()
endforeach()
if(NOT TARGET ns3::core OR NOT TARGET ns3::network)
  message(FATAL_ERROR "ns-3's headers are in ${NS3_INCLUDE}, but its core and network libraries "
                      "are not below ${ns3_prefix}")
endif()

# The same C++ standard as the ns-3 we link.
set(CMAKE_CXX_STANDARD 17)
if(NOT NS3_VERSION OR NS3_VERSION VERSION_GREATER_EQUAL 3.41)
  set(CMAKE_CXX_STANDARD 20)
endif()
if(NS3_VERSION AND NS3_VERSION VERSION_GREATER_EQUAL 3.46)
  set(CMAKE_CXX_STANDARD 23)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
message(STATUS "ai-fabric: ns-3 ${NS3_VERSION} in ${ns3_prefix}, C++${CMAKE_CXX_STANDARD}, "
               "${CMAKE_BUILD_TYPE}")

# A prefix may hold much besides ns-3 (the wheel brings an old Boost): show the compiler ns3/ only.
if(NOT NS3_INCLUDE STREQUAL "/usr/include")
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/ns3-include)
  file(CREATE_LINK ${NS3_INCLUDE}/ns3 ${CMAKE_BINARY_DIR}/ns3-include/ns3 SYMBOLIC)
  include_directories(SYSTEM ${CMAKE_BINARY_DIR}/ns3-include)
endif()

# ---- flags -------------------------------------------------------------------------------------

add_compile_options(-Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 and 13 warn inside their own std::string when they optimise C++20 (GCC bug 105651).
  add_compile_options(-Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
include_directories(BEFORE ${CMAKE_BINARY_DIR}/include)
add_link_options(-Wl,--no-as-needed)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-fno-semantic-interposition)
endif()
if(AI_FABRIC_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1") # what a useful stack trace takes, no more
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(AI_FABRIC_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_definitions(NS3_ASSERT_ENABLE NS3_LOG_ENABLE)
endif()
set(CMAKE_BUILD_RPATH ${NS3_LIBRARIES})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Test code is compiled once and run for a moment: full optimisation doubles its compile time.
function(optimise_less target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# Two precompiled headers, because position-independent code differs for libraries and programs.
function(precompile_ns3 target kind)
  if(NOT AI_FABRIC_PCH)
    return()
  endif()
  if(NOT TARGET ai-fabric-pch-${kind})
    file(WRITE ${CMAKE_BINARY_DIR}/pch-${kind}.cc.new "int g_aiFabricPch${kind};\n")
    file(COPY_FILE ${CMAKE_BINARY_DIR}/pch-${kind}.cc.new ${CMAKE_BINARY_DIR}/pch-${kind}.cc
         ONLY_IF_DIFFERENT)
    if(kind STREQUAL "library")
      add_library(ai-fabric-pch-${kind} OBJECT ${CMAKE_BINARY_DIR}/pch-${kind}.cc)
      set_target_properties(ai-fabric-pch-${kind} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    else()
      add_library(ai-fabric-pch-${kind} OBJECT ${CMAKE_BINARY_DIR}/pch-${kind}.cc)
    endif()
    target_precompile_headers(
      ai-fabric-pch-${kind} PRIVATE <algorithm> <functional> <map> <memory> <sstream> <string>
      <vector> <ns3/boolean.h> <ns3/callback.h> <ns3/channel.h> <ns3/data-rate.h> <ns3/double.h>
      <ns3/log.h> <ns3/net-device.h> <ns3/node.h> <ns3/object.h> <ns3/object-factory.h>
      <ns3/packet.h> <ns3/pointer.h> <ns3/simulator.h> <ns3/string.h> <ns3/traced-callback.h>
      <ns3/uinteger.h>
    )
  endif()
  target_precompile_headers(${target} REUSE_FROM ai-fabric-pch-${kind})
endfunction()

function(write_if_changed path text)
  if(EXISTS ${path})
    file(READ ${path} old)
  endif()
  if(NOT "${old}" STREQUAL "${text}")
    file(WRITE ${path} "${text}")
  endif()
endfunction()

# ---- build_lib, build_lib_example --------------------------------------------------------------

function(build_lib)
  cmake_parse_arguments(
    LIB "IGNORE_PCH" "LIBNAME"
    "SOURCE_FILES;HEADER_FILES;PRIVATE_HEADER_FILES;LIBRARIES_TO_LINK;TEST_SOURCES" ${ARGN}
  )
  set(module_header "#pragma once\n")
  set(kept "")
  foreach(header ${LIB_HEADER_FILES} ${LIB_PRIVATE_HEADER_FILES})
    get_filename_component(base ${header} NAME)
    if(EXISTS ${NS3_INCLUDE}/ns3/${base} AND NOT EXISTS ${NS3_INCLUDE}/ns3/ai-fabric-module.h)
      message(FATAL_ERROR "${header}: ns-3 ${NS3_VERSION} already has a ns3/${base}")
    endif()
    if(base IN_LIST kept)
      message(FATAL_ERROR "${header}: a second header called ${base}")
    endif()
    list(APPEND kept ${base})
    write_if_changed(${CMAKE_BINARY_DIR}/include/ns3/${base}
                     "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${header}\"\n")
    if(header IN_LIST LIB_HEADER_FILES)
      string(APPEND module_header "#include \"${base}\"\n")
    endif()
  endforeach()
  list(APPEND kept ${LIB_LIBNAME}-module.h)
  write_if_changed(${CMAKE_BINARY_DIR}/include/ns3/${LIB_LIBNAME}-module.h "${module_header}")
  # A header that was renamed or removed leaves no forwarding header behind.
  file(GLOB present RELATIVE ${CMAKE_BINARY_DIR}/include/ns3 ${CMAKE_BINARY_DIR}/include/ns3/*)
  foreach(base ${present})
    if(NOT base IN_LIST kept)
      file(REMOVE ${CMAKE_BINARY_DIR}/include/ns3/${base})
    endif()
  endforeach()

  add_library(${LIB_LIBNAME} SHARED ${LIB_SOURCE_FILES})
  target_link_libraries(${LIB_LIBNAME} PUBLIC ${LIB_LIBRARIES_TO_LINK})
  precompile_ns3(${LIB_LIBNAME} library)
  set(lib${LIB_LIBNAME} ${LIB_LIBNAME} CACHE INTERNAL "")

  if(LIB_TEST_SOURCES)
    add_executable(${LIB_LIBNAME}-test-runner EXCLUDE_FROM_ALL test/test-runner.cc
                                                               ${LIB_TEST_SOURCES})
    target_link_libraries(${LIB_LIBNAME}-test-runner PRIVATE ${LIB_LIBNAME})
    precompile_ns3(${LIB_LIBNAME}-test-runner program)
    optimise_less(${LIB_LIBNAME}-test-runner)
  endif()
  add_custom_target(examples)
  add_subdirectory(examples)

  # People's own programs: ./fabric run FILE.cc leaves a file there that includes theirs.
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_BINARY_DIR}/scripts/*.cc)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    add_executable(script-${name} EXCLUDE_FROM_ALL ${script})
    target_compile_options(script-${name} PRIVATE -Wno-error)
    target_link_libraries(script-${name} PRIVATE ${LIB_LIBNAME} -Wl,--as-needed ${ns3_modules})
    precompile_ns3(script-${name} program)
  endforeach()
endfunction()

function(build_lib_example)
  cmake_parse_arguments(EXAMPLE "IGNORE_PCH" "NAME" "SOURCE_FILES;HEADER_FILES;LIBRARIES_TO_LINK"
                        ${ARGN})
  add_executable(${EXAMPLE_NAME} EXCLUDE_FROM_ALL ${EXAMPLE_SOURCE_FILES})
  target_link_libraries(${EXAMPLE_NAME} PRIVATE ${EXAMPLE_LIBRARIES_TO_LINK})
  precompile_ns3(${EXAMPLE_NAME} program)
  add_dependencies(examples ${EXAMPLE_NAME})
endfunction()

# ---- unit tests --------------------------------------------------------------------------------

# GoogleTest tests as one program; without GoogleTest the target does not exist.
function(build_unit_tests)
  cmake_parse_arguments(UNIT "" "NAME" "SOURCE_FILES;LIBRARIES_TO_LINK" ${ARGN})
  if(AI_FABRIC_GTEST)
    set(INSTALL_GTEST OFF CACHE BOOL "")
    set(BUILD_GMOCK OFF CACHE BOOL "")
    set(CMAKE_POLICY_VERSION_MINIMUM 3.10) # CMake 4 refuses what old GoogleTests ask for
    add_subdirectory(${AI_FABRIC_GTEST} ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
    foreach(target gtest gtest_main)
      target_compile_options(${target} PRIVATE -w)
    endforeach()
    if(NOT TARGET GTest::gtest_main)
      add_library(GTest::gtest_main ALIAS gtest_main)
    endif()
  else()
    find_package(GTest QUIET)
  endif()
  if(NOT TARGET GTest::gtest_main OR NOT UNIT_SOURCE_FILES)
    message(STATUS "ai-fabric: no unit tests (GoogleTest not found)")
    return()
  endif()
  add_executable(${UNIT_NAME} EXCLUDE_FROM_ALL ${UNIT_SOURCE_FILES})
  target_link_libraries(${UNIT_NAME} PRIVATE ${UNIT_LIBRARIES_TO_LINK} GTest::gtest_main)
  precompile_ns3(${UNIT_NAME} program)
  optimise_less(${UNIT_NAME})
endfunction()
