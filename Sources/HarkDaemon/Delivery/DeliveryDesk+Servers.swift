import Glibc
import HarkCore
import HarkDelivery
import HarkHub
import HarkLedger
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Makes outlets to servers as their settings have them.
extension DeliveryDesk {
    func makeServer(_ settings: DestinationSettings) throws -> Outlet {
        if let fleet = settings.fleet?.settings { return try makeFleet(settings, fleet) }
        if settings.kind.isSink { return try makeSink(settings) }
        var options = HTTPClient.Options()
        options.maxConcurrent = max(1, settings.concurrency * settings.lanes.count)
        options.authoritiesFile = settings.authoritiesFile.map(inConfiguration)
        let client = HTTPClient(loop: loop, options: options)
        let connection = connection(settings)
        if let problem = connection.problem { Log.error("destination \(settings.name): \(problem)") }
        let destination = ServerDestination(
            name: settings.name, kind: settings.kind.rawValue, connection, batch: settings.batch,
            encoder: try encoder(settings), client: client, reader: reader, clock: ledger.clock,
            renew: { [weak self, connection] in self?.connection(settings) ?? connection },
            parse: DeliveryDesk.parse)
        let gate = try makeGate(settings)
        gate.isOnline = isOnline
        let couriers = try makeCouriers(to: destination, settings, gate)
        return Outlet(destination, gate: gate, couriers: couriers, settings: settings, client: client)
    }

    /// A machine's way to the hub of its fleet.
    private func makeFleet(_ settings: DestinationSettings, _ fleet: FleetSettings) throws -> Outlet {
        // Nothing is said in its name before it is on disk; it is made once for a store.
        let log = try ledger.fleetId(FleetLog.logKey)
        let gate = try makeGate(settings)
        let member = try FleetMember(
            settings, fleet, log: log, ledger: ledger, loop: loop, paths: paths, reader: reader)
        let couriers = try makeCouriers(to: member, settings, gate)
        return Outlet(member, gate: gate, couriers: couriers, settings: settings)
    }

    func makeGate(_ settings: DestinationSettings) throws -> DeliveryGate {
        let breaker = try ledger.lookUp { reader throws(StoreError) in try reader.destination(settings.name) }
        return try DeliveryGate(
            name: settings.name, policy: settings.policy,
            breaker: breaker.map { Breaker(packed: $0.state) } ?? Breaker(),
            isNewRun: namesOfThisRun.insert(settings.name).inserted, loop: loop, clock: ledger.clock,
            ageClock: { [ledger] in ledger.ageClock.now })
    }

    func makeCouriers(
        to destination: any Destination, _ settings: DestinationSettings, _ gate: DeliveryGate
    ) throws -> [Courier] {
        let couriers = try settings.lanes.map { lane in
            let known = try ledger.lookUp { reader throws(StoreError) in
                try reader.destination(DeliveryDesk.key(settings.name, lane.name))
            }
            // A new destination gets new records, but not those of the past, unless it is to have all.
            let progress =
                known.map { LaneProgress(cursor: $0.cursor, packed: $0.state) }
                ?? LaneProgress(cursor: settings.kind.isSink ? 0 : ledger.committedSequence)
            var lane = lane
            lane.skipsWhileOff = true
            let courier = try Courier(
                destination, lane: lane, gate: gate, isOn: settings.isEnabled, progress: progress,
                newest: ledger.committedSequence, reader: reader, loop: loop,
                commit: { [ledger] account in
                    let sent = (destination as? SinkDestination)?.sent
                    return await DeliveryDesk.keep(
                        account, of: settings.name, letters: settings.maxDeadLetters, sent: sent, in: ledger)
                })
            if known == nil || courier.progress != progress { try keepBeginning(of: courier) }
            return courier
        }
        for courier in couriers { courier.hasReplays = true }
        return couriers
    }

    /// The start of a lane, and whether it is on, go to the store with the next record: a start soon after must not
    /// take it to begin later.
    private func keepBeginning(of courier: Courier) throws(WireError) {
        try ledger.decide { engine, changes, _ in
            engine.keepPlace(
                of: DeliveryDesk.key(courier.destination.name, courier.lane.name), cursor: courier.progress.cursor,
                state: courier.progress.packed, into: &changes)
        }
    }

    /// Whether the store knows where a lane is.
    func isKept(_ courier: Courier) throws(WireError) -> Bool {
        let known = try ledger.lookUp { reader throws(StoreError) in
            try reader.destination(DeliveryDesk.key(courier.destination.name, courier.lane.name))
        }
        return known.map { LaneProgress(cursor: $0.cursor, packed: $0.state) } == courier.progress
    }

    /// How to reach a server, with the keys as they are now.
    func connection(_ settings: DestinationSettings) -> ServerDestination.Settings {
        var connection = ServerDestination.Settings(url: settings.url)
        connection.method = settings.method
        connection.unixSocket = settings.unixSocket
        connection.timeoutSeconds = settings.timeoutSeconds
        // A text in a record may be twice as long in JSON.
        connection.maxBodyBytes = max(connection.maxBodyBytes, 2 * settings.batchBytes)
        connection.isCompressed = settings.compression == .gzip
        do throws(Secret.Missing) {
            let headers = try secretHeaders(settings)
            if let bad = headers.fields.first(where: { ServerHeader.fault(name: $0.name, value: $0.value) != nil }) {
                connection.problem = "the value of the header '\(bad.name)' cannot be sent: it is not one line of text"
            } else {
                connection.headers = headers
            }
        } catch {
            connection.problem = error.description
        }
        return connection
    }

    private func secretHeaders(_ settings: DestinationSettings) throws(Secret.Missing) -> HTTPHeaders {
        var headers = try HTTPHeaders(settings.headers, in: paths.configuration)
        if let key = settings.apiKey {
            headers[ServerAccess.keyHeader] = try key.read(in: paths.configuration)
        } else if settings.kind == .sensorcore {
            throw Secret.Missing(
                description: "no key is configured: name one with apiKeyFile, apiKeyCredential or apiKeyEnv")
        }
        return headers
    }

    private func encoder(_ settings: DestinationSettings) throws -> any RecordEncoder {
        switch settings.kind {
        case .sensorcore:
            if let id = settings.defaultUserId { return SensorCoreEncoder(anonymousId: id) }
            let name = deviceName
            if name.current == nil { try ledger.decideDeviceId(isReset: false) }
            // Asked for at each request: a reset holds from the next one on.
            return SensorCoreEncoder(anonymousId: name.current)
        case .otlp: return OTLPEncoder(host: DeliveryDesk.hostName, version: Version.current)
        case .http, .fleet, .postgresql, .clickhouse, .s3:
            guard let template = settings.template else { return WebhookEncoder(settings.format) }
            return TemplateEncoder(template, chat: settings.chat, host: DeliveryDesk.hostName)
        }
    }

    /// Stores the present state of an outlet's breaker.
    func keepBreaker(of outlet: Outlet) async throws(WireError) {
        try await ledger.decide { engine, changes, _ in
            engine.keepPlace(of: outlet.name, cursor: 0, state: outlet.gate.breaker.packed, into: &changes)
        }.stored()
    }

    func inConfiguration(_ path: String) -> String { paths.inConfiguration(path) }

    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        return gethostname(&name, 255) == 0
            ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self) : ""
    }

    private nonisolated static let parse: @Sendable ([UInt8]) -> JSONValue? = { bytes in
        // A reply that is no JSON holds nothing that is looked for.
        try? JSONDocument(bytes, .json).value
    }
}
