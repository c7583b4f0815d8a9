internal import HarkClient
internal import HarkWire
internal import Synchronization

/// Events as they are committed, without end: `for await event in recorder.eventsStream() { … }`.
///
/// It survives restarts of the daemon: it goes on with the event after the last one it gave, so nothing is lost or
/// doubled. A consumer that is slow makes the daemon wait or cut it off, not this program's memory grow. It ends when
/// the task that iterates is cancelled.
public struct EventStream: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = Event
    /// It never fails; trouble with the connection shows in `EventRecorder.notices`.
    public typealias Failure = Never

    let places: [SocketAddress]
    let app: String?
    let afterSeq: UInt64?

    /// One reader of the stream, with a connection and a thread of its own for as long as it lives.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let lifetime: StreamLifetime
        private let place: Place

        /// Where the stream is; shared with the thread, which resumes from there.
        private final class Place: Sendable {
            let seq: Mutex<UInt64?>
            init(_ seq: UInt64?) { self.seq = Mutex(seq) }
        }

        init(_ stream: EventStream) {
            let place = Place(stream.afterSeq)
            let app = stream.app
            let thread = StreamThread(
                stream.places, .eventSubscribe,
                params: {
                    RequestParams().with(.include, .array([.string(StreamContent.events.rawValue)])).with(.onlyApp, app)
                        .with(.resumeAfter, place.seq.withLock { $0 }.map { .integer(Int64($0)) }).json
                },
                onReply: { reply in
                    // Without a place to begin, it begins here; a new connection must not begin later.
                    guard let seq = reply.member("afterSeq")?.int else { return }
                    place.seq.withLock { if $0 == nil { $0 = UInt64(seq) } }
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
                guard let event = message.params.member("event").flatMap({ Event($0) }) else { continue }
                place.seq.withLock { $0 = event.seq }
                return event
            }
            return nil
        }
    }

    /// Begins to read; `for await` does it.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension EventRecorder {
    /// The events of this app as they are committed.
    /// - Parameters:
    ///   - afterSeq: Begin after this number, with what is stored; nil begins now.
    ///   - allApps: Events of all apps instead.
    public func eventsStream(afterSeq: UInt64? = nil, allApps: Bool = false) -> EventStream {
        EventStream(places: link.places, app: allApps ? nil : app, afterSeq: afterSeq)
    }
}
