import Foundation
import HarkTesting
import HarkWire
import Testing

/// A store that the programs of an earlier version wrote goes on being read and written.
@Suite(.endToEnd) struct EarlierStoreTests {
    /// What version 0.1.0 wrote, as root, with something of every family, and what it answered to questions about it
    /// after a restart with all destinations switched off.
    private static let folder = "\(top)/Fixtures/stores/0.1.0"

    private static let top = URL(fileURLWithPath: #filePath).pathComponents.prefix { $0 != "EndToEnd" }
        .joined(separator: "/")

    /// Members that mean the same and read otherwise since: the reference's word for what a choice is asked by, and what a
    /// rule has another of each day.
    private static let renamed: [String: [JSONValue]] = [
        "responseType": ["options", "choice"], "tip": ["Rest.", "Run.", "Read."],
    ]

    @Test("a store of 0.1.0 opens, and what it holds is answered as 0.1.0 answered it")
    func everythingIsThere() throws {
        let home = try moveIn()
        let first = try home.start()
        try compare(try first.connect())
        // Once more from what this version has made of it, and after a crash in between.
        let writer = try first.connect()
        try writer.call("session.start", #"{"app":"later","userId":"new"}"#)
        try writer.call("event.record", #"{"app":"later","name":"new"}"#)
        first.kill()
        let second = try home.start()
        let client = try second.connect()
        #expect(try client.call("event.list", #"{"userId":"new"}"#)["events"]?.arrayValue?.count == 1)
        try client.call("event.clear", #"{"userId":"new"}"#)
        second.kill()
        try compare(try home.start().connect())
    }

    private func moveIn() throws -> DaemonHome {
        let home = try DaemonHome()
        let files = FileManager.default
        for name in ["harkd.json", "surveys.json", "forms.json"] {
            try files.copyItem(atPath: "\(Self.folder)/\(name)", toPath: "\(home.configuration)/\(name)")
        }
        try home.files.write("secret", to: "config/key")
        try files.createDirectory(atPath: home.state, withIntermediateDirectories: true)
        try files.copyItem(atPath: "\(Self.folder)/hark.db", toPath: "\(home.state)/hark.db")
        try files.copyItem(atPath: "\(Self.folder)/archive", toPath: "\(home.state)/archive")
        return home
    }

    private func compare(_ client: SocketClient) throws {
        let text = try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/answers.json"))
        let asked = try #require(try JSONReader.read(Array(text)).arrayValue)
        try #require(asked.count == 17)
        for question in asked {
            let (method, params) = (try #require(try question["method"]?.text), try #require(question["params"]))
            var json = JSONWriter()
            json.value(params)
            let now = try client.call(method, String(decoding: json.bytes, as: UTF8.self))
            let differences = Self.differences(try #require(question["result"]), now, at: "\(method) \(params)")
            #expect(differences.isEmpty, "\(differences.prefix(5).joined(separator: "\n"))")
        }
    }

    /// Where `new` lacks something of `old` or says otherwise; what it says besides is fine.
    private static func differences(_ old: JSONValue, _ new: JSONValue?, at place: String) -> [String] {
        if let members = old.objectValue {
            return members.flatMap { member -> [String] in
                let place = "\(place).\(member.key)"
                let now = new?[member.key]
                if let words = renamed[member.key], words.contains(member.value), let now, words.contains(now) {
                    return []
                }
                return differences(member.value, now, at: place)
            }
        }
        if let elements = old.arrayValue {
            let others = new?.arrayValue ?? []
            guard elements.count == others.count else { return ["\(place): \(elements.count) became \(others.count)"] }
            return zip(elements, others).enumerated().flatMap { differences($1.0, $1.1, at: "\(place)[\($0)]") }
        }
        return old == new ? [] : ["\(place): \(old) became \(String(describing: new))"]
    }
}
