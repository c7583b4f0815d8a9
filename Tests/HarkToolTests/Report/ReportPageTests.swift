import Foundation
import HarkAsking
import HarkClient
import HarkWire
import Testing

@testable import HarkTool

@Suite struct ReportPageTests {
    private static let evil = "</title><script>alert(1)</script>&'\"\u{202E}\u{7}<img src=http://x onerror=y>"
    private static let json =
        JSONText(String(decoding: JSONWriter.object { $0.member("x", evil) }, as: UTF8.self))
        .member("x")?.text ?? ""

    private func report(_ names: String = #"{"groups":[],"groupCount":0,"total":{"count":0}}"#) -> Report {
        Report(
            made: Timestamp("2026-11-21T11:08:00.000Z")!, names: Statistics(JSONText(names), StatisticsRequest(), []))
    }

    /// A report in which everything that somebody named is the worst that can be.
    private func full() -> Report {
        var report = report(
            #"{"groups":[{"by":[\#(Self.json)],"count":3},{"by":["שלום"],"count":1}],"groupCount":9,"total":{"count":40},"rest":{"count":30}}"#
        )
        report.machine = Self.evil
        report.filters = [("user", Self.evil)]
        let start = Timestamp("2026-11-20T00:00:00.000Z")!
        let boundaries = (0...3).map { start.adding(milliseconds: Int64($0) * 86_400_000) }
        report.range = start...boundaries[2]
        var request = StatisticsRequest()
        request.distinct = "@user"
        let step = TimeStep(count: 1, unit: .day)
        let times = Statistics(
            JSONText(#"{"total":{"count":40,"distinct":7,"distinctError":0.02,"buckets":[{"bucket":1,"count":40}]}}"#),
            request, boundaries)
        report.times = times
        report.chart = Chart(times, .count, step, most: 1)
        for app in [Self.json, #""b""#] {
            for (end, user) in [("12:00", #""ada""#), ("11:30", Self.json)] {
                report.sessions.add(
                    SessionInfo(
                        JSONText(
                            #"{"app":\#(app),"userId":\#(user),"startedAt":"2026-11-20T11:00:00Z","endedAt":"2026-11-20T\#(end):00Z"}"#
                        )))
            }
        }
        let question = SurveyQuestion(
            JSONText(
                #"{"id":"q","type":"single","question":\#(Self.json),"options":[{"value":"a","label":\#(Self.json)},{"value":"b"}]}"#
            ))
        var survey = SurveyTally(id: Self.evil, title: Self.evil, questions: [question].compactMap(\.self))
        for _ in 0..<20 {
            survey.add(
                PresentationInfo(
                    JSONText(
                        #"{"state":"answered","presentedAt":"2026-11-20T11:00:00Z","answers":{"q":"a","gone":\#(Self.json)}}"#
                    )))
        }
        report.surveys = [survey]
        report.destinations = [
            DestinationInfo(
                JSONText(
                    #"{"name":"hook","kind":"http","state":"open","cursor":12,"pending":1,"delivered":2000,"dropped":{"age":3},"deadLetters":4,"lastError":\#(Self.json)}"#
                ))
        ]
        return report
    }

    /// The elements and the text of a page, as a browser that corrects nothing would see them.
    private struct Elements {
        private(set) var names: [String] = []
        private(set) var attributes: Set<String> = []
        private(set) var text = ""
        /// Whether each is closed where it should be.
        private(set) var isWhole = true

        init(_ page: String) {
            var open: [String] = []
            for part in page.components(separatedBy: "<").dropFirst() {
                guard let end = part.firstIndex(of: ">") else {
                    isWhole = false
                    continue
                }
                let tag = part[..<end]
                let name = String(tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber })
                text += part[part.index(after: end)...]
                if tag.hasPrefix("!") { continue }
                if tag.hasPrefix("/") {
                    if open.popLast() != name { isWhole = false }
                    continue
                }
                names.append(name)
                let words = tag.split(separator: "\"", omittingEmptySubsequences: false)
                for (place, word) in words.enumerated() where place % 2 == 0 && word.hasSuffix("=") {
                    attributes.insert(word.dropLast().split(separator: " ").last.map(String.init) ?? "")
                }
                if !tag.hasSuffix("/"), !["meta", "br"].contains(name) { open.append(name) }
            }
            if !open.isEmpty { isWhole = false }
            for (entity, sign) in [("lt", "<"), ("gt", ">"), ("quot", "\""), ("#39", "'"), ("amp", "&")] {
                text = text.replacingOccurrences(of: "&\(entity);", with: sign)
            }
        }
    }

    @Test("nothing that somebody recorded is markup, wherever it stands, and all of it can be read")
    func escaping() {
        let page = ReportPage(full()).text
        let elements = Elements(page)
        #expect(elements.isWhole)
        #expect(elements.names.filter { $0 == "title" }.count == 5, "of the page, of two pictures and of a bar in each")
        #expect(
            Set(elements.names).isDisjoint(with: ["script", "img", "link", "iframe", "object", "form", "a", "base"]))
        #expect(elements.attributes.isDisjoint(with: ["src", "href", "onerror", "srcset", "action"]))
        #expect(!page.unicodeScalars.contains { VisibleText.isHidden($0) && $0 != "\n" })
        let seen = elements.text.components(separatedBy: "<script>alert(1)</script>&'\"\\u{202e}\\x07").count - 1
        #expect(seen >= 9, "\(seen)")
        #expect(page.contains("<bdi>שלום</bdi>"))
    }

