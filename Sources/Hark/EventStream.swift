internal import HarkClient
internal import HarkWire
internal import Synchronization

/// An endless stream of events as they are committed: `for await event in recorder.eventsStream() { … }`.
///
/// It survives restarts of the daemon and continues with the event after the last one, so none is lost or repeated. A
/// slow consumer makes the daemon wait or disconnect it, rather than this program's memory grow. The stream ends when
/// the iterating task is cancelled.
public struct EventStream: AsyncSequence, Sendable {
    /// The element of the stream.
    public typealias Element = Event
    /// The stream never fails; problems with the connection are reported in `EventRecorder.notices`.
    public typealias Failure = Never

    let places: [SocketAddress]
    let app: String?
    let afterSeq: UInt64?

    /// A reader of the stream, with its own connection and thread for as long as it lives.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let lifetime: StreamLifetime
        private let place: Place

        /// The position of the stream, shared with the thread, which resumes from there.
        private final class Place: Sendable {
            let seq: Mutex<UInt64?>
            init(_ seq: UInt64?) { self.seq = Mutex(seq) }
        }

        init(_ stream: EventStream) {
            let place = Place(stream.afterSeq)
            let app = stream.app
            let thread = StreamThread(
                stream.places,
                request: {
                    var request = EventSubscribe()
                    (request.include, request.filter.app) = ([StreamContent.events.rawValue], app)
                    request.afterSeq = place.seq.withLock { $0 }.map { Int64($0) }
                    return request
                },
                onReply: { reply in
                    // A stream without a start begins here. A new connection must not begin later.
                    let seq = UInt64(clamping: RecordStreamInfo(reply).afterSeq)
                    place.seq.withLock { if $0 == nil { $0 = seq } }
                })
            self.place = place
            lifetime = StreamLifetime(thread)
        }

        /// Waits for the next event; nil when the task is cancelled.
        public mutating func next() async -> Event? {
            await next(isolation: nil)
        }

        /// Waits for the next event without leaving the caller's actor; nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
            while let message = await lifetime.thread.next() {
                guard let event = Event(ToldEvent(message.params).event.json) else { continue }
                place.seq.withLock { $0 = event.seq }
                return event
            }
            return nil
        }
    }

    /// Starts reading; `for await` calls this.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension EventRecorder {
    /// Returns the events of this app as they are committed.
    /// - Parameters:
    ///   - afterSeq: The number after which to begin, with stored events; nil begins now.
    ///   - allApps: Whether to include events of all apps.
    public func eventsStream(afterSeq: UInt64? = nil, allApps: Bool = false) -> EventStream {
        EventStream(places: link.places, app: allApps ? nil : app, afterSeq: afterSeq)
    }
}
