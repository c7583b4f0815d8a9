import Foundation
import HarkWire
import Testing

@testable import HarkTool

/// Commands that are bound to a method of the daemon: their options fill the members of its params.
@Suite struct BoundCommandTests {
    /// The names of the params of each method, as `openrpc.json` has them.
    private static let params: [String: [String]] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent("packaging/schema/openrpc.json")
        guard let data = try? Data(contentsOf: file),
            let document = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let methods = document["methods"] as? [[String: Any]]
        else { return [:] }
        return methods.reduce(into: [:]) { known, method in
            let params = method["params"] as? [[String: Any]] ?? []
            known[method["name"] as? String ?? ""] = params.compactMap { $0["name"] as? String }
        }
    }()

    private static func bound(_ command: Command = CommandTable.hark) -> [Command] {
        (command.calls == nil ? [] : [command]) + command.commands.flatMap { bound($0) }
    }

    @Test("there are bound commands, and each calls a method that there is")
    func methods() {
        let commands = BoundCommandTests.bound()
        #expect(commands.count >= 3)
        for command in commands {
            let method = command.calls ?? ""
            #expect(BoundCommandTests.params[method] != nil, "\(command.name) calls \(method)")
        }
    }

    @Test("each option with a value that fills a member is how errors call that member")
    func labels() {
        for command in BoundCommandTests.bound() where command.label != nil {
            let labels = (BoundCommandTests.params[command.calls ?? ""] ?? []).compactMap { command.label?($0) }
            #expect(Set(labels).count == labels.count, "\(command.name): \(labels)")
            for option in command.options where option.value != nil {
                #expect(labels.contains("--\(option.name)"), "\(command.name): --\(option.name)")
            }
        }
    }

    @Test("a method is told by the command that calls it")
    func words() {
        #expect(ProtocolWords.commandCalling("watch.remove") == "watch remove")
        #expect(ProtocolWords.commandCalling("watch.list") == "watch list")
        #expect(ProtocolWords.commandCalling("mute.remove") == "unmute")
        #expect(ProtocolWords.commandCalling("watch.nothing") == nil)
    }
}
