import HarkClient
import HarkWire

/// Tools that record events and watch for them.
extension MCPTool {
    private static let mostProperties = 256
    private static let propertyBytes = 262_144

    static let recordEvent = MCPTool(
        name: "record_event", title: "Record an event",
        description: """
            Records that something happened; it is on disk when this returns. Surveys, watches and charts of this machine use \
            events, so an event with a name they expect may trigger a question. Properties are texts, numbers, true and false; \
            nothing is nested. The property client says that it comes from you, and names that begin with "agent." are taken.
            """,
        input: """
            {"type":"object","properties":{
            "name":{"type":"string","description":"What happened, like backup.done; at most 256 bytes."},
            "properties":{"type":"object","additionalProperties":{"type":["string","number","boolean"]}},
            "app":{"type":"string","description":"The app that it belongs to; default mcp."}},
            "required":["name"]}
            """,
        output: """
            {"type":"object","properties":{"seq":{"type":["integer","null"]},"id":{"type":["string","null"]},
            "session_id":{"type":["string","null"]},"note":{"type":"string"}},"required":["seq","id"]}
            """,
        arguments: ["name", "properties", "app"],
        begin: { call throws(MCPArguments.Fault) in
            let name = try call.arguments.required("name")
            let app = try call.arguments.text("app") ?? AgentWords.app
            guard !name.lowercased().hasPrefix("agent.") else {
                throw MCPArguments.Fault("names that begin with 'agent.' tell what agents did; choose another")
            }
            let request = try recordRequest(call, name, app)
            return call.noting("agent.recorded") { properties in
                properties.key("name")
                properties.string(MCPNote.cut(name))
                properties.key("app")
                properties.string(MCPNote.cut(app))
            } then: { call in
                call.ask(request) { _, result in .done(recorded(result)) }
            }
        })

    private static func recordRequest(
        _ call: MCPCall, _ name: String, _ app: String
    ) throws(MCPArguments.Fault) -> EventRecord {
        var properties = try call.arguments.object("properties") ?? [:]
        guard properties.count <= mostProperties else {
            throw MCPArguments.Fault("an event has at most \(mostProperties) properties here")
        }
        properties[MCPNote.client] = .string(call.client.name)
        var request = EventRecord(name, AnyJSON(properties), app: app)
        request.unattended = true
        let bytes = request.json.count
        guard bytes <= propertyBytes else {
            throw MCPArguments.Fault(
                "an event has at most \(propertyBytes) bytes here, and this one has \(bytes); put the rest into a file and "
                    + "record where it is")
        }
        return request
    }

    private static func recorded(_ result: JSONText) -> MCPToolResult {
        .object { json in
            let event = RecordedEventInfo(result)
            json.key("seq")
            if let seq = event.seq { json.int(seq) } else { json.null() }
            for (name, id) in [("id", event.id), ("session_id", event.sessionId)] {
                json.key(name)
                if let id { json.identifier(id) } else { json.null() }
            }
            guard let dropped = event.droppedProperties, !dropped.isEmpty else { return }
            json.key("note")
            json.string("left out, as they are null: \(dropped.joined(separator: ", "))")
        }
    }

    // MARK: Watches

    static let watch = MCPTool(
        name: "watch", title: "Watches: what should have happened",
        description: """
            A watch waits for an event and records watch.missed when it has not come in time, watch.recovered when it comes again. \
            "list" (the default) tells how each stands; "add" adds one, or changes the one of that id; "remove" takes one away, also \
            one that a person has made, so ask before you do.
            """,
        input: """
            {"type":"object","properties":{
            "action":{"type":"string","enum":["list","add","remove"],"default":"list"},
            "id":{"type":"string","description":"The name of the watch, and of the event unless event is given."},
            "event":{"type":"string","description":"The name of the event that is to come."},
            "every_seconds":{"type":"number","minimum":1,"description":"For how long it may stay away."},
            "where":{"type":"string","description":"Only events for which this holds count, like exitCode = 0."},
            "between":{"type":"string","description":"Only these hours count: 08:00-18:00."},
            "days":{"type":"string","description":"Only these days count: mon-fri."},
            "app":{"type":"string","description":"Only events of this app count."}}}
            """,
        output: """
            {"type":"object","properties":{"watches":{"type":"array","items":{"type":"object"}},"removed":{"type":"boolean"},
            "replaced":{"type":"boolean"},"note":{"type":"string"}}}
            """,
        isDestructive: true,
        arguments: ["action", "id", "event", "every_seconds", "where", "between", "days", "app"],
        begin: { call throws(MCPArguments.Fault) in
            let action = try call.arguments.text("action") ?? "list"
            let request: any WireMethod
            switch action {
            case "list": request = WatchList()
            case "add": request = try added(call)
            case "remove":
                var removed = WatchRemove()
                removed.id = try call.arguments.required("id")
                request = removed
            default: throw MCPArguments.Fault("'action' is list, add or remove")
            }
            let id = try call.arguments.text("id")
            return call.noting("agent.watched") { properties in
                properties.key("action")
                properties.string(action)
                guard let id else { return }
                properties.key("id")
                properties.string(id)
            } then: { call in
                call.ask(request) { _, result in .done(watched(request, result)) }
            }
        })

    private static func added(_ call: MCPCall) throws(MCPArguments.Fault) -> WatchAdd {
        let arguments = call.arguments
        var request = WatchAdd()
        request.id = try arguments.required("id")
        guard let every = try arguments.number("every_seconds") else {
            throw MCPArguments.Fault("'every_seconds' is missing: for how long the event may stay away")
        }
        // The daemon refuses values out of range.
        request.terms.every = Int64((min(max(every, -1), 1e12) * 1_000).rounded())
        request.terms.condition = try arguments.text("where").map { text throws(MCPArguments.Fault) in
            do throws(ToolError) { return AnyJSON(text: try ConditionArgument.json(text)) } catch {
                throw MCPArguments.Fault(error.message)
            }
        }
        request.event = try arguments.text("event")
        request.terms.app = try arguments.text("app")
        request.terms.between = try arguments.text("between")
        request.terms.days = try arguments.text("days")
        return request
    }

    private static func watched(_ request: any WireMethod, _ result: JSONText) -> MCPToolResult {
        .object { json in
            switch request {
            case is WatchAdd:
                let added = WatchAdd.Result(result)
                json.member("watches", [added.watch])
                json.key("replaced")
                json.bool(added.replaced)
            case is WatchRemove:
                json.key("removed")
                json.bool(WatchRemove.Result(result).removed)
            default:
                let page = WatchList.Result(result)
                json.member("watches", page.watches)
                guard page.next != nil else { return }
                json.key("note")
                json.string("There are more than these \(page.watches.count).")
            }
        }
    }
}
