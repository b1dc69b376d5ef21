/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef READER_TEST_UTIL_H
#define READER_TEST_UTIL_H

#include "ns3/fabric-error.h"

#include <cstdlib>
#include <string>

/**
 * @ingroup ai-fabric-tests
 * @param relative path below the folder of real data
 * @return full path, or "" if AI_FABRIC_DATA is not set
 */
inline std::string
DataPath(const std::string& relative)
{
    const char* root = std::getenv("AI_FABRIC_DATA");
    return root == nullptr || *root == 0 ? "" : std::string(root) + "/" + relative;
}

/**
 * @ingroup ai-fabric-tests
 * @param name of a file
 * @return its path in the folder of fixtures
 */
inline std::string
FixturePath(const std::string& name)
{
    const std::string here = __FILE__;
    return here.substr(0, here.rfind("unit/")) + "fixtures/" + name;
}

/** Skip the test where the real data is not at hand. */
#define NEEDS_DATA()                                                                               \
    if (DataPath("x").empty())                                                                     \
    GTEST_SKIP() << "AI_FABRIC_DATA is not set"

/**
 * @ingroup ai-fabric-tests
 * @tparam F a callable
 * @param f what should throw
 * @return the message of the FabricError, or "" if there was none
 */
template <typename F>
std::string
ErrorOf(F f)
{
    try
    {
        f();
    }
    catch (const ns3::FabricError& e)
    {
        return e.what();
    }
    return "";
}

/**
 * @ingroup ai-fabric-tests
 * @param text a message
 * @param part of it
 * @return true if the text has the part
 */
inline bool
Has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

#endif /* READER_TEST_UTIL_H */
