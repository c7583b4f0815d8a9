import HarkCore
import HarkWire
import Testing

@Suite struct RetentionPolicyTests {
    @Test(
        "E9: the presets are what they are said to be",
        arguments: [
            (RetentionPreset.none, nil as Double?, nil as Int?), (.conservative, 90, 100), (.standard, 30, 50),
            (.aggressive, 7, 20),
        ])
    func presets(_ preset: RetentionPreset, _ days: Double?, _ sessions: Int?) {
        #expect(
            RetentionPolicy(preset)
                == RetentionPolicy(
                    maxAgeDays: days, maxSessionsPerUser: sessions, maxAnswerAgeDays: preset == .none ? nil : 730))
    }

    @Test("E9: the default goes by age and size, never by a count; it takes a tenth of a small disk")
    func long() {
        #expect(
            RetentionPolicy.long
                == RetentionPolicy(maxAgeDays: 730, maxStoreBytes: 4_000_000_000, maxAnswerAgeDays: 730))
        #expect(RetentionPolicy(.long, diskBytes: 8_000_000_000).maxStoreBytes == 800_000_000)
        #expect(RetentionPolicy(.long, diskBytes: .max).maxStoreBytes == 4_000_000_000)
        #expect(RetentionPolicy(.long, diskBytes: 0).maxStoreBytes == 1)
        #expect(RetentionPolicy(.standard, diskBytes: 10).maxStoreBytes == nil)
        #expect(RetentionPreset.allCases.count == 5)
    }

    @Test("the cutoff lies so many days back, and never before the calendar begins")
    func cutoff() {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        #expect(RetentionPolicy(maxAgeDays: 1).cutoff(now: now) == Timestamp(milliseconds: 1_799_913_600_000))
        #expect(RetentionPolicy(maxAgeDays: 0.25).cutoff(now: now) == Timestamp(milliseconds: 1_799_978_400_000))
        #expect(RetentionPolicy(maxSessionsPerUser: 1).cutoff(now: now) == nil)
        #expect(RetentionPolicy(maxAgeDays: 36_500_000).cutoff(now: now) == .earliest)
    }

    @Test("a policy without a limit on sessions keeps them, one with any does not")
    func unlimited() {
        #expect(RetentionPolicy(maxAnswerAgeDays: 1).keepsSessions)
        for policy in [
            RetentionPolicy(maxAgeDays: 1), RetentionPolicy(maxSessionsPerUser: 1), RetentionPolicy(maxStoreBytes: 1),
        ] {
            #expect(!policy.keepsSessions)
        }
    }

    @Test("a policy is written with every limit, null for none")
    func writing() {
        for (days, text) in [(3, "3"), (0.5, "0.5")] {
            var json = JSONWriter()
            RetentionPolicy(maxAgeDays: days, maxStoreBytes: 1 << 33, maxAnswerAgeDays: days).write(to: &json)
            #expect(
                String(decoding: json.bytes, as: UTF8.self)
                    == #"{"maxAgeDays":\#(text),"maxSessionsPerUser":null,"maxStoreBytes":8589934592,"#
                    + #""answers":{"maxAgeDays":\#(text)}}"#)
        }
    }
}
