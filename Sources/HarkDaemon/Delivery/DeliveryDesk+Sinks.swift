import HarkCore
import HarkDelivery
import HarkLedger
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Makes outlets to databases as their settings have them.
extension DeliveryDesk {
    /// Beside the lane's, the places that a sink has in the store: the last record that it has accepted, and the bounds of the
    /// batch that was sent last.
    static let sentKey = "sent"
    private static let boundsKey = "bounds"
    private static let firstOfBounds = "first"

    func makeSink(_ settings: DestinationSettings) throws -> Outlet {
        let sent = try place(of: settings, DeliveryDesk.sentKey)?.cursor ?? 0
        var bounds: ClosedRange<UInt64>?
        if let known = try place(of: settings, DeliveryDesk.boundsKey),
            case .integer(let first) = known.state[DeliveryDesk.firstOfBounds], let first = UInt64(exactly: first),
            first <= known.cursor
        {
            bounds = first...known.cursor
        }
        let keeping = SinkDestination.Keeping(
            newest: { [ledger] in ledger.committedSequence },
            bounds: { [ledger] in await DeliveryDesk.keep(bounds: $0, of: settings.name, in: ledger) })
        let destination = try SinkDestination(
            name: settings.name, sink(settings), batch: settings.batch, followsRemovals: settings.sink.followsRemovals,
            identity: try identity(), sent: sent, bounds: bounds, keeping: keeping, reader: reader, loop: loop)
        let gate = try makeGate(settings)
        gate.isOnline = isOnline
        let couriers = try makeCouriers(to: destination, settings, gate)
        return Outlet(destination, gate: gate, couriers: couriers, settings: settings)
    }

    private func sink(_ settings: DestinationSettings) -> any Sink {
        let shown = HTTPRequest.shownServer(settings.url)
        switch settings.kind {
        case .clickhouse:
            return ClickHouseSink(place: shown, client: client(settings), clock: ledger.clock) { [weak self] in
                var own = ClickHouseSink.Settings(url: settings.url)
                own.user = settings.sink.user
                own.timeoutSeconds = settings.timeoutSeconds
                (own.password, own.problem) = self?.secret(settings) ?? (nil, nil)
                return own
            }
        case .s3:
            return S3Sink(
                place: "the bucket \(settings.sink.bucket) at \(shown)", client: client(settings), clock: ledger.clock
            ) { [weak self] in
                var own = S3Sink.Settings(url: settings.url, bucket: settings.sink.bucket)
                (own.region, own.prefix) = (settings.sink.region, settings.sink.prefix)
                own.isPathStyle = settings.sink.style == .path
                own.accessKey = settings.sink.accessKey
                own.timeoutSeconds = settings.timeoutSeconds
                let (key, problem) = self?.secret(settings) ?? (nil, nil)
                (own.secretKey, own.problem) = (key ?? "", problem)
                return own
            }
        default:
            var schema = PostgresSchema()
            schema.isByMonth = settings.sink.isByMonth
            schema.followsRemovals = settings.sink.followsRemovals
            return PostgresSink(place: PostgresOptions(url: settings.url).place, schema: schema, loop: loop) {
                [weak self] in
                var own = PostgresOptions(url: settings.url)
                own.timeoutSeconds = settings.timeoutSeconds
                own.authoritiesFile = settings.authoritiesFile.flatMap { self?.inConfiguration($0) }
                (own.password, own.problem) = self?.secret(settings) ?? (nil, nil)
                return own
            }
        }
    }

    private func client(_ settings: DestinationSettings) -> HTTPClient {
        var options = HTTPClient.Options()
        options.authoritiesFile = settings.authoritiesFile.map(inConfiguration)
        return HTTPClient(loop: loop, options: options)
    }

    /// The present secret, or why it cannot be read.
    private func secret(_ settings: DestinationSettings) -> (String?, problem: String?) {
        do throws(Secret.Missing) {
            return (try settings.sink.secret?.read(in: paths.configuration), nil)
        } catch {
            return (nil, error.description)
        }
    }

    private func place(
        of settings: DestinationSettings, _ key: String
    ) throws(WireError) -> (cursor: UInt64, state: Properties)? {
        try ledger.lookUp { reader throws(StoreError) in
            try reader.destination(DeliveryDesk.key(settings.name, key))
        }
    }

    private static func keep(bounds: ClosedRange<UInt64>, of destination: String, in ledger: Ledger) async -> Bool {
        do throws(WireError) {
            try await ledger.decide { engine, changes, _ in
                engine.keepPlace(
                    of: key(destination, boundsKey), cursor: bounds.upperBound,
                    state: Properties([(firstOfBounds, .integer(Int64(clamping: bounds.lowerBound)))]), into: &changes)
            }.stored()
            return true
        } catch {
            return false
        }
    }

    /// The id of the store in databases; the same for all of them.
    private func identity() throws(WireError) -> SinkIdentity {
        if let sinkIdentity { return sinkIdentity }
        let known = try ledger.lookUp { reader throws(StoreError) in try reader.meta(SinkLog.key) }
        let identity = SinkIdentity(known: known.flatMap { SinkLog($0) }) { [ledger] log in
            do throws(WireError) {
                try await ledger.decide { engine, changes, _ in
                    engine.remember(log.description, as: SinkLog.key, into: &changes)
                }.stored()
                return true
            } catch {
                return false
            }
        }
        sinkIdentity = identity
        return identity
    }
}
