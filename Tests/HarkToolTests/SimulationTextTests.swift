import HarkClient
import HarkWire
import Testing

@testable import HarkTool

@Suite struct SimulationTextTests {
    private static let simulation =
        #"{"file":"new.json","events":1200,"outOfOrder":1,"withoutSession":2,"realOfOtherSurveys":3,"surveys":["#
        + #"{"surveyId":"nps","asItWas":false,"scheduled":9,"shown":5,"assumed":2,"answered":3,"dismissed":1,"#
        + #""unanswered":1,"unseen":1,"waiting":2,"whileWaiting":4,"reallyShown":4,"#
        + #""stopped":{"cooldown":12,"event":1},"turnTaken":{"rating":2}},"#
        + #"{"surveyId":"counted","asItWas":true,"shown":0,"stopped":{},"turnTaken":{}}],"users":2,"mostAsked":["#
        + #"{"userId":"ada\u001b","uid":1,"shown":3,"longestCalmSeconds":180000},{"userId":null,"uid":1,"shown":2,"#
        + #""longestCalmSeconds":0}]}"#

    private func text(_ report: String, begin: Timestamp?) -> String {
        let since = Timestamp(milliseconds: 1_800_000_000_000)
        return SimulationText(
            SimulationResult(JSONText(report)), since...since.adding(milliseconds: 86_400_000), begin: begin,
            TextStyle(coloured: false)
        ).text
    }

    @Test("counts, what stopped surveys most, who was asked most, and how far the numbers can be trusted")
    func report() {
        let begin = Timestamp(milliseconds: 1_800_010_000_000)
        let lines = text(#"{"simulations":[\#(Self.simulation)]}"#, begin: begin).split(separator: "\n").map(
            String.init)
        #expect(lines.first?.hasPrefix("new.json, 2027-01-15 ") == true)
        #expect(lines.first?.hasSuffix(": 1,200 events that matter to it") == true)
        #expect(
            Array(lines.dropFirst().prefix(11)) == [
                "survey   came about  shown  answered  dismissed  waiting  really shown",
                "nps      9           5      3         1          2        4",
                "counted  0           0      0         0          0        0",
                "survey  times  not shown because",
                "nps     12     of a limit: time between two",
                "nps     4      it waited already",
                "nps     2      rating came first",
                "nps     1      an event cancelled it",
                "nps     1      nobody saw it before it ran out",
                "2 users would have been asked; most of all:",
                "user            asked  longest calm",
            ])
        #expect(lines.contains("nobody by name  2      –"))
        #expect(!lines.joined().contains("\u{1B}") && lines.contains { $0.hasSuffix("3      2 d 2 h") })
        let notes = lines.suffix(6)
        #expect(notes.first?.hasPrefix("The log begins on 2027-01-15 ") == true)
        #expect(
            Array(notes.dropFirst()) == [
                "2 showings had no real counterpart: whether they are answered is chosen by chance.",
                "Taken as they really were, as the log does not have what triggers them: counted.",
                "1 event came out of order, as imported ones do, and are left out.",
                "2 events are of sessions that are gone, and are left out.",
                "3 real showings were of surveys that the file does not have.",
            ])
    }

    @Test("a comparison tells what is added and gone; an empty log and a file without surveys are told as such")
    func differences() {
        let both =
            #"{"simulations":[\#(Self.simulation),{"file":"old.json"}],"differences":[{"surveyId":"nps","both":1500,"#
            + #""added":2,"gone":3}]}"#
        #expect(
            text(both, begin: .earliest).contains(
                """
                Against old.json:
                survey  in both  more  fewer
                nps     1,500    2     3
                """))
        let empty = text(#"{"simulations":[{"file":"f","events":0,"surveys":[],"users":0}]}"#, begin: nil)
        #expect(empty.contains("The file has no surveys.") && empty.hasSuffix("The log has no events."))
        #expect(empty.contains("Nobody would have been asked."))
        #expect(text("{}", begin: nil).isEmpty)
    }

    @Test("a showing is a line with when, what, who and how it ended")
    func showing() {
        let line = SimulationText.line(
            of: SimulatedShowingInfo(
                JSONText(
                    #"{"surveyId":"nps","userId":"ada","app":"shop","presentedAt":"2026-11-21T11:08:00.000Z","state":"cancelled","#
                        + #""reason":"event","assumed":true}"#)))
        let time = Timestamp("2026-11-21T11:08:00.000Z").map { LocalTime.text($0) } ?? ""
        #expect(line == "\(time)  nps  ada in shop: cancelled (event), assumed")
        let other = SimulationText.line(
            of: SimulatedShowingInfo(
                JSONText(#"{"surveyId":"nps","userId":null,"app":"default","state":"answered","assumed":false}"#)))
        #expect(other == "  nps  nobody by name: answered")
    }

    @Test("what cannot be meant is refused with what to write")
    func refused() throws {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        func request(_ words: String...) throws -> SimulationRequest {
            try SimulationRequest(try ArgumentParser(command: .simulate).parse(["simulate"] + words), now: now)
        }
        let usual = try request("a.json", "--answered", "12.5%", "--against", "b.json", "--seed", "7")
        #expect((usual.file, usual.against, usual.answered, usual.seed) == ("a.json", "b.json", 0.125, 7))
        #expect(usual.until == now && usual.since == now.adding(milliseconds: -30 * 86_400_000))
        for (words, message) in [
            (["a.json", "--answered", "101%"], "'--answered' takes a part of a hundred such as 30%, not 101%"),
            (["a.json", "--answered", "some"], "'--answered' takes a part of a hundred such as 30%, not some"),
            (["-"], "'simulate' reads files, not standard input"),
            (["a.json", "--since", "2099-01-01"], "'--since' must be before '--until', and in the past"),
        ] {
            #expect {
                _ = try SimulationRequest(try ArgumentParser(command: .simulate).parse(["simulate"] + words), now: now)
            } throws: { error in
                (error as? ToolError)?.message == message && (error as? ToolError)?.exit == .usage
            }
        }
    }
}
