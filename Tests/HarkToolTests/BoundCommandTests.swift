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

    @Test("operands fill members in their order, the rest together, and options behind them by name")
    func operands() throws {
        func bind(_ command: inout Binder, _ request: inout DeliveryReplay) {
            command.operand("DESTINATION", &request.letters.destination)
            command.operands("[SEQ …]") { words in request.letters.numbers = words.compactMap { UInt64($0) } }
        }
        let declared = Binder.declared { bind(&$0, &$1) }
        #expect(declared.usage == "DESTINATION [SEQ …]")
        #expect(declared.operands == 1...Int.max)
        var arguments = Arguments()
        arguments.add(operand: "core")
        var request = DeliveryReplay()
        try Binder.fill(&request, arguments) { bind(&$0, &$1) }
        #expect(request.letters.destination == "core" && request.letters.numbers == nil)
        for number in ["7", "8"] { arguments.add(operand: number) }
        try Binder.fill(&request, arguments) { bind(&$0, &$1) }
        #expect(request.letters.numbers == [7, 8])
    }

    @Test("an operand that may be left out leaves its member alone, and a wrong one is told")
    func operandLeftOut() throws {
        func bind(_ command: inout Binder, _ request: inout DebugSet) {
            command.operand("[MODE]", isOptional: true, or: "debug") { text throws(ToolError) in
                guard let preset = DebugPreset(rawValue: text) else { throw .usage("no mode") }
                request.preset = preset
            }
            command.spanOrOff(Option("delay", value: "TIME", "The delay."), &request.delay)
        }
        #expect(Binder.declared { bind(&$0, &$1) }.operands == 0...1)
        var request = DebugSet()
        try Binder.fill(&request, Arguments()) { bind(&$0, &$1) }
        #expect(request.json == Array("{}".utf8))
        var arguments = Arguments()
        arguments.add(operand: "production")
        try arguments.set(Option("delay", value: "TIME", "The delay."), "off")
        try Binder.fill(&request, arguments) { bind(&$0, &$1) }
        #expect(request.json == Array(#"{"preset":"production","scheduleDelaySeconds":null}"#.utf8))
        arguments = Arguments()
        arguments.add(operand: "both")
        #expect(throws: ToolError.self) { try Binder.fill(&request, arguments) { bind(&$0, &$1) } }
    }

    @Test("errors name the options and the operands that filled a member, as they are called")
    func namedInErrors() throws {
        func label(_ member: String, _ words: String...) -> String? {
            words.reduce(CommandTable.hark as Command?) { $0?.member($1) }?.label?(member)
        }
        #expect(label("scheduleDelaySeconds", "debug") == "--delay")
        #expect(label("preset", "debug") == nil)
        #expect(label("name", "counter", "trigger") == "NAME")
        #expect(label("app", "counter", "get") == "--app")
        #expect(label("id", "execution", "remove") == "ID")
        #expect(label("destination", "delivery", "replay") == "DESTINATION")
        #expect(label("seqs", "delivery", "replay") == nil)
        #expect(label("limit", "delivery", "dead") == "--limit")
        // The name of a watch is its id.
        #expect(label("id", "watch", "remove") == nil)
    }

    @Test("advice names the command for a method, also where that is not bound to it")
    func advice() {
        for (method, command) in [
            ("event.record", "record"), ("event.list", "events"), ("session.start", "session start"),
            ("counter.register", "counter register"), ("execution.subscribe", "execution follow"),
            ("config.reload", "config reload"), ("daemon.status", "status"), ("session.import", "import"),
            ("event.stats", "stats"), ("event.clear", "clear"), ("log.write", "log"), ("config.get", "config show"),
            ("retention.apply", "retention apply"), ("delivery.resume", "delivery resume"), ("debug.set", "debug"),
            ("session.list", "session list"),
        ] {
            #expect(ProtocolWords.commandCalling(method) == command)
        }
    }
}