    @Test("the numbers are those that were counted")
    func numbers() {
        let page = ReportPage(full()).text
        #expect(page.contains("<dt>Events</dt><dd>40</dd>") && page.contains("<dt>Users with events</dt><dd>~7</dd>"))
        #expect(page.contains("and more than 7 other names with 36 events"))
        // Two sessions of half an hour and an hour, in each of two apps.
        #expect(
            page.contains(
                #"<strong>all</strong></th><td class="number">4</td><td class="number">0</td><td class="number">2</td>"#
                    + #"<td class="number">30 min</td><td class="number">1 h</td>"#))
        #expect(
            page.contains(#"<td class="number">20</td><td class="number">100 %</td><td class="number">(84–100 %)</td>"#)
        )
        #expect(page.contains(#"<td class="number">0</td><td class="number">0 %</td><td class="number">(0–16 %)</td>"#))
        #expect(page.contains(#"<td class="number">3 age</td><td class="number">4</td><td class="number">12</td>"#))
        #expect(page.contains("2026-11-20 to 2026-11-22"))
        #expect(page.contains("the most, 40, in 2026-11-21"))
    }

    @Test("Hark's icon is in the page as it is in its file, and nothing is fetched for it")
    func icon() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../packaging/icons/org.hark.Dialog.svg")
        let icon = try String(contentsOf: file, encoding: .utf8)
        let page = ReportPage(report()).text
        #expect(page.contains(ReportIcon.svg))
        let paths = icon.matches(of: /\bd="([^"]+)"/).map { String($0.1) }
        #expect(paths.count == 3)
        for path in paths { #expect(ReportIcon.svg.contains("d=\"\(path)\"")) }
        #expect(!ReportIcon.svg.contains("href") && !ReportIcon.svg.contains("xmlns"))
    }

    @Test("without anything to tell, each part says so")
    func empty() {
        let page = ReportPage(report()).text
        #expect(Elements(page).isWhole)
        for words in ["no such events", "No session began", "There are no surveys", "Nothing leaves this machine"] {
            #expect(page.contains(words), "\(words)")
        }
        #expect(page.components(separatedBy: "<svg").count == 2, "the icon alone, and no chart")
    }

    @Test("however much there is, the page stays short and says what it leaves out")
    func bounds() {
        let long = String(repeating: "e\u{301}\u{302}", count: 400)
        let groups = (0..<20).map { #"{"by":["\#(long)\#($0)"],"count":\#(1_000 - $0)}"# }.joined(separator: ",")
        var report = report(#"{"groups":[\#(groups)],"groupCount":9000,"total":{"count":1000000},"rest":null}"#)
        for app in 0..<500 {
            report.sessions.add(
                SessionInfo(JSONText(#"{"app":"\#(long)\#(app)","userId":null,"startedAt":"2026-11-20T11:00:00Z"}"#)))
        }
        let options = (0..<40).map { #"{"value":"\#($0)","label":"\#(long)"}"# }.joined(separator: ",")
        let questions = (0..<50).compactMap { number in
            SurveyQuestion(
                JSONText(#"{"id":"q\#(number)","type":"single","question":"\#(long)","options":[\#(options)]}"#))
        }
        let answers = (0..<50).map { #""q\#($0)":"7""# }.joined(separator: ",")
        report.surveys = (0..<60).map { number in
            var survey = SurveyTally(id: "\(number)", questions: questions)
            survey.add(
                PresentationInfo(
                    JSONText(#"{"state":"answered","presentedAt":"2026-11-20T11:00:00Z","answers":{\#(answers)}}"#)))
            return survey
        }
        report.destinations = (0..<1_000).map {
            DestinationInfo(JSONText(#"{"name":"d\#($0)","lastError":"\#(long)"}"#))
        }
        // As bytes: a search through that many letters takes seconds.
        let page = Data(ReportPage(report).text.utf8)
        #expect(page.count < 4 << 20, "\(page.count)")
        for words in [
            "and 8,980 other names with", "and 488 other apps with 488 sessions", "and 40 other surveys",
            "tells the answers to 52 other surveys",
            "and 30 other questions", "and 25 other answers", "and 950 other destinations",
        ] {
            #expect(page.range(of: Data(words.utf8)) != nil, "\(words)")
        }
        #expect(page.range(of: Data(String(repeating: "e\u{301}\u{302}", count: 81).utf8)) == nil)
    }
}
