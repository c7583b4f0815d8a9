import HarkAsking

/// The settings of a kiosk for its visitors.
nonisolated struct KioskOptions: Sendable {
    var idleReset = 45
    var minGap = 5
    var languages: [Language] = []
    /// Whether faces have the colours from red to green.
    var hasColors = false

    /// The survey that stays on the screen instead of a page of rest; nil for none.
    var alwaysShown: String?

    /// The options as given on the command line.
    struct Given {
        var isKiosk = false
        var idleReset: String?
        var minGap: String?
        var languages: String?
        var hasColors = false
        var alwaysShown: String?

        /// - Returns: Nil if this is not a kiosk.
        func options() throws(DialogOptions.Fault) -> KioskOptions? {
            let given = [
                ("--idle-reset", idleReset), ("--min-gap", minGap), ("--languages", languages),
                ("--always", alwaysShown),
            ]
            guard isKiosk else {
                if hasColors { throw DialogOptions.Fault(text: "'--colors' is for '--kiosk'") }
                guard let first = given.first(where: { $0.1 != nil }) else { return nil }
                throw DialogOptions.Fault(text: "'\(first.0)' is for '--kiosk'")
            }
            var options = KioskOptions()
            options.hasColors = hasColors
            options.alwaysShown = alwaysShown
            // The thanks are the pause, and the survey is there again after them.
            if alwaysShown != nil, minGap == nil { options.minGap = 3 }
            if alwaysShown != nil, languages != nil {
                throw DialogOptions.Fault(
                    text: "'--always' and '--languages' contradict each other: languages are chosen on the page of rest"
                )
            }
            if let idleReset { options.idleReset = try seconds(idleReset, "--idle-reset", 12...86_400) }
            if let minGap { options.minGap = try seconds(minGap, "--min-gap", 0...86_400) }
            for code in (languages ?? "").split(separator: ",") {
                guard let language = Language(String(code)) else {
                    throw DialogOptions.Fault(text: "'\(code)' is no language; codes are like en, de or pt_BR")
                }
                if !options.languages.contains(language) { options.languages.append(language) }
            }
            return options
        }

        private func seconds(
            _ text: String, _ name: String, _ range: ClosedRange<Int>
        ) throws(DialogOptions.Fault) -> Int {
            guard let number = Int(text), range.contains(number) else {
                throw DialogOptions.Fault(
                    text: "'\(name)' takes seconds, from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
            }
            return number
        }
    }
}
