import HarkClient
import HarkWire

extension Command {
    static let `import`: Command = Command(
        name: "import",
        summary: "Read an exported folder back in.",
        usage: ["DIR"],
        about: """
            Reads the archive tree below DIR, made by 'hark export' or by the daemon itself. Records that the daemon has already \
            stay as they are, so an interrupted import can simply be repeated. Events keep their ids and times and get new \
            sequence numbers. The retention policy applies to imported records, too. Lines that cannot be read are named with \
            file and line, the rest is imported, and the exit code is 65.
            """,
        examples: [.init("hark import ~/hark-backup", "Restore a copy.")],
        operands: 1...1,
        completes: .folders,
        calls: SessionImport.name,
        run: { arguments, console in
            let sessions = try ArchiveFolder.sessions(below: arguments.operands[0])
            let importer = ArchiveImport(sessions, console)
            try importer.run()
            try console.print(importer.summary)
            if importer.problems > 0 { throw QuietExit(exit: .data) }
        })
}
