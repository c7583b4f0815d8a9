import Glibc
import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let repair: Command = Command(
        name: "repair",
        summary: "Repair a damaged store from its archive.",
        about: """
            Damage to the store's file loses only the data at that place. This command checks the whole store, removes what \
            cannot be read, and restores from the archive tree what that has: sessions, and events with their numbers, ids and \
            times. It says what is lost for good. If the file itself is damaged, the daemon restarts to rebuild it, and keeps \
            the old file next to it as hark.db.damaged until data is removed the next time. The exit code is 1 if something is \
            lost for good.

            'hark status' and 'hark doctor' say when this is needed.
            """,
        options: [.json],
        examples: [.init("hark repair", "Restore everything that can be restored.")],
        run: { arguments, console in
            var connection = try Connection()
            connection.patience = nil
            let progress = Progress(console)
            progress.show("checking the store and its archive …")
            var reply: Reply<RepairReport>
            do {
                reply = try connection.call(DaemonRepair())
                if reply.value.restarts {
                    progress.show("rebuilding the store …")
                    connection = try reconnect(after: connection)
                    connection.patience = nil
                    reply = try connection.call(DaemonRepair())
                }
                if reply.value.restarts {
                    throw ToolError(.software, "the store could not be rebuilt; the daemon's log says why")
                }
            } catch {
                progress.clear()
                throw error
            }
            progress.clear()
            let result = reply.value
            if try !console.printed(json: reply.text, arguments) { try sayRepaired(result, console) }
            if !result.gone.isEmpty || result.isPartial { throw QuietExit(exit: .declined) }
        })

    /// Waits until the daemon has ended and is back.
    private static func reconnect(after connection: consuming Connection) throws -> Connection {
        while (try? connection.nextNotification(within: longestEnd)) != nil {}
        var course = Reconnection(until: MonotonicClock.now + longestStart)
        return try course.reach(where: { _ in true })
    }

    private static let (longestEnd, longestStart) = (60.0, 3_600.0)

    private static func sayRepaired(_ result: RepairReport, _ console: Console) throws {
        let sessions = Plural.count(result.restoredSessions, "session")
        let events = Plural.count(result.restoredEvents, "event")
        try console.print("brought back \(sessions) and \(events) from the archive")
        if result.removed > 0 {
            try console.print("removed \(Plural.count(result.removed, "row")) that could not be read")
        }
        for part in result.gone {
            let times = [part.earliest.map { "from \($0)" }, part.latest.map { "to \($0)" }].compactMap(\.self)
            let span = times.isEmpty ? "" : ", \(times.joined(separator: " "))"
            try console.print(
                "gone for good: up to \(Plural.count(part.records, "record")) with the numbers "
                    + "\(part.firstSeq) to \(part.lastSeq)\(span)")
        }
        if result.notRestored > 0 {
            console.say(
                "hark: \(Plural.count(result.notRestored, "line")) of the archive could not go back where they were; "
                    + "'hark import' takes in what it can, with new numbers")
        }
        if result.isPartial {
            console.say("hark: the archive could not be read to its end; the daemon's log says why")
        }
    }
}
