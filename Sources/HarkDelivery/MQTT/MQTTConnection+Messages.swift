internal import CMosquitto
internal import HarkSystem

extension MQTTConnection {
    /// - Returns: Whether the library has accepted it; unwritten messages wait in the library, without a bound.
    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool, qos: Int32) -> Bool {
        // The library would end the topic at a zero byte.
        guard stage == .established, let handle, !topic.utf8.contains(0) else { return false }
        let qos = min(qos, maxQoS)
        let (result, number) = handle.publish(topic, payload, qos: qos, isRetained: isRetained)
        switch result.code {
        case MOSQ_ERR_SUCCESS.rawValue:
            if qos > 0 { publications[number] = (topic, payload.count) }
            noteWriting()
            return true
        case MOSQ_ERR_INVAL.rawValue, MOSQ_ERR_NOMEM.rawValue, MOSQ_ERR_PAYLOAD_SIZE.rawValue,
            MOSQ_ERR_MALFORMED_UTF8.rawValue, MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue,
            MOSQ_ERR_OVERSIZE_PACKET.rawValue, MOSQ_ERR_RETAIN_NOT_SUPPORTED.rawValue:
            return false
        default:
            concludeSoon(result)
            return false
        }
    }

    /// The broker's answers come as `subscribed` and `refused`; topics that the library rejects come as `refused` soon.
    func subscribe(_ topics: [String], qos: Int32) {
        guard stage == .established, let handle, !topics.isEmpty else { return }
        guard !topics.contains(where: { $0.utf8.contains(0) }) else {
            return refuse(topics, "it cannot be asked for: it holds the character U+0000")
        }
        let (result, number) = handle.subscribe(topics, qos: qos)
        switch result.code {
        case MOSQ_ERR_SUCCESS.rawValue:
            subscriptions[number] = topics
            noteWriting()
        case MOSQ_ERR_INVAL.rawValue, MOSQ_ERR_NOMEM.rawValue, MOSQ_ERR_PAYLOAD_SIZE.rawValue,
            MOSQ_ERR_MALFORMED_UTF8.rawValue, MOSQ_ERR_OVERSIZE_PACKET.rawValue:
            refuse(topics, "it cannot be asked for: \(handle.verdict.text(of: result.code))")
        default: concludeSoon(result)
        }
    }

    private func refuse(_ topics: [String], _ reason: String) {
        DaemonActor.post { [self] in
            for topic in topics where stage == .established {
                tell(self, .event(.refused(topic: topic, reason: reason)))
            }
        }
    }

    func take(_ entry: MosquittoInbox.Entry, _ verdict: MosquittoVerdict) {
        switch entry {
        case .message(let message): tell(self, .event(.message(message)))
        case .dropped(let topic, let reason): tell(self, .event(.dropped(topic: topic, reason: reason)))
        case .acknowledged(let number, let code):
            guard let sent = publications.removeValue(forKey: number) else { return }
            guard code >= 128 else {
                return tell(self, .event(.confirmed(topic: sent.topic, bytes: sent.bytes)))
            }
            tell(
                self,
                .event(
                    verdict.isForLength(code)
                        ? .tooLong(topic: sent.topic, bytes: sent.bytes)
                        : .refused(topic: sent.topic, reason: verdict.reason(code))))
        case .subscribed(let number, let codes):
            guard let topics = subscriptions.removeValue(forKey: number) else { return }
            let answers = zip(topics, codes)
            let granted = answers.filter { $0.1 < 128 }.map(\.0)
            if !granted.isEmpty { tell(self, .event(.subscribed(granted))) }
            for (topic, code) in answers where code >= 128 && stage != .over {
                tell(self, .event(.refused(topic: topic, reason: verdict.reason(code))))
            }
        case .answered, .dismissed: break
        }
    }
}
