import Foundation
import HarkWire

/// A server for logs that fails on instruction, and remembers everything it took: `receiver.py`.
final class Receiver {
    private let files: TemporaryFiles
    private let child: Child
    private let control: SocketClient

    /// The treatment of a request.
    struct Rule {
        let text: String

        /// - Parameter times: then the next rule applies; nil for ever.
        init(_ what: String, times: Int? = nil, _ more: String = "") {
            text = #"{"do":"\#(what)"\#(times.map { #","times":\#($0)"# } ?? "")\#(more.isEmpty ? "" : ",\(more)")}"#
        }

        /// - Parameters:
        ///   - headers: The JSON text of an object.
        ///   - body: The JSON text of any value.
        static func status(_ status: Int, times: Int? = nil, headers: String = "{}", body: String = #""""#) -> Rule {
            Rule("status", times: times, #""status":\#(status),"headers":\#(headers),"body":\#(body)"#)
        }
    }

    /// - Parameter prefix: Programs and their arguments that it is run through.
    init(prefix: [String] = []) throws {
        files = try TemporaryFiles()
        let program = "\(#filePath)".replacingOccurrences(of: "Receiver.swift", with: "receiver.py")
        child = try Child(
            prefix + ["/usr/bin/python3", "-B", program, files.path], errors: files.path("errors"))
        let (path, child, files) = (files.path("control"), child, files)
        try waitUntil("the receiver listens") {
            guard child.isRunning else { throw Failure("the receiver ended: \(try files.text("errors"))") }
            return access(path, F_OK) == 0
        }
        control = try SocketClient(to: path)
    }

    /// Opens a door: a port with rules and a memory of its own.
    /// - Parameter more: Further members of the request, as JSON text.
    func door(_ name: String, _ more: String = "") throws -> Door {
        let port = try control.call("door", #"{"name":"\#(name)"\#(more.isEmpty ? "" : ",\(more)")}"#)["port"]?.intValue
        guard let port else { throw Failure("no port") }
        return Door(name: name, port: Int(port), receiver: self)
    }

    /// Notes the end of a daemon: its earlier deliveries may be repeated, for reasons that the receiver cannot know.
    func noteKill(_ door: Door) throws { _ = try call("epoch", door) }

    fileprivate func call(_ method: String, _ door: Door, _ more: String = "") throws -> JSONValue {
        do {
            return try control.call(method, #"{"name":"\#(door.name)"\#(more.isEmpty ? "" : ",\(more)")}"#)
        } catch {
            throw Failure("\(error); the receiver said: \(try files.text("errors"))")
        }
    }

    struct Door {
        let name: String
        let port: Int
        let receiver: Receiver

        var url: String { "http://127.0.0.1:\(port)" }

        /// From now on connections are refused.
        func close() throws { _ = try receiver.call("close", self) }
        func open() throws { _ = try receiver.call("open", self) }

        /// - Parameter limit: The longest body it takes; larger ones are answered with 413.
        func set(_ rules: Rule..., limit: Int? = nil) throws {
            try set(rules, limit: limit)
        }

        func set(_ rules: [Rule], limit: Int? = nil) throws {
            let list = rules.map(\.text).joined(separator: ",")
            _ = try receiver.call("weather", self, #""rules":[\#(list)],"limit":\#(limit.map(String.init) ?? "null")"#)
        }

        var report: Report { get throws { Report(try receiver.call("report", self)) } }

        /// Keeps the last bodies from now on.
        func keepBodies(_ count: Int = 100) throws { _ = try receiver.call("keep", self, #""bodies":\#(count)"#) }

        /// The bodies it took, decompressed, with their headers.
        var bodies: [JSONValue] {
            get throws { try receiver.call("bodies", self)["bodies"]?.arrayValue ?? [] }
        }

        /// The log records of the bodies it took, read by the published protocol buffers.
        var decoded: [JSONValue] {
            get throws { try receiver.call("decoded", self)["records"]?.arrayValue ?? [] }
        }

        /// The numbers it took of each writer, ascending.
        var numbers: [String: [ClosedRange<Int>]] {
            get throws {
                var numbers: [String: [ClosedRange<Int>]] = [:]
                for member in try receiver.call("numbers", self).objectValue ?? JSONObject([]) {
                    numbers[member.key] = (member.value.arrayValue ?? []).compactMap { pair in
                        guard let first = pair[0]?.intValue, let last = pair[1]?.intValue else { return nil }
                        return Int(first)...Int(last)
                    }
                }
                return numbers
            }
        }
    }

    /// The requests at a door so far.
    struct Report: CustomStringConvertible {
        let value: JSONValue

        fileprivate init(_ value: JSONValue) { self.value = value }

        /// The number of requests, with any outcome.
        var requests: Int { number("requests") }
        /// Entries it took, each time they came, and each once.
        var entries: Int { number("entries") }
        var unique: Int { number("unique") }
        var connections: Int { number("connections") }
        /// Rules of the weather that still lie ahead.
        var weather: Int { number("weather") }
        /// Entries that came before one with a lower number of the same writer, and bodies that could not be read.
        var disorder: [JSONValue] { value["disorder"]?.arrayValue ?? [] }
        /// When the last requests came, in seconds since 1970.
        var times: [Double] { value["times"]?.arrayValue?.compactMap(\.doubleValue) ?? [] }

        /// Requests that met a kind of weather.
        func met(_ what: String) -> Int { Int(value["by"]?[what]?.intValue ?? 0) }

        /// Entries that came again: after an `incident` here, a `restart` of the daemon, or `unexplained`.
        func duplicates(_ why: String) -> Int { Int(value["duplicates"]?[why]?.intValue ?? 0) }

        func header(_ name: String) -> String? { value["headers"]?[name]?.stringValue }

        private func number(_ key: String) -> Int { Int(value[key]?.intValue ?? 0) }

        var description: String { value.description }
    }
}
