import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// People's wishes about being asked, in the file.
@Suite struct StoredWishTests {
    private static let moment = Timestamp(milliseconds: 1_800_000_000_000)

    private static func loaded(_ store: StoreUnderTest) throws -> Engine {
        var engine = Engine(watermark: Engine.Watermark())
        try store.reader.bring(.wishes, to: &engine)
        return engine
    }

    private static var muted: Wish {
        var wish = Wish()
        wish.mutedUntil = .latest
        wish.mutesPrompts = true
        return wish
    }

    private static var spaced: Wish {
        var wish = Wish()
        wish.every = 604_800_000
        (wish.askedAt, wish.askedFromAfarAt) = (moment, moment)
        return wish
    }

    @Test(
        "what was said comes back as it was, also after the store was made anew; nothing is left of what is taken back")
    func course() throws {
        let store = try StoreUnderTest()
        let (all, one, other) = (
            WishKey(uid: 1000, survey: nil), WishKey(uid: 1000, survey: "é"), WishKey(uid: 4_000_000_000, survey: "é")
        )
        try store.commit(rows: [
            .other(WishRow.put(Self.spaced, all)), .other(WishRow.put(Self.muted, one)),
            .other(WishRow.put(Self.muted, other)),
        ])
        let night = PersonalQuiet(hours: QuietHours(text: "22:00-07:00 sat,sun;12:00-13:00"), allowsAlarms: true)
        try store.commit(rows: [.other(WishRow.putQuiet(night, uid: 1000))])
        for isRebuild in [false, true] {
            try store.reopen(isRebuild: isRebuild)
            let engine = try Self.loaded(store)
            #expect(engine.wishes[all] == Self.spaced && engine.wishes[one] == Self.muted)
            #expect(engine.wishes[other] == Self.muted)
            #expect(night.hours != nil && engine.wishes.quiet(of: 1000) == night)
        }
        try store.commit(rows: [.other(WishRow.putQuiet(PersonalQuiet(), uid: 1000))])
        #expect(try Self.loaded(store).wishes.quiet(of: 1000) == PersonalQuiet())
        try store.commit(rows: [.other(WishRow.put(Wish(), one)), .other(WishRow.forgetAsking(uid: 7))])
        #expect(try Self.loaded(store).wishes[all].askedAt == Self.moment)
        try store.commit(rows: [.other(WishRow.forgetAsking(uid: 1000))])
        let engine = try Self.loaded(store)
        #expect(engine.wishes[all].every == 604_800_000 && engine.wishes[all].askedAt == nil)
        #expect(engine.wishes[one] == Wish() && engine.wishes[other] == Self.muted)
        #expect(try store.writer.database.integer("SELECT count(*) FROM wish") == 2)
    }
}
