internal import CMosquitto
internal import Glibc
internal import HarkSystem

/// Turns errors of libmosquitto, OpenSSL and the broker into messages.
struct MosquittoVerdict: @unchecked Sendable {
    let place: String
    let options: MQTTClient.Options
    let functions: UnsafePointer<hark_mosquitto>

    init(_ options: MQTTClient.Options, _ functions: UnsafePointer<hark_mosquitto>) {
        place = options.address.description
        self.options = options
        self.functions = functions
    }

    func invalid(_ reason: String) -> MQTTFailure { MQTTFailure(.invalid, "cannot connect to \(place): \(reason)") }
    var outOfMemory: MQTTFailure { MQTTFailure(.system, "out of memory for a connection to \(place)") }
    func text(of code: Int32) -> String { Self.text(functions.pointee.strerror(code)) }

    /// Throws if a file of the settings cannot be read.
    func checkFile(_ path: String, _ what: String, _ kind: MQTTFailure.Kind) throws(MQTTFailure) {
        do throws(SystemError) {
            _ = try FileDescriptor.open(path, flags: O_RDONLY)
        } catch {
            throw MQTTFailure(
                kind,
                "the file of \(what), \(path), cannot be read: \(SystemError.text(of: error.code)); see who may read it"
            )
        }
    }

    // MARK: Connecting

    /// The failure of starting to connect, with errno.
    func connecting(_ code: Int32, _ error: Int32, _ inbox: MosquittoInbox) -> MQTTFailure {
        switch code {
        case MOSQ_ERR_EAI.rawValue:
            guard !NetworkAccess.isDenied else { return unreachable(error) }
            return MQTTFailure(
                .nameNotFound,
                "the host of \(place) is not known (\(Self.text(gai_strerror(error)))): check its name, the network and the DNS"
            )
        case MOSQ_ERR_ERRNO.rawValue where error == EMFILE || error == ENFILE:
            return MQTTFailure(.system, "no connection to \(place): \(SystemError(code: error, operation: "socket"))")
        case MOSQ_ERR_ERRNO.rawValue where error == EPROTO || error == ECONNRESET || error == EPIPE:
            return tlsFailure(inbox) ?? closed(0)
        case MOSQ_ERR_ERRNO.rawValue: return unreachable(error)
        case MOSQ_ERR_TLS.rawValue: return fileFailure(inbox) ?? tlsFailure(inbox) ?? closed(0)
        case MOSQ_ERR_NOMEM.rawValue: return outOfMemory
        default: return invalid("libmosquitto does not take it (\(text(of: code)))")
        }
    }

    func unreachable(_ error: Int32) -> MQTTFailure {
        guard !NetworkAccess.isDenied else {
            return MQTTFailure(.unreachable, "cannot connect to \(place): \(NetworkAccess.advice)")
        }
        let cause = error == 0 ? "nobody answers" : SystemError.text(of: error)
        return MQTTFailure(
            .unreachable, "cannot connect to \(place): \(cause); check that the broker runs, its port, and the network")
    }

    /// Static, because the library may not even be loaded by then.
    static func timedOut(_ options: MQTTClient.Options, isFound: Bool, isReached: Bool) -> MQTTFailure {
        let reason =
            if !isFound {
                "its host is still being looked up after \(options.connectSeconds) s; check the network and the DNS"
            } else if !isReached {
                "nobody answers within \(options.connectSeconds) s; check the address, the network and firewalls on the way"
            } else {
                "what listens there does not answer as a broker does within \(options.connectSeconds) s; \(schemeAdvice(options))"
            }
        return MQTTFailure(.timedOut, "no connection to \(options.address): \(reason)")
    }

    var schemeAdvice: String { Self.schemeAdvice(options) }

    private static func schemeAdvice(_ options: MQTTClient.Options) -> String {
        options.address.isSecure
            ? "check that the port is one for TLS (mqtts://), else write mqtt://"
            : "check that the port is one for MQTT; if it is one for TLS, write mqtts://"
    }

    private var certificateAdvice: String {
        options.address.isSecure ? "; and see whether the broker wants a certificate, and takes ours" : ""
    }

