internal import HarkWire

/// The topics of a fleet.
///
/// `hark/FLEET/up/SHARD/MACHINE` and `hello/SHARD/MACHINE` lead to a hub, `ack/MACHINE` back to the machine;
/// `hub/SHARD` (who serves the shard) and `config/all/KIND`, `config/group/GROUP/KIND` are retained at the broker.
package struct FleetTopics: Sendable, Equatable {
    package let fleet: String
    /// The number of shards among which machines are divided.
    package let shards: Int

    package static let mostShards = 1_024

    package init(fleet: String, shards: Int = 1) {
        self.fleet = fleet
        self.shards = min(max(shards, 1), FleetTopics.mostShards)
    }

    private var root: String { "hark/\(fleet)" }

    /// The shard of a machine: the 64-bit FNV-1a hash of its name, modulo the number of shards (G. Fowler, L. Noll,
    /// K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm").
    package func shard(of machine: String) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in machine.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return Int(hash % UInt64(shards))
    }

    package func records(of machine: String) -> String { "\(root)/up/\(shard(of: machine))/\(machine)" }
    package func hello(of machine: String) -> String { "\(root)/hello/\(shard(of: machine))/\(machine)" }
    /// The topic for probing a hub, under a name that no machine has.
    package func hello(ofProbe name: String, shard: Int) -> String { "\(root)/hello/\(shard)/\(name)" }
    package func acknowledgements(to machine: String) -> String { "\(root)/ack/\(machine)" }
    package func presence(ofShard shard: Int) -> String { "\(root)/hub/\(shard)" }

    package func document(_ kind: FleetDocument.Kind, group: String?) -> String {
        "\(root)/config/\(group.map { "group/\($0)" } ?? "all")/\(kind.rawValue)"
    }

    /// The topics of a machine, except documents; lost messages on them are requested again.
    package func subscriptions(of machine: String) -> [String] {
        [acknowledgements(to: machine), presence(ofShard: shard(of: machine))]
    }

    /// The topics of a machine's documents; the broker must lose none of them.
    package func documents(for group: String?) -> [String] {
        ["\(root)/config/all/+"] + (group.map { ["\(root)/config/group/\($0)/+"] } ?? [])
    }

    /// The topics of the hub of these shards, except presence, to which other hubs subscribe too.
    package func subscriptions(ofHubOf shards: [Int]) -> [String] {
        shards.flatMap { ["\(root)/up/\($0)/+", "\(root)/hello/\($0)/+"] }
    }

    /// The kind of message in a topic.
    package enum Meaning: Sendable, Equatable {
        case records(machine: String, shard: Int)
        case hello(machine: String, shard: Int)
        case acknowledgement(machine: String)
        case presence(shard: Int)
        case document(FleetDocument.Kind, group: String?)
    }

    /// - Returns: nil for a topic of another fleet, or an invalid one.
    package func meaning(of topic: String) -> Meaning? {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0] == "hark", parts[1] == fleet else { return nil }
        let rest = parts.dropFirst(3)
        guard rest.allSatisfy(FleetName.isValid) else { return nil }
        let words = rest.map(String.init)
        switch (parts[2], words.count) {
        case ("up", 2): return Int(words[0]).map { .records(machine: words[1], shard: $0) }
        case ("hello", 2): return Int(words[0]).map { .hello(machine: words[1], shard: $0) }
        case ("ack", 1): return .acknowledgement(machine: words[0])
        case ("hub", 1): return Int(words[0]).map { .presence(shard: $0) }
        case ("config", 2) where words[0] == "all":
            return FleetDocument.Kind(rawValue: words[1]).map { .document($0, group: nil) }
        case ("config", 3) where words[0] == "group":
            return FleetDocument.Kind(rawValue: words[2]).map { .document($0, group: words[1]) }
        default: return nil
        }
    }
}
