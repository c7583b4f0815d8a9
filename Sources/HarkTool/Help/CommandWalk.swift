extension Command {
    /// Returns this command and everything below it, with the words that lead there.
    func walk(_ path: [String]) -> [(path: [String], command: Command)] {
        [(path, self)] + commands.flatMap { $0.walk(path + [$0.name]) }
    }
}
