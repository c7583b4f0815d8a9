import Foundation
import Testing

/// The layers of the daemon: each target knows those below it, and no other.
@Suite(.endToEnd) struct LayerTests {
    /// From the lowest layer up. Targets of one layer do not know each other.
    private static let layers = [
        ["HarkWire"], ["HarkFleet", "HarkPattern", "HarkSystem"], ["HarkCore"], ["HarkStore"],
        ["HarkDelivery", "HarkLedger"], ["HarkServer"], ["HarkSettings"],
        ["HarkHub", "HarkNotifier", "HarkSimulation"],
        ["HarkDaemon"],
    ]

    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

    @Test("a target of the daemon imports only targets of the layers below its own")
    func imports() throws {
        var below: Set<String> = []
        for layer in Self.layers {
            for target in layer {
                let strangers = try imports(of: target).subtracting(below)
                #expect(strangers.isEmpty, "\(target) imports \(strangers.sorted())")
            }
            below.formUnion(layer)
        }
    }

    /// The targets of this package that a target's files import.
    private func imports(of target: String) throws -> Set<String> {
        let folder = Self.sources.appending(path: target)
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var found: Set<String> = []
        var count = 0
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            count += 1
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.first == "import" || words.dropFirst().first == "import", let module = words.last else {
                    continue
                }
                if module.hasPrefix("Hark") { found.insert(String(module)) }
            }
        }
        #expect(count > 0, "there is no \(target)")
        return found
    }
}
