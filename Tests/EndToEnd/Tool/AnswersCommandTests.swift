import Foundation
import HarkTesting
import HarkWire
import Testing

/// `hark answers` against the real daemon, and its codebook in R, PSPP and pandas.
@Suite(.endToEnd) struct AnswersCommandTests {
    private let scene: SurveyScene
    private let daemon: DaemonProcess

    private static func survey(_ questions: [String]) -> String {
        SurveyScene.document(
            #"{"id":"study","title":"A study","message":"m","oncePerSession":false,"trigger":{"event":{"name":"go"}},"#
                + #""questions":[\#(questions.joined(separator: ","))]}"#)
    }

    private static let first =
        #"{"id":"1st","type":"single","question":"First?","options":["gone","It's $fine `now`"]}"#
    private static let again =
        #"{"id":"1st","type":"single","question":"First?","options":["So so, \"maybe\"","It's $fine `now`"]}"#
    /// Ids that programs for statistics do not take, or not together, and a text that is too long for them.
    private static let rest = [
        #"{"id":"rating","type":"rating","question":"It's rated?","labels":["bad","2","3","4","good"]}"#,
        #"{"id":"RATING","type":"nps","question":"\#(String(repeating: "ä", count: 200))"}"#,
        #"{"id":"with","type":"multiple","question":"With?","options":["a","b c"]}"#,
        #"{"id":"größe","type":"text","question":"Size?","required":false}"#,
    ]

    init() throws {
        scene = try SurveyScene(
            Self.survey([Self.first] + Self.rest), configuration: #"{"notify":null,"debug":{"bypassGating":true}}"#)
        daemon = try scene.home.start()
    }

    /// Of the events that bring showings about; a text that is too long is not kept.
    private static let plans = [#""pro""#, "3", "true", "\"\(String(repeating: "long", count: 100))\""]

    /// Answers 40 showings, half of them before the first question was changed, and dismisses one.
    private func fill() throws {
        let client = try daemon.connect()
        var random = SplitMix64(state: 4)
        for number in 0..<40 {
            if number == 20 {
                try scene.write(Self.survey([Self.again] + Self.rest))
                try client.call("daemon.reload")
            }
            try client.startSession(["ada", "bob", "=1+1"][number % 3])
            try client.record("go", #"{"plan":\#(Self.plans[number % 4]),"n":\#(number),"why":"say \"\"\n"}"#)
            let shown = try client.presentNext()
            let choice = number < 20 ? ["gone", "It's $fine `now`"][number % 2] : #"So so, \"maybe\""#
            let text = number % 2 == 0 ? #","größe":"one, \"two\"\nthree \#(number)""# : ""
            let score = Int.random(in: 0...10, using: &random)
            let answers =
                #"{"1st":"\#(choice)","rating":\#(Int.random(in: 1...5, using: &random)),"RATING":\#(score),"#
                + #""with":\#(number % 3 == 0 ? #"["a","b c"]"# : #"["a"]"#)\#(text)}"#
            try client.call("survey.answer", try shown.params(#","answers":\#(answers)"#))
        }
        try client.record("go")
        // Nobody sees the questions in a notification.
        let last = try client.call("survey.present", #"{"surface":"notification"}"#)["survey"] ?? .null
        try client.call("survey.dismiss", try last.params())
    }

    @Test("R3: columns come from what was asked, also before and by nobody answered; a row for each showing")
    func table() throws {
        let empty = try scene.home.hark("answers", "study", "--csv")
        let header =
            "showing,survey,version,state,reason,participant,app,session,machine,group,planned,notified,reminders,last_reminder,snoozes,opened,first_answer,"
            + "answered,closed,surface,locale,zone,utc_offset,local_time,latency_seconds,seconds,"
            + "occasion,burst,study_day,prompt_of_day,study_group,variant,properties,"
        let questions = "1st,rating,RATING,with,with.a,with.b c,größe"
        #expect(empty.output.hasPrefix(header + questions + ",1st.seconds,1st.changes,"), "\(empty)")
        try fill()
        let all = try scene.home.hark("answers", "study", "--csv").output
        #expect(all.hasPrefix(header + questions))
        let records = all.components(separatedBy: "\r\n").dropLast()
        #expect(records.count == 42, "\(records.count)")
        #expect(all.contains(#""one, ""two"""#) && all.contains("a;b c,1,1,") && all.contains(",=1+1,"))
        let answered = try scene.home.hark("answers", "study", "--spreadsheet", "--answered", "--user", "=1+1").output
        #expect(answered.hasPrefix("\u{FEFF}showing") && answered.contains(",'=1+1,"))
        #expect(answered.components(separatedBy: "\r\n").count == 15)
        let long = try scene.home.hark("answers", "study", "--long", "--csv", "--user", "ada").output
        let answers = long.components(separatedBy: "\r\n").dropFirst().dropLast()
        // Of 14 showings the choice, two numbers, a text of half of them, and what was chosen of two.
        #expect(answers.count == 14 * 3 + 7 + 14 * 2, "\(answers.count)")
        let lines = try scene.home.hark("answers", "study", "--json").lines
        #expect(lines.count == 41 && lines.allSatisfy { $0.hasPrefix(#"{"presentationId":"#) })
        let people = try scene.home.hark("answers", "study", "--until", "2020-01-01")
        #expect(people.lines.count == 1 && people.output.hasPrefix("shown "), "\(people)")
        let none = try scene.home.hark("answers", "no-such")
        #expect(none.ending == .exited(66), "\(none)")
    }

    @Test("R3: pandas, R and PSPP open a codebook as it is: names, types, labels, and why an answer is missing")
    func codebook() throws {
        try fill()
        let folder = scene.home.files.path("study")
        let written = try scene.home.hark("answers", "study", "--codebook", folder)
        #expect(written.output.hasPrefix("wrote 41 showings with 5 questions to "), "\(written)")
        try scene.home.files.write(try scene.home.hark("results", "study", "--json").output, to: "results.json")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/codebook_check.py"
        let check = try Child.run(["/usr/bin/python3", "-B", script, folder, scene.home.files.path("results.json")])
        #expect(check.ending == .exited(0), "\(check.output)\(check.errors)")
        #expect(check.output.hasPrefix("41 showings in "), "\(check)")
        let book = try String(contentsOfFile: folder + "/codebook.md", encoding: .utf8)
        #expect(book.contains("| 3 | gone | gone |") && book.contains("| q1st | 1st | First? |"), "\(book)")
        // A codebook is written anew, and nothing else is overwritten.
        #expect(try scene.home.hark("answers", "study", "--codebook", folder).ending == .exited(0))
        try FileManager.default.createDirectory(
            atPath: scene.home.files.path("other"), withIntermediateDirectories: true)
        try scene.home.files.write("mine", to: "other/answers.csv")
        let refused = try scene.home.hark("answers", "study", "--codebook", scene.home.files.path("other"))
        #expect(refused.ending == .exited(73) && refused.errors.contains("no earlier codebook"), "\(refused)")
        #expect(try scene.home.files.text("other/answers.csv") == "mine")
    }

    @Test("R4: results have intervals for people, say what are too few, and cut time into waves")
    func results() throws {
        try fill()
        let text = try scene.home.hark("results", "study").output
        #expect(text.contains("answered     40 (98 %) by 3 people"), "\(text)")
        #expect(text.contains("net promoter score") && text.contains("  mean "))
        let waves = try scene.home.hark("results", "study", "--every", "1mo").output
        #expect(waves.contains("shown 41, answered 40"), "\(waves)")
        let table = try scene.home.hark("results", "study", "--by", "@app", "--csv").output
        #expect(table.contains("study,total,,people,3,,,,,default\r\n"), "\(table)")
        #expect(try scene.home.hark("results", "study", "--since", "2090-01-01").output.contains("answered     0"))
        let refused = try scene.home.hark("results", "study", "--by", "@grup")
        #expect(refused.ending != .exited(0) && refused.errors.contains("did you mean '@group'?"), "\(refused)")
    }

    @Test("R4: results are parted by a property of the event behind each showing, also after a crash")
    func byProperty() throws {
        try fill()
        daemon.kill()
        let next = try scene.home.start()
        let client = try next.connect()
        #expect(try client.results("study")["answered"] == 40)
        let parts = try scene.home.hark("results", "study", "--by", "plan")
        for part in ["-  shown 11, answered 10", "pro  shown 10", "3  shown 10", "true  shown 10"] {
            #expect(parts.output.contains("\n\(part)"), "\(parts)")
        }
        #expect(parts.errors.isEmpty)
        let table = try scene.home.hark("results", "study", "--by", "property.plan", "--csv").output
        for end in ["shown,10,,,,,pro", "shown,10,,,,,3", "shown,10,,,,,true", "shown,11,,,,,"] {
            #expect(table.contains("study,total,,\(end)\r\n"), "\(table)")
        }
        let none = try scene.home.hark("results", "study", "--by", "plann")
        #expect(
            none.output.contains("\n-  shown 41") && none.errors.contains("no event with a property 'plann'"), "\(none)"
        )
        let rows = try scene.home.hark(
            "sql", "--csv",
            "SELECT plan, count(*) FROM answers JOIN presentations p ON p.id = presentation WHERE question = '1st' GROUP BY 1"
        )
        #expect(
            Set(rows.output.components(separatedBy: "\r\n")) == ["plan,count(*)", ",10", "1,10", "3,10", "pro,10", ""],
            "\(rows)")
        let answers = try scene.home.hark("answers", "study", "--csv").output
        #expect(answers.contains(#""{""plan"":""pro"",""n"":0,""why"":""say \""\""\n""}""#), "\(answers)")
        let waves = try scene.home.hark("results", "study", "--by", "n", "--every", "1mo", "--json").output
        #expect(waves.contains(#""by":39"#) && waves.contains(#""by":null"#))
    }
}
