import HarkAsking
import HarkClient

extension Command {
    static let export: Command = Command(
        name: "export",
        summary: "Copy events into a folder, as files.",
        usage: ["DIR"],
        about: """
            Writes the archive tree into DIR: users/USER/sessions/ID with session.json and events.jsonl, one event a line. \
            DIR is made if it is missing. A folder that has something else in it is refused; an earlier export is brought \
            up to date, and what the daemon has removed since then stays in it.

            'hark import DIR' reads it again, here or elsewhere.
            """,
        options: [.user, .anonymous, .session, .app],
        examples: [.init("hark export ~/hark-backup", "Everything; the same again brings the copy up to date.")],
        operands: 1...1,
        completes: .folders,
        run: { arguments, console in
            var connection = try Connection()
            let scope = try RecordScope(arguments, &connection)
            let folder = try ExportFolder(arguments.operands[0])
            var export = ArchiveExport(folder, Progress(console))
            try export.run(scope, &connection)
            try folder.sync()
            let events = Plural.count(export.events, "event")
            try console.print("exported \(Plural.count(export.sessions, "session")) with \(events) to \(folder.path)")
        })
}
