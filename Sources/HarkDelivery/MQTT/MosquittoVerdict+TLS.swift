internal import CMosquitto

/// Failures reported by OpenSSL.
extension MosquittoVerdict {
    /// The failure for files that the library could not use; nil if that was not the cause.
    func fileFailure(_ inbox: MosquittoInbox) -> MQTTFailure? {
        // Its only other complaint is about the host of a certificate.
        guard let complaint = inbox.complaint, !complaint.contains("host name") else { return nil }
        let isOurs = complaint.contains("lient")
        return MQTTFailure(
            isOurs ? .ownCertificate : .certificate,
            "\(complaint) They must be PEM"
                + (isOurs ? ", the key without a password, and certificate and key must belong together" : ""))
    }

    /// The failure of the TLS handshake; nil if there was none, or the connection just ended.
    func tlsFailure(_ inbox: MosquittoInbox) -> MQTTFailure? {
        // OpenSSL's codes have the library above bit 23 and the reason below; from 100 on it is the library's own.
        let ofTLS = inbox.tlsErrors.filter { $0 >> 23 == 20 }.map { $0 & 0x7f_ffff }.filter {
            (100..<2000).contains($0)
        }
        if ofTLS.contains(134) { return certificate(inbox.verified) }
        // A refusal by the peer is an alert, with its number added to 1000: of the handshake, of a certificate for one
        // of several reasons, of access, or for lack of a certificate.
        let alerts: Set<UInt32> = [1040, 1041, 1042, 1043, 1044, 1045, 1046, 1048, 1049, 1116]
        if let alert = ofTLS.first(where: alerts.contains) {
            let advice =
                options.certificateFile == nil
                ? "it wants a certificate of ours: name one, and its key"
                : "it does not take our certificate: see whether it has expired, and whether the broker trusts its authority"
            return MQTTFailure(
                .ownCertificate, "\(place) refuses the encrypted connection (alert \(alert - 1000)): \(advice)")
        }
        guard let reason = ofTLS.first else { return nil }
        // The end of the connection, and an answer without TLS.
        if reason == 294 { return nil }
        let cause = reason == 267 || reason == 244 ? "what listens there answers without TLS" : "TLS error \(reason)"
        return MQTTFailure(.protocolViolation, "no encrypted connection to \(place) (\(cause)): \(schemeAdvice)")
    }

    private func certificate(_ verified: Int?) -> MQTTFailure {
        let cause =
            switch verified {
            // Checked by libmosquitto, which gives no code of its own.
            case nil, 0, 1, 62, 64:
                "is not for the host \(options.address.host): use the name it is for, or have it made for this one"
            case 9: "is not valid yet: check this machine's clock"
            case 10: "has expired: have the broker's renewed, and check this machine's clock"
            case 2, 18, 19, 20, 21:
                options.authoritiesFile.map { "is of none of the authorities in \($0): name the file of its authority" }
                    ?? "is of none of the system's authorities: name the file of its authority"
            case let other?: "is not accepted (\(Self.text(functions.pointee.verify_text(other))))"
            }
        return MQTTFailure(.certificate, "the certificate of \(place) \(cause)")
    }
}
