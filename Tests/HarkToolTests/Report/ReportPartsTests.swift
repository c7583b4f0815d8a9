import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// The parts of a report other than events: changes, hours, failures, log entries, scores and texts.
@Suite struct ReportPartsTests {
    private func report() throws -> Report {
        let names = JSONText(#"{"groups":[{"by":["x"],"count":60}],"groupCount":1,"total":{"count":60}}"#)
        return Report(
            made: try #require(Timestamp("2026-11-21T11:08:00.000Z")), names: Statistics(names, StatisticsRequest(), [])
        )
    }

    @Test(
        "a change is told in whole percent, and not where there was nothing",
        arguments: [
            (112, 100, "▲ 12 %"), (97, 100, "▼ 3 %"), (100, 100, "± 0 %"), (5_000, 2, "▲ 249,900 %"), (5, 0, nil),
            (nil, 5, nil), (5, nil, nil), (1e300, 1e-300, nil), (0, 4, "▼ 100 %"), (-4, 4, "▼ 200 %"),
        ] as [(Double?, Double?, String?)])
    func change(now: Double?, before: Double?, expected: String?) {
        #expect(ReportChange.text(now, before) == expected)
    }

    @Test("the time before is as long as the time, and ends where it begins")
    func past() throws {
        let (since, until) = (
            try #require(Timestamp("2026-11-08T00:00:00.000Z")), try #require(Timestamp("2026-11-15T00:00:00.000Z"))
        )
        let before = try #require(Timestamp("2026-11-01T00:00:00.000Z"))
        #expect(ReportPast.range(before: since, until) == before..<since)
        #expect(ReportPast.range(before: until, since) == nil)
        #expect(ReportPast.range(before: .earliest, since) == nil)
    }

    @Test("each total stands beside that of the time before, and the page says since when")
    func tiles() throws {
        var report = try report()
        let since = try #require(Timestamp("2026-11-08T12:00:00.000Z"))
        var past = ReportPast(since.adding(milliseconds: -86_400_000)..<since)
        (past.events, past.names) = (50, 2)
        report.past = past
        let page = ReportPage(report).text
        #expect(page.contains(#"<dt>Events</dt><dd>60 <span class="change">▲ 20 %</span></dd>"#))
        #expect(page.contains(#"<dt>Kinds of events</dt><dd>1 <span class="change">▼ 50 %</span></dd>"#))
        #expect(page.contains("since the time of the same length before, 2026-11-07"))
        #expect(!ReportPage(try self.report()).text.contains("class=\"change\""))
    }

    @Test("a headline of somebody's own is text, and the machine is named below it")
    func title() throws {
        var report = try report()
        (report.title, report.machine) = ("<b>Café</b>", "till-1")
        let page = ReportPage(report).text
        #expect(page.contains("<h1><bdi>&lt;b&gt;Café&lt;/b&gt;</bdi></h1>") && page.contains("on <bdi>till-1</bdi>"))
    }

    @Test("events are counted at their hour and weekday by the clocks here, and the fullest hour is darkest")
    func hours() throws {
        var grid = HourGrid()
        // A Monday.
        grid.add(4, at: try #require(LocalTime.moment(year: 2026, month: 11, day: 2, hour: 9)))
        grid.add(1, at: try #require(LocalTime.moment(year: 2026, month: 11, day: 8, hour: 23)))
        #expect(grid.counts[0][9] == 4 && grid.counts[6][23] == 1)
        var report = try report()
        report.hours = grid
        let page = ReportPage(report).text
        #expect(page.contains(#"<td title="Mon 9:00: 4"><span class="heat" style="opacity:100.0%">"#))
        #expect(page.contains(#"<td title="Sun 23:00: 1"><span class="heat" style="opacity:50.0%">"#))
        #expect(page.components("<span class=\"heat\"") == 7 * 24)
        report.hours = HourGrid()
        #expect(!ReportPage(report).text.contains("class=\"heat\""))
    }

    @Test("what failed and what was missed is told with how, newest first, and nothing where all went well")
    func troubles() throws {
        let failure = Troubles.failure(
            EventInfo(JSONText(#"{"timestamp":"no time","name":"backup","properties":{"ok":false,"exitCode":23}}"#)))
        #expect(failure.name == "backup" && failure.details == "exit code 23")
        let killed = Troubles.failure(
            EventInfo(JSONText(#"{"name":"backup","properties":{"ok":false,"signal":"SIGKILL"}}"#)))
        #expect(killed.details == "ended by signal SIGKILL")
        let missed = Troubles.miss(
            EventInfo(JSONText(#"{"name":"watch.missed","properties":{"watch":"nightly","event":"backup"}}"#)))
        #expect(missed.name == "nightly" && missed.details == "no backup came")
        var report = try report()
        #expect(!ReportPage(report).text.contains("What went wrong"))
        report.troubles = Troubles(failures: [failure, killed], 12, missed: [missed], 1)
        let page = ReportPage(report).text
        let first = try #require(page.firstRange(of: "SIGKILL"))
        let second = try #require(page.firstRange(of: "exit code 23"))
        #expect(first.lowerBound < second.lowerBound)
        #expect(page.contains("and 10 earlier failures") && page.contains("<bdi>nightly</bdi>"))
    }

    @Test("log entries are counted by level, the gravest first")
    func logs() throws {
        var report = try report()
        for level in ["info", "error", "info", "warning"] {
            report.logs.add(LogEntryInfo(JSONText(#"{"level":"\#(level)","timestamp":"2026-11-21T11:08:00.000Z"}"#)))
        }
        let page = ReportPage(report).text
        let places = ["error", "warning", "info"].compactMap { page.firstRange(of: "<bdi>\($0)</bdi>")?.lowerBound }
        #expect(places.count == 3 && places == places.sorted())
        #expect(page.contains(#"<bdi>info</bdi></th><td class="number">2</td><td class="number">50 %</td>"#))
        #expect(!page.contains("<bdi>messages</bdi>"))
    }

    private func scored(_ scores: [Int]) -> SurveyTally {
        var tally = SurveyTally(
            id: "s", title: "", asking: [QuestionInfo(JSONText(#"{"id":"q","type":"nps","question":"How likely?"}"#))])
        for score in scores {
            tally.add(
                PresentationInfo(
                    JSONText(
                        #"{"state":"answered","presentedAt":"2026-11-20T11:00:00Z","answers":{"q":\#(score)}}"#)))
        }
        return tally
    }

    @Test("a net promoter score has its groups and its interval, and its change since the time before")
    func score() throws {
        var report = try report()
        let tally = scored([10, 10, 9, 9, 9, 8, 7, 7, 3, 0])
        #expect(tally.questions.first?.score == NetPromoterScore(promoters: 5, detractors: 2, of: 10))
        report.surveys = [tally]
        var page = ReportPage(report).text
        #expect(page.contains("Net promoter score <strong>30</strong>") && page.contains("Promoters (9, 10): 5, 50 %"))
        #expect(page.contains("Passives (7, 8): 3, 30 %") && page.contains("Detractors (0 to 6): 2, 20 %"))
        var past = ReportPast(Timestamp.earliest..<report.made)
        past.surveys = ["s": scored([10, 10, 0, 0, 0, 0, 7, 7, 3, 0])]
        report.past = past
        page = ReportPage(report).text
        #expect(page.contains("▲ 70 since the time before"), "30 after -40")
        #expect(scored([]).questions.first?.score == nil && tally.emptied.answered == 0)
    }

    @Test("texts are shown only if they are asked for, with how was rated, and as text")
    func texts() throws {
        var tally = SurveyTally(
            id: "s", title: "",
            asking: [
                QuestionInfo(JSONText(#"{"id":"q","type":"rating","question":"How?","scale":5}"#)),
                QuestionInfo(JSONText(#"{"id":"why","type":"text","question":"Why?"}"#)),
            ])
        let answered = PresentationInfo(
            JSONText(
                #"{"state":"answered","closedAt":"2026-11-20T11:00:00Z","answers":{"q":4,"why":"<i>secret</i>"}}"#))
        tally.add(answered)
        let texts = tally.texts(of: answered)
        #expect(texts.map(\.text) == ["<i>secret</i>"] && texts.first?.rating.hasSuffix("4") == true)
        #expect(tally.texts(of: PresentationInfo(JSONText(#"{"state":"dismissed","answers":{"why":"no"}}"#))).isEmpty)
        var report = try report()
        report.surveys = [tally]
        #expect(!ReportPage(report).text.contains("secret"))
        report.texts = texts
        #expect(ReportPage(report).text.contains("&lt;i&gt;secret&lt;/i&gt;"))
    }

    @Test("a ranking is told by mean places, not by shares, and the answers to a date are counted")
    func ranking() throws {
        var tally = SurveyTally(
            id: "s", title: "",
            asking: [
                #"{"id":"r","type":"ranking","question":"What first?","options":[{"value":"Lift"},{"value":"Doors"}]}"#,
                #"{"id":"d","type":"date","question":"When?"}"#,
            ].map { QuestionInfo(JSONText($0)) })
        let answers = #"{"r":["Doors","Lift"],"d":"2026-01-31"}"#
        tally.add(
            PresentationInfo(
                JSONText(#"{"state":"answered","presentedAt":"2026-11-20T11:00:00Z","answers":\#(answers)}"#)))
        var report = try report()
        report.surveys = [tally]
        let page = ReportPage(report).text
        let places = [">Doors<", ">Lift<"].compactMap { page.firstRange(of: $0)?.lowerBound }
        #expect(places.count == 2 && places == places.sorted())
        #expect(page.contains(#"<td class="number">1.0</td><td class="number">1</td>"#))
        #expect(page.contains(">Mean place</th>") && !page.contains("each may name several"))
        #expect(page.contains(#"<bdi>When?</bdi> <span class="soft">1 answer; "#))
    }

    @Test("a number to draw is a name, a property and which number of it")
    func wish() throws {
        let takings = try ReportMetric.Wish("purchase amount")
        #expect(takings.name == "purchase" && takings.value == "amount" && takings.measure == .sum)
        #expect(try ReportMetric.Wish("purchase").measure == .count)
        #expect(try ReportMetric.Wish(" request  ms p95 ").measure == .percentile(95))
        for text in ["", "a b c d", "a b nothing", "a b distinct"] {
            #expect(throws: ToolError.self) { try ReportMetric.Wish(text) }
        }
    }
}

extension String {
    fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}