    /// The peer has ended the connection before it sent anything.
    func closed(_ error: Int32) -> MQTTFailure {
        let how = error == 0 ? "" : " (\(SystemError.text(of: error)))"
        return MQTTFailure(.closed, "\(place) ended the connection at once\(how): \(schemeAdvice)\(certificateAdvice)")
    }

    // MARK: Refusals

    /// The broker refused the connection request.
    func refused(_ answer: MosquittoAnswer) -> MQTTFailure {
        // The codes of MQTT 3.1.1 end with 5; those of MQTT 5 begin with 128.
        let words = answer.code < 128 ? functions.pointee.connack_string(answer.code) : reasonText(answer.code)
        let said = [Self.text(words), answer.words].compactMap { $0 }.joined(separator: "; ")
        switch answer.code {
        case 4, 5, Int32(MQTT_RC_BAD_USERNAME_OR_PASSWORD.rawValue), Int32(MQTT_RC_NOT_AUTHORIZED.rawValue),
            Int32(MQTT_RC_BANNED.rawValue):
            let advice = "check user and password, and what the broker's administrator allows them"
            return MQTTFailure(.notAuthorized, "\(place) does not let us in (\(said)): \(advice)")
        case 2, Int32(MQTT_RC_CLIENTID_NOT_VALID.rawValue):
            return MQTTFailure(
                .refused, "\(place) does not take the client id (\(said)): choose another, or allow it there")
        default:
            return MQTTFailure(.refused, "\(place) refuses the connection (\(said)): see the log of the broker")
        }
    }

    /// The broker has ended the connection and given a reason.
    func dismissed(_ code: Int32) -> MQTTFailure {
        let advice =
            code == Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue)
            ? "another program has connected with this client id; give each its own" : "see the log of the broker"
        return MQTTFailure(.refused, "\(place) has ended the connection (\(Self.text(reasonText(code)))): \(advice)")
    }

    /// The text for a reason code of the broker.
    func reason(_ code: Int32) -> String {
        // The only code of MQTT 3.1.1.
        code == 128 ? "the broker refuses it; see what it allows this user" : Self.text(reasonText(code))
    }

    /// Whether a message was refused for its length. Mosquitto says this for its `message_size_limit`; older versions
    /// say it for any refusal.
    func isForLength(_ code: Int32) -> Bool {
        [MQTT_RC_PACKET_TOO_LARGE, MQTT_RC_IMPLEMENTATION_SPECIFIC].contains { code == Int32($0.rawValue) }
    }

    private func reasonText(_ code: Int32) -> UnsafePointer<CChar>? { functions.pointee.reason_string(code) }

    // MARK: Lost connections

    func tooLarge() -> MQTTFailure {
        MQTTFailure(
            .protocolViolation,
            "\(place) sends a message of more than \(options.maxPayloadBytes) bytes, so the connection was ended: see who "
                + "publishes it, and whether it is retained")
    }

    func failing(
        _ result: MosquittoHandle.Result, _ inbox: MosquittoInbox, isEstablished: Bool
    ) -> MQTTFailure {
        if let failure = tlsFailure(inbox) { return failure }
        switch result.code {
        case MOSQ_ERR_KEEPALIVE.rawValue:
            return MQTTFailure(.timedOut, "\(place) gives no sign of life any more: check the broker and the network")
        case MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_NO_CONN.rawValue, MOSQ_ERR_SUCCESS.rawValue,
            MOSQ_ERR_ERRNO.rawValue:
            // EPROTO is the library's own code for TLS.
            let error = result.error == EPROTO || result.error == EAGAIN ? 0 : result.error
            guard isEstablished else { return closed(error) }
            let cause = error == 0 ? "it was closed" : SystemError.text(of: error)
            return MQTTFailure(MQTTFailure.Kind(ofLoss: error), "the connection to \(place) is lost: \(cause)")
        case MOSQ_ERR_NOMEM.rawValue: return outOfMemory
        default:
            return MQTTFailure(
                .protocolViolation,
                "\(place) does not speak as a broker does (\(text(of: result.code))): \(schemeAdvice)")
        }
    }

    static func text(_ words: UnsafePointer<CChar>?) -> String { words.map { String(cString: $0) } ?? "" }
}
