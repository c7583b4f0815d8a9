package import HarkCore
import HarkSystem

extension Configuration {
    /// The settings that need the network although the service may not use it, each with advice.
    package var networkIssues: [DocumentIssue] {
        let places = placesInNetwork
        guard !places.isEmpty, NetworkAccess.isDenied else { return [] }
        return places.map { DocumentIssue(path: $0, message: NetworkAccess.advice) }
    }

    /// The members that name a server, except servers behind a Unix socket.
    var placesInNetwork: [String] {
        var places: [String] = []
        for (index, destination) in destinations.enumerated()
        where destination.isEnabled && !destination.isOnThisMachine {
            places.append("$.destinations[\(index)].\(destination.kind == .sensorcore ? "host" : "url")")
        }
        if sections[FleetSettings.self].broker != nil { places.append("$.fleet.broker") }
        if case .url = surveys { places.append("$.surveys.url") }
        if case .url = forms { places.append("$.forms.url") }
        if case .url = flags.place { places.append("$.flags.url") }
        return places
    }
}
