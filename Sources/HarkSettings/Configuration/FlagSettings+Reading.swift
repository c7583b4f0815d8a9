package import HarkCore
import HarkDelivery
import HarkWire

extension FlagSettings {
    /// Reads `flags` of the settings.
    ///
    /// - Parameter destinations: The destinations of the settings.
    package mutating func read(_ settings: inout ObjectReader, _ destinations: [DestinationSettings]) {
        guard !settings.isNull("flags") else {
            place = .nowhere
            return
        }
        let expected = "an object with a file, a url or a destination, or null"
        guard var reader = settings.object("flags", expected: expected) else { return }
        defer { reader.finish() }
        let key = Secret.read("apiKey", "a key", in: &reader)
        let file = reader.text("file").map(Place.file)
        let url = reader.text("url").map { Place.url($0, key: key) }
        let destination = reader.text("destination").map(Place.destination)
        reader.take("refreshSeconds", .refreshSeconds, into: &refreshSeconds)
        let places = [file, url, destination].compactMap(\.self)
        place = places.first ?? place
        if places.count > 1 {
            reader.issues.error(reader.path, "give one of file, url and destination")
        } else if case .url(let url, _) = place {
            if let fault = HTTPRequest.fault(ofURL: url) { reader.issues.error(reader.path("url"), fault) }
        } else if key != nil {
            reader.issues.error(reader.path, "a key goes with a url only; a destination has its own")
        } else if case .destination(let name?) = place,
            !destinations.contains(where: { $0.name == name && $0.kind == .sensorcore })
        {
            reader.issues.error(
                reader.path("destination"), "must be the name of a destination of the kind sensorcore")
        }
    }
}
