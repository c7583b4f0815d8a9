import Testing

@testable import HarkTool

@Suite struct NameMatchTests {
    private static let things = [
        NamedThing(id: "nps", titles: ["Would you recommend us?"]),
        NamedThing(id: "nps-2026", titles: ["Recommendation"]), NamedThing(id: "rating", titles: ["Quick question"]),
        NamedThing(id: "Tea", titles: ["rating of tea"]), NamedThing(id: "tools", titles: ["Quick question"]),
    ]

    private func id(_ text: String, _ beginnings: NameMatch.Beginnings = .ofAll) -> String? {
        switch NameMatch(text, among: Self.things, beginnings: beginnings) {
        case .whole(let thing), .beginning(let thing): thing.id
        case .several, .none: nil
        }
    }

    private func several(_ text: String) -> [String] {
        guard case .several(let things) = NameMatch(text, among: Self.things) else { return [] }
        return things.map(\.id)
    }

    private func nearest(_ text: String, _ beginnings: NameMatch.Beginnings = .ofAll) -> [String] {
        guard case .none(let nearest) = NameMatch(text, among: Self.things, beginnings: beginnings) else {
            return ["found"]
        }
        return nearest
    }

    @Test("a whole id comes first, then a whole title, then the beginning of an id, then that of a title")
    func order() {
        #expect(id("nps") == "nps")
        #expect(NameMatch("nps", among: Self.things) == .whole(Self.things[0]))
        #expect(id("recommendation") == "nps-2026")
        #expect(id("nps-") == "nps-2026")
        #expect(id("rat") == "rating")
        #expect(id("would") == "nps")
        #expect(NameMatch("would", among: Self.things) == .beginning(Self.things[0]))
        #expect(id("rating of") == "Tea")
    }

    @Test("capitals are small letters, but a whole id is itself")
    func letters() {
        #expect(id("NPS") == "nps")
        #expect(id("te") == "Tea")
        let pair = [NamedThing(id: "opens"), NamedThing(id: "OPENS")]
        #expect(NameMatch("OPENS", among: pair) == .whole(pair[1]))
        #expect(NameMatch("Opens", among: pair) == .several(pair))
    }

    @Test("what can mean several is never guessed")
    func several() {
        #expect(several("np") == ["nps", "nps-2026"])
        #expect(several("quick question") == ["rating", "tools"])
        #expect(several("t") == ["Tea", "tools"])
    }

    @Test("what means nothing comes back with names that are like it, and nothing is looked for that is nothing")
    func nothing() {
        #expect(nearest("ratign") == ["rating"])
        #expect(nearest("zzzzzzz") == [])
        #expect(nearest("") == [])
        #expect(nearest(String(repeating: "n", count: 2_000)) == [])
    }

    @Test("where beginnings do not count, they are what may have been meant")
    func strict() {
        #expect(id("nps", .none) == "nps")
        #expect(id("recommendation", .none) == "nps-2026")
        #expect(nearest("rati", .none).first == "rating")
        #expect(id("rati", .ofIDs) == "rating")
        #expect(id("would", .ofIDs) == nil)
    }
}
