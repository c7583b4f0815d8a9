internal import HarkClient
internal import HarkWire

/// Surveys to show, one at a time: `for await survey in recorder.surveys() { … }`.
///
/// While somebody iterates, ready surveys of this user of the machine are brought here instead of to the desktop's
/// notifications. When the iteration ends, what was being shown becomes ready again.
public struct SurveyStream: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = Survey
    /// It never fails; trouble with the connection shows in `EventRecorder.notices`.
    public typealias Failure = Never

    let link: Link
    let app: String?
    let locale: String?

    /// One reader of the stream, with a connection and a thread of its own for as long as it lives.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let link: Link
        private let lifetime: StreamLifetime

        init(_ stream: SurveyStream) {
            link = stream.link
            let params = RequestParams().with(.isPresenter, true).with(.onlyApp, stream.app)
                .with(.presenterLocale, stream.locale).json
            lifetime = StreamLifetime(
                StreamThread(stream.link.places, .surveySubscribe, params: { params }))
        }

        /// Waits for the next survey; nil when the task is cancelled.
        public mutating func next() async -> Survey? {
            await next(isolation: nil)
        }

        /// Waits for the next survey without leaving the caller's actor; nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Survey? {
            while let message = await lifetime.thread.next() {
                guard message.method == NotificationShape.surveyPresent.name,
                    let survey = message.params.member("survey").flatMap({ Survey($0, link) })
                else { continue }
                return survey
            }
            return nil
        }
    }

    /// Begins to read; `for await` does it.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension EventRecorder {
    /// The surveys of this app that are ready to be shown.
    /// - Parameters:
    ///   - locale: The language to show them in, such as `de-AT`.
    ///   - allApps: Surveys of all apps instead.
    public func surveys(locale: String? = nil, allApps: Bool = false) -> SurveyStream {
        SurveyStream(link: link, app: allApps ? nil : app, locale: locale)
    }
}
