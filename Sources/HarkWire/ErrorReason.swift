/// The reason for a refusal: the stable word in `error.data.reason`.
package enum ErrorReason: String, Sendable, CaseIterable {
    case parseError
    case invalidRequest
    case methodNotFound
    case invalidParams
    case internalError
    case storeUnavailable
    case notFound
    case permissionDenied
    case tooLarge
    case rateLimited
    case tooManyConnections
    case slowReader
    case alreadyClosed
    case shuttingDown
    case conflict
    case notConfigured
    case networkError
    case serverError
    case encodingFailed
    case quotaExceeded

    /// The number in `error.code`: JSON-RPC's own for envelope errors, −32000 downward for Hark's.
    package var code: Int {
        switch self {
        case .parseError: -32700
        case .invalidRequest: -32600
        case .methodNotFound: -32601
        case .invalidParams: -32602
        case .internalError: -32603
        case .storeUnavailable: -32000
        case .notFound: -32001
        case .permissionDenied: -32002
        case .tooLarge: -32003
        case .rateLimited: -32004
        case .tooManyConnections: -32005
        case .slowReader: -32006
        case .alreadyClosed: -32007
        case .shuttingDown: -32008
        case .conflict: -32009
        case .notConfigured: -32010
        case .networkError: -32011
        case .serverError: -32012
        case .encodingFailed: -32013
        case .quotaExceeded: -32014
        }
    }
}
