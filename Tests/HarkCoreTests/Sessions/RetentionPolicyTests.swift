import HarkCore
import HarkWire
import Testing

@Suite struct RetentionPolicyTests {
    @Test(
        "E9: the presets are what they are said to be",
        arguments: [
            ("none", nil as Double?, nil as Int?), ("conservative", 90, 100), ("standard", 30, 50),
            ("aggressive", 7, 20),
        ])
    func presets(_ name: String, _ days: Double?, _ sessions: Int?) {
        #expect(RetentionPolicy.preset(name) == RetentionPolicy(maxAgeDays: days, maxSessionsPerUser: sessions))
    }

    @Test("E9: standard is the default, and there is no other preset")
    func standard() {
        #expect(RetentionPolicy.preset("standard") == .standard)
        #expect(RetentionPolicy.preset("Standard") == nil)
        #expect(RetentionPreset.allCases.count == 4)
    }

    @Test("the cutoff lies so many days back, and never before the calendar begins")
    func cutoff() {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        #expect(RetentionPolicy(maxAgeDays: 1).cutoff(now: now) == Timestamp(milliseconds: 1_799_913_600_000))
        #expect(RetentionPolicy(maxAgeDays: 0.25).cutoff(now: now) == Timestamp(milliseconds: 1_799_978_400_000))
        #expect(RetentionPolicy(maxSessionsPerUser: 1).cutoff(now: now) == nil)
        #expect(RetentionPolicy(maxAgeDays: 36_500_000).cutoff(now: now) == .earliest)
    }

    @Test("a policy without a limit is unlimited, one with any is not")
    func unlimited() {
        #expect(RetentionPolicy().isUnlimited)
        for policy in [
            RetentionPolicy(maxAgeDays: 1), RetentionPolicy(maxSessionsPerUser: 1), RetentionPolicy(maxStoreBytes: 1),
        ] {
            #expect(!policy.isUnlimited)
        }
    }

    @Test("a policy is written with every limit, null for none")
    func writing() {
        for (days, text) in [(3, "3"), (0.5, "0.5")] {
            var json = JSONWriter()
            RetentionPolicy(maxAgeDays: days, maxStoreBytes: 1 << 33).write(to: &json)
            #expect(
                String(decoding: json.bytes, as: UTF8.self)
                    == #"{"maxAgeDays":\#(text),"maxSessionsPerUser":null,"maxStoreBytes":8589934592}"#)
        }
    }
}
