import Glibc

/// A client's load on a daemon that serves others as well.
struct Attack {
    let name: String
    /// Files of the configuration that exist from the start.
    var configuration: [String: String] = [:]
    /// Requests that are answered before the attack begins.
    var before: [String] = []
    /// The lines that are sent over and over.
    var text: [UInt8] = []
    var connections = 1
    var reads = true
    var halfClosesAfter: Int?
    /// Files of the configuration that are replaced when the attack begins.
    var replacing: [String: String] = [:]

    init(_ name: String, _ lines: [String] = []) {
        self.name = name
        text = Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    func with(_ change: (inout Attack) -> Void) -> Attack {
        var attack = self
        change(&attack)
        return attack
    }
}

private func call(_ method: String, _ params: String = "{}") -> String {
    #"{"id":1,"method":"\#(method)","params":\#(params)}"#
}

extension Attack {
    static func all(scale: Double) -> [Attack] {
        return [Attack("nobody else")] + requests + conditions + documents(scale) + shown(scale) + stores(scale)
            + streams(scale)
    }

    /// Requests that are long, odd or many.
    private static var requests: [Attack] {
        let keys = (0..<80_000).map { #""k\#($0)":1"# }.joined(separator: ",")
        let deep = String(repeating: #"{"a":"#, count: 30) + "1" + String(repeating: "}", count: 30)
        return [
            Attack("lines of 1 MB", [call("event.record", #"{"name":"x","properties":{"t":"\#(text(1_000_000))"}}"#)]),
            Attack("80,000 properties", [call("event.record", #"{"name":"x","properties":{\#(keys)}}"#)]),
            Attack("80,000 members nobody knows", [call("hello", "{\(keys)}")]),
            Attack("1 MB that is not JSON", [#"{"id":1,"method":"\#(text(999_000))"#]),
            Attack("nested as deep as may be", [call("counter.register", #"{"name":"deep","initial":\#(deep)}"#)]),
            Attack("a method of 1 MB", [call(text(999_000))]),
            Attack("256 clients with small requests", [call("hello"), call("session.current"), call("survey.list")])
                .with { $0.connections = 250 },
            Attack("250 clients with lines of 1 MB", [call("log.write", #"{"message":"\#(text(1_000_000))"}"#)])
                .with { $0.connections = 250 },
            Attack("sessions of thousands of apps", (0..<5_000).map { call("session.start", #"{"app":"a\#($0)"}"#) }),
            Attack("a client that never reads", [call("hello")]).with {
                $0.reads = false
                $0.connections = 16
            },
        ]
    }

    /// Conditions that are too long, and an event that many of them ask about.
    private static var conditions: [Attack] {
        let long = #"{"any":["# + Array(repeating: #"{"a":1}"#, count: 60_000).joined(separator: ",") + "]}"
        let properties = (0..<70_000).map { #""p\#($0)":\#($0)"# }.joined(separator: ",")
        return [
            Attack(
                "conditions of 60,000 parts",
                [
                    call("event.list", #"{"where":\#(long)}"#),
                    call("watch.add", #"{"id":"w","event":"x","everySeconds":60,"where":\#(long)}"#),
                    call("execution.add", #"{"id":"x","when":\#(long),"run":{"notify":true}}"#),
                ]),
            Attack(
                "an event of 70,000 properties for 100 watches",
                [call("event.record", #"{"name":"x","properties":{\#(properties)}}"#)]
            )
            .with {
                $0.before = (0..<100).map {
                    call(
                        "watch.add",
                        #"{"id":"w\#($0)","event":"x","everySeconds":60,"where":"p\#($0) = \#($0)"}"#)
                }
            },
        ]
    }

    /// Documents that are checked or put in force.
    private static func documents(_ scale: Double) -> [Attack] {
        let small = "[" + String(repeating: "{},", count: 330_000) + "]"
        let large = #"{"surveys":["# + String(repeating: "{},", count: Int(3_000_000 * scale.squareRoot())) + "]}"
        let options = (0..<60_000).map { #"\"o\#($0)\""# }.joined(separator: ",")
        let rules = (0..<1_000).map {
            #"{"id":"s\#($0)","title":"T","message":"M","options":["A"],"trigger":{"event":{"name":"x","#
                + #""properties":{"t":{"op":"contains","value":"\#(text(200))b"}}}}}"#
        }
        let plain = (0..<2_400).map {
            #"{"id":"s\#($0)","title":"T","message":"M","options":["A"],"trigger":{"event":{"name":"x","#
                + #""properties":{"p\#($0)":{"op":"eq","value":2}}}}}"#
        }
        let many = (0..<40_000).map { #""k\#($0)":1"# }.joined(separator: ",")
        return [
            Attack(
                "config.validate of 1 MB of {},",
                [call("config.validate", #"{"kind":"surveys","text":"{\"surveys\":\#(small)}"}"#)]),
            Attack(
                "config.validate of 60,000 options",
                [
                    call(
                        "config.validate",
                        #"{"kind":"forms","text":"{\"forms\":[{\"id\":\"f\",\"title\":\"t\",\"questions\":[{\"id\":\"q\",\"question\":\"?\",\"type\":\"single\",\"options\":[\#(options)]}]}]}"}"#
                    )
                ]),
            Attack("daemon.reload with 9 MB of {}, in surveys.json", [call("daemon.reload")]).with {
                $0.replacing = ["surveys.json": large]
            },
            Attack("daemon.reload with 9 MB of {}, in harkd.json", [call("daemon.reload")]).with {
                $0.replacing = ["harkd.json": large]
            },
            Attack(
                "2,400 rules for an event of 40,000 properties",
                [call("event.record", #"{"name":"x","properties":{\#(many)}}"#)]
            )
            .with { $0.configuration = ["surveys.json": #"{"surveys":[\#(plain.joined(separator: ","))]}"#] },
            Attack(
                "200 rules that search 1 MB",
                [call("event.record", #"{"name":"x","properties":{"t":"\#(text(1_000_000))"}}"#)]
            )
            .with {
                $0.configuration = ["surveys.json": #"{"surveys":[\#(rules.prefix(200).joined(separator: ","))]}"#]
            },
        ]
    }

    /// Lists and documents of about 1 MiB, in texts of more than ASCII.
    private static func shown(_ scale: Double) -> [Attack] {
        func text(_ count: Int) -> String { String(repeating: "é", count: count / 2) }
        func options(_ count: Int) -> String {
            (0..<count).map { #""\#(100 + $0)\#(text(250))""# }.joined(separator: ",")
        }
        func id(_ number: Int) -> String { "0199e0f4-8c7a-7000-8000-\(100_000_000_000 + number)" }
        let ids = (0..<100).map { #"{"promptId":"\#(id($0))"}"# }
        let asked = (0..<100).map {
            call(
                "prompt.ask",
                #"{"question":"\#(text(1_024))","message":"\#(text(4_096))","options":[\#(options(50))],"keep":true,"#
                    + #""promptId":"\#(id($0))"}"#)
        }
        let surveys = (0..<100).map {
            #"{"id":"s\#($0)","title":"T","message":"\#(text(3_000))","options":[\#(options(50))],"trigger":{"event":{"name":"x"}}}"#
        }
        let questions = (0..<45).map {
            #"{"id":"q\#($0)","type":"single","question":"\#(text(1_000))","options":[\#(options(50))]}"#
        }
        let forms = #"{"forms":[{"id":"f","title":"T","questions":[\#(questions.joined(separator: ","))]}]}"#
        return [
            Attack("pages of large prompts", [call("survey.pending")]).with { $0.before = asked },
            Attack("large prompts that are read", ids.map { call("prompt.get", $0) }).with { $0.before = asked },
            Attack("large prompts that are waited for", ids.map { call("prompt.wait", $0) }).with {
                $0.before = asked + ids.map { call("prompt.cancel", $0) }
            },
            Attack("large prompts that are asked", asked),
            Attack("survey.list of 1 MiB", [call("survey.list")]).with {
                $0.configuration = ["surveys.json": #"{"surveys":[\#(surveys.joined(separator: ","))]}"#]
            },
            Attack("form.start of 1 MiB", [call("form.start", #"{"formId":"f"}"#)]).with {
                $0.configuration = ["forms.json": forms]
            },
        ].map { attack in attack.with { $0.connections = 4 } }
    }

    /// Requests that search much of the store.
    private static func stores(_ scale: Double) -> [Attack] {
        let events = (0..<Int(200_000 * scale)).map {
            #"{"id":1,"method":"event.record","params":{"name":"page_\#($0 % 7)","properties":{"n":\#($0)}}}"#
        }
        let scan = call("event.list", #"{"name":"*z*z*z*z*z","limit":10000}"#)
        let counted = call(
            "event.stats",
            #"{"by":["@name","n"],"value":"n","percentiles":[50,95,99],"distinct":"n"}"#)
        func scanning(_ attack: Attack) -> Attack { attack.with { $0.before = events } }
        return [
            scanning(Attack("64 scans under way", Array(repeating: scan, count: 64))),
            scanning(Attack("scans of 200 clients", [scan])).with { $0.connections = 200 },
            scanning(
                Attack("scans of clients who are gone", Array(repeating: scan, count: 64)).with {
                    $0.halfClosesAfter = scan.utf8.count * 64
                    $0.connections = 20
                }),
            scanning(Attack("pages of 10,000 events", [call("event.list", #"{"limit":10000}"#)])).with {
                $0.connections = 8
            },
            scanning(Attack("heavy statistics", Array(repeating: counted, count: 50))).with { $0.connections = 4 },
            scanning(Attack("daemon.status", [call("daemon.status")])).with { $0.connections = 8 },
            scanning(Attack("retention.apply", [call("retention.apply")])),
            Attack(
                "event.clear", [call("event.record", #"{"name":"x"}"#), call("event.clear", #"{"userId":"nobody"}"#)]),
        ]
    }

    /// Counters, executions that listen to them, and subscribers.
    private static func streams(_ scale: Double) -> [Attack] {
        let long = #"{"name":"c","value":"\#(text(65_000))"}"#
        let searching = (0..<60).map {
            call(
                "execution.add",
                #"{"id":"x\#($0)","when":{"c":{"op":"contains","value":"\#(text(25_000))b"}},"run":{"notify":true}}"#)
        }
        let conditions = (0..<700).map { #"{"c\#($0)":{"op":"lt","value":0}}"# }.joined(separator: ",")
        let asking = (0..<3_000).map {
            call(
                "execution.add",
                #"{"id":"x\#($0)","listensTo":["c"],"when":{"any":[\#(conditions)]},"run":{"notify":true}}"#)
        }
        let firing = (0..<3_000).map {
            call("execution.add", #"{"id":"x\#($0)","listensTo":["c"],"keepAlive":true,"run":{"notify":true}}"#)
        }
        let registered = call("counter.register", #"{"name":"c"}"#)
        let large = (0..<Int(400 * scale)).map {
            call("counter.register", #"{"name":"l\#($0)","initial":"\#(text(60_000))"}"#)
        }
        let numbers = (0..<10_000).map { call("counter.register", #"{"name":"n\#($0)"}"#) }
        let subscribing = Array(repeating: call("event.subscribe"), count: 200)
        return [
            Attack("60 searches of 25 kB in 65 kB at each change", [call("counter.set", long)]).with {
                $0.before = [registered] + searching
            },
            Attack("3,000 conditions behind one counter", [call("counter.trigger", #"{"name":"c"}"#)]).with {
                $0.before = [registered] + asking
            },
            Attack("3,000 executions fire at each change", [call("counter.trigger", #"{"name":"c"}"#)]).with {
                $0.before = [registered] + firing
            },
            Attack(
                "adding executions of 50 kB",
                (0..<40).map {
                    call(
                        "execution.add",
                        #"{"id":"y\#($0)","listensTo":["c"],"run":{"exec":["/bin/true","\#(text(50_000))"]}}"#)
                }
            ).with { $0.before = [registered] },
            Attack("lists of 10,000 counters", [call("counter.list", #"{"limit":1}"#)]).with { $0.before = numbers },
            Attack("snapshots of large counters", [call("counter.subscribe")]).with {
                $0.before = large
                $0.reads = false
                $0.connections = 3
            },
            Attack(
                "subscribers who are half gone",
                subscribing + [call("counter.subscribe"), call("event.record", #"{"name":"x"}"#)]
            )
            .with {
                $0.halfClosesAfter = 1 << 14
                $0.connections = 50
            },
            Attack(
                "thousands of subscriptions",
                subscribing + Array(repeating: call("event.record", #"{"name":"x"}"#), count: 100)
            )
            .with { $0.connections = 100 },
            Attack(
                "changes told to thousands of watchers",
                Array(repeating: call("counter.subscribe", #"{"name":"c"}"#), count: 200)
                    + Array(repeating: call("counter.set", long), count: 20)
            ).with {
                $0.before = [registered]
                $0.connections = 50
            },
        ]
    }

    /// A text in which a search finds a possible beginning everywhere.
    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }
}
