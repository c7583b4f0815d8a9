import HarkCore
import HarkWire
import Testing

@Suite("The daily tip")
struct DailyDrawTests {
    private func draws(_ user: String?, of count: Int, days: ClosedRange<Int64>) -> [Int64] {
        let list = (0..<count).map { JSONValue.int(Int64($0)) }
        return days.compactMap { day in
            DailyDraw(UserKey(uid: 1000, userId: user), day: day).one(of: list)?.intValue
        }
    }

    @Test("it is never the same two days running, before 1970 and after", arguments: 2...9)
    func running(count: Int) {
        for user in [nil, "ada", "bob", "", "日本"] {
            let draws = draws(user, of: count, days: -2000...2000)
            #expect(draws.count == 4001)
            #expect(zip(draws, draws.dropFirst()).allSatisfy { $0 != $1 })
            #expect(Set(draws).count == count)
        }
    }

    @Test("in as many days as there are tips, each comes once")
    func rounds() {
        for round in Int64(2900)..<2910 {
            #expect(Set(draws("ada", of: 7, days: round * 7...round * 7 + 6)).count == 7)
        }
    }

    @Test("it is the same all day and differs among users and over the weeks")
    func users() {
        #expect(draws("ada", of: 7, days: 20_000...20_100) == draws("ada", of: 7, days: 20_000...20_100))
        let users = (0..<50).map { draws("user-\($0)", of: 7, days: 20_000...20_000)[0] }
        #expect(Set(users).count > 4)
        #expect(draws("ada", of: 7, days: 20_000...20_020) != draws("bob", of: 7, days: 20_000...20_020))
    }

    @Test("of one there is one, of none there is none")
    func few() {
        #expect(draws("ada", of: 1, days: 5...7) == [0, 0, 0])
        #expect(DailyDraw(UserKey(uid: 1, userId: nil), day: 3).one(of: []) == nil)
    }

    @Test("O2: the sample's tip is there before anything is answered, and suits the goal after")
    func sample() throws {
        var stage = Stage(try FormSamples.onboarding())
        #expect(try stage.profile(day: 20_778)["dailyTip"]?.stringValue?.isEmpty == false)
        try stage.fill("onboarding", ["primaryGoal": "Improve sleep"])
        var tips: [String] = []
        for day in Int64(20_776)..<20_790 {
            tips.append(try stage.profile(day: day)["dailyTip"]?.stringValue ?? "")
        }
        #expect(zip(tips, tips.dropFirst()).allSatisfy { $0 != $1 })
        #expect(Set(tips).count == 7)
        #expect(tips.contains("Keep your bedroom cool, dark and quiet."))
    }
}
