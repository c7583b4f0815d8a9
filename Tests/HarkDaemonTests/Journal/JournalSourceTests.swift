import HarkCore
import HarkSystem
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkSettings

/// The matching entries of the journal, and their records; without a journal.
@Suite struct JournalSourceTests {
    private func entry(_ fields: [(String, String)]) -> JournalEntry {
        JournalEntry(fields.map { ($0, Array($1.utf8)) }, microseconds: 1_795_259_280_123_456)
    }

    private func settings(_ source: String) throws -> JournalSourceSettings {
        let read = ReadSettings(Array(#"{"journal":[{"name":"a",\#(source)}]}"#.utf8))
        #expect(read.errors == [])
        return try #require(read.configuration.sections[JournalSettings.self].sources.first)
    }

    private func takes(_ source: String, _ fields: [(String, String)], in files: JournalFiles = .system) throws -> Bool
    {
        JournalQuery(try settings(source), in: files).takes(entry(fields))
    }

    @Test("a unit is what it writes and what systemd says of it, and nobody else says so")
    func units() throws {
        let ssh = #""log":true,"match":{"unit":"ssh"}"#
        #expect(try takes(ssh, [("_SYSTEMD_UNIT", "ssh.service")]))
        #expect(try takes(ssh, [("UNIT", "ssh.service"), ("_PID", "1"), ("_SYSTEMD_UNIT", "init.scope")]))
        #expect(try !takes(ssh, [("UNIT", "ssh.service"), ("_PID", "17")]))
        #expect(try !takes(ssh, [("_SYSTEMD_USER_UNIT", "ssh.service")]))
        let mine = #""log":true,"match":{"userUnit":["a.timer","b"]}"#
        #expect(try takes(mine, [("_SYSTEMD_USER_UNIT", "b.service")]))
        #expect(try takes(mine, [("USER_UNIT", "a.timer"), ("_SYSTEMD_USER_UNIT", "init.scope")]))
        #expect(try !takes(mine, [("USER_UNIT", "a.timer"), ("_SYSTEMD_USER_UNIT", "x.service")]))
    }

    @Test("that a unit has failed is believed of systemd: the machine's, or the user's")
    func failedUnits() throws {
        let preset = #""preset":"failed-units""#
        let failed = [("MESSAGE_ID", "d9b373ed55a64feb8242e02dbe79a49c"), ("UNIT_RESULT", "exit-code")]
        let ofMachine = failed + [("_PID", "1"), ("UNIT", "x.service")]
        let ofUser = failed + [("_SYSTEMD_USER_UNIT", "init.scope"), ("USER_UNIT", "y.service")]
        #expect(try takes(preset, ofMachine) && !takes(preset, ofUser) && !takes(preset, failed))
        #expect(try takes(preset, ofUser, in: .user) && !takes(preset, ofMachine, in: .user))
        #expect(try takes(preset, ofMachine, in: .folder("/x")) && takes(preset, ofUser, in: .folder("/x")))
        let query = JournalQuery(try settings(preset), in: .system)
        #expect(
            query.order(entry(ofMachine), userId: "")
                == JournalOrder(
                    .event(
                        name: "unit_failed",
                        Properties([("unit", .string("x.service")), ("result", .string("exit-code"))])),
                    at: Timestamp(milliseconds: 1_795_259_280_123)))
    }

    @Test(
        "the journal is asked for the rarest of the fields of each match, and for everything where one takes everything"
    )
    func rarest() throws {
        let some = JournalQuery(
            try settings(#""log":true,"match":[{"priority":"alert","unit":"x"},{"PRIORITY":7}]"#), in: .system)
        #expect(
            Set(some.assignments.map { String(decoding: $0, as: UTF8.self) })
                == ["_SYSTEMD_UNIT=x.service", "UNIT=x.service", "PRIORITY=7"])
        #expect(
            JournalQuery(try settings(#""log":true,"match":[{"unit":"x"},{}]"#), in: .system).assignments.isEmpty)
    }

    @Test("what the daemon writes itself is not taken")
    func echo() throws {
        let all = #""log":true,"match":{}"#
        #expect(try !takes(all, [("_SYSTEMD_UNIT", "harkd.service")]))
        #expect(try !takes(all, [("_SYSTEMD_USER_UNIT", "harkd.service")]))
        #expect(try !takes(all, [("SYSLOG_IDENTIFIER", "harkd"), ("_COMM", "harkd")]))
        #expect(try takes(all, [("SYSLOG_IDENTIFIER", "harkd"), ("_COMM", "other")]))
        #expect(try takes(all, [("UNIT", "harkd.service"), ("_PID", "1")]))
    }

    @Test("a long text is cut between two characters, and what is no text is replaced")
    func texts() {
        let long = entry([("A", String(repeating: "é", count: 3_000))])
        #expect(long.text("A", atMost: 11) == "ééééé…")
        #expect(long.text("A") == String(repeating: "é", count: 2_048) + "…")
        let binary = JournalEntry([("A", [0x61, 0, 0xFF, 0x62])], microseconds: 0)
        #expect(binary.text("A") == "a\u{FFFD}\u{FFFD}b")
        #expect(binary.text("B") == nil && entry([("A", "")]).text("A") == "")
    }

    @Test("the priority of an entry is the level of a log entry")
    func levels() {
        let levels = (0...7).map { entry([("PRIORITY", String($0))]).level }
        #expect(levels == [.error, .error, .error, .error, .warning, .info, .info, .info])
        #expect(entry([]).level == .info && entry([("PRIORITY", "x")]).level == .info)
    }

    @Test("how far was read is remembered as it is, and what is no place is none")
    func places() {
        for place in [
            JournalPlace(seen: 5), JournalPlace(seen: 0, isNew: true),
            JournalPlace(cursor: "s=1;i=\"2\"", seen: .max >> 1),
        ] {
            #expect(JournalPlace(place.text) == place)
        }
        for text in ["", "{}", "[]", #"{"seen":-1}"#, #"{"cursor":"x"}"#] { #expect(JournalPlace(text) == nil) }
    }

    @Test("a source is shown as it can be written, and reads as the same")
    func shown() throws {
        for text in [
            #""preset":"failed-units","event":"x","files":"user""#,
            #""match":[{"unit":["a","b.timer"],"priority":"err"},{"A":5}],"log":true,"folder":"/x","since":"oldest""#,
            #""match":{},"event":"e","app":"b","since":"2026-11-21T11:08:00Z","properties":{"x":["A","B"],"y":{"field":"C","as":"bool"}}"#,
        ] {
            let source = try settings(text)
            var json = JSONWriter()
            json.beginObject()
            JournalSettings(sources: [source]).write(to: &json)
            json.endObject()
            #expect(ReadSettings(json.bytes).configuration.sections[JournalSettings.self].sources == [source])
        }
    }

    @Test("an account below 1000 has no journal of its own, and a system's daemon reads the machine's")
    func files() throws {
        let source = try settings(#""preset":"failed-units""#)
        #expect(source.files(isSystem: true, uid: 1_500) == .system && source.files(isSystem: false, uid: 0) == .system)
        #expect(source.files(isSystem: false, uid: 1_000) == .user)
        let named = try settings(#""preset":"failed-units","files":"user""#)
        #expect(named.files(isSystem: false, uid: 0) == .system && named.files(isSystem: false, uid: 1_000) == .user)
    }
}
