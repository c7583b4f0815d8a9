import Glibc
import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let repair: Command = Command(
        name: "repair",
        summary: "Mend a damaged store from its archive.",
        about: """
            What cannot be read of the store, as its file is damaged or was lost, costs what lies there and no more. This looks \
            through the whole store, removes what cannot be read, and brings back from the archive tree what that has: \
            sessions, and events with the numbers, ids and times they had. It says what is gone for good. Where the file itself is \
            damaged, the daemon starts again to make it anew, and keeps the old one as hark.db.damaged beside it until data \
            is removed the next time. The exit code is 1 if something is gone for good.

            'hark status' and 'hark doctor' tell when it is needed.
            """,
        options: [.json],
        examples: [.init("hark repair", "Bring back what can be brought back.")],
        run: { arguments, console in
            var connection = try Connection()
            connection.patience = nil
            let progress = Progress(console)
            progress.show("looking through the store and its archive …")
            var result: JSONText
            do {
                result = try connection.call(.daemonRepair)
                if restarts(result) {
                    progress.show("the store is made anew …")
                    connection = try reconnect(after: connection)
                    connection.patience = nil
                    result = try connection.call(.daemonRepair)
                }
                if restarts(result) {
                    throw ToolError(.software, "the store could not be made anew; the daemon's log says why")
                }
            } catch {
                progress.clear()
                throw error
            }
            progress.clear()
            let gone = result.member("gone")?.elements ?? []
            if arguments.has(.json) { try console.print(json: result) } else { try sayRepaired(result, gone, console) }
            if !gone.isEmpty || result.member("isPartial")?.bool == true { throw QuietExit(exit: .declined) }
        })

    private static func restarts(_ result: JSONText) -> Bool { result.member("restarts")?.bool == true }

    /// Waits until the daemon has ended and is back.
    private static func reconnect(after connection: consuming Connection) throws -> Connection {
        while (try? connection.nextNotification(within: longestEnd)) != nil {}
        var course = Reconnection(until: MonotonicClock.now + longestStart)
        return try course.reach(where: { _ in true })
    }

    private static let (longestEnd, longestStart) = (60.0, 3_600.0)

    private static func sayRepaired(_ result: JSONText, _ gone: [JSONText], _ console: Console) throws {
        func count(_ member: String) -> Int { Int(result.member(named: member)?.int ?? 0) }
        let sessions = Plural.count(Int64(count("restoredSessions")), "session")
        let events = Plural.count(Int64(count("restoredEvents")), "event")
        try console.print("brought back \(sessions) and \(events) from the archive")
        if count("removed") > 0 {
            try console.print("removed \(Plural.count(Int64(count("removed")), "row")) that could not be read")
        }
        for part in gone {
            let records = part.member("records")?.int ?? 0
            let (first, last) = (part.member("firstSeq")?.int ?? 0, part.member("lastSeq")?.int ?? 0)
            let times = [("earliest", "from"), ("latest", "to")].compactMap { name, word in
                part.member(named: name)?.string.map { "\(word) \($0)" }
            }
            let span = times.isEmpty ? "" : ", \(times.joined(separator: " "))"
            try console.print(
                "gone for good: up to \(Plural.count(records, "record")) with the numbers \(first) to \(last)\(span)")
        }
        if count("notRestored") > 0 {
            console.say(
                "hark: \(Plural.count(Int64(count("notRestored")), "line")) of the archive could not go back where they were; "
                    + "'hark import' takes in what it can, with new numbers")
        }
        if result.member("isPartial")?.bool == true {
            console.say("hark: the archive could not be read to its end; the daemon's log says why")
        }
    }
}
