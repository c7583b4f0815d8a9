import HarkFleet
import HarkWire
import Testing

/// The topics of messages, and their meaning; a broker may deliver any topic.
@Suite struct FleetTopicTests {
    private static let topics = FleetTopics(fleet: "shop", shards: 8)

    @Test("a topic says what was to be said by it")
    func roundTrip() {
        let topics = Self.topics
        let shard = topics.shard(of: "kiosk-1")
        #expect(topics.meaning(of: topics.records(of: "kiosk-1")) == .records(machine: "kiosk-1", shard: shard))
        #expect(topics.meaning(of: topics.hello(of: "kiosk-1")) == .hello(machine: "kiosk-1", shard: shard))
        #expect(topics.meaning(of: topics.hello(ofProbe: "hub-1", shard: 3)) == .hello(machine: "hub-1", shard: 3))
        #expect(topics.meaning(of: topics.acknowledgements(to: "kiosk-1")) == .acknowledgement(machine: "kiosk-1"))
        #expect(topics.meaning(of: topics.presence(ofShard: 7)) == .presence(shard: 7))
        for kind in FleetDocument.Kind.allCases {
            #expect(topics.meaning(of: topics.document(kind, group: nil)) == .document(kind, group: nil))
            #expect(topics.meaning(of: topics.document(kind, group: "tills")) == .document(kind, group: "tills"))
        }
    }

    @Test(
        "other topics mean nothing",
        arguments: [
            "", "/", "hark", "hark/shop", "hark/shop/up", "hark/shop/up/0", "hark/shop/up/0/", "hark/shop/up//kiosk-1",
            "hark/shop/up/x/kiosk-1", "hark/shop/up/0/kiosk-1/", "hark/shop/up/0/kiosk-1/more", "/hark/shop/hub/0",
            "hark//hub/0", "hark/shop2/hub/0", "hark/sho/hub/0", "Hark/shop/hub/0", "hark/shop/hub/",
            "hark/shop/hub/0/",
            "hark/shop/hub/99999999999999999999", "hark/shop/hub/0x1", "hark/shop/ack/+", "hark/shop/ack/#",
            "hark/shop/ack/kiosk 1", "hark/shop/ack/kiosk~2", "hark/shop/ack/k\u{0}", "hark/shop/ack/größe",
            "hark/+/ack/a",
            "hark/#", "#", "+/+/+/+", "hark/shop/config/all", "hark/shop/config/all/+", "hark/shop/config/all/words",
            "hark/shop/config/all/surveys/x", "hark/shop/config/group/surveys", "hark/shop/config/group/a+b/surveys",
            "hark/shop/config/group//surveys", "hark/shop/config/others/surveys", "hark/shop/later/0/kiosk-1",
        ])
    func others(topic: String) { #expect(Self.topics.meaning(of: topic) == nil) }

    @Test("names have up to 64 characters that mean nothing to a broker")
    func names() {
        #expect(
            FleetName.isValid("a") && FleetName.isValid(String(repeating: "Z", count: 64)) && FleetName.isValid("a-_9"))
        for name in [
            "", String(repeating: "a", count: 65), "a/b", "+", "#", "a.b", "*", ">", "$SYS", "a b", "ä", "a\n",
        ] {
            #expect(!FleetName.isValid(name), "\(name)")
        }
        let longest = "hark/shop/ack/\(String(repeating: "a", count: 65))"
        #expect(Self.topics.meaning(of: longest) == nil)
        #expect(Self.topics.meaning(of: String(longest.dropLast())) != nil)
    }

    @Test("a topic of 10,000 parts, or of 64 KiB, means nothing, and takes no time to speak of")
    func parts() {
        let clock = ContinuousClock()
        let long = [
            String(repeating: "/", count: 10_000), "hark/shop/up/0" + String(repeating: "/a", count: 10_000),
            "hark/shop/ack/" + String(repeating: "a", count: 65_000),
            "hark/shop/config/group" + String(repeating: "/+", count: 30_000),
        ]
        let time = clock.measure { for topic in long { #expect(Self.topics.meaning(of: topic) == nil) } }
        #expect(time < .seconds(2))
    }

    @Test("shards hold all machines, each always the same, and about as many each")
    func shards() {
        #expect(FleetTopics(fleet: "a", shards: 0).shards == 1 && FleetTopics(fleet: "a", shards: -5).shards == 1)
        #expect(FleetTopics(fleet: "a", shards: 1 << 40).shards == FleetTopics.mostShards)
        var counts = [Int](repeating: 0, count: 8)
        for number in 0..<8_000 { counts[Self.topics.shard(of: "kiosk-\(number)")] += 1 }
        #expect(counts.allSatisfy { (800...1_200).contains($0) }, "\(counts)")
        #expect(FleetTopics(fleet: "a").shard(of: "anything") == 0)
        // A machine of another version is in the same: FNV-1a of "a" is 0xaf63dc4c8601ec8c.
        #expect(FleetTopics(fleet: "a", shards: 1_000).shard(of: "a") == Int(0xaf63_dc4c_8601_ec8c % 1_000 as UInt64))
    }

    @Test("what is listened to is what is said, and nothing of other machines")
    func subscriptions() {
        let own = Self.topics.subscriptions(of: "kiosk-1") + Self.topics.documents(for: "tills")
        let shard = Self.topics.shard(of: "kiosk-1")
        #expect(
            own == [
                "hark/shop/ack/kiosk-1", "hark/shop/hub/\(shard)", "hark/shop/config/all/+",
                "hark/shop/config/group/tills/+",
            ])
        #expect(Self.topics.documents(for: nil) == [own[2]])
        #expect(
            Self.topics.subscriptions(ofHubOf: [0, 2]) == [
                "hark/shop/up/0/+", "hark/shop/hello/0/+", "hark/shop/up/2/+", "hark/shop/hello/2/+",
            ])
    }
}
