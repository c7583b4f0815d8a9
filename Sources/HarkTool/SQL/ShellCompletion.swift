import HarkSQL

/// Completions for a word in a statement: tables, columns, SQLite's keywords and the shell's commands.
enum ShellCompletion {
    private static let keywords = """
        ALL AND AS ASC BETWEEN BY CASE CAST COLLATE COUNT CROSS DESC DISTINCT ELSE END ESCAPE EXCEPT EXISTS EXPLAIN FILTER \
        FROM FULL GLOB GROUP HAVING IN INNER INTERSECT IS JOIN LEFT LIKE LIMIT NATURAL NOT NULL OFFSET ON OR ORDER OVER \
        PARTITION QUERY PLAN RANGE RECURSIVE RIGHT ROWS SELECT THEN UNION USING VALUES WHEN WHERE WINDOW WITH
        """.split(separator: " ").map(String.init)
    private static let functions = """
        abs avg coalesce count date datetime dense_rank first_value format group_concat hex ifnull iif instr json_each \
        json_extract json_group_array julianday lag last_value lead length like lower ltrim max min nullif ntile printf \
        quote random rank replace round row_number rtrim strftime substr sum time total trim typeof unixepoch upper
        """.split(separator: " ").map(String.init)

    /// - Parameter text: The text before the cursor.
    /// - Returns: The length of the unfinished word in characters, and its completions.
    static func candidates(_ text: String) -> (length: Int, words: [String]) {
        let isCommand = text.first == "."
        let word = String(
            text.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." && isCommand }.reversed())
        if isCommand, word.count == text.count {
            return (word.count, ShellCommand.allCases.map { "." + $0.rawValue }.filter { $0.hasPrefix(word) })
        }
        guard !word.isEmpty else { return (0, []) }
        let lower = word.lowercased()
        let isLower = word == lower
        let tables = LiveTable.all
        let names = Set(tables.flatMap { [$0.name] + $0.columns.map(\.name) } + functions)
        let own = names.filter { $0.hasPrefix(lower) }
        let words = isCommand ? [] : keywords.filter { $0.lowercased().hasPrefix(lower) }
        return (word.count, Set(own + words.map { isLower ? $0.lowercased() : $0 }).sorted())
    }

    /// Returns the common prefix of the words.
    static func common(_ words: [String]) -> String {
        guard var common = words.first else { return "" }
        for word in words {
            while !word.hasPrefix(common) { common.removeLast() }
        }
        return common
    }
}

/// The shell's own commands, which begin with a dot.
enum ShellCommand: String, CaseIterable {
    case help, tables, schema, mode, quit, exit
}
