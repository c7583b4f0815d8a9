import Foundation
import HarkWire
import Testing

/// `hark quiet` on a real daemon.
@Suite(.endToEnd) struct QuietHoursTests {
    private let scene: SurveyScene

    init() throws {
        scene = try SurveyScene(SurveyScene.document(SurveyScene.plain("visit")))
    }

    /// From an hour ago to an hour from now, by the clock here.
    private static var now: String {
        let clock = DateFormatter()
        clock.dateFormat = "HH:mm"
        clock.locale = Locale(identifier: "en_US_POSIX")
        return [-3_600, 3_600].map { clock.string(from: Date(timeIntervalSinceNow: $0)) }.joined(separator: "-")
    }

    @Test("what comes meanwhile waits, also after kill -9, and comes at once when the hours are taken back")
    func course() throws {
        var daemon = try scene.home.start()
        var client = try daemon.connect()
        #expect(try scene.home.hark("quiet").output == "no quiet hours\n")
        let hours = Self.now
        let told = try scene.home.hark("quiet", hours)
        #expect(told.output.hasPrefix("\(hours) every day\nquiet until 20"), "\(told)")
        try client.record("go")
        #expect(try client.pending().map { $0["state"] } == ["scheduled"])
        let explained = try scene.home.hark("explain", "visit")
        #expect(explained.output.contains("these are quiet hours, until 20"), "\(explained)")
        daemon.kill()
        daemon = try scene.home.start()
        client = try daemon.connect()
        #expect(try client.pending().map { $0["state"] } == ["scheduled"])
        #expect(try scene.home.hark("quiet", "off").output == "no quiet hours\n")
        try waitUntil("it is ready") { try client.pending().map { $0["state"] } == ["ready"] }
        // What is ready already waits as well.
        try scene.home.hark("quiet", hours, "--alarms", "on")
        try waitUntil("it waits") { try client.pending().map { $0["state"] } == ["scheduled"] }
        #expect(try client.call("quiet.get")["alarms"] == true)
        #expect(daemon.child.isRunning)
    }

    @Test("what cannot be meant is said, with what to write instead")
    func mistakes() throws {
        let daemon = try scene.home.start()
        let cases: [([String], Int32, String)] = [
            (["sat"], 64, "hours are missing before 'sat'"), (["22:00"], 64, "22:00-07:00"),
            (["22:00-25:00"], 65, "quiet hours are given like"), (["00:00-24:00"], 65, "leave no time to ask"),
            (["22:00-07:00", "someday"], 65, "quiet hours are given like"), (["--alarms", "maybe"], 64, "on or off"),
        ]
        for (words, code, hint) in cases {
            let run = try scene.home.hark(["quiet"] + words)
            #expect(run.ending == .exited(code) && run.errors.contains(hint), "\(words): \(run)")
        }
        #expect(daemon.child.isRunning)
    }
}
