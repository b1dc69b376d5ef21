/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SERVER_ANSWERS_H
#define SERVER_ANSWERS_H

#include "server-topology.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What a user says about a server whose dump leaves it open.
 *
 * A reader asks by a key "what:part" ("pcie:gpu0", "model:gpu3"); an answer is given under that
 * key, or under "what" for all parts. Without an answer the question stays in the topology, which
 * then cannot be built.
 */
class ServerAnswers
{
  public:
    ServerAnswers() = default;

    /**
     * @param answers value by key
     */
    ServerAnswers(const std::map<std::string, std::string>& answers);

    /**
     * @brief Look an answer up; without one the question is noted.
     * @param topology gets the question
     * @param key what is asked, and of which part
     * @param text the question for people
     * @return the answer; empty if there is none
     */
    std::string Ask(ServerTopology& topology, const std::string& key, const std::string& text);

    /**
     * @brief The same where a LinkProfile is asked for; another answer is refused.
     * @param topology gets the question
     * @param key what is asked, and of which part
     * @param family the profile must be of
     * @param what is known of the link
     * @return name of a profile; empty if there is no answer
     */
    std::string AskProfile(ServerTopology& topology,
                           const std::string& key,
                           LinkProfile::Family family,
                           const std::string& what);

    /**
     * @brief The same where a whole number is asked for; another answer is refused.
     * @param topology gets the question
     * @param key what is asked, and of which part
     * @param text the question for people
     * @param min least allowed
     * @param max greatest allowed
     * @return the number; max + 1 if there is no answer
     */
    uint32_t AskNumber(ServerTopology& topology,
                       const std::string& key,
                       const std::string& text,
                       uint32_t min,
                       uint32_t max);

    /**
     * @brief Ask for the model of a GPU and fill in what follows from it.
     * @param topology gets the question
     * @param part a GPU with its name; a known model is kept
     */
    void AskModel(ServerTopology& topology, ServerTopology::Part& part);

    /**
     * @brief Ask for the network rate of a NIC.
     * @param topology gets the question
     * @param part a NIC with its name
     */
    void AskNetRate(ServerTopology& topology, ServerTopology::Part& part);

    /**
     * @brief Join all CPUs with each other as the user says; nothing to ask for a single one.
     * @param topology gets links or the question
     */
    void JoinCpus(ServerTopology& topology);

    /** @brief Throw FabricError if an answer was never asked for: a mistyped key. */
    void RequireAllUsed() const;

    /**
     * @brief Refuse an answer.
     * @param key of the question
     * @param answer what was given
     * @param allowed what would have been right
     */
    [[noreturn]] static void Refuse(const std::string& key,
                                    const std::string& answer,
                                    const std::string& allowed);

  private:
    std::map<std::string, std::string> m_answers; //!< by key
    std::set<std::string> m_used;                 //!< keys that were asked for
    std::set<std::string> m_asked;                //!< all keys asked
};

} // namespace ns3

#endif /* SERVER_ANSWERS_H */
