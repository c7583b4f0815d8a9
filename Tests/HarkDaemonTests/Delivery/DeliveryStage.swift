import HarkDelivery
import HarkSystem
import HarkTesting
import HarkWire

@testable import HarkDaemon

/// Helpers for tests of delivery.
extension DaemonFixture {
    /// A daemon, a client of it, and a server on the socket `server` in the daemon's folder.
    nonisolated static func deliver(
        to destinations: String? = nil,
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient, Receiver) async throws -> Void
    ) async throws {
        try await run(configuration: #"{"archive":false}"#) { fixture in
            let receiver = try fixture.receiver()
            if let destinations { try await fixture.reload(destinations: destinations) }
            try await body(fixture, try fixture.connect(), receiver)
        }
    }

    /// SensorCore on the test's server, with these additional settings.
    nonisolated static func sensorcore(_ settings: String = "") -> String {
        """
        {"name":"core","kind":"sensorcore","host":"http://core.test","socket":"$/server","apiKeyFile":"key",\
        "timeoutSeconds":600\(settings)}
        """
    }

    /// A webhook on the test's server.
    nonisolated static func hook(_ settings: String = "", url: String = "http://hook.test/in") -> String {
        #"{"name":"hook","kind":"http","url":"\#(url)","socket":"$/server","timeoutSeconds":600\#(settings)}"#
    }

    /// Writes `destinations` to `harkd.json`; `$` stands for the daemon's folder.
    func write(destinations: String) throws {
        try put("secret-key-1\n", in: "key")
        try configure(
            #"{"archive":false,"flags":null,"destinations":[\#(destinations.replacing("$", with: folder.path))]}"#)
    }

    /// The same, and has the daemon read it and put it in force.
    func reload(destinations: String) async throws {
        try write(destinations: destinations)
        try await reload()
    }

    func reload() async throws {
        _ = try await daemon.reload()
        try await eventually("the destinations are in place") { [delivery = daemon.delivery] in delivery.isInPlace }
    }

    /// Puts a text into a file of the configuration's folder.
    func put(_ text: String, in name: String) throws {
        try DaemonFixture.write(text, to: folder.path + "/" + name)
    }

    func outlet(_ name: String) throws -> Outlet {
        guard let outlet = daemon.delivery.outlet(named: name) else { throw Absent(name: name) }
        return outlet
    }

    struct Absent: Error { let name: String }

    /// Waits until a destination has nothing to do.
    func settle(_ name: String) async throws {
        try await eventually("\(name) has delivered") {
            let outlet = try outlet(name)
            return outlet.couriers.allSatisfy { $0.pending == 0 && $0.isResting && !$0.hasReplays }
        }
    }

    /// Lets the time pass that a destination waits, and has it look.
    func pass(seconds: Double, for name: String) throws {
        clock.advance(seconds: seconds)
        try outlet(name).gate.onOpen()
    }
}
