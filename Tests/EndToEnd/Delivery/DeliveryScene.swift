import Foundation
import HarkWire
import Testing

/// A daemon, a receiver for its deliveries, and a client that writes.
final class DeliveryScene {
    let home: DaemonHome
    let receiver: Receiver
    private(set) var daemon: DaemonProcess!
    private(set) var client: SocketClient!

    /// Waits that tests can wait for.
    static let quick = #""retryBaseSeconds":0.05,"retryCapSeconds":0.2"#

    init() throws {
        home = try DaemonHome()
        receiver = try Receiver()
        try home.files.write("sc_0123456789", to: "config/core.key")
    }

    /// A SensorCore at a door.
    /// - Parameter more: Further settings, as JSON text.
    static func core(_ door: Receiver.Door, _ more: String = quick) -> String {
        destination("sensorcore", door, #""host":"\#(door.url)","apiKeyFile":"core.key""#, more)
    }

    static func hook(_ door: Receiver.Door, _ more: String = quick) -> String {
        destination("http", door, #""url":"\#(door.url)/in""#, more)
    }

    static func otel(_ door: Receiver.Door, _ more: String = quick) -> String {
        destination("otlp", door, #""url":"\#(door.url)/v1/logs""#, more)
    }

    private static func destination(_ kind: String, _ door: Receiver.Door, _ place: String, _ more: String) -> String {
        #"{"name":"\#(door.name)","kind":"\#(kind)",\#(place)\#(more.isEmpty ? "" : ",\(more)")}"#
    }

    /// Writes the settings of destinations; a daemon that runs has to be told.
    func configure(_ destinations: String...) throws {
        try home.configure(
            #"{"archive":false,"retention":"none","destinations":[\#(destinations.joined(separator: ","))]}"#)
    }

    func start() throws {
        daemon = try home.start()
        client = try daemon.connect()
    }

    func reload() throws { try client.call("config.reload") }

    /// Ends the daemon and starts it again.
    func restart(killed: Bool = false) throws {
        if killed { daemon.kill() } else { try daemon.stop() }
        try start()
    }

    /// Writes numbered log entries.
    func log(_ numbers: ClosedRange<Int>, by writer: String = "w", _ more: String = "") throws {
        for number in numbers {
            try client.call(
                "log.write",
                #"{"message":"line \#(number) of \#(writer)","metadata":{"w":"\#(writer)","n":\#(number)}\#(more.isEmpty ? "" : ",\(more)")}"#
            )
        }
    }

    /// Records numbered events.
    func record(_ numbers: ClosedRange<Int>, by writer: String = "e", _ more: String = "") throws {
        for number in numbers {
            try client.call(
                "event.record",
                #"{"name":"tick","properties":{"w":"\#(writer)","n":\#(number)}\#(more.isEmpty ? "" : ",\(more)")}"#)
        }
    }

    /// Waits until a door has got entries, each once at least, and the accounts know it.
    func wait(for door: Receiver.Door, toHave unique: Int, within seconds: Double = 20) throws {
        do {
            try waitUntil("\(door.name) has \(unique) entries", within: seconds) { try door.report.unique >= unique }
            try client.wait(for: door.name, "nothing waits") { $0.pending == 0 }
            #expect(try door.report.unique == unique)
        } catch {
            throw Failure("\(error); \(try door.report); \(try client.destination(door.name))")
        }
    }
}
