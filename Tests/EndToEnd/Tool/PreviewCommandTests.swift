import Foundation
import HarkWire
import Testing

/// T5: `hark preview` asks as a person would be asked, and leaves no trace.
@Suite(.endToEnd) struct PreviewCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess
    private let file: String

    private static let surveys = """
        {"groups": {"g": {"atMost": [{"count": 1, "withinSeconds": 60}]}},
         "surveys": [
          {"id": "visit", "title": "Your visit", "message": "Two questions", "groups": ["g"],
           "trigger": {"counters": "opens >= 3"}, "oncePerUser": true,
           "questions": [
             {"id": "mood", "type": "single", "question": "How was it?", "options": ["Good", "Bad"],
              "next": [{"when": "Good", "to": "end"}]},
             {"id": "why", "type": "text", "question": "What was bad?", "minLength": 3}],
           "translations": {"de": {"title": "Ihr Besuch"}}},
          {"id": "other", "title": "Other", "message": "?", "options": ["Yes"], "trigger": {"event": {"name": "e"}}},
          {"id": "door", "title": "Door", "message": "?", "trigger": {"event": {"name": "e"}}, "response": {
             "type": "options", "options": [{"value": "Left", "image": "doors/left.png", "alt": "A red door"}, "Right"]}}
        ]}
        """

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify": null}"#)
        daemon = try home.start()
        try home.files.write(Self.surveys, to: "new.json")
        file = home.files.path("new.json")
        try FileManager.default.createDirectory(atPath: home.files.path("temporary"), withIntermediateDirectories: true)
    }

    private func preview(_ words: String..., input: String = "") throws -> ToolRun {
        let words = words.map { "'\($0)'" }.joined(separator: " ")
        return try home.shell(
            "printf '\(input)' | TMPDIR='\(home.files.path("temporary"))' hark preview \(words)")
    }

    @Test("the way through the questions and what may be answered are the survey's; nothing is recorded or left over")
    func answered() throws {
        let bad = try preview("visit", "--file", file, input: #"Bad\nno\nToo loud\n"#)
        #expect(bad.ending == .exited(0), "\(bad)")
        #expect(bad.output.contains("Your visit") && bad.output.contains("What was bad?"))
        #expect(bad.lines.suffix(2) == ["mood: Bad", "why: Too loud"], "\(bad)")
        #expect(bad.errors.contains("nothing was recorded"))
        let good = try preview("visit", "--file", file, "--lang", "de", "--json", input: #"1\n"#)
        #expect(good.output.contains("Ihr Besuch") && !good.output.contains("What was bad?"))
        #expect(good.lines.last == #"{"mood":"Good"}"#)
        #expect(try preview("visit", "--file", file, input: #"d\n"#).ending == .exited(1))
        #expect(try home.hark("events", "--json").output.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.files.path("temporary")).isEmpty)
    }

    @Test("images start at the folder of the file, and a terminal says what they show")
    func images() throws {
        let seen = try preview("door", "--file", file, input: #"Left\n"#)
        #expect(seen.ending == .exited(0) && seen.output.contains("1) Left (A red door)"), "\(seen)")
        #expect(seen.lines.last == "option: Left", "\(seen)")
    }

    @Test("a variant that is named is shown each time, and another name gets a list of those that there are")
    func variants() throws {
        try home.files.write(
            """
            {"surveys":[{"id":"rating","title":"Usual","message":"?","options":["Yes"],"trigger":{"event":{"name":"e"}},
              "variants":[{"id":"plain"},{"id":"warm","weight":0.001,"title":"Warm words"},{"id":"twin","weight":9,"title":"Twin"}]},
             {"id":"bare","title":"Bare","message":"?","options":["Yes"],"trigger":{"event":{"name":"e"}}}]}
            """, to: "variants.json")
        let file = home.files.path("variants.json")
        for (variant, title) in [("warm", "Warm words"), ("plain", "Usual"), ("twin", "Twin"), ("warm", "Warm words")] {
            let run = try preview("rating", "--file", file, "--variant", variant, input: #"1\n"#)
            #expect(run.ending == .exited(0) && run.output.hasPrefix("\(title)\n"), "\(run)")
        }
        let wrong = try preview("rating", "--file", file, "--variant", "cold")
        #expect(wrong.ending == .exited(66) && wrong.errors.contains("has no variant cold"), "\(wrong)")
        #expect(wrong.errors.contains("Name one of plain, warm, twin."), "\(wrong)")
        let bare = try preview("bare", "--file", file, "--variant", "cold")
        #expect(bare.ending == .exited(66) && bare.errors.contains("the survey bare has no variants"), "\(bare)")
    }

    @Test("a matrix is asked row by row, and an Other of one question has its line")
    func matrix() throws {
        try home.files.write(
            """
            {"surveys":[{"id":"care","title":"Care","message":"?","trigger":{"event":{"name":"e"}},"questions":[
               {"id":"q","type":"matrix","question":"How was this?","rows":[{"id":"food","label":"The food"},"price"],
                "columns":["good",{"value":"bad","label":"Not good"}]},
               {"id":"why","question":"Why?","when":"answer.q.price = bad"}]},
             {"id":"came","title":"Came","message":"?","trigger":{"event":{"name":"e"}},
              "response":{"type":"options","options":["By bus"],"other":true}}]}
            """, to: "matrix.json")
        let file = home.files.path("matrix.json")
        let bad = try preview("care", "--file", file, "--json", input: #"1\nNot good\nCold\n"#)
        #expect(bad.ending == .exited(0) && bad.output.contains("How was this?\nThe food\n"), "\(bad)")
        #expect(bad.lines.last == #"{"q.food":"good","q.price":"bad","why":"Cold"}"#, "\(bad)")
        let good = try preview("care", "--file", file, "--json", input: #"2\n1\n"#)
        #expect(good.lines.last == #"{"q.food":"bad","q.price":"good"}"#, "\(good)")
        let other = try preview("came", "--file", file, "--json", input: #"2\nBy boat\n"#)
        #expect(other.lines.last == #"{"option":"other","option.other":"By boat"}"#, "\(other)")
    }

    @Test("a survey that is not there, several, none, a fault, or no file are told with what to do")
    func refused() throws {
        #expect(try preview("--file", file).errors.contains("Name one of visit, other, door."))
        #expect(try preview("none", "--file", file).ending == .exited(66))
        #expect(try preview("visit", "--file", "/nowhere.json").ending == .exited(66))
        #expect(try preview("visit", "--file", file, "--event", "3").ending == .exited(64))
        try home.files.write(#"{"forms": []}"#, to: "forms.json")
        #expect(try preview("visit", "--file", home.files.path("forms.json")).errors.contains("has no surveys"))
        try home.files.write(#"{"surveys":[{"id":"x","title":"T","message":"?"}]}"#, to: "bad.json")
        let bad = try preview("--file", home.files.path("bad.json"))
        #expect(bad.ending == .exited(65) && bad.errors.contains("hark config validate"), "\(bad)")
    }
}
