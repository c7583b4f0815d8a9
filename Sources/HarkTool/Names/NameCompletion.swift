import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// The completions that the daemon knows for the last word of a command line.
///
/// The user has pressed a key and waits, so names that do not arrive within `patience` are not offered, and errors are
/// not shown.
struct NameCompletion {
    private let words: [String]

    private static let patience = 0.045
    /// The maximum number of completions.
    private static let most = 500
    private static let page: Int64 = 250
    /// The maximum number of objects to search for matches.
    private static let mostSearched = 10_000

    /// - Parameter words: The words after `hark`; the last one is being typed.
    init(_ words: [String]) {
        self.words = words
    }

    func print(_ console: Console) throws {
        Self.endInTime()
        guard let line = NamedLine(words), let typed = words.last else { return }
        for (name, title) in names(line, typed) {
            let isPlain = [name, title].allSatisfy { !$0.unicodeScalars.contains(where: VisibleText.isHidden) }
            guard isPlain else { continue }
            try console.print(value: title.isEmpty ? name : "\(name)\t\(title)")
        }
    }

    private func names(_ line: NamedLine, _ typed: String) -> [(name: String, title: String)] {
        let kind = line.kind
        let found = Found()
        found.names = kind.words.filter { $0.hasPrefix(typed) }.map { ($0, "") }
        var source = NameSource(kind: kind, app: line.app)
        source.most = Self.mostSearched
        source.pageSize = Self.page
        source.isEnough = { found.names.count >= Self.most }
        source.deadline = MonotonicClock.now + Self.patience
        do throws(ClientError) {
            var connection = try Connection()
            try source.forEach(&connection) { thing in
                if thing.id.hasPrefix(typed), found.names.count < Self.most {
                    found.names.append((thing.id, thing.titles.joined(separator: ": ")))
                }
                if kind == .presentation, let survey = thing.titles.first { found.showings[survey, default: 0] += 1 }
            }
        } catch {
            // Offer the names received so far.
        }
        // A survey that waits only once can be named by its own id.
        let surveys = found.showings.filter { $0.value == 1 && $0.key.hasPrefix(typed) }.map { ($0.key, "") }
        return found.names + surveys.sorted { $0.0 < $1.0 }
    }

    /// The names received so far.
    private final class Found {
        var names: [(name: String, title: String)] = []
        /// The number of waiting presentations of each survey.
        var showings: [String: Int] = [:]
    }

    /// Ends this process, wherever it blocks, before the user notices a delay.
    private static func endInTime() {
        signal(SIGALRM) { _ in _exit(0) }
        var timer = itimerval()
        timer.it_value.tv_usec = 50_000
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    }
}

/// An unfinished command line whose last word is a name.
struct NamedLine: Equatable {
    let kind: NameKind
    /// The app named in the line, if any.
    private(set) var app: String?

    /// - Parameter words: The words after `hark`, the last one being typed. The result is nil if no name belongs there.
    init?(_ words: [String]) {
        var command = CommandTable.hark
        var operands = 0
        var open: Option?
        var isPastOptions = false
        var app: String?
        for word in words.dropLast() {
            if let option = open {
                if option.name == Option.app.name { app = word }
                open = nil
            } else if !isPastOptions, word.hasPrefix("-"), word != "-" {
                if word == "--" { isPastOptions = true } else { open = Self.openOption(word, command, &app) }
            } else if let member = command.member(word), operands == 0 {
                command = member
            } else {
                operands += 1
            }
        }
        let values = open?.values ?? (operands == 0 ? command.completes : .any)
        guard case .names(let kind) = values else { return nil }
        self.kind = kind
        self.app = app
    }

    /// Returns the option whose value is the next word.
    private static func openOption(_ word: String, _ command: Command, _ app: inout String?) -> Option? {
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        let option = command.allOptions.first { option in
            word.hasPrefix("--") ? parts[0] == "--" + option.name : option.letter == word.last
        }
        guard let option, option.value != nil else { return nil }
        guard parts.count == 2, word.hasPrefix("--") else { return option }
        if option.name == Option.app.name { app = parts[1] }
        return nil
    }
}
