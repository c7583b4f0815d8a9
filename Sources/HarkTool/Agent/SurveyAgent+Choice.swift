extension SurveyAgent {
    /// A person's reaction to a notification, in the words of a notify hook.
    enum Choice: Equatable {
        case option(String)
        /// The person wants to answer at leisure.
        case open
        /// The person never wants to be asked this again.
        case mute

        init?(_ output: String) {
            let line = output.prefix { !$0.isNewline }
            if line == "open" {
                self = .open
            } else if line == "mute" {
                self = .mute
            } else if line.hasPrefix("answer ") {
                self = .option(String(line.dropFirst("answer ".count)))
            } else {
                return nil
            }
        }
    }
}
