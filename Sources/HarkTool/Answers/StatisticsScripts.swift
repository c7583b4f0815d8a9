import HarkWire

/// Scripts for SPSS (and PSPP), Stata and R that read the table of a codebook, with its labels and missing codes.
struct StatisticsScripts {
    private let book: Codebook

    init(_ book: Codebook) { self.book = book }

    private var missing: String { Codebook.missing.map { String($0.code) }.joined(separator: ", ") }

    /// Describes a variable in one line of at most `most` bytes.
    private func label(_ variable: Codebook.Variable, most: Int = 251) -> String {
        Codebook.oneLine(variable.column.meaning).cut(atBytes: most)
    }

    // MARK: SPSS

    /// The SPSS script. Labels are cut at 251 bytes and value labels at 120, the limits of SPSS.
    var spss: String {
        var lines = [
            "* Encoding: UTF-8.",
            "* Reads answers.csv in the current folder: run it there, or put a CD before it.", "",
            "GET DATA", "  /TYPE=TXT", "  /FILE='answers.csv'", "  /ENCODING='UTF-8'", "  /ARRANGEMENT=DELIMITED",
            "  /DELIMITERS=','", "  /QUALIFIER='\"'", "  /FIRSTCASE=2", "  /VARIABLES=",
        ]
        for variable in book.variables { lines.append("    \(variable.name) \(format(variable))") }
        lines += ["  .", ""]
        for variable in book.variables {
            lines.append("VARIABLE LABELS \(variable.name) \(quoted(label(variable))).")
        }
        for variable in book.variables where variable.isNumber && !(variable.codes.isEmpty && !variable.hasMissingCodes)
        {
            lines.append("VALUE LABELS \(variable.name)")
            let labels = variable.labels + (variable.hasMissingCodes ? Codebook.missing : [])
            lines += labels.map { "  \($0.code) \(quoted(Codebook.oneLine($0.label).cut(atBytes: 120)))" }
            lines.append("  .")
        }
        for variable in book.variables where variable.hasMissingCodes {
            lines.append("MISSING VALUES \(variable.name) (\(missing)).")
        }
        return (lines + ["EXECUTE.", ""]).joined(separator: "\n")
    }

    private func format(_ variable: Codebook.Variable) -> String {
        switch variable.column.kind {
        case .number: "F12.3"
        case .measure(let isWhole, _): isWhole ? "F14.0" : "F20.6"
        case .integer, .flag, .choice, .score: "F8.0"
        case .text, .word, .time, .date, .clock: "A\(min(variable.width, 32_767))"
        }
    }

    private func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

    // MARK: Stata

    var stata: String {
        var lines = [
            "* Reads answers.csv in the current folder.", "version 14", "clear",
            #"import delimited using "answers.csv", varnames(1) case(preserve) encoding("utf-8") bindquotes(strict) "#
                + "stringcols(\(book.variables.enumerated().filter { !$1.isNumber }.map { String($0.offset + 1) }.joined(separator: " ")))",
        ]
        for variable in book.variables {
            // The limit is 80 characters; 80 bytes are never more.
            lines.append("label variable \(variable.name) \(compound(label(variable, most: 80)))")
        }
        for variable in book.variables where variable.hasMissingCodes {
            let codes = zip(Codebook.missing, ["a", "b"]).map { "\($0.code) = .\($1)" }.joined(separator: " \\ ")
            lines.append("mvdecode \(variable.name), mv(\(codes))")
        }
        for variable in book.variables where variable.isNumber && !(variable.codes.isEmpty && !variable.hasMissingCodes)
        {
            let own = variable.labels.map { "\($0.code) \(compound(Codebook.oneLine($0.label)))" }
            let missing = zip(Codebook.missing, ["a", "b"]).map { ".\($1) \(compound($0.label))" }
            let labels = own + (variable.hasMissingCodes ? missing : [])
            lines.append("label define L_\(variable.name.cut(atBytes: 30)) \(labels.joined(separator: " ")), replace")
            lines.append("label values \(variable.name) L_\(variable.name.cut(atBytes: 30))")
        }
        return (lines + [""]).joined(separator: "\n")
    }

    /// Quotes a text in compound quotes, which may contain quotes, and escapes macros.
    private func compound(_ text: String) -> String {
        "`\"\(text.replacing("`", with: "'").replacing("$", with: "\\$"))\"'"
    }

    // MARK: R

    var r: String {
        var lines = [
            "# Reads answers.csv from the folder of this file, or from the current folder, into the data frame 'answers'.",
            "# What was not asked (-77) or passed over (-99) is NA.", "answers <- local({",
            "  here <- Filter(Negate(is.null), lapply(sys.frames(), function(frame) frame$ofile))",
            "  folder <- if (length(here)) dirname(here[[length(here)]]) else \".\"",
            "  data <- read.csv(file.path(folder, \"answers.csv\"), encoding = \"UTF-8\", na.strings = \"\", colClasses = c(",
            book.variables.map { "    \($0.name) = \"\(type($0))\"" }.joined(separator: ",\n"), "  ))",
            "  time <- function(text) as.POSIXct(text, format = \"%Y-%m-%dT%H:%M:%OSZ\", tz = \"UTC\")",
            "  answered <- function(codes) replace(codes, codes %in% c(\(missing)), NA)",
        ]
        for variable in book.variables {
            let name = "data$\(variable.name)"
            if variable.hasMissingCodes { lines.append("  \(name) <- answered(\(name))") }
            switch variable.column.kind {
            case .time: lines.append("  \(name) <- time(\(name))")
            case .date: lines.append("  \(name) <- as.Date(\(name))")
            case .choice:
                let labels = variable.labels
                lines.append(
                    "  \(name) <- factor(\(name), levels = c(\(labels.map { String($0.code) }.joined(separator: ", "))), "
                        + "labels = c(\(labels.map { string($0.label) }.joined(separator: ", "))))")
            case .score where !variable.codes.isEmpty, .measure where !variable.codes.isEmpty:
                let labels = variable.labels.map { "\(string($0.label)) = \($0.code)L" }
                lines.append("  attr(\(name), \"labels\") <- c(\(labels.joined(separator: ", ")))")
            default: break
            }
            lines.append("  attr(\(name), \"label\") <- \(string(Codebook.oneLine(variable.column.meaning)))")
        }
        return (lines + ["  data", "})", ""]).joined(separator: "\n")
    }

    private func type(_ variable: Codebook.Variable) -> String {
        switch variable.column.kind {
        case .number, .measure: "numeric"
        case .integer, .flag, .choice, .score: "integer"
        case .text, .word, .time, .date, .clock: "character"
        }
    }

    /// Quotes a text in ASCII, so that it reads the same in every locale.
    private func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case " "..."~": result.unicodeScalars.append(scalar)
            default: result += "\\U{\(String(scalar.value, radix: 16))}"
            }
        }
        return result + "\""
    }
}
