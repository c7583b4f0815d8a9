internal import HarkClient
internal import HarkWire

/// Surveys to show, one at a time: `for await survey in recorder.surveys() { … }`.
///
/// During the iteration, ready surveys of the calling user are delivered here instead of as desktop notifications. When
/// the iteration ends, the current survey becomes ready again.
public struct SurveyStream: AsyncSequence, Sendable {
    /// The element of the stream.
    public typealias Element = Survey
    /// The stream never fails; problems with the connection are reported in `EventRecorder.notices`.
    public typealias Failure = Never

    let link: Link
    let app: String?
    let locale: String?

    /// A reader of the stream, with its own connection and thread for as long as it lives.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let link: Link
        private let lifetime: StreamLifetime

        init(_ stream: SurveyStream) {
            link = stream.link
            var request = SurveySubscribe()
            (request.presenter, request.app, request.locale) = (true, stream.app, stream.locale)
            lifetime = StreamLifetime(StreamThread(stream.link.places, request: { [request] in request }))
        }

        /// Waits for the next survey; nil when the task is cancelled.
        public mutating func next() async -> Survey? {
            await next(isolation: nil)
        }

        /// Waits for the next survey without leaving the caller's actor; nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Survey? {
            while let message = await lifetime.thread.next() {
                guard message.method == NotificationShape.surveyPresent.name,
                    let survey = Survey(SurveyNotice(message.params).survey.json, link)
                else { continue }
                return survey
            }
            return nil
        }
    }

    /// Starts reading; `for await` calls this.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension EventRecorder {
    /// Returns the surveys of this app that are ready to be shown.
    /// - Parameters:
    ///   - locale: The language to show them in, such as `de-AT`.
    ///   - allApps: Whether to include surveys of all apps.
    public func surveys(locale: String? = nil, allApps: Bool = false) -> SurveyStream {
        SurveyStream(link: link, app: allApps ? nil : app, locale: locale)
    }
}
