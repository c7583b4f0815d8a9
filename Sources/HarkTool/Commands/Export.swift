import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let export: Command = Command(
        name: "export",
        summary: "Copy events into a folder, as files.",
        usage: ["DIR"],
        about: """
            Writes the archive tree into DIR: users/USER/sessions/ID with session.json and events.jsonl, one event a line. \
            DIR is made if it is missing. A folder with other content is refused. An earlier export is brought up to date; \
            records that the daemon has removed since then stay in it.

            With --user (or --anonymous), all other data of that user is in users/USER/person.jsonl, one object per line with \
            its kind: showings of surveys with answers and times, forms with drafts, the profile, log entries, watches, dead \
            letters. 'hark clear --user' removes the same.

            'hark import DIR' reads sessions and events again, here or elsewhere.

            On a hub, --machine NAME copies the records of that machine, exactly as 'hark export' on that machine would: with \
            the numbers that events have there, and without the name of the machine. Give each machine its own DIR.
            """,
        options: [.user, .anonymous, .session, .app, .machine, .group],
        examples: [
            .init("hark export ~/hark-backup", "Everything; run it again to bring the copy up to date."),
            .init("hark export --user ada ~/ada", "All data of ada, to hand over."),
            .init("hark export --machine kiosk-1 ~/kiosk-1", "On a hub, the export of one machine."),
        ],
        operands: 1...1,
        completes: .folders,
        run: { arguments, console in
            try arguments.atMostOne(of: .session, .machine)
            try arguments.atMostOne(of: .session, .group)
            var connection = try Connection()
            let scope = try RecordScope(arguments, &connection)
            let folder = try ExportFolder(arguments.operands[0])
            var export = ArchiveExport(folder, Progress(console))
            try export.run(scope, MachineScope(arguments), &connection)
            var person = PersonExport(folder, Progress(console))
            switch scope {
            case .user(let user): try person.run(user, MachineScope(arguments), &connection)
            case .anonymous: try person.run(nil, MachineScope(arguments), &connection)
            case .all, .session: break
            }
            try folder.sync()
            let events = Plural.count(export.events, "event")
            let more = person.items > 0 ? " and \(Plural.count(person.items, "other item"))" : ""
            let place = VisibleText.make(folder.path)
            try console.print("exported \(Plural.count(export.sessions, "session")) with \(events)\(more) to \(place)")
        })
}
