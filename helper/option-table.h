/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include "attribute-defaults.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The options of one command: name, value, help and what each sets in an options structure.
 */
template <class T>
class OptionTable
{
  public:
    /** @brief Applies the text of an option. */
    typedef std::function<void(T&, const std::string&)> Setter;

    /** @brief One option. */
    struct Option
    {
        std::string name;  //!< without the dashes
        std::string value; //!< what the value is, for help; empty: a switch
        std::string help;  //!< one line
        Setter set;        //!< applies it
    };

    /** @brief What was typed. */
    struct Typed
    {
        std::string line;               //!< the arguments as typed
        std::vector<std::string> names; //!< options given, in order
    };

    /** @param options all options, in the order of the help */
    explicit OptionTable(std::vector<Option> options)
        : m_options(std::move(options))
    {
    }

    /**
     * @brief Read arguments: "--name=value", "--name value", "-h", and words.
     * @param args arguments without the program's name
     * @param target where values go
     * @param word called for each argument that is no option
     * @return what was typed
     * @throws FabricError for an unknown option (with close matches), a missing or surplus value
     */
    Typed Apply(const std::vector<std::string>& args, T& target, const Setter& word) const
    {
        Typed typed;
        for (size_t i = 0; i < args.size(); ++i)
        {
            typed.line += (i == 0 ? "" : " ") + args[i];
            std::string name = args[i] == "-h" ? "--help" : args[i];
            if (name.size() < 3 || name.compare(0, 2, "--") != 0)
            {
                word(target, name);
                continue;
            }
            const size_t equals = name.find('=');
            const bool given = equals != std::string::npos;
            std::string value = given ? name.substr(equals + 1) : "";
            name = name.substr(2, given ? equals - 2 : equals);
            const Option& option = Find(name);
            if (option.value.empty() && given)
            {
                throw FabricError("--" + name + " takes no value");
            }
            if (!option.value.empty() && !given && i + 1 < args.size())
            {
                value = args[++i];
                typed.line += " " + value;
            }
            if (!option.value.empty() && value.empty())
            {
                throw FabricError("--" + name + " needs a value: " + option.value);
            }
            option.set(target, value);
            typed.names.push_back(name);
        }
        return typed;
    }

    /** @return the options, one a line or two */
    std::string Help() const
    {
        constexpr size_t column = 26;
        std::string text;
        for (const Option& option : m_options)
        {
            std::string left =
                "  --" + option.name + (option.value.empty() ? "" : "=" + option.value);
            left += left.size() < column ? std::string(column - left.size(), ' ')
                                         : "\n" + std::string(column, ' ');
            text += left + option.help + "\n";
        }
        return text;
    }

  private:
    const Option& Find(const std::string& name) const
    {
        const auto found = std::find_if(m_options.begin(),
                                        m_options.end(),
                                        [&name](const Option& o) { return o.name == name; });
        if (found != m_options.end())
        {
            return *found;
        }
        std::vector<std::string> names;
        std::transform(m_options.begin(),
                       m_options.end(),
                       std::back_inserter(names),
                       [](const Option& o) { return o.name; });
        const std::string close = AttributeDefaults::CloseMatches(name, names);
        throw FabricError("--" + name + " is no option" +
                          (close.empty() ? "; see" : "; did you mean " + close + "? See") +
                          " --help for all of them");
    }

    std::vector<Option> m_options; //!< in the order of the help
};

} // namespace ns3

#endif /* OPTION_TABLE_H */
