package import HarkCore
import HarkDelivery
package import HarkWire

/// `flags` in harkd.json: the source of the flags.
package struct FlagSettings: Sendable, Equatable {
    package enum Place: Sendable, Equatable {
        /// No flags.
        case nowhere
        case file(String)
        case url(String, key: Secret?)
        /// The server of a destination of the kind sensorcore; nil: of the first one.
        case destination(String?)
    }

    package var place = Place.destination(nil)
    package var refreshSeconds = DocumentOrigin.usualRefreshSeconds

    /// - Parameter folder: The base of relative paths.
    package func origin(among destinations: [DestinationSettings], in folder: String) -> DocumentOrigin? {
        switch place {
        case .nowhere: return nil
        case .file(let path): return DocumentOrigin.file(path).absolute(in: folder)
        case .url(let url, let key):
            return .url(url, refreshSeconds: refreshSeconds, access: ServerAccess(key: key, folder: folder))
        case .destination(let name):
            let server = destinations.first {
                $0.kind == .sensorcore && (name.map($0.name.elementsEqual) ?? $0.isEnabled)
            }
            guard let server, let host = server.host else { return nil }
            let access = ServerAccess(
                key: server.apiKey, folder: folder, unixSocket: server.unixSocket,
                authoritiesFile: server.authoritiesFile, timeoutSeconds: server.timeoutSeconds)
            return .url(host + "/api/config", refreshSeconds: refreshSeconds, access: access)
        }
    }

    package func write(to json: inout JSONWriter) {
        json.beginObject()
        func text(_ key: StaticString, _ value: String) {
            json.key(key)
            json.string(value)
        }
        switch place {
        case .nowhere: break
        case .file(let path): text("file", path)
        case .url(let url, let key):
            text("url", HTTPRequest.shown(url))
            key?.write(as: "apiKey", to: &json)
        case .destination(let name): if let name { text("destination", name) }
        }
        json.key("refreshSeconds")
        json.double(refreshSeconds)
        json.endObject()
    }
}
