internal import CMosquitto
internal import Synchronization

/// libmosquitto, loaded on first use and never unloaded; a daemon without a broker does without.
final class MosquittoLibrary: @unchecked Sendable {
    /// The functions, valid for the life of the process: written once, before other threads can read them.
    let functions: UnsafePointer<hark_mosquitto>
    /// Whether the library has initialized its TLS. It does so with the first connection, and not thread-safely.
    let isPrepared = Mutex(false)

    private static let loaded = Mutex<[String: MosquittoLibrary]>([:])

    /// Loads the library. This takes a few milliseconds, so call it on a thread that may block.
    static func load(_ name: String) throws(MQTTFailure) -> MosquittoLibrary {
        let result = loaded.withLock { loaded -> Result<MosquittoLibrary, MQTTFailure> in
            if let library = loaded[name] { return .success(library) }
            let result = Result { () throws(MQTTFailure) in try MosquittoLibrary(name) }
            if case .success(let library) = result { loaded[name] = library }
            return result
        }
        return try result.get()
    }

    private init(_ name: String) throws(MQTTFailure) {
        let functions = UnsafeMutablePointer<hark_mosquitto>.allocate(capacity: 1)
        functions.initialize(to: hark_mosquitto())
        var reason = hark_mosquitto_load(functions, name).map { String(cString: $0) }
        if reason == nil {
            let code = functions.pointee.lib_init()
            if code != MOSQ_ERR_SUCCESS.rawValue { reason = "mosquitto_lib_init says \(code)" }
        }
        if let reason {
            functions.deallocate()
            throw MQTTFailure(
                .unavailable,
                "no broker can be reached without libmosquitto; install it (Debian: apt install libmosquitto1): "
                    + reason)
        }
        self.functions = UnsafePointer(functions)
    }
}
