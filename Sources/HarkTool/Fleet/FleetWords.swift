import HarkAsking
import HarkClient
import HarkWire

/// The state of a fleet in words.
enum FleetWords {
    /// Explains a state to people who do not know the protocol.
    static func text(_ state: FleetState?, _ role: FleetRole?) -> String {
        switch state {
        case .connecting: "the broker is not reached; it is tried again and again"
        case .alone: role == .hub ? "no hub serves the fleet yet" : "the broker is reached, but there is no hub"
        case .greeting: "the hub is there and is asked how far it has come"
        case .ready: "connected; what is recorded goes to the hub"
        case .standby: "another hub serves the fleet"
        case .serving: "serving the fleet"
        case nil: "unknown"
        }
    }

    /// Returns an age such as `12 s ago`; nil if there is no time.
    static func age(_ time: Timestamp?, now: Timestamp) -> String? {
        guard let time else { return nil }
        let seconds = Double(max(0, now.milliseconds - time.milliseconds)) / 1_000
        return seconds < 1 ? "now" : "\(span(seconds)) ago"
    }

    /// `3 s`, `1 min 15 s`
    static func span(_ seconds: Double) -> String {
        seconds < 60 ? "\(Int(max(seconds, 0))) s" : DurationText.make(seconds)
    }

    /// How many surveys and forms are held back, such as `2 surveys, 1 form`; empty if none.
    static func heldCount(_ documents: [FleetDocumentInfo]) -> String {
        documents.filter { $0.heldCount > 0 }.map { Plural.count($0.heldCount, noun($0.kind)) }.joined(separator: ", ")
    }

    /// The held-back parts of a document, a line for each survey or form; empty if only the number is known.
    static func held(_ document: FleetDocumentInfo) -> [String] {
        let word = noun(document.kind)
        let lines = document.held.map { part in
            let member = VisibleText.make(part.member)
            let version = VisibleText.make(part.version)
            let what = part.id.map { "\(word) \(VisibleText.value($0))" } ?? "all \(document.kind.rawValue)"
            let verb = part.id == nil ? "need" : "needs"
            return part.whole
                ? "\(what) \(verb) Hark \(version) (\(member))" : "\(what) goes without \(member) (Hark \(version))"
        }
        let told = document.held.count(where: \.whole)
        let isAll = document.held.contains { $0.whole && $0.id == nil } || document.heldCount <= told
        return lines.isEmpty || isAll ? lines : lines + ["\(Plural.count(document.heldCount - Int64(told), word)) more"]
    }

    private static func noun(_ kind: FleetDocumentKind) -> String {
        switch kind {
        case .surveys: "survey"
        case .forms: "form"
        case .flags: "flag"
        }
    }

    /// A hint on how to join a fleet.
    static let howToJoin = "Join one with: hark fleet join mqtt://BROKER/FLEET (see 'hark fleet join --help')"
}
